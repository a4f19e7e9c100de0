"""Statements to verdicts: which root, which key, which value; each rule with a table of pages."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.judging.checking import Rules, check
from ckpt_defaults.pages import parse_page
from ckpt_defaults.roots import find_project
from ckpt_defaults.verdicts import Verdict
from conftest import write_files
from judging_cases import KEYS, UNKNOWN, WHICH

pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")

CONFIG = """
    a:
      lr: 1
      n: 2
      on: true
      many: [1, 2]
    b:
      lr: 3
    override_kwargs: {}
    free: {}
    opt:
      name: adam
      adam: {beta: 0.9}
      sgd: {beta: 0.5}
    group:
      enabled: false
      x: 5
    """


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verdicts(page: str, config: str | dict[str, str] = CONFIG, pages: dict[str, str] | None = None) -> list[Verdict]:
    files = {"c.yaml": config} if isinstance(config, str) else config
    write_files(Path(), {**files, "p.md": page})
    text = Path("p.md").read_text(encoding="utf-8")
    statements = parse_page("p.md", text)[1].statements
    return list(check(statements, find_project(list(files)), Rules(pages or {}), lambda file: [file]).verdicts)


def told(page: str, config: str | dict[str, str] = CONFIG, pages: dict[str, str] | None = None) -> list[str]:
    """Each verdict as ``path or key: verdict``, in the order of the page."""
    return [f"{v.path or v.statement.key}: {v.verdict}" for v in verdicts(page, config, pages)]


def same(page: str, wanted: str, config: str | dict[str, str] = CONFIG, pages: dict[str, str] | None = None) -> None:
    assert told(page, config, pages) == textwrap.dedent(wanted).strip().split("\n")


# -- which key --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", KEYS)
def test_which_key(case: str) -> None:
    same(*KEYS[case])


@pytest.mark.parametrize("case", UNKNOWN)
def test_unknown_keys_and_what_may_have_been_meant(case: str) -> None:
    page, key, near = UNKNOWN[case]
    _, unknown = verdicts(page)
    assert (unknown.verdict, unknown.statement.key) == ("unknown-key", key)
    if case != "none, where the page speaks of settings":
        assert unknown.suggestion == near
    assert unknown.path == ""
    assert "no config has this key" in unknown.message


@pytest.mark.parametrize(
    "page",
    [
        "# Other\n\n- `some_flag`: default 5\n- `timeout_s` defaults to 3.\n",
        "| Flag | Default |\n|---|---|\n| jobs | 1 |\n| verbose_level | 2 |\n",
        "```yaml\nimage: x\nreplicas: 2\n```\n",
    ],
)
def test_what_is_not_ours_is_not_told(page: str) -> None:
    found = verdicts(page)
    assert found
    assert {v.verdict for v in found} == {"undecided"}


def test_environment_variables_and_flags_are_no_keys_that_are_gone() -> None:
    page = "## SPO\n\n- `a.lr`: default 1\n- `a.n`: default 2\n- `b.lr`: default 3\n- {0}: how much (default: 5)\n"
    known = ["a.lr: agrees", "a.n: agrees", "b.lr: agrees"]
    assert told(page.format("`MAX_TOKENS`")) == [*known, "MAX_TOKENS: undecided"]
    assert told(page.format("`max_tokens`")) == [*known, "max_tokens: unknown-key"]
    assert told(page.format("`--max-tokens`")) == known
    upper = textwrap.dedent(CONFIG) + "SIZE: 1\n"
    assert told(page.format("`MAX_TOKENS`"), upper) == [*known, "MAX_TOKENS: unknown-key"]


def test_keys_below_an_open_mapping_are_undecided() -> None:
    found = verdicts("# Settings\n\n- `override_kwargs.x`: default 1\n- `free.x.y`: default 2\n- `a.gone`: default 1\n")
    assert [v.verdict for v in found] == ["undecided", "undecided", "unknown-key"]
    assert found[0].reason == "override_kwargs is handed on: its keys are not this config's"


# -- which root -------------------------------------------------------------------------------------------------------
ROOTS = {"fast.yaml": "k: 1\nm: 1\n", "slow.yaml": "k: 2\nm: 1\nonly: 5\n"}


@pytest.mark.parametrize("case", WHICH)
def test_which_root(case: str) -> None:
    page, wanted = WHICH[case]
    same(page, wanted, ROOTS)


def test_a_page_that_describes_one_root() -> None:
    same("- `k`: default 1\n", "k: disagrees", ROOTS, {"p.md": "slow"})
    same("- `k`: default 1\n", "k: agrees", ROOTS, {"p.*": "fast.yaml"})
    same("- `k`: default 1\n", "k: agrees", ROOTS, {"q.md": "slow"})


def test_a_root_is_named_in_the_verdict_and_other_values_are_told() -> None:
    (v,) = verdicts("- `k`: default 3\n", ROOTS)
    assert (v.root, v.actual, v.others) == ("fast.yaml", "1", ("2",))
    assert v.message == "k is documented as 3; fast.yaml:1 says 1"


def test_a_column_for_each_root() -> None:
    page = """
        | Key | Default (fast.yaml) | Default (slow.yaml) |
        |---|---|---|
        | k | 1 | 1 |
        """
    same(page, "k: agrees\nk: disagrees", ROOTS)


# -- listing or example -----------------------------------------------------------------------------------------------
def block(*lines: str) -> str:
    return "```yaml\n" + "\n".join(lines) + "\n```\n"


WRONG = block("a:", "  lr: 9", "  n: 2")
LISTINGS = {
    "a sentence that announces defaults": ("The default values are:\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "a label": ("Defaults:\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "the full configuration": ("The full configuration:\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "a heading that is a file's name": ("# c.yaml\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "a heading about defaults": ("# Default configuration\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "a marker": ("<!-- ckpt-defaults: listing -->\n\nFor example:\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "nothing says so": ("Text.\n\n" + WRONG, "a.lr: undecided\na.n: agrees"),
    "an example": ("For example:\n\n" + WRONG, "a.lr: undecided\na.n: undecided"),
    "an override": ("To use it, set:\n\n" + WRONG, "a.lr: undecided\na.n: undecided"),
    "a tutorial": ("# Tutorial\n\nThe defaults:\n\n" + WRONG, "a.lr: undecided\na.n: undecided"),
    "an example of which all is right": ("For example:\n\n" + block("a:", "  lr: 1"), "a.lr: agrees"),
    "what is off by default and can be switched on": (
        "It is off by default, it can be enabled by:\n\n" + WRONG, "a.lr: undecided\na.n: undecided",
    ),
    "a note between": (
        "To use it, set:\n\n:::{note}\nThe cache is on by default.\n:::\n\n" + WRONG, "a.lr: undecided\na.n: undecided",
    ),
    "a list was announced": (
        "Variables with their default values below:\n\n- c\n- d\n\nText.\n\n" + WRONG, "a.lr: undecided\na.n: agrees",
    ),
    "an override among the defaults": (
        "The default values are as follows:\n\n" + block("a:", "  lr: 9") + "\n\nTo change them, add:\n\n" + WRONG,
        "a.lr: disagrees\na.lr: undecided\na.n: undecided",
    ),
    "a default that is told before": ("**Default**: 3\n\n" + WRONG, "a.lr: undecided\na.n: agrees"),
    "a playbook": (
        "The default values:\n\n" + block("- hosts: all", "  tasks: x") + "\n\n- `a.lr`: default 1\n- `a.n`: "
        "default 2\n- `a.on`: default true\n",
        "0.hosts: undecided\n0.tasks: undecided\na.lr: agrees\na.n: agrees\na.on: agrees",
    ),
    "a quoted text over two lines": (
        "The defaults:\n\n" + block("a:", '  lr: "one', '    two"', "  n: 2"), "a.lr: disagrees\na.n: agrees",
    ),
    "Chinese": ("默认配置如下：\n\n" + WRONG, "a.lr: disagrees\na.n: agrees"),
    "a Chinese example": ("例如：\n\n" + WRONG, "a.lr: undecided\na.n: undecided"),
    "leaves alone": (
        "The defaults of `a`:\n\n" + block("lr: 9", "n: 2", "on: true"),
        "a.lr: disagrees\na.n: agrees\na.on: agrees",
    ),
    "dots and odd indentation": (
        "The defaults:\n\n" + block("a:", "      lr: 9", "      ...", "b:", " lr: 3"), "a.lr: disagrees\nb.lr: agrees",
    ),
    "shell that overrides": ("The defaults:\n\n```bash\nrun a.lr=9 a.n=5\n```\n", ""),
    "a true comment beside an override": (
        "Set it:\n\n" + block("a:", "  lr: 9  # Default: 1", "  n: 5  # default is 9"),
        "a.lr: undecided\na.lr: agrees\na.n: undecided\na.n: disagrees",
    ),
    "a selector shows one choice": (
        "The defaults:\n\n" + block("opt:", "  name: sgd") + "\n\nAgain the defaults:\n\n"
        + block("opt:", "  name: sgd", "  sgd:", "    beta: 0.5"),
        "opt.name: undecided\nopt.sgd.beta: agrees",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LISTINGS)
def test_listing_or_example(case: str) -> None:
    page, wanted = LISTINGS[case]
    assert told(page) == (wanted.split("\n") if wanted else [])


COMMENTED = """
    a:
      # how fast it learns from each sample
      lr: 1
      # how many samples there are in all
      n: 2
      # whether any of this is switched on
      on: true  # mind the gap between the two
    """


def test_a_copy_that_keeps_the_comments_of_the_config_is_a_listing() -> None:
    copy = textwrap.dedent(COMMENTED).strip().replace("lr: 1", "lr: 9")
    wrong = "a.lr: disagrees\na.n: agrees\na.on: agrees"
    same(f"Text.\n\n```yaml\n{copy}\n```\n", wrong, COMMENTED)
    bare = "\n".join(line for line in copy.split("\n") if "#" not in line or "on:" in line)
    same(f"Text.\n\n```yaml\n{bare}\n```\n", wrong.replace("disagrees", "undecided"), COMMENTED)


def test_most_of_a_long_block_being_right_makes_it_a_listing() -> None:
    config = "".join(f"k{i}: {i}\n" for i in range(10))
    for wrong, verdict in ((1, "disagrees"), (4, "undecided")):
        lines = [f"k{i}: {i if i >= wrong else 99}" for i in range(10)]
        found = told("Text.\n\n" + block(*lines), config)
        assert found[:wrong] == [f"k{i}: {verdict}" for i in range(wrong)]
        assert found[wrong:] == [f"k{i}: agrees" for i in range(wrong, 10)]


# -- which value ------------------------------------------------------------------------------------------------------
FOLLOWING = "x:\n  one: 1\nb:\n  y: ${x.one}\n  z: ${b.y}\n  w: 1\n  s: ${oc.select:x.one,5}\n  e: ${NAME:7}\n"


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("| b.y | 1 |", "agrees"), ("| b.y | 2 |", "disagrees"), ("| b.y | `x.one` |", "agrees"),
        ("| b.y | `${x.one}` |", "agrees"), ("| b.y | same as `x.one` |", "agrees"), ("| b.y | `b.w` |", "disagrees"),
        ("| b.y | inherits from `b.w` |", "disagrees"), ("| b.y | 引用自 x.one |", "agrees"),
        ("| b.z | `x.one` |", "agrees"), ("| b.z | `${b.y}` |", "agrees"), ("| b.w | `x.one` |", "disagrees"),
        ("| b.s | `x.one` |", "agrees"), ("| b.s | 1 |", "agrees"), ("| b.s | 5 |", "disagrees"),
        ("| b.s | `${oc.select:x.one,5}` |", "agrees"), ("| b.e | 7 |", "agrees"), ("| b.e | `${NAME:7}` |", "agrees"),
        ("| b.e | `${NAME:8}` |", "disagrees"), ("| b.e | 8 |", "disagrees"),
    ],
)  # fmt: skip
def test_references(row: str, verdict: str) -> None:
    pytest.importorskip("omegaconf", reason="resolving needs the extra 'hydra'")
    (found,) = verdicts(f"| Key | Default |\n|---|---|\n{row}\n", FOLLOWING)
    assert found.verdict == verdict


TEMPLATED = "net_if: eth0\napi_if: '{{ net_if }}'\nown_if: eth1\nlike_if: eth0\nsize: 75%VG\nwait: 10s\n"


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("| api_if | `net_if` |", "agrees"), ("| api_if | `{{ net_if }}` |", "agrees"),
        ("| api_if | eth0 |", "agrees"), ("| api_if | eth1 |", "disagrees"), ("| like_if | `net_if` |", "agrees"),
        ("| own_if | `net_if` |", "undecided"),
        ("| size | 75% |", "agrees"), ("| size | 70% |", "disagrees"), ("| wait | 10 |", "agrees"),
        ("| wait | 11 |", "disagrees"), ("| wait | `[]]` |", "undecided"),
    ],
)  # fmt: skip
def test_other_keys_and_measures(row: str, verdict: str) -> None:
    (found,) = verdicts(f"| Key | Default |\n|---|---|\n{row}\n", TEMPLATED)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("`nothing`: Default: empty.", "undecided"), ("`empty` is not set by default.", "undecided"),
        ("`lst`: default is none.", "undecided"), ("`lst`: default is `null`.", "disagrees"),
        ("`num`: default is none.", "disagrees"), ("`flag`: default is none.", "disagrees"),
        ("`flag`: Text. File defaults to `x.csv`.", "undecided"),
        ("`flag`: Text. It defaults to `x.csv`.", "disagrees"),
        ("`flag`: default: fast.", "undecided"), ("`num`: Text. Size defaults to 6.", "disagrees"),
    ],
)  # fmt: skip
def test_words_in_sentences(sentence: str, verdict: str) -> None:
    assert [v.verdict for v in verdicts(f"- {sentence}\n", ODD)] == [verdict]


ODD = "req: ???\nnothing: null\nzero: 0\nempty: ''\nlst: []\nmap: {}\nenv: ${oc.env:X}\nnum: 5\nflag: false\n"


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ("| req | required |", None), ("| req | `5` |", "disagrees"), ("| req | `???` |", "agrees"),
        ("| req | - |", "undecided"), ("| nothing | - |", "agrees"), ("| nothing | None |", "agrees"),
        ("| nothing | `''` |", "disagrees"), ("| nothing | false |", "disagrees"), ("| empty | |", "agrees"),
        ("| empty | null |", "disagrees"), ("| lst | `[]` |", "agrees"), ("| lst | `{}` |", "disagrees"),
        ("| lst | `''` |", "disagrees"), ("| map | `{}` |", "agrees"), ("| map | null |", "disagrees"),
        ("| env | 5 |", "undecided"), ("| num | - |", "undecided"), ("| num | see below |", None),
        ("| num | depends on the backend |", "undecided"), ("| num | auto |", "disagrees"), ("| num | n/a |", None),
        ("| zero | null |", "disagrees"), ("| flag | 0 |", "disagrees"), ("| flag | off |", "agrees"),
        ("| num | 取决于模型 |", "undecided"),
    ],
)  # fmt: skip
def test_odd_values(row: str, verdict: str | None) -> None:
    found = verdicts(f"| Key | Default |\n|---|---|\n{row}\n", ODD)
    assert [v.verdict for v in found] == ([] if verdict is None else [verdict])


def test_two_values_in_a_cell_are_for_two_roots() -> None:
    row = "| Key | Default |\n|---|---|\n| k | `{}` / `{}` |\n"
    assert told(row.format(1, 2), ROOTS) == ["k: agrees", "k: agrees"]
    assert told(row.format(1, 3), ROOTS) == ["k: agrees", "k: disagrees"]
    assert told(row.format(1, 3).replace("/", "or"), ROOTS) == ["k: agrees", "k: disagrees"]


def test_a_sentence_in_a_row_does_not_outweigh_its_default_column() -> None:
    page = "| Key | Default | Text |\n|---|---|---|\n| a.lr | 1 | default 5 on Tuesdays |\n| a.n | 9 | default 2 |\n"
    assert told(page) == ["a.lr: agrees", "a.lr: undecided", "a.n: disagrees", "a.n: agrees"]


def test_a_value_of_another_kind_tied_by_nearness_alone_is_not_told() -> None:
    assert told("- `a.on` works with `speed`, whose default is 12.\n") == ["a.on: undecided"]


def test_a_key_that_is_only_called_alike_among_keys_of_something_else_is_not_told() -> None:
    others = "".join(f"- `{name}`: Text. Default: 5.\n" for name in ("one", "two", "three", "four"))
    assert told("- `enabled`: Text. Default: true.\n")[0] == "group.enabled: disagrees"
    assert told(f"{others}- `enabled`: Text. Default: true.\n")[-1] == "group.enabled: undecided"
    assert told(f"{others}- `group.enabled`: Text. Default: true.\n")[-1] == "group.enabled: disagrees"
    rows = "".join(f"| {name} | 5 |\n" for name in ("one", "two", "three", "four", "enabled"))
    assert told(f"| Key | Default |\n|---|---|\n{rows}")[-1] == "group.enabled: undecided"


def test_a_bullet_about_a_key_that_is_gone_is_not_about_what_its_text_names() -> None:
    assert told("- `speed`: Text, unlike `a.lr`. Default: 7.\n")[0].endswith((": unknown-key", ": undecided"))
    assert told("- `speed`: Text, unlike `a.lr`. Default: 1.\n") == ["a.lr: agrees"]


BRACKETS = {
    "(none)": "undecided",
    "（なし）": "undecided",
    "(depends on the preset)": "undecided",
    "（プリセットによる）": "undecided",
    "(9)": "disagrees",
    "(x, y)": "disagrees",
}


@pytest.mark.parametrize("said", BRACKETS)
def test_words_in_brackets_are_no_value(said: str) -> None:
    config = "a: {lr: 1, text: '', many: []}\n"
    key = "lr" if said == "(9)" else "many"
    same(f"| Key | Default |\n|---|---|\n| `a.{key}` | {said} |\n", f"a.{key}: {BRACKETS[said]}", config)
    assert told(f"| Key | Default |\n|---|---|\n| `a.lr` | 1 |\n| `a.{key}` | (required) |\n", config) == [
        "a.lr: agrees"
    ]


CASES = {
    "In the fast mode, `a.n` is 9 by default.": "undecided",
    "In the fast mode, `a.n` is 2 by default.": "agrees",
    "With the second backend, this is not used (default is 9)": "undecided",
    "When using two of them, the default is 9.": "undecided",
    "In this section the rate is set. The default is 9.": "disagrees",
    "在异步策略下，该值不生效（默认为 9）": "undecided",
    "高速モードでは、既定値は 9 です。": "undecided",
    "默认情况下为 9": "disagrees",
}


@pytest.mark.parametrize("sentence", CASES)
def test_what_holds_in_one_case_only_is_no_default(sentence: str) -> None:
    same(f"| Key | What it does |\n|---|---|\n| `a.n` | {sentence} |\n", f"a.n: {CASES[sentence]}")


def test_a_key_to_be_filled_in_does_not_describe_the_one_that_is_there() -> None:
    config = "jobs: {quick: {steps: 3}}\n"
    for key in ("jobs.{name}.steps", "jobs.<job_name>.steps"):
        said = "".join(f"- `{key}`: default `{value}`\n" for value in ("null", 3, 9))
        assert [v.verdict for v in verdicts(said, config)] == ["undecided", "agrees", "disagrees"]
    same("- `<x>.lr`: default null\n", "a.lr: disagrees", "a: {lr: 1}\n")


def test_a_group_with_one_setting_beside_its_switch_is_called_by_its_own_name() -> None:
    config = "rules:\n  Names: {enabled: true, style: snake}\n  Two: {enabled: true, style: snake, max: 3}\n"
    page = "## {0}\n\nOne of `{1}` (default) and `camel`.\n"
    same(page.format("Names", "snake"), "rules.Names.style: agrees", config)
    same(page.format("Names", "kebab"), "rules.Names: undecided", config)
    same(page.format("Two", "snake"), "rules.Two: undecided", config)


def test_a_noun_of_the_key_names_it() -> None:
    config = "server: {http_port: 80, name: x}\n"
    same("- `http_port`: listens. The default port is 80.\n", "server.http_port: agrees", config)
    same("- `http_port`: listens. The default port is 81.\n", "server.http_port: disagrees", config)
    assert told("- `server.name`: of the host. The default port is 81.\n", config) == []


def test_a_bullet_with_words_of_its_own_is_not_about_the_title() -> None:
    page = "## Memory\n\n- {0}: tells where it goes (defaults to 9).\n"
    assert told(page.format("with shapes"), "Memory: 8\n") == []
    same(page.format("Value"), "Memory: disagrees", "Memory: 8\n")


def test_a_list_in_the_words_of_the_file() -> None:
    config = 'files: ["${oc.env:HOME}/a", b]\n'
    same('- `files`: default `["${oc.env:HOME}/a", "b"]`\n', "files: agrees", config)


EXPLAINED = """
```yaml
a:
  lr: 1
  n: 9
  "on": true
  many: [1, 2]
group:
  x: 5
```

- `a.lr`: the rate
- `n`: how many
- `group`: the others
"""


def test_a_block_that_the_list_behind_it_explains_is_a_listing_where_most_is_right() -> None:
    def second(page: str) -> str:
        return verdicts(page)[1].verdict

    assert second(EXPLAINED) == "disagrees"
    assert second(EXPLAINED.replace("`group`", "`y`")) == "undecided"  # two in five are explained
    assert second(EXPLAINED.replace("- `a.lr`", "Behind it.\n\n- `a.lr`")) == "undecided"
    assert second(EXPLAINED.replace("lr: 1", "lr: 7")) == "undecided"
    assert second(EXPLAINED.replace("group:\n  x: 5\n", "")) == "undecided"


def test_what_an_example_leaves_at_the_default_that_it_names_agrees() -> None:
    config = "a: {on: '${A_ON:false}', port: '${A_PORT:80}', host: x}\n"
    block = "a:\n  on: ${A_ON:true}\n  port: ${A_PORT:80}\n  host: x\n"
    page = f"For example, to turn it on:\n\n```yaml\n{block}```\n"
    same(page, "a.on: undecided\na.port: agrees\na.host: undecided", config)


def test_what_a_command_in_the_section_takes_as_an_option_is_no_default_of_the_config() -> None:
    page = "## A tool\n\n```shell\npython tool.py --{0} X\n```\n\n- `n`: how many. Default: {1}\n"
    same(page.format("n", 9), "a.n: undecided")
    same(page.format("n", 2), "a.n: agrees")
    same(page.format("name", 9), "a.n: disagrees")
    same(page.format("n", 2) + "\n## The config\n\n- `n`: default 9\n", "a.n: agrees\na.n: disagrees")


FOLDERS = {"one/conf/app.yaml": "k: 1\n", "two/conf/app.yaml": "k: 2\n"}


@pytest.mark.parametrize(
    ("place", "said", "verdict"),
    [
        ("one/conf/app.yaml", 2, "disagrees"), ("one/conf/app.yaml", 1, "agrees"), ("two/conf/app.yaml", 2, "agrees"),
        ("three/conf/app.yaml", 1, "undecided"), ("app.yaml", 1, "agrees"), ("app.yaml", 3, "disagrees"),
        ("examples/app.yaml", 3, "disagrees"),
    ],
)  # fmt: skip
def test_files_called_alike_are_told_by_their_folders(place: str, said: int, verdict: str) -> None:
    page = f"# Part\n\nIts place: `{place}`\n\n| Key | Default |\n|---|---|\n| k | {said} |\n"
    assert [v.verdict for v in verdicts(page, FOLDERS)] == [verdict]


# -- messages ---------------------------------------------------------------------------------------------------------
def test_a_message_is_one_line_that_a_terminal_only_shows() -> None:
    page = "| Key | Default |\n|:--|:--|\n| a.lr | \x1b[31mred\x07 |\n| a.n | " + "x" * 5000 + " |\n"
    for v in verdicts(page):
        assert v.verdict == "disagrees"
        assert v.message.isprintable()
        assert len(v.message) < 400
    (v,) = verdicts("- `s`: default `x`\n", 's: "\\e[31m\\nboo"\n')
    assert v.message == 's is documented as x; c.yaml:1 says "\\u001b[31m\\nboo"'
