"""The check in a Sphinx build: it fails in each build and under every builder, and reads again only what it must."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest
from ckpt_defaults.build import ENV_VERSION
from ckpt_defaults.statements import Statement
from conftest import Build, Built, write_files

CONF = "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../config']\n"
PAGE = """
    Page
    ====

    The default of ``a.lr`` is 1.

    ====== =======
    Key    Default
    ====== =======
    a.n    x
    ====== =======
    """
FALSE = "a:\n  lr: 2\n  n: y\n"
TRUE = "a:\n  lr: 1\n  n: x\n"
LR = "index.rst:4: ERROR: a.lr is documented as 1; "
N = "index.rst:9: ERROR: a.n is documented as x; "


def project(config: str = FALSE, page: str = PAGE, conf: str = "", **more: str) -> dict[str, str]:
    return {"conf.py": CONF + conf, "index.rst": page, "../config/c.yaml": config, **more}


def told(built: Built) -> list[str]:
    """The lines that are ours, in their order; what is not ours must not be there."""
    assert "Traceback" not in built.warnings
    assert "Exception" not in built.warnings
    return [line for line in built.lines if "ckpt_defaults" in line or "c.yaml" in line or "config" in line]


def both(built: Built) -> None:
    """Both disagreements are told, each once, with page and config line, and the build failed."""
    lines = told(built)
    assert [line.split(";")[0] for line in lines] == [LR[:-2], N[:-2]]
    assert re.search(r"config/c\.yaml:2 says 2( \[ckpt_defaults\.disagrees\])?$", lines[0])
    assert re.search(r"config/c\.yaml:3 says y( \[ckpt_defaults\.disagrees\])?$", lines[1])
    assert built.status != 0


# -- failing ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("args", [(), ("-W",), ("-W", "--keep-going"), ("-q",), ("-n",), ("-E",), ("-a",)])
def test_every_disagreement_fails_the_build_and_the_next_one_too(build: Build, args: tuple[str, ...]) -> None:
    for _ in range(3):
        both(build(project(), "html", *args))


@pytest.mark.parametrize("args", [(), ("-W",)])
def test_what_agrees_builds(build: Build, args: tuple[str, ...]) -> None:
    for _ in range(2):
        built = build(project(TRUE), "html", *args)
        assert (built.status, told(built)) == (0, [])


@pytest.mark.parametrize(
    "builder",
    ["html", "dirhtml", "singlehtml", "latex", "text", "man", "epub", "gettext", "dummy", "xml", "pseudoxml", "texinfo",
     "json", "linkcheck", "changes"],
)  # fmt: skip
def test_every_builder_fails_twice_and_passes_when_mended(build: Build, builder: str) -> None:
    both(build(project(), builder))
    both(build(project(), builder))
    built = build({"../config/c.yaml": TRUE}, builder)
    assert (built.status, told(built)) == (0, [])
    assert build({"../config/c.yaml": FALSE}, builder).status != 0


def test_a_process_of_its_own_fails_as_well(build: Build) -> None:
    for args in ((), ("-W",)):
        both(build(project(), "html", *args, process=True))


def many(pages: int = 8) -> dict[str, str]:
    found = project(page="Index\n=====\n\n.. toctree::\n   :glob:\n\n   p*\n")
    return {**found, **{f"p{i}.rst": f"Page {i}\n======\n\n``a.lr`` defaults to {i}.\n" for i in range(pages)}}


@pytest.mark.parametrize("args", [("-j", "2"), ("-j", "auto"), ()])
def test_pages_read_in_parallel_are_all_told_in_order(build: Build, args: tuple[str, ...]) -> None:
    for _ in range(2):
        built = build(many(), "html", *args)
        assert [line.partition(":")[0] for line in told(built)] == [f"p{i}.rst" for i in range(8) if i != 2]
        assert built.status != 0


def test_flip_and_flip_back(build: Build) -> None:
    assert build(project(TRUE)).status == 0
    both(build({"../config/c.yaml": FALSE}))
    both(build({}))
    built = build({"../config/c.yaml": TRUE})
    assert (built.status, told(built)) == (0, [])
    assert build({}).status == 0


def test_a_change_that_keeps_size_and_needs_no_page_is_seen(build: Build, tmp_path: Path) -> None:
    assert build(project(TRUE)).status == 0
    assert "updating environment: 0 added, 0 changed" in build({"../config/c.yaml": TRUE.replace("1", "3")}).stdout
    assert build({}).status != 0


@pytest.mark.parametrize("suppress", ["'*'", "'ckpt_defaults'", "'ckpt_defaults.*'", "'ckpt_defaults.disagrees'"])
@pytest.mark.parametrize("args", [(), ("-W",)])
def test_suppressed_warnings_do_not_turn_it_green(build: Build, suppress: str, args: tuple[str, ...]) -> None:
    for _ in range(2):
        assert build(project(conf=f"suppress_warnings = [{suppress}]\n"), "html", *args).status != 0


# -- what is read again -----------------------------------------------------------------------------------------------
def read(built: Built) -> list[str]:
    """The pages that a build read."""
    return sorted(set(re.findall(r"reading sources\.\.\. \[ *\d+%\] (\S+)", built.stdout)))


SHOWING = {
    "conf.py": "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../config']\n",
    "index.rst": "Index\n=====\n\n.. toctree::\n\n   shown\n   stated\n   other\n",
    "shown.rst": "Shown\n=====\n\nThe rate is :config-default:`a.lr`.\n",
    "stated.rst": "Stated\n======\n\n``a.lr`` defaults to 1.\n",
    "other.rst": "Other\n=====\n\nText.\n",
    "../config/c.yaml": "a:\n  lr: 1\n",
}


def test_a_change_of_the_config_reads_the_pages_that_show_it_and_no_others(build: Build) -> None:
    assert read(build(SHOWING)) == ["index", "other", "shown", "stated"]
    assert read(build({})) == []
    built = build({"../config/c.yaml": "a:\n  lr: 2\n"})
    assert read(built) == ["shown"]
    assert ["stated.rst:4: ERROR: a.lr is documented as 1" in line for line in told(built)] == [True]
    assert "2" in built.read("shown.html")


def test_an_edited_page_is_judged_anew_and_a_deleted_one_is_forgotten(build: Build, tmp_path: Path) -> None:
    assert len(told(build(many()))) == 7
    built = build({"p1.rst": "Page\n====\n\n``a.lr`` defaults to 2.\n", "p3.rst": "Page\n====\n"})
    assert read(built) == ["p1", "p3"]
    assert [line.partition(":")[0] for line in told(built)] == ["p0.rst", "p4.rst", "p5.rst", "p6.rst", "p7.rst"]
    for i in (0, 4, 5, 6):
        (tmp_path / "project" / "docs" / f"p{i}.rst").unlink()
    built = build({})
    assert [line.partition(":")[0] for line in told(built)] == ["p7.rst"]
    (tmp_path / "project" / "docs" / "p7.rst").unlink()
    assert build({}).status == 0


def test_an_included_file_that_changes_is_judged_anew(build: Build) -> None:
    files = project(TRUE, page="Page\n====\n\n.. include:: part.txt\n", **{"part.txt": "``a.lr`` defaults to 1.\n"})
    assert build(files).status == 0
    built = build({"part.txt": "Text.\n\n``a.lr`` defaults to 5.\n"})
    assert [line.startswith("part.txt:3: ERROR: a.lr is documented as 5; ") for line in told(built)] == [True]


INCLUDED = """
``a.lr`` defaults to 5; ``a.n`` defaults to ``x``.

.. config-table:: gone

:config-default:`a.none`

.. ckpt-defaults: ignore

Nothing is said here.

:ref:`nowhere`
"""


@pytest.mark.parametrize("folder", ["", "parts/", "../"])
@pytest.mark.parametrize("process", [False, True])
def test_an_included_file_has_the_path_that_sphinx_gives_it(build: Build, folder: str, process: bool) -> None:
    """Every kind of our messages, beside one of Sphinx's own, whatever the working directory."""
    files = project(TRUE, page=f"Page\n====\n\n.. include:: {folder}part.txt\n", **{f"{folder}part.txt": INCLUDED})
    for _ in range(2):  # in the second run no page is read
        built = build(files if not _ else {}, "html", "-D", "ckpt_defaults_prefer_live=1", process=process)
        named = (built.srcdir / folder / "part.txt").resolve()
        found = [line for line in built.warnings.splitlines() if "part.txt" in line]
        assert len(found) == (6 if not _ else 5), built.warnings
        assert {line.partition(": ")[0].rpartition(":")[0] for line in found} == {str(named)}


def test_an_include_on_two_pages_is_told_once(build: Build) -> None:
    page = "Page\n====\n\n.. include:: part.txt\n"
    more = {"part.txt": "``a.lr`` defaults to 1.\n", "two.rst": ":orphan:\n\n" + page}
    assert len(told(build(project(page=page, **more)))) == 1


# -- what conf.py asks for --------------------------------------------------------------------------------------------
GONE = "Settings\n========\n\n``a.lr`` defaults to 2.\n\n``a.gone`` defaults to 1.\n"


@pytest.mark.parametrize(
    ("fail_on", "page", "status", "level"),
    [
        ("disagrees", PAGE, 1, "ERROR"), ("disagrees", GONE, 0, "WARNING"), ("unknown-key", GONE, 1, "ERROR"),
        ("unknown-key", PAGE, 1, "ERROR"), ("never", PAGE, 0, "WARNING"), ("never", GONE, 0, "WARNING"),
    ],
)  # fmt: skip
def test_fail_on(build: Build, fail_on: str, page: str, status: int, level: str) -> None:
    for _ in range(2):
        built = build(project(page=page, conf=f"ckpt_defaults_fail_on = {fail_on!r}\n"))
        assert bool(built.status) == bool(status)
        assert told(built)
        assert all(f": {level}: " in line for line in told(built))


def test_an_unknown_key_is_told_with_what_may_have_been_meant(build: Build) -> None:
    (line,) = told(build(project(page=GONE.replace("gone", "lrr"))))
    assert "index.rst:6: WARNING: a.lrr is documented as 1, but no config has this key; did you mean a.lr?" in line


@pytest.mark.parametrize("value", ["'disagree'", "''", "'always'"])
def test_a_fail_on_that_is_none_fails_and_says_which_there_are(build: Build, value: str) -> None:
    built = build(project(TRUE, conf=f"ckpt_defaults_fail_on = {value}\n"))
    assert built.status != 0
    (line,) = (line for line in built.lines if "fail_on" in line)
    assert "write one of disagrees, unknown-key, never" in line


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["index"], []), (["index.rst"], []), (["*"], []), (["index:a.lr"], [N]), (["index:a.*  # on purpose"], []),
        (["index:*lr", "index.rst:a.n"], []), (["other"], [LR, N]), (["index:lr"], [LR, N]),
    ],
)  # fmt: skip
def test_ignore(build: Build, patterns: list[str], left: list[str]) -> None:
    for _ in range(2):
        built = build(project(conf=f"ckpt_defaults_ignore = {patterns!r}\n"))
        errors = [line for line in told(built) if "ERROR" in line]
        assert [line.split(";")[0] for line in errors] == [line[:-2] for line in left]
        assert bool(built.status) == bool(left)


def test_an_ignore_pattern_that_is_not_needed_is_told(build: Build) -> None:
    conf = "ckpt_defaults_ignore = ['index:a.lr', 'index:a.gone', 'nowhere']\n"
    for _ in range(2):
        lines = [line for line in build(project(conf=conf)).lines if "matches no statement any more" in line]
        assert len(lines) == 2
        assert "'index:a.gone'" in lines[0]
        assert "'nowhere'" in lines[1]


TWO = {
    "../config/c.yaml": "a:\n  lr: 1\n  n: x\n",
    "../config/d.yaml": "a:\n  lr: 5\n  n: x\n",
}


@pytest.mark.parametrize(
    ("pages", "status"), [({}, 0), ({"index": "c"}, 0), ({"index": "d.yaml"}, 1), ({"ind*": "config/d.yaml"}, 1)]
)
def test_pages_that_describe_one_root(build: Build, pages: Mapping[str, str], status: int) -> None:
    built = build({**project(conf=f"ckpt_defaults_pages = {pages!r}\n"), **TWO})
    assert bool(built.status) == bool(status)
    assert [("config/d.yaml:2 says 5" in line) for line in told(built)] == [True] * status


def test_pages_of_a_root_that_there_is_not(build: Build) -> None:
    for _ in range(2):
        built = build(project(TRUE, conf="ckpt_defaults_pages = {'index': 'nope'}\n"))
        (line,) = (line for line in built.lines if "nope" in line)
        assert "no root is called 'nope'; there are: " in line
        assert built.status != 0


# -- configs that cannot be read --------------------------------------------------------------------------------------
BROKEN = {
    "a key twice": ({"../config/c.yaml": "a: 1\na: 2\n"}, "c.yaml:2: the key 'a' stands twice"),
    "no YAML": ({"../config/c.yaml": "a: [1\n"}, "c.yaml:2: is not valid YAML"),
    "a tag": ({"../config/c.yaml": "a: !!python/name:os.system x\n"}, "c.yaml:1: the tag !!python/name:os.system is"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("args", [(), ("-W",), ("-j", "2")])
def test_a_broken_config_is_one_line_and_a_failure_until_mended(build: Build, case: str, args: tuple[str, ...]) -> None:
    files, wanted = BROKEN[case]
    for _ in range(2):
        built = build({**project(), **files}, "html", *args)
        assert ["config" in line and wanted in line for line in told(built)] == [True]
        assert built.status != 0
    both(build({"../config/c.yaml": FALSE}))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("['../nowhere']", "nowhere: does not exist"), ("['../config', '../none.yaml']", "none.yaml: does not exist"),
        ("['..']", ""), ("[]", "ckpt_defaults_config is empty"), ("'../nowhere'", "nowhere: does not exist"),
        ("['.']", "holds no .yaml or .yml file"),
    ],
)  # fmt: skip
def test_a_config_that_is_not_there(build: Build, value: str, wanted: str) -> None:
    files = {**project(), "conf.py": f"extensions = ['ckpt_defaults']\nckpt_defaults_config = {value}\n"}
    for _ in range(2):
        built = build(files)
        assert built.status != 0
        assert "Traceback" not in built.warnings
        lines = [line for line in built.lines if "a.lr is documented" not in line and "a.n is documented" not in line]
        assert [wanted in line for line in lines] == ([True] if wanted else [])


def test_without_a_config_and_without_statements_nothing_is_asked(build: Build) -> None:
    built = build({"conf.py": "extensions = ['ckpt_defaults']\n", "index.rst": "Page\n====\n\nText.\n"}, "html", "-W")
    assert (built.status, built.lines) == (0, [])
    assert "ckpt-defaults:" not in built.stdout


SUMMARIES = {
    FALSE: (
        "ckpt-defaults: 2 of 2 documented defaults are wrong on 1 page.",
        "2 条默认值说明中有 2 条有误，涉及 1 个页面。",
    ),
    TRUE: ("ckpt-defaults: 2 documented defaults: none is wrong.", "2 条默认值说明，没有错误。"),
}


@pytest.mark.parametrize("config", SUMMARIES)
def test_each_build_ends_the_check_with_a_summary(build: Build, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    english, chinese = SUMMARIES[config]
    for args in ((), (), ("-W",)):  # the second reads no page
        built = build(project(config), "html", *args)
        assert [line for line in built.stdout.splitlines() if line.startswith("ckpt-defaults: ")] == [english]
    assert "documented default" not in build(project(config), "html", "-q").stdout
    monkeypatch.setenv("LANGUAGE", "zh_CN")
    conf = "ckpt_defaults_ignore = ['gone']\n"
    page = PAGE + "\n    .. ckpt-defaults: ignore -- nothing\n\n    Text.\n"
    built = build(project(config, page, conf), process=True)
    assert f"ckpt-defaults: {chinese}\n" in built.stdout
    assert "ckpt_defaults_ignore：'gone' 已不匹配任何说明，请删去" in built.warnings
    assert "此注释已不忽略任何内容，请删去" in built.warnings


# -- places -----------------------------------------------------------------------------------------------------------
def test_a_moved_checkout_fails_the_same(build: Build, tmp_path: Path) -> None:
    both(build(project()))
    (tmp_path / "project").rename(tmp_path / "moved")
    both(build(tmp_path / "moved" / "docs"))
    write_files(tmp_path / "moved" / "config", {"c.yaml": TRUE})
    assert build(tmp_path / "moved" / "docs").status == 0


def test_nothing_is_written_outside_the_output(build: Build, tmp_path: Path) -> None:
    build(project())
    files = {str(f.relative_to(tmp_path / "project")) for f in (tmp_path / "project").rglob("*") if f.is_file()}
    assert {f for f in files if not f.startswith("_build")} == {"docs/conf.py", "docs/index.rst", "config/c.yaml"}


def test_secrets_are_never_printed(build: Build) -> None:
    page = "Settings\n========\n\n``db.password`` defaults to hunter2.\n\n``db.api_key`` (default ``other5``).\n"
    built = build(project("db:\n  password: swordfish\n  api_key: s3cr3t\n", page=page))
    assert len(told(built)) == 2
    for secret in ("hunter2", "other5", "swordfish", "s3cr3t"):
        assert secret not in built.warnings + built.stdout
    assert "db.password is documented as <secret>; " in built.warnings


def test_a_field_more_or_less_in_what_an_environment_keeps_raises_its_version() -> None:
    """Sphinx cannot write an older environment again whose statements lack a field."""
    kept = "file line column kind keys documented context span literal group cue loose comment conditional option"
    assert (ENV_VERSION, [field.name for field in fields(Statement)]) == (3, kept.split())
