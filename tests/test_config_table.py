"""``config-table``: what its rows say, what it does with options and mistakes, and when its page is read again."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.literals import choices_of, shown
from ckpt_defaults.settings import Setting
from config_pages import listed, project, read_again, rows
from conftest import Build


def test_the_rows_of_a_group(build: Build) -> None:
    built = build(project(".. config-table:: trainer\n"), "text", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert listed(built) == {
        "save_freq": 'Type: int; Default: "20" Steps between two checkpoints; see "save_path". Set in "train.yaml:4"',
        "resume_mode": 'Type: str; Default: "auto" Options: auto, disable, resume_path. '
        'Allowed: "auto", "disable", "resume_path" Set in "train.yaml:6"',
        "save_path": 'Type: str; Default: "/data/ckpt", follows "trainer.root" Set in "train.yaml:7"',
        "root": 'Type: str; Default: "/data" Set in "train.yaml:8"',
        "hub_token": 'Type: str; Default: *secret, not shown* Set in "train.yaml:9"',
        "url": 'Type: str; Default: *secret, not shown* Set in "train.yaml:10"',
        "nothing": 'Default: "null" Set in "train.yaml:11"',
        "empty": 'Type: str; Default: "\'\'" Set in "train.yaml:12"',
        "no_items": 'Type: list; Default: "[]" Set in "train.yaml:13"',
        "no_keys": 'Type: dict; Default: "{}" Set in "train.yaml:14"',
        "model": 'Default: *required* Must be given. Set in "train.yaml:16"',
    }
    assert 'Settings under "trainer"' in built.read("index.txt")


def test_nested_groups_are_rows_of_their_own(build: Build) -> None:
    built = build(project(".. config-table:: optim\n"))
    assert (built.status, built.warnings) == (0, "")
    found = rows(built)
    assert list(found) == [
        "lr", "follows", "schedule", "schedule.kind", "schedule._target_", "schedule.steps", "schedule.steps.warmup",
    ]  # fmt: skip
    assert found["lr"] == [
        "float",
        "1e-6",
        "Learning *rate*, a glob *.lr and an undefined name_ are no reason to stop. tuned Set in train.yaml:19",
    ]
    assert found["follows"][1] == "1e-6 follows optim.lr"
    assert found["schedule.kind"][2] == "Shape of the decay: flat cosine Set in train.yaml:25"
    assert found["schedule"][:2] == ["", ""]
    html = built.read("index.html")
    assert '<a class="reference internal" href="#confval-optim.lr"><code' in html
    assert html.count('class="ckpt-group"') == 2


def test_inline_markup_is_that_of_the_page(build: Build) -> None:
    config = "a:\n  # ``code``, **strong**, `ticks` and :confval:`a.y`.\n  x: 1\n"
    config += "  # [site](https://e.org) and `code`.\n  y: 2\n"
    files = project(".. config-table:: a\n", **{"../config/train.yaml": config})
    files["md.md"] = "---\norphan: true\n---\n# M\n\n```{config-table} a\n:no-index:\n```\n"
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    rst, md = built.read("index.html"), built.read("md.html")
    assert "<strong>strong</strong>" in rst
    assert '<span class="pre">ticks</span></code>' in rst
    assert 'href="#confval-a.y"' in rst
    assert "[site](https://e.org)" in re.sub(r"<a [^>]*>|</a>", "", rst)
    assert '<a class="reference external" href="https://e.org">site</a>' in md
    assert ":confval:" in md


def test_markup_of_a_comment_cannot_put_html_into_a_page(build: Build) -> None:
    config = "a:\n  # <script>alert(1)</script> & <b>x</b>\n  x: <script>alert(2)</script>\n  '<i>': 1\n"
    files = project(".. config-table:: a\n", **{"../config/train.yaml": config})
    files["md.md"] = "---\norphan: true\n---\n# M\n\n```{config-table} a\n:no-index:\n```\n"
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    for page in ("index.html", "md.html"):
        assert "<script>alert" not in built.read(page)
        assert "<b>x" not in built.read(page)
        assert "<i>" not in built.read(page).split("<table")[1]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (":depth: 1", ["lr", "follows", "schedule"]),
        (":only: lr", ["lr"]),
        (":only: schedule.*", ["schedule", "schedule.kind", "schedule._target_", "schedule.steps",
                               "schedule.steps.warmup"]),
        (":only: warmup", ["schedule", "schedule.steps", "schedule.steps.warmup"]),
        (":exclude: schedule, follows", ["lr"]),
        (":exclude: optim.schedule.steps _target_", ["lr", "follows", "schedule", "schedule.kind"]),
        (":sort: name\n   :depth: 1", ["follows", "lr", "schedule"]),
        (":root: train", ["lr", "follows", "schedule", "schedule.kind", "schedule._target_", "schedule.steps",
                          "schedule.steps.warmup"]),
    ],
)  # fmt: skip
def test_options_choose_the_rows(build: Build, options: str, names: list[str]) -> None:
    built = build(project(f".. config-table:: optim\n   {options}\n"))
    assert (built.status, built.warnings) == (0, "")
    assert list(rows(built)) == names
    if "depth" in options:
        assert rows(built)["schedule"][1] == "3 settings"


NESTED = ".. config-table:: optim\n   :groups: tables\n   :name: all\n   :caption: The whole\n"


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
@pytest.mark.parametrize("around", ["", "note", "list-table", "md"])
def test_groups_have_tables_of_their_own(build: Build, builder: str, around: str) -> None:
    page = {
        "": NESTED,
        "note": ".. note::\n\n" + textwrap.indent(NESTED, "   "),
        "list-table": ".. list-table::\n\n   * - " + textwrap.indent(NESTED, " " * 7).lstrip(),
        "md": "See.\n",
    }[around]
    files = project(page + "\n:ref:`all` :confval:`optim.schedule` :confval:`optim.schedule.steps.warmup`\n")
    if around == "md":
        files["index.rst"] += "\n.. toctree::\n\n   md\n"
        files["md.md"] = "# M\n\n```{config-table} optim\n:groups: tables\n:name: all\n:caption: The whole\n```\n"
    built = build(files, builder, "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    html = built.read("index.html" if around != "md" else "md.html" if builder == "html" else "md/index.html")
    tables = re.findall(r'<table class="[^"]*ckpt-config.*?</table>', html, re.S)
    titles = [re.sub(r"<[^>]+>", "", re.search(r"<caption>(.*?)</caption>", t, re.S).group(1)) for t in tables]  # type: ignore[union-attr]
    assert [title.strip("¶\uf0c1\n ") for title in titles] == [
        "The whole", "Settings under optim.schedule", "Settings under optim.schedule.steps",
    ]  # fmt: skip
    found = [re.findall(r'<th scope="row"><code[^>]*>(.*?)</code>', table) for table in tables]
    assert [[re.sub(r"<[^>]+>", "", name) for name in names] for names in found] == [
        ["lr", "follows", "schedule"], ["kind", "_target_", "steps"], ["warmup"],
    ]  # fmt: skip
    assert '<a class="reference internal" href="#settings-optim.schedule">3 settings</a>' in tables[0]
    assert 'id="settings-optim.schedule"' in tables[1]
    assert '<tr id="confval-optim.schedule.steps.warmup"' in tables[2]
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("builder", ["latex", "text", "man", "texinfo", "epub", "gettext", "xml", "singlehtml"])
def test_tables_of_groups_are_in_every_medium(build: Build, builder: str) -> None:
    files = project(NESTED + "   :depth: 2\n\n.. config-table:: trainer\n   :groups: tables\n")
    files["conf.py"] += "copyright = 'x'\nversion = '1'\nsuppress_warnings = ['epub.unknown_project_files']\n"
    files["conf.py"] += "man_pages = [('index', 'page', 'x', [], 1)]\n"
    built = build(files, builder, "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    if builder == "text":
        text = built.read("index.txt")
        assert text.index('"schedule"\n') < text.index('Settings under "optim.schedule"') < text.index('"kind"\n')
        assert listed(built)["schedule"].startswith("Default: 3 settings")
        assert listed(built)["steps"].startswith("Default: 1 setting")
        assert "warmup" not in text


def test_columns_are_chosen(build: Build) -> None:
    built = build(project(".. config-table:: trainer\n   :columns: name, values, source\n   :caption: All of it\n"))
    assert (built.status, built.warnings) == (0, "")
    assert rows(built)["resume_mode"] == ["auto, disable, resume_path", "train.yaml:6"]
    assert "All of it" in built.read("index.html")


def test_lines_and_classes_are_linked(build: Build) -> None:
    files = project(".. config-table:: optim\n\n.. py:class:: pkg.Schedule\n")
    files["conf.py"] += "ckpt_defaults_source_url = 'https://e.org/{path}?a=1&b#L{line}'\n"
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    html = built.read("index.html")
    assert 'href="https://e.org/config/train.yaml?a=1&amp;b#L19">train.<wbr />yaml:<wbr />19</a>' in html
    assert re.search(r'href="#pkg.Schedule"[^>]*><code[^>]*>pkg', html)
    # where the class is not documented, its name stands without a link and without a warning
    built = build({"index.rst": "Page\n====\n\n.. config-table:: optim\n"}, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert "pkg.<wbr />Schedule" in built.read("index.html")


@pytest.mark.parametrize("builder", ["html", "text", "man", "latex", "epub", "gettext", "xml", "texinfo", "singlehtml"])
def test_secrets_are_in_no_output(build: Build, builder: str) -> None:
    page = ".. config-table::\n\n.. config-listing::\n\n:config-default:`hub_token` :config-default:`trainer.url`\n"
    built = build(project(page), builder)
    assert built.status == 0
    written = [file.read_bytes() for file in built.outdir.rglob("*") if file.is_file()]
    assert written
    assert not any(b"abc123secret" in each for each in written)


MISTAKES = [
    (".. config-table:: trainer.save_frq", "no root has the key 'trainer.save_frq'; did you mean 'trainer.save_freq'?"),
    (".. config-table:: optim\n   :root: trian",
     "no root is called 'trian'; there are: a/x, b/x, train; did you mean 'train'?"),
    (".. config-table:: optim\n   :root: x", "the root 'x' is ambiguous: a/x, b/x; write one of these names"),
    (".. config-table::", "no key is named and there are several roots: a/x, b/x, train; name one with :root:"),
    (".. config-table:: k", "the key 'k' is ambiguous: one.k, two.k; write the full key"),
    (".. config-table:: optim\n   :only: nope",
     "no setting under 'optim' is left by the patterns 'nope'; mend :only: or :exclude:"),
    (".. config-listing:: optim\n   :emphasize: lrr",
     ":emphasize: 'lrr' fits no key that is listed; did you mean 'lr'?"),
    (".. config-listing:: optim\n   :diff: a/x", "the root 'x' has no key 'optim', so there is nothing to compare"),
    (".. config-table:: optim\n   :since: ../gone", "project/gone: does not exist; check the path"),
    (":config-default:`optim`", "'optim' is a group of settings and has no default of its own; name one that it holds"),
    (":config-default:`on <optim.lr>`", "the text 'on' does not say where the value goes; write {value} in it"),
    (":config-default:`{value:d} <optim.lr>`", "{value:d} does not fit '1e-6', the default of 'optim.lr'"),
    (":config-default:`@ train`", "names no key; write :config-default:`KEY`"),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "message"), MISTAKES, ids=[each[0][:44] for each in MISTAKES])
def test_a_mistake_is_one_line_in_every_build(build: Build, markup: str, message: str) -> None:
    files = project(markup + "\n", **{"../config/a/x.yaml": "one:\n  k: 1\n", "../config/b/x.yaml": "two:\n  k: 2\n"})
    for _run in range(2):  # the second reads nothing again
        built = build(files if not _run else {})
        told = [re.sub(r"/\S+/(?=project/gone)", "", line) for line in built.lines]
        assert (built.status, read_again(built)) == (1, set() if _run else {"index"})
        assert told == [f"index.rst:4: ERROR: {message} [ckpt_defaults.config]"]
        assert "config-table::" not in built.read("index.html")


def test_a_wrong_option_is_told_by_docutils(build: Build) -> None:
    built = build(project(".. config-table:: optim\n   :columns: default\n"))
    assert "name comes first, then any of type, default, values, description, source; not 'default'" in built.warnings


def test_only_pages_that_show_what_changed_are_read_again(build: Build) -> None:
    files = project("x\n\n.. toctree::\n   :glob:\n\n   p*\n")
    files["p1.rst"] = "P1\n==\n\n.. config-table:: trainer\n"
    files["p2.rst"] = "P2\n==\n\n.. config-table:: other\n"
    files["p3.rst"] = "P3\n==\n\n:config-default:`other.b`\n"
    files["p4.rst"] = "P4\n==\n\n.. config-listing:: optim\n"
    files["p5.rst"] = "P5\n==\n\n:config-default:`c.not_there`\n"
    files["../config/other.yaml"] = "other:\n  a: 1\n  b: ${up}\nup: 5\n"
    assert build(files).status == 1
    assert read_again(build({})) == set()
    # A file that changed: the pages that show it.
    assert read_again(build({"../config/other.yaml": "other:\n  a: 2\n  b: ${up}\nup: 5\n"})) == {"p2", "p3"}
    # A file that is new, which no page could name as what it depends on.
    built = build({"../config/c.yaml": "c:\n  not_there: 7\n"})
    assert (read_again(built), built.status, built.warnings) == ({"p5"}, 0, "")
    assert ">7<" in built.read("p5.html")
    # One that is gone.
    (built.srcdir / "../config/c.yaml").unlink()
    built = build({})
    assert (read_again(built), built.status) == ({"p5"}, 1)


def test_a_page_rule_of_conf_names_the_root(build: Build) -> None:
    files = project(":config-default:`k`\n", **{"../config/a.yaml": "k: 1\n", "../config/b.yaml": "k: 2\n"})
    assert "<p><code" in build(files).read("index.html")
    assert ">1</code>" in build({}).read("index.html")
    built = build({"conf.py": files["conf.py"] + "ckpt_defaults_pages = {'index': 'b'}\n"})
    assert ">2</code>" in built.read("index.html")


def test_gettext_has_descriptions_and_no_values(build: Build) -> None:
    built = build(project(".. config-table:: trainer\n\n.. config-listing:: trainer\n"), "gettext", "-W")
    assert (built.status, built.warnings) == (0, "")
    pot = built.read("index.pot")
    ids = re.findall(r'^msgid "(.+)"$', pot, re.M)
    assert ids == [
        "Page",
        "Steps between two checkpoints; see `save_path`.",
        "Options: auto, disable, resume_path.",
        "Must be given.",
    ]
    assert "config/train.yaml:4" in pot


def test_descriptions_are_translated(build: Build) -> None:
    po = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "Must be given."\nmsgstr "Muss **gegeben** werden."\n'
    )
    files = project(".. config-table:: trainer\n", **{"locale/de/LC_MESSAGES/index.po": po})
    files["conf.py"] += "locale_dirs = ['locale']\n"
    built = build(files, "html", "-W", "-D", "language=de")
    assert (built.status, built.warnings) == (0, "")
    assert "Muss <strong>gegeben</strong> werden." in built.read("index.html")
    built = build({}, "html", "-E", "-W", "-D", "language=zh_CN")
    assert rows(built)["resume_mode"][2].endswith("可取值： auto, disable, resume_path 设置于 train.yaml:6")
    assert rows(built)["model"][1] == "必填"


@pytest.mark.parametrize("builder", ["html", "dirhtml", "singlehtml", "latex", "text", "man", "texinfo", "epub", "xml"])
def test_every_builder_writes_it(build: Build, builder: str) -> None:
    page = ".. config-table:: optim\n\n.. note::\n\n   .. config-table:: trainer\n      :no-index:\n"
    files = project(page)
    files["conf.py"] += "copyright = 'x'\nversion = '1'\nsuppress_warnings = ['epub.unknown_project_files']\n"
    files["conf.py"] += "man_pages = [('index', 'page', 'x', [], 1)]\n"
    built = build(files, builder, "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    suffix = {"latex": ".tex", "man": ".1", "texinfo": ".texi", "text": ".txt", "xml": ".xml", "epub": ".xhtml"}
    written = [f for f in built.outdir.rglob("*") if f.suffix == suffix.get(builder, ".html")]
    text = "".join(file.read_text("utf-8") for file in written).replace(r"\sphinxhyphen{}", "-")
    text = " ".join(re.sub(r"<[^>]+>|\\allowbreak\{\}|\\|\{\}", "", text).split())
    for word in ("schedule", "1e-6", "no reason to stop", "required", "/data/ckpt"):
        assert word in text, word


def test_reading_in_two_processes_gives_the_same(build: Build, tmp_path: Path) -> None:
    page = "x\n\n.. toctree::\n   :glob:\n\n   p*\n"
    files = project(page, **{f"p{n}.rst": f"P{n}\n===\n\n.. config-table:: optim\n\n:confval:`lr`\n" for n in range(8)})
    one = build(files, "html", "-W", "-n")
    pages = {file.name: file.read_bytes() for file in one.outdir.glob("*.html")}
    inventory = (one.outdir / "objects.inv").read_bytes()
    shutil.rmtree(one.outdir.parent)
    two = build({}, "html", "-W", "-n", "-j", "2")
    assert (two.status, two.warnings) == (0, "")
    assert {file.name: file.read_bytes() for file in two.outdir.glob("*.html")} == pages
    assert (two.outdir / "objects.inv").read_bytes() == inventory


# -- what the comments tell ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("comment", "value", "choices"),
    [
        ('Type of loss. Options: "kl"(k1), "abs", "mse"(k2)', "kl", ("kl", "abs", "mse")),
        ("choices: nsys, npu, torch", "torch", ("nsys", "npu", "torch")),
        ('Recompute, choices: ["full", "selective"]', None, ("full", "selective")),
        ('KL control type: "fixed" or "adaptive"', "fixed", ("fixed", "adaptive")),
        ("One of a, b or c.", "c", ("a", "b", "c")),
        ("one of: `x` | `y`", "${z}", ("x", "y")),
        ("Options: auto, disable", "other", ()),  # the default is not among them
        ("Options: hermes, llama3_json, ...", "hermes", ()),  # an open list
        ('Estimator: "gae", "grpo", etc.', "gae", ()),
        ('Device (e.g., "cuda", "cpu")', "cuda", ()),
        ("The options below only take effect when it is on", "adam", ()),
        ("Either of the two, see above or below", "see", ()),
    ],
)
def test_choices_of_a_comment(comment: str, value: object, choices: tuple[str, ...]) -> None:
    assert choices_of(Setting("a", value, "f.yaml", 1, 1, 1, comment)) == choices


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-6, "1e-6"), (5e20, "5e20"), (0.5, "0.5"), ("1e-06", '"1e-06"'), ([1e-8, None], "[1e-08, null]")],
)
def test_values_are_written_as_yaml_writes_them(value: object, text: str) -> None:
    assert shown(value) == text
