"""Rendered keys as Sphinx's own ``confval`` objects: references, inventory, index, and one place for each."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import Build, Built, sphinx_build, write_files
from sphinx.util.inventory import InventoryFile

CONFIG = """
trainer:
  save_freq: 20
  resume: auto
actor:
  optim:
    lr: 1
critic:
  optim:
    lr: 2
"""


def project(**pages: str) -> dict[str, str]:
    names = "".join(f"   {name}\n" for name in pages)
    return {
        "conf.py": "extensions = ['ckpt_defaults']\nshow_warning_types = True\nproject = 'one'\nversion = '1'\n"
        "ckpt_defaults_config = ['../config']\nhtml_theme = 'basic'\n",
        "../config/train.yaml": CONFIG,
        "index.rst": f"Index\n=====\n\n.. toctree::\n\n{names}",
        **{f"{name}.rst": f"{name}\n========\n\n{text}\n" for name, text in pages.items()},
    }


def inventory(built: Built) -> dict[str, str]:
    """The ``confval`` objects of ``objects.inv``: name to address."""
    with (built.outdir / "objects.inv").open("rb") as stream:
        found = InventoryFile.load(stream, "", lambda base, uri: uri)["std:confval"]
    return {name: (item.uri if hasattr(item, "uri") else item[2]) for name, item in found.items()}


def links(built: Built, page: str) -> list[str]:
    return re.findall(
        r'<a class="reference (?:internal|external)" href="([^"]*confval[^"]*)"', built.read(f"{page}.html")
    )


def test_references_by_full_key_and_by_unique_end(build: Build) -> None:
    page = ":confval:`trainer.save_freq` :confval:`save_freq` :confval:`the run <trainer>` :confval:`actor.optim.lr`"
    built = build(project(keys=".. config-table::", page=page), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert links(built, "page") == [
        "keys.html#confval-trainer.save_freq", "keys.html#confval-trainer.save_freq", "keys.html#confval-trainer",
        "keys.html#confval-actor.optim.lr",
    ]  # fmt: skip
    for target in links(built, "page"):
        assert f'id="{target.partition("#")[2]}"' in built.read("keys.html")


def test_an_ambiguous_end_is_a_warning_with_the_candidates(build: Build) -> None:
    built = build(project(keys=".. config-table::", page=":confval:`optim.lr` :confval:`nope.lr`"), "html", "-n")
    assert built.lines == [
        "page.rst:4: WARNING: confval 'optim.lr' is ambiguous: actor.optim.lr, critic.optim.lr; write the full key "
        "[ckpt_defaults.ambiguous]",
        "page.rst:4: WARNING: 'confval' reference target not found: nope.lr [ref.confval]",
    ]
    assert links(built, "page") == []


def test_inventory_index_and_search(build: Build) -> None:
    built = build(project(keys=".. config-table:: trainer"), "html", "-W", "-n")
    assert inventory(built) == {
        "trainer": "keys.html#confval-trainer",
        "trainer.resume": "keys.html#confval-trainer.resume",
        "trainer.save_freq": "keys.html#confval-trainer.save_freq",
    }
    index = built.read("genindex.html")
    assert re.search(
        r"save_freq\s*<ul>\s*<li><a href=\"keys.html#confval-trainer.save_freq\">trainer.save_freq</a>", index
    )
    assert '"save_freq"' in built.read("searchindex.js")


def test_a_key_has_one_place_whatever_the_number_of_processes(build: Build) -> None:
    pages = dict.fromkeys(("d", "c", "e", "f", "g", "h"), ".. config-table:: trainer")
    pages["a"] = ".. config-listing:: trainer"
    pages["b"] = ".. config-table:: trainer\n   :no-index:"
    for jobs in ("1", "2"):
        built = build(project(**pages), "html", "-W", "-n", "-E", "-j", jobs)
        assert (built.status, built.warnings) == (0, "")
        assert inventory(built)["trainer.resume"] == "c.html#confval-trainer.resume"  # a table before a listing
        assert built.read("genindex.html").count("#confval-trainer.resume") == 1


def test_the_author_s_own_confval_comes_first(build: Build) -> None:
    own = ".. confval:: trainer.resume\n   :default: auto\n\n   By hand."
    built = build(project(a=".. config-table:: trainer", z=own), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert inventory(built)["trainer.resume"] == "z.html#confval-trainer.resume"
    # Added in a later build, it is no duplicate either.
    built = build(
        {"z.rst": f"z\n===\n\n{own}\n\n{own.replace('resume', 'save_freq').replace('auto', '20')}\n"},
        "html",
        "-W",
        "-n",
    )
    assert (built.status, built.warnings) == (0, "")
    assert inventory(built)["trainer.save_freq"] == "z.html#confval-trainer.save_freq"


def test_the_place_moves_when_its_page_goes(build: Build) -> None:
    files = project(a=".. config-table:: trainer", b=".. config-table:: trainer", c=":confval:`resume`")
    built = build(files, "html", "-W", "-n")
    assert links(built, "c") == ["a.html#confval-trainer.resume"]
    built = build({"a.rst": "a\n===\n\nNothing.\n"}, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert inventory(built)["trainer.resume"] == "b.html#confval-trainer.resume"
    assert links(built, "c") == ["b.html#confval-trainer.resume"], "c is not read again, but it is written again"
    assert built.read("genindex.html").count("#confval-trainer.resume") == 1
    (built.srcdir / "b.rst").unlink()
    built = build({"index.rst": "Index\n=====\n\n.. toctree::\n\n   a\n   c\n"}, "html", "-n")
    assert "trainer.resume" not in built.read("genindex.html")
    assert built.lines == ["c.rst:4: WARNING: 'confval' reference target not found: resume [ref.confval]"]


def test_a_name_of_python_is_not_taken(build: Build) -> None:
    page = ".. py:module:: trainer\n\n.. py:data:: resume\n\n.. config-table:: trainer\n\n:py:data:`trainer.resume`"
    built = build(project(a=page), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert 'href="#trainer.resume"' in built.read("a.html")
    assert inventory(built)["trainer.resume"] == "a.html#confval-trainer.resume"


def test_a_second_project_links_to_three_keys(build: Build, tmp_path: Path) -> None:
    one = build(project(keys=".. config-table::"), "html", "-W", "-n")
    assert one.status == 0
    conf = (
        "extensions = ['sphinx.ext.intersphinx', 'ckpt_defaults']\n"
        f"intersphinx_mapping = {{'one': ('https://one.example/', {str(one.outdir / 'objects.inv')!r})}}\n"
        "html_theme = 'basic'\nckpt_defaults_config = ['own.yaml']\n"
    )
    page = (
        "Two\n===\n\n:confval:`trainer.save_freq`, :confval:`one:actor.optim.lr`,\n"
        ":external+one:confval:`critic.optim.lr`."
        "\n\n.. config-table:: mine\n"
    )
    # A key here that ends like a full key there does not take the reference.
    own = "mine:\n  trainer:\n    save_freq: 3\n"
    source = write_files(tmp_path / "two/docs", {"conf.py": conf, "index.rst": page, "own.yaml": own})
    two = sphinx_build(source, "html", "-W", "-n")
    assert (two.status, two.warnings) == (0, "")
    assert links(two, "index")[:3] == [
        "https://one.example/keys.html#confval-trainer.save_freq",
        "https://one.example/keys.html#confval-actor.optim.lr",
        "https://one.example/keys.html#confval-critic.optim.lr",
    ]
