"""The command at work: pages found and read, results remembered and never wrong, nothing written but its cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults import cache as cache_module
from ckpt_defaults.cli import main
from ckpt_defaults.pages import find_pages
from ckpt_defaults.settings import ConfigError
from conftest import ROOT, write_files

FILES = {
    "docs/one.rst": "``a.lr`` defaults to 2.\n\n.. include:: part.txt\n",
    "docs/part.txt": "``a.n`` defaults to x.\n",
    "docs/two.md": "# Two\n\n- `a.lr`: default 1\n- `a.on`: default false\n",
    "conf/c.yaml": "a:\n  lr: 1\n  n: x\n  on: true\n",
}
CACHE = Path(".ckpt-defaults-cache")
Check = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, FILES)
    return tmp_path


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs ``check docs --config conf --format json --all``; gives the status, the claims and what was told."""

    def run(*args: str, docs: str = "docs") -> dict[str, Any]:
        capsys.readouterr()
        status = main(["check", docs, "--config", "conf", "--format", "json", "--all", *args])
        told = capsys.readouterr()
        claims = json.loads(told.out)["claims"] if told.out else []
        assert "Traceback" not in told.err
        return {"status": status, "claims": claims, "err": told.err}

    return run


def short(result: dict[str, Any]) -> list[tuple[str, int, str, str]]:
    return [(c["file"], c["line"], c["key"], c["verdict"]) for c in result["claims"]]


FIRST = [
    ("docs/one.rst", 1, "a.lr", "disagrees"),
    ("docs/part.txt", 1, "a.n", "agrees"),
    ("docs/two.md", 3, "a.lr", "agrees"),
    ("docs/two.md", 4, "a.on", "disagrees"),
]


# -- pages ------------------------------------------------------------------------------------------------------------
def test_pages_are_found_sorted_and_once(here: Path) -> None:
    write_files(here, {"docs/_build/x.rst": "", "docs/.hidden/x.rst": "", "docs/sub/z.md": "", "docs/note.txt": ""})
    assert find_pages(["docs", "docs/two.md", "./docs/sub/../one.rst"]) == [
        "docs/one.rst",
        "docs/two.md",
        "docs/sub/z.md",
    ]
    for places, wanted in (
        (["docs/note.txt"], r"^docs/note\.txt: is no page; pages end with \.rst or \.md$"),
        (["nowhere"], r"^nowhere: does not exist; "),
        (["conf"], r"^no page in conf; "),
        ([], r"^no page in the given places; "),
    ):
        with pytest.raises(ConfigError, match=wanted):
            find_pages(places)


def test_a_page_in_another_encoding_is_left_out_and_told_each_time(here: Path, check: Check) -> None:
    (here / "docs/latin.rst").write_bytes(b"``a.lr`` defaults to 5. \xe9\n")
    for _ in range(2):
        result = check()
        assert result["err"] == "ckpt-defaults: docs/latin.rst: is not UTF-8 and was left out\n"
        assert short(result) == FIRST


def test_a_page_with_a_mark_and_with_other_line_ends(here: Path, check: Check) -> None:
    (here / "docs/one.rst").write_bytes(b"\xef\xbb\xbf``a.lr``\r\ndefaults to 2.\r\n")
    claim = check()["claims"][0]
    assert (claim["line"], claim["column"], claim["documented"]) == (2, 13, "2")


@pytest.mark.parametrize("name", ["p.rst", "p.md"])
def test_directives_and_roles_of_others_are_read_and_never_told(here: Path, check: Check, name: str) -> None:
    rst = """
        :octicon:`x` Text with |nothing| and :unknown:role:`a` and a `broken_ link.

        .. some-extension:: argument
           :option: value

           ``a.lr`` defaults to 3.

           .. another::

              ``a.lr`` defaults to 4.

        .. autoclass:: os.path
           :members:

        .. jinja:: {{ x }}

        .. list-table::

           * - broken

        ====
        Over
        """
    md = """
        {octicon}`x` Text with [^nothing] and {unknown:role}`a` and [broken](nowhere.md).

        :::{some-extension} argument
        :option: value

        `a.lr` defaults to 3.

        ```{another}
        `a.lr` defaults to 4.
        ```
        :::

        ```{autoclass} os.path
        :members:
        ```

        ```{figure} none.png
        ```

        #### Level

        ```{unclosed
        """
    write_files(here, {f"only/{name}": rst if name.endswith("rst") else md})
    result = check(docs="only")
    assert result["err"] == ""
    assert [c["documented"] for c in result["claims"]] == ["3", "4"]


def test_the_same_with_several_processes(here: Path, check: Check) -> None:
    write_files(here, {f"docs/more/{i:02}.rst": f"``a.lr`` defaults to {i}.\n" for i in range(40)})
    alone, two, many = (check("--no-cache", "-j", jobs) for jobs in ("1", "2", "7"))
    assert len(alone["claims"]) == 44
    assert alone == two == many


# -- the cache --------------------------------------------------------------------------------------------------------
def test_what_is_remembered_is_what_was_found(check: Check) -> None:
    first = check()
    assert short(first) == FIRST
    assert check() == first
    assert check("--no-cache") == first


def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that are judged from now on, rather than remembered."""
    from ckpt_defaults import pages

    seen: list[str] = []
    whole = pages._judge_page

    def noted(file: str) -> Any:
        seen.append(file)
        return whole(file)

    monkeypatch.setattr(pages, "_judge_page", noted)
    return seen


CHANGES: dict[str, tuple[dict[str, str], list[str], set[int]]] = {
    "a page": ({"docs/two.md": "- `a.lr`: default 1\n"}, ["docs/two.md"], {2, 3}),
    "an include": ({"docs/part.txt": "``a.n`` defaults to y.\n"}, ["docs/one.rst"], {1}),
    "the config": ({"conf/c.yaml": "a:\n  lr: 2\n  n: x\n  on: true\n"}, ["docs/one.rst", "docs/two.md"], {0, 2}),
    "one more config": ({"conf/d.yaml": "a:\n  lr: 2\n"}, ["docs/one.rst", "docs/two.md"], {0}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_and_costs_no_more_than_it_must(
    here: Path, check: Check, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, again, differ = CHANGES[change]
    before = short(check())
    seen = judged(monkeypatch)
    assert short(check()) == before
    assert seen == []
    write_files(here, files)
    after = check()
    assert sorted(seen) == again
    assert after == check("--no-cache")
    changed = {i for i, claim in enumerate(before) if claim not in short(after)}
    assert changed == differ


def test_rules_are_part_of_what_is_remembered(here: Path, check: Check) -> None:
    write_files(here, {"conf/d.yaml": "a:\n  lr: 2\n"})
    assert check()["claims"][0]["verdict"] == "agrees"
    assert check("--pages", "docs/one.rst=c")["claims"][0]["verdict"] == "disagrees"
    assert check("--root", "c")["claims"][0]["verdict"] == "disagrees"
    write_files(here, {"pyproject.toml": "[tool.ckpt-defaults]\nignore = ['docs/one.rst:a.lr']\n"})
    assert check()["claims"][0]["file"] == "docs/part.txt"
    (here / "pyproject.toml").unlink()
    assert check()["claims"][0]["verdict"] == "agrees"


@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_pages_include_is_told_once_whatever_its_path(
    here: Path, check: Check, capsys: pytest.CaptureFixture[str], whole: bool
) -> None:
    """By itself, from reStructuredText and from Markdown; pages named from the working directory or by full paths."""
    part = "``a.lr`` defaults to 2.\n\n.. ckpt-defaults: ignore\n\nNothing is said.\n"
    pages = {"part.rst": part, "one.rst": ".. include:: part.rst\n", "two.md": "```{include} some.md\n```\n"}
    write_files(here / "some", {**pages, "some.md": "`a.on` defaults to false.\n"})
    folder = str(here / "some") if whole else "some"
    assert short(check("--no-cache", docs=folder)) == [
        ("some/part.rst", 1, "a.lr", "disagrees"),
        ("some/some.md", 1, "a.on", "disagrees"),
    ]
    assert main(["check", folder, "--config", "conf", "--no-cache"]) == 1
    assert capsys.readouterr().out.count("ignores nothing any more") == 1


def test_a_file_that_was_not_there_to_be_included_is_waited_for(here: Path, check: Check) -> None:
    """What a page could not include is part of what it was made of."""
    rst = ".. include:: new.txt\n\n.. literalinclude:: new.yaml\n\n"
    rst += ""
    rst += ".. csv-table::\n   :file: new.csv\n   :header-rows: 1\n"
    write_files(here, {"only/p.rst": rst, "only/p.md": "```{include} new.txt\n```\n"})
    assert check(docs="only")["claims"] == []
    write_files(
        here,
        {
            "only/new.txt": "``a.lr`` defaults to 1.\n",
            "only/new.yaml": "a:\n  n: x\n",
            "only/new.csv": "Key,Default\na.on,true\n",
        },
    )
    result = check(docs="only")
    assert sorted(c["key"] for c in result["claims"]) == ["a.lr", "a.n", "a.on"]
    assert result == check("--no-cache", docs="only")
    (here / "only/new.txt").unlink()
    assert sorted(c["key"] for c in check(docs="only")["claims"]) == ["a.n", "a.on"]


def test_another_program_remembers_for_itself(here: Path, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    check()
    seen = judged(monkeypatch)
    monkeypatch.setattr(cache_module, "program_key", lambda: "another")
    assert short(check()) == FIRST
    assert len(seen) == 2


POISON: dict[str, Callable[[Any], Any]] = {
    "no JSON": lambda pages: "{",
    "nothing": lambda pages: "",
    "a list": lambda pages: [],
    "null": lambda pages: None,
    "nesting": lambda pages: "[" * 100_000,
    "binary": lambda pages: "\udcff",
    "pages that are no mappings": lambda pages: dict.fromkeys(pages, 5),
    "nothing to be made of": lambda pages: {p: {**e, "parts": {}} for p, e in pages.items()},
    "parts as a list": lambda pages: {p: {**e, "parts": [p]} for p, e in pages.items()},
    "no verdicts": lambda pages: {p: {k: v for k, v in e.items() if k != "verdicts"} for p, e in pages.items()},
    "verdicts as text": lambda pages: {p: {**e, "verdicts": "agrees"} for p, e in pages.items()},
    "another verdict": lambda pages: edited(pages, lambda v: [v[0], v[1], ["fine", *v[2][1:]], v[3]]),
    "a line as text": lambda pages: edited(pages, lambda v: [[v[0][0], "1", *v[0][2:]], *v[1:]]),
    "a file as a number": lambda pages: edited(pages, lambda v: [[5, *v[0][1:]], *v[1:]]),
    "keys as numbers": lambda pages: edited(pages, lambda v: [[*v[0][:4], [5], *v[0][5:]], *v[1:]]),
    "no context": lambda pages: edited(pages, lambda v: [v[0], None, *v[2:]]),
    "headings as numbers": lambda pages: edited(pages, lambda v: [v[0], [[], [1], ""], *v[2:]]),
    "an actual value as a list": lambda pages: edited(pages, lambda v: [v[0], v[1], [*v[2][:3], [], *v[2][4:]], v[3]]),
    "a setting without a line": lambda pages: edited(
        pages, lambda v: [*v[:3], ["a", None, "f", None, 1, 1, "", "", ""]]
    ),
    "fields missing": lambda pages: edited(pages, lambda v: [v[0][:3], *v[1:]]),
    "comments as text": lambda pages: {p: {**e, "comments": "xy"} for p, e in pages.items()},
}


def edited(pages: Any, change: Callable[[Any], Any]) -> Any:
    return {p: {**e, "verdicts": [change(v) for v in e["verdicts"]]} for p, e in pages.items()}


@pytest.mark.parametrize("poison", POISON)
@pytest.mark.parametrize("name", ["pages.json", "project.json"])
def test_what_others_wrote_into_the_cache_is_not_believed(here: Path, check: Check, poison: str, name: str) -> None:
    first = check()
    content = json.loads((here / CACHE / name).read_text(encoding="utf-8"))
    if name == "project.json" and poison not in ("no JSON", "nothing", "a list", "null", "nesting", "binary"):
        content["roots"][0]["settings"][1][3] = "line"
        changed: Any = content
    else:
        changed = POISON[poison](content)
    text = changed if isinstance(changed, str) else json.dumps(changed)
    (here / CACHE / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert check() == first
    assert check() == first


def test_a_cache_that_cannot_be_written_is_no_error(here: Path, check: Check) -> None:
    (here / CACHE).write_text("a file where the folder would be", encoding="utf-8")
    for _ in range(2):
        assert short(check()) == FIRST


def test_nothing_is_written_but_the_cache_and_without_it_nothing(here: Path, check: Check) -> None:
    before = {f: f.read_bytes() for f in here.rglob("*") if f.is_file()}
    check("--no-cache")
    assert {f: f.read_bytes() for f in here.rglob("*") if f.is_file()} == before
    check()
    check("-j", "2")
    after = {f: f.read_bytes() for f in here.rglob("*") if f.is_file()}
    assert {f.relative_to(here).parts[0] for f in after.keys() - before.keys()} == {str(CACHE)}
    assert sorted(f.name for f in (here / CACHE).iterdir()) == [".gitignore", "pages.json", "project.json"]
    assert {f: after[f] for f in before} == before


def test_pages_and_configs_elsewhere_are_read_and_nothing_is_written_there(here: Path, check: Check) -> None:
    work = here / "work"
    work.mkdir()
    os.chdir(work)
    status = main(["check", "../docs", "--config", "../conf", "--format", "json", "--all"])
    assert status == 1
    assert sorted(p.name for p in here.iterdir()) == ["conf", "docs", "work"]


# -- no secret --------------------------------------------------------------------------------------------------------
SECRETS = {
    "docs/s.md": """
        # Settings

        | Key | Default |
        |---|---|
        | `db.password` | `hunter2` |
        | `db.api_key` | `s3cr3t` |
        | `db` | `{password: hunter2}` |
        | `db.gone_token` | `hunter2` |
        | `db.copy` | `hunter2` |

        ```yaml
        # all settings with their defaults
        db:
          password: hunter2  # default: swordfish
          api_key: other5
        ```
        """,
    "conf/c.yaml": "db:\n  password: swordfish\n  api_key: s3cr3t\n  copy: ${db.password}\n",
}


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_no_report_prints_a_secret(here: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    write_files(here, SECRETS)
    for args in ([], ["--all"], ["--no-cache", "--statistics"]):
        main(["check", "docs/s.md", "--config", "conf", "--format", form, *args])
        told = capsys.readouterr()
        for secret in ("hunter2", "swordfish", "s3cr3t", "other5"):
            assert secret not in told.out + told.err
        assert "db.password" in told.out


def test_show_prints_no_secret(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(here, SECRETS)
    for key in ("db.password", "db", "copy"):
        assert main(["show", key, "--config", "conf", "--docs", "docs/s.md"]) == 0
        told = capsys.readouterr().out
        for secret in ("hunter2", "swordfish", "s3cr3t", "other5"):
            assert secret not in told


# -- show -------------------------------------------------------------------------------------------------------------
def test_show_tells_value_place_comment_and_statements(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(here, {"conf/c.yaml": "a:\n  # how fast\n  lr: 1\n  n: ${a.lr}\n  req: ???\n"})
    assert main(["show", "a.lr", "--config", "conf", "--docs", "docs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["a.lr", "  1  conf/c.yaml:3  in conf/c.yaml", "  # how fast", "2 statements:"]
    assert lines[4].startswith("docs/one.rst:1:")
    assert lines[5].startswith("docs/two.md:3:")
    assert main(["show", "n", "--config", "conf"]) == 0
    assert "follows a.lr" in capsys.readouterr().out
    assert main(["show", "req", "--config", "conf"]) == 0
    assert "required (???)" in capsys.readouterr().out
    assert main(["show", "a.lrr", "--config", "conf"]) == 2
    assert capsys.readouterr().err == "ckpt-defaults: no config has the key 'a.lrr'; did you mean a.lr?\n"


def test_show_of_several_roots_tells_each_value_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(here, {"conf/d.yaml": "a:\n  lr: 5\n", "conf/e.yaml": "b:\n  a: {lr: 7}\n"})
    assert main(["show", "a.lr", "--config", "conf"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "a.lr", "  1  conf/c.yaml:2  in conf/c.yaml", "  5  conf/d.yaml:2  in conf/d.yaml",
        "b.a.lr", "  7  conf/e.yaml:2  in conf/e.yaml",
    ]  # fmt: skip


def test_the_command_starts_without_sphinx(here: Path) -> None:
    program = "import sys; from ckpt_defaults.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass\n" \
              "print([m for m in ('sphinx', 'omegaconf', 'hydra') if m in sys.modules])"  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext")},
    )  # fmt: skip
    assert done.stdout.splitlines()[1] == "[]"
