"""What the readers find on a page, and exactly where: the value's line and column in the source.

A page marks what is to be found: ``⟦key|value⟧`` stands for ``value``, found there as the default of ``key``.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.pages import parse_page
from ckpt_defaults.statements import DEFAULTS, SURE, UNKNOWN, Statement
from conftest import write_files

pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")

_MARK = re.compile(r"⟦([^|⟧]*)\|([^⟧]*)⟧")
Wanted = list[tuple[int, int, str, str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unmark(text: str) -> tuple[str, Wanted]:
    """The page without its marks, and what they want: line, column, key, value."""
    lines, wanted = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        while hit := _MARK.search(line):
            wanted.append((number, hit.start() + 1, *hit.groups()))
            line = line[: hit.start()] + hit.group(2) + line[hit.end() :]
        lines.append(line)
    return "\n".join(lines), wanted


def statements(text: str, name: str) -> list[Statement]:
    Path(name).write_text(text, encoding="utf-8")
    return parse_page(name, text)[1].statements


def found_in(text: str, name: str) -> Wanted:
    return sorted((s.line, s.column, s.key, s.documented) for s in statements(text, name))


def check_page(marked: str, name: str) -> None:
    text, wanted = unmark(textwrap.dedent(marked).strip("\n") + "\n")
    found = statements(text, name)
    assert sorted((s.line, s.column, s.key, s.documented) for s in found) == sorted(wanted)
    for s in found:
        assert text.split("\n")[s.line - 1][s.column - 1 :][: s.span] == s.documented
        assert s.file == name


# -- sentences, in every kind of place ------------------------------------------------------------------------------
SENTENCES = {
    "of": "The default of `a.lr` is ⟦a.lr|0.1⟧.",
    "defaults to": "`a.lr` defaults to ⟦a.lr|0.1⟧, as it should.",
    "brackets": "`a.lr` (default ⟦a.lr|0.1⟧) is the rate.",
    "typed brackets": "`a.lr` (float, default: ⟦a.lr|0.1⟧)",
    "before": "Use `a.lr` = ⟦a.lr|5⟧ (default) or more.",
    "by default": "By default, `a.lr` is ⟦a.lr|0.1⟧.",
    "words": "`a.on` is ⟦a.on|enabled⟧ by default.",
    "elliptic": "`a.x` defaults to ⟦a.x|3⟧, `a.y` to ⟦a.y|2⟧ and `a.z` to ⟦a.z|1⟧.",
    "unit": "`a.t` defaults to ⟦a.t|300 seconds⟧ or so.",
    "literal": "The default value of `a.n` is `⟦a.n|some words⟧`.",
    "quoted": "`a.n` defaults to ⟦a.n|'adam'⟧.",
    "list": "`a.l` defaults to ⟦a.l|[1, 2]⟧.",
    "trailing stop": "`a.lr` defaults to ⟦a.lr|0.001⟧.",
    "bare key": "By default, a.long_name is ⟦a.long_name|7⟧.",
    "the same number before": "With 2 and 0.1 at hand, `a.lr` (0.1 is too much) defaults to ⟦a.lr|0.1⟧.",
    "next line": "The default of `a.lr`\nis ⟦a.lr|0.1⟧.",
    "value on the next line": "`a.lr` defaults to\n⟦a.lr|0.1⟧.",
    "strong": "`a.lr`: the rate. **Default**: ⟦a.lr|0.1⟧",
    "Chinese": "`a.lr` 默认值为 ⟦a.lr|0.1⟧。",
    "Chinese without spaces": "学习率`a.lr`的默认值是⟦a.lr|4⟧，`a.on`默认⟦a.on|关闭⟧。",
    "Chinese word": "优化器`a.n`默认为⟦a.n|adam⟧。",
    "Chinese bool": "`a.on`默认为⟦a.on|true⟧。",
    "Chinese number with a measure": "`a.n`默认是⟦a.n|5分钟⟧。",
    "Chinese brackets": "`a.lr`（默认⟦a.lr|5⟧）",
    "traditional Chinese": "`a.lr` 預設為 ⟦a.lr|5⟧。",
    "Japanese": "`a.lr`の既定値は⟦a.lr|5⟧です。",
    "Japanese word": "`a.n`のデフォルトは⟦a.n|adam⟧です。",
    "Japanese bool": "`a.on`は既定では⟦a.on|無効⟧です。",
    "Japanese brackets": "`a.lr`（デフォルト：⟦a.lr|5⟧）",
    "Japanese, the key behind": "デフォルトでは`a.lr`は⟦a.lr|5⟧です。",
}
RST_PLACES = {
    "page": "{}",
    "admonition": ".. note::\n\n   {}",
    "admonition on its line": ".. tip:: Mind:\n\n   {}",
    "tab": ".. tabs::\n\n   .. tab:: One\n\n      {}",
    "only": ".. only:: html\n\n   {}",
    "unknown": ".. some-thing:: argument\n   :option: value\n\n   {}",
    "quote": "Text:\n\n   {}",
    "bullet": "- item\n\n  - inner\n\n    {}",
    "section": "Title\n=====\n\nText.\n\nMore\n----\n\n{}",
    "behind tables": "== ==\nA  B\n== ==\n1  2\n== ==\n\n{}",
}
MD_PLACES = {
    "page": "{}",
    "admonition": ":::{{note}}\n{}\n:::",
    "backtick admonition": "```{{warning}}\n:class: x\n\n{}\n```",
    "tab": "::::{{tab-set}}\n:::{{tab-item}} One\n{}\n:::\n::::",
    "only": "```{{only}} html\n{}\n```",
    "unknown": ":::{{some-thing}} argument\n{}\n:::",
    "quote": "> {}",
    "bullet": "- item\n  - inner\n\n    {}",
    "section": "# Title\n\nText.\n\n## More\n\n{}",
    "rst in it": "```{{eval-rst}}\n.. note::\n\n   {}\n```",
}


def in_place(sentence: str, place: str) -> str:
    """The sentence put where ``{}`` stands, its lines indented alike."""
    line = next(line for line in place.split("\n") if "{}" in line)
    before = line[: line.index("{}")]
    lead = before if before.strip() == ">" else " " * len(before)
    return place.format(sentence.replace("\n", "\n" + lead))


@pytest.mark.parametrize("place", RST_PLACES)
@pytest.mark.parametrize("shape", SENTENCES)
def test_sentences_in_rst(shape: str, place: str) -> None:
    check_page("Intro.\n\n" + in_place(SENTENCES[shape].replace("`", "``"), RST_PLACES[place]), "p.rst")


@pytest.mark.parametrize("place", MD_PLACES)
@pytest.mark.parametrize("shape", SENTENCES)
def test_sentences_in_markdown(shape: str, place: str) -> None:
    sentence = SENTENCES[shape]
    check_page(
        "Intro.\n\n" + in_place(sentence.replace("`", "``") if "rst" in place else sentence, MD_PLACES[place]), "p.md"
    )


# -- other shapes -----------------------------------------------------------------------------------------------------
SHAPES = {
    "bullets.rst": """
        - ``a``

          - ``lr``: The rate. Default: ⟦lr|1⟧
          - ``n``

            Text. Default is ``⟦n|2⟧``.
        - ``b.n`` (int): Default ⟦b.n|3⟧.
        """,
    "bullets.md": """
        - `a`
            - `lr`: The rate. Default: ⟦lr|1⟧
            - `n`

              Text. Default is `⟦n|2⟧`.
        - `b.n` (int): Default ⟦b.n|3⟧.
        1. `c.n` - default ⟦c.n|4⟧
        """,
    "choices in cells.rst": """
        .. list-table:: オプション
           :header-rows: 1

           * - パラメータ
             - 説明
             - デフォルト値・選択可能な設定値
           * - a.name
             -
             - ⟦a.name|"x"⟧
           * - a.policy
             - いつ取得するか
             - | :program:`⟦a.policy|Lazy⟧` (デフォルト): 必要なときだけ
               | :program:`Always`: 毎回
           * - a.create
             - | 作成するか
               | しないか
             - | **true**: する
               | **⟦a.create|false⟧** （デフォルト）: しない

        | ``a.lines``: 行の数。
        | 既定値は ``⟦a.lines|3⟧`` です。
        """,
    "keys in bold.md": """
        - **a.lr** (`float`, *optional*, defaults to `⟦a.lr|1⟧`) – The rate.
        - **n_steps**: how many. Default: ⟦n_steps|2⟧
        - **Note** that `a.m` is ⟦a.m|3⟧ by default.
        """,
    "more words for it.md": """
        - `a.o`: how many. If omitted, ⟦a.o|5⟧ is used.
        - `a.p`: how many. When left empty, `⟦a.p|5⟧` is used.
        - `a.q`: how many. The default for this is ⟦a.q|5⟧.
        - `a.r`: how many. Defaults: ⟦a.r|5⟧
        - `a.port`: 端口，默认端口为 ⟦a.port|5⟧
        - `a.s`: 大小，默认大小为⟦a.s|5⟧。
        - `a.t`: 含义。默认情况下该值为 ⟦a.t|5⟧。
        - `a.u`: 含义，默认会⟦a.u|开启⟧。
        - `a.v`: 含义；留空则为 ⟦a.v|5⟧。
        - `a.w`: 意味。初期設定は⟦a.w|5⟧です。
        - `a.x`: 意味。指定がない場合は ⟦a.x|5⟧ が使用されます。
        - `a.y`: 意味。特に指定しなければ ⟦a.y|5⟧ となります。
        - `a.z`: 意味。デフォルト設定では ⟦a.z|5⟧ です。
        """,
    "choices in cells.md": """
        | Key | Default/options | 说明 |
        |---|---|---|
        | a.one | ⟦a.one|x⟧ (default), y | |
        | a.two | `⟦a.two|x⟧` | |

        | 参数 | 默认值（可选值） |
        |---|---|
        | a.three | ⟦a.three|x⟧（默认）、y |
        """,
    "definitions.rst": """
        ``a.lr``
           The rate.

           **Default**: ⟦a.lr|1⟧

        a.n : int
           Default is ``⟦a.n|2⟧``.

        a.t (default ⟦a.t|3⟧)
           Text.
        """,
    "definitions.md": """
        `a.lr`
        : The rate. **Default**: ⟦a.lr|1⟧

        a.n
        : Default is `⟦a.n|2⟧`.
        """,
    "fields.rst": """
        a.lr
        ----

        :type: float
        :default: ⟦a.lr|1⟧

        a.n
        ----

        Default: ``⟦a.n|2⟧``

        :a.t: the time, default ⟦a.t|3⟧
        """,
    "headings.md": """
        ## `a.lr`

        Default: ⟦a.lr|1⟧

        ### a.n

        **Default value:** `⟦a.n|2⟧`

        Text. Defaults to ⟦a.n|3⟧.

        ## 学习率

        `a.t`：默认值：⟦a.t|4⟧
        """,
    "confvals.rst": """
        .. confval:: a.lr
           :type: float
           :default: ⟦a.lr|1⟧

           The rate.

        .. confval:: a.n
           :default: ``⟦a.n|'x'⟧``

        .. note::

           .. confval:: a.t
              :default: ⟦a.t|5⟧

              Text with ``a.q`` (default ⟦a.q|6⟧).
        """,
    "confvals.md": """
        ```{confval} a.lr
        :type: float
        :default: ⟦a.lr|1⟧

        The rate.
        ```
        """,
    "grid.rst": """
        +-------+---------------+---------+
        | Key   | Meaning       | Default |
        +=======+===============+=========+
        | a.lr  | 1 or 2        | ⟦a.lr|1⟧       |
        +-------+---------------+---------+
        | a.n   | - one         | ``⟦a.n|x⟧``   |
        |       | - two         |         |
        +-------+---------------+---------+
        | a.t   | 1 (default ⟦a.t|7⟧)           |
        +-------+---------------+---------+
        """,
    "simple.rst": """
        .. note::

           ====== ========= =========
           Key    Default   Type
           ====== ========= =========
           a.lr   ⟦a.lr|1⟧         int 1
           a.n    ``⟦a.n|x y⟧``   str
           ====== ========= =========
        """,
    "list.rst": """
        .. list-table:: Title
           :header-rows: 1
           :widths: 1 2 1

           * - Default
             - Description
             - Key
           * - ⟦a.lr|1⟧
             - One 1,
               two lines

               and more
             - a.lr
           * - ``⟦a.n|2⟧``
             -
             - ``a.n``
        """,
    "list.md": """
        :::{list-table}
        :header-rows: 1

        * - Key
          - Default
        * - `a.lr`
          - ⟦a.lr|1⟧
        * - a.n
          - `⟦a.n|2⟧`
        :::
        """,
    "csv.rst": """
        Text of 31 and a.lr.

        .. csv-table::
           :header: Key, Default, Text
           :widths: 1 1 1

           a.lr, ⟦a.lr|31⟧, "31, or so"
           "``a.n``", "⟦a.n|2⟧", x
        """,
    "pipes.md": """
        | Key | Default | Description |
        |:---|---:|---|
        | `a.lr` | ⟦a.lr|1⟧ | 1 or 2 |
        | a.n | `⟦a.n|x⟧` | a \\| b |
        | `a.t` | ⟦a.t|1⟧ | default ⟦a.t|5⟧ |
        | `a.u` | `⟦a.u|1⟧` / `⟦a.u|2⟧` | |

        | `a.v` | ⟦a.v|3⟧ | fell out |
        | `a.w` | `⟦a.w|[1, 2]⟧` | as well |

        Text with | a bar |.
        """,
    "chinese.md": """
        | 参数 | 默认值 | 说明 |
        |---|---|---|
        | `a.lr` | ⟦a.lr|1⟧ | 学习率 |
        | `a.on` | ⟦a.on|开启⟧ | 见下，默认为⟦a.on|关闭⟧ |
        """,
    "japanese.rst": """
        ======= ========== ========
        キー    既定値     説明
        ======= ========== ========
        a.lr    ⟦a.lr|1⟧          学習率
        a.on    ⟦a.on|有効⟧       説明
        ======= ========== ========
        """,
    "parents.md": """
        | Group | Key | Default |
        |---|---|---|
        | a | lr | ⟦a|1⟧ |
        | - | n | ⟦a.n|2⟧ |
        | b | n | ⟦b|3⟧ |
        """,
    "nested table.md": """
        ::::{tab-set}
        :::{tab-item} One
        | Key | Default |
        |---|---|
        | `a.lr` | ⟦a.lr|1⟧ |
        | `a.n` | ⟦a.n|1⟧ |
        :::
        ::::
        """,
    "yaml.rst": """
        The defaults:

        .. code-block:: yaml

           a:
             lr: ⟦a.lr|1⟧  # Default: ⟦a.lr|2⟧
             # By default, ⟦a.n|3⟧.
             n: ⟦a.n|'x y'⟧
             ...
             on: ⟦a.on|true⟧
           l: ⟦l|[1, 2]⟧
           t: ⟦t|{{ var }}⟧
           u: ⟦u|${ENV:5}⟧

        And::

           b:
               odd: ⟦b.odd|1e-6⟧

        .. code:: yaml

           c.d: ⟦c.d|5⟧
        """,
    "yaml.md": """
        - Text:

          ```yaml
          a:
            lr: ⟦a.lr|1⟧
          ```

        > ```yml
        > b: ⟦b|2⟧
        > ```

        ````{note}
        ```{code-block} yaml
        :caption: x

        a:
          n: ⟦a.n|3⟧
        ```
        ````

            c: ⟦c|4⟧
        """,
    "html.md": """
        Text.

        <table>
          <thead><th>Key</th><th>Type</th><th>Default</th><th>Text</th></thead>
          <tbody>
            <tr>
              <td id="a--lr"><a href="c.yaml#L1">a.lr</a></td>

              <td>
        int
        </td>
              <td>
                <div>
        <pre lang="json">
        `⟦a.lr|5⟧`
        </pre>
                </div>
              </td>
              <td>The rate.<br>It may be 7.</td>
            </tr>
            <tr><td rowspan="2"><code>a.n</code></td><td>str</td><td><code>⟦a.n|"y"⟧</code></td><td>&nbsp;</td></tr>
            <tr><td>int</td><td><details><summary>Expand 6</summary>⟦a.n|4⟧</details></td><td>for 3</td></tr>
          </tbody>
        </table>

        `a.on` defaults to `⟦a.on|false⟧`.

        - An item:

          <table>
          <tr><th>Parameter</th><th>Default</th></tr>
          <tr><td>a.t</td><td>⟦a.t|8⟧</td></tr>
          </table>

        <p>No table: the default is 5.</p>
        """,
    "nested keys.rst": """
        .. csv-table::
           :header-rows: 1

           ,Unit,Range,Description
           a,,,
           -- lr,--,int,Text. Defaults to ⟦a.lr|0⟧.
           -- w,bool,"{'true', 'false'}",Text.
           -- -- x,--,float,Default is ⟦a.w.x|0.5⟧.
           -- n (optional),bool,"a, b",Default: ``⟦a.n|y⟧``.
           c,--,int,Defaults to ⟦c|9⟧.
        """,
    "nested keys.md": """
        | Key | Default |
        |---|---|
        ⟦a|⟧| `a` | |
        | └ `lr` | ⟦a.lr|2⟧ |
        | └─ n | ⟦a.n|y⟧ |
        | c | ⟦c|1⟧ |
        """,
    "bold.md": """
        ## `a.lr`

        - Default: ⟦a.lr|2⟧

        **a.n**

        Text.

        Default: `⟦a.n|y⟧`

        `a.t`

        The default is ⟦a.t|8⟧.

        **Remarks**

        Defaults to ⟦a.t|9⟧.
        """,
    "values.md": """
        - `a.lr`: default: ⟦a.lr|10.0.0.1⟧. More.
        - `a.n` defaults to ⟦a.n|10.0.0.0/16⟧, `a.t` (default ⟦a.t|127.0.0.1:80⟧)
        - `c`: by default ⟦c|v1.2.3⟧
        - `t`. Default: ⟦t|30s⟧
        - `u` (default ⟦u|16GB⟧)
        - `q`: default: without a value, defaults to `⟦q|7⟧`
        """,
    "comments.md": """
        ```bash
        run a.lr=5   # default ⟦a.lr|1⟧
        # Default: ⟦a.n|2⟧
        run a.n=3
        ```

        ```python
        train(x=1)  # a.t defaults to ⟦a.t|3⟧
        ```
        """,
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    check_page(SHAPES[name], name)


def test_a_sentence_before_a_list_of_keys_speaks_of_each() -> None:
    page = "The following are in seconds, with a default value of 75:\n\n* ``c``\n* ``d``\n\n"
    page += "The default of these is 3:\n\n* ``c`` and more\n* ``d``\n\nBy default ``e`` is 4:\n\n* ``c``\n* ``d``\n"
    assert found_in(page, "p.rst") == [(1, 55, "c", "75"), (1, 55, "d", "75"), (11, 21, "e", "4")]


def test_a_directive_of_some_extension_that_has_a_default_describes_a_setting() -> None:
    page = ".. conf:: a.lr\n   :type: int\n   :default: ``3``\n\n   Text, default 5.\n\n"
    page += ".. plot:: some words\n   :default: 4\n\n.. tab:: a.n\n\n   ``a.n`` defaults to 7.\n"
    assert found_in(page, "p.rst") == [(3, 16, "a.lr", "3"), (5, 18, "a.lr", "5"), (12, 24, "a.n", "7")]


def test_an_empty_cell_has_the_line_of_its_place() -> None:
    page = """
        .. list-table::
           :header-rows: 1

           * - Key
             - Text
             - Default
           * - a.b
             -
             -
           * - a.c
             - text
             -

        === ===== =======
        Key Text  Default
        === ===== =======
        a.d text
        === ===== =======
        """
    lines = {s.key: s.line for s in statements(textwrap.dedent(page).lstrip("\n"), "p.rst")}
    assert lines == {"a.b": 9, "a.c": 12, "a.d": 17}


def test_a_list_below_a_key_is_one_value_without_a_place() -> None:
    found = statements("```yaml\na:\n  - 1\n  - x\nb:\n  c:\n  - y: 2\nd: [1,\n  2]\n```\n", "p.md")
    assert [(s.key, s.documented, s.line, s.span) for s in found] == [
        ("a", "[1, x]", 2, 0), ("b.c.0.y", "2", 7, 1), ("d", "[1, 2]", 8, 0),
    ]  # fmt: skip


def test_a_value_that_stands_as_a_block() -> None:
    page = "# `a.list`\n\nDefault:\n\n```yaml\n- 1\n- 2\n```\n\nText.\n\n```yaml\n- 3\n```\n"
    assert [(s.key, s.documented, s.line) for s in statements(page, "p.md")] == [("a.list", "[1, 2]", 6)]


def test_defaults_before_a_block_of_keys_announce_a_listing() -> None:
    for lead in ("Defaults:", "Default:", "**Default**:"):
        found = statements(f"# `a`\n\n```yaml\nx: 1\n```\n\n{lead}\n\n```yaml\nlr: 1\nn: 2\n```\n", "p.md")
        assert [(s.kind, s.key, s.line, s.cue) for s in found[1:]] == [
            ("listing", "lr", 10, DEFAULTS), ("listing", "n", 11, DEFAULTS),
        ]  # fmt: skip


def test_a_label_reaches_no_further_than_the_next_block() -> None:
    found = statements("# `a`\n\nDefault:\n\nSee below.\n\n```yaml\n- 1\n```\n", "p.md")
    assert found == []


# -- what comes from other files --------------------------------------------------------------------------------------
def test_included_text_is_told_where_it_stands(here: Path) -> None:
    write_files(
        here,
        {
            "docs/inc.rst": "Text.\n\n``a.lr`` defaults to 21.\n\n=== ===\nKey Default\n=== ===\na.n 5\n=== ===\n",
            "docs/part.md": "Text.\n\n`a.t` defaults to 7.\n",
            "docs/table.csv": "Key,Default\na.lr,31\n``a.n``,2\n",
            "docs/some.yaml": "# Default is 3\na:\n  lr: 41\n",
        },
    )
    found = statements(
        ".. include:: inc.rst\n\n.. csv-table::\n   :file: table.csv\n   :header-rows: 1\n\n"
        "Full list of settings:\n\n.. literalinclude:: some.yaml\n   :language: yaml\n\n``a.lr`` defaults to 9.\n\n"
        ".. confval:: a.c\n   :default: 4\n",
        "docs/p.rst",
    )
    found += statements("```{include} part.md\n```\n\n`a.lr` defaults to 9.\n", "docs/p.md")
    assert [(s.file, s.line, s.column, s.span, s.key, s.documented) for s in found] == [
        ("docs/inc.rst", 3, 22, 2, "a.lr", "21"),
        ("docs/inc.rst", 8, 5, 1, "a.n", "5"),
        ("docs/table.csv", 2, 6, 2, "a.lr", "31"),
        ("docs/table.csv", 3, 9, 1, "a.n", "2"),
        ("docs/some.yaml", 3, 7, 2, "a.lr", "41"),
        ("docs/some.yaml", 1, 14, 1, "a", "3"),
        ("docs/p.rst", 12, 22, 1, "a.lr", "9"),
        ("docs/p.rst", 15, 14, 1, "a.c", "4"),
        ("docs/part.md", 3, 19, 1, "a.t", "7"),
        ("docs/p.md", 4, 20, 1, "a.lr", "9"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        ".. include:: ../outside.rst\n",
        ".. literalinclude:: ../outside.yaml\n",
        ".. literalinclude:: /etc/hostname\n",
        ".. literalinclude:: nothing.yaml\n",
        ".. include:: nothing.rst\n",
        ".. include:: page.rst\n",
        ".. csv-table::\n   :file: nothing.csv\n",
        ".. raw:: html\n   :file: ../outside.rst\n",
    ],
)
def test_what_cannot_or_must_not_be_included_is_left_out(
    here: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        here,
        {"outside.rst": "``a.lr`` defaults to 1.\n", "outside.yaml": "a: 1\n", "docs/page.rst": page},
    )
    monkeypatch.chdir(here / "docs")
    found = statements(page + "\n``a.n`` defaults to 2.\n", "page.rst")
    assert [(s.key, s.documented) for s in found if s.file == "page.rst"] == [("a.n", "2")]
    assert all(s.file == "page.rst" for s in found)


# -- markers ----------------------------------------------------------------------------------------------------------
RST_MARKER, MD_MARKER, HTML_MARKER = ".. {}", "% {}", "<!-- {} -->"
MARKERS = [("p.rst", RST_MARKER), ("p.md", MD_MARKER), ("p.md", HTML_MARKER)]


def code(name: str, text: str) -> str:
    if name.endswith(".rst"):
        return ".. code-block:: yaml\n\n" + textwrap.indent(text, "   ") + "\n"
    return f"```yaml\n{text}```\n"


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_ignore_takes_the_next_block_out(name: str, marker: str) -> None:
    ignore = marker.format("ckpt-defaults: ignore -- on purpose")
    six, seven = "a: 6\n", "b: 7\n"
    page = (
        f"A `a.lr` defaults to 1.\n\n{ignore}\n\nA `a.lr` defaults to 2.\n\nA `a.lr` defaults to 3.\n\n"
        f"{ignore}\n\n- `a.lr` defaults to 4\n- `a.n` defaults to 5\n\nEnd\n\n{ignore}\n\n{code(name, six)}\n"
        f"{code(name, seven)}"
    )
    page = page.replace("`", "``") if name.endswith(".rst") else page
    assert [s.documented for s in statements(page, name)] == ["1", "3", "7"]


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_ignore_page_takes_the_page_out_wherever_it_stands(name: str, marker: str) -> None:
    page = f"`a.lr` defaults to 1.\n\n{marker.format('ckpt-defaults: ignore-page')}\n\n`a.n` defaults to 2.\n"
    assert statements(page.replace("`", "``"), name) == []


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_root_holds_for_its_section_and_those_below(name: str, marker: str) -> None:
    titles = {".rst": ("One\n===\n", "Two\n---\n", "Three\n=====\n"), ".md": ("# One\n", "## Two\n", "# Three\n")}
    one, two, three = titles[Path(name).suffix]
    say = "``a.lr`` defaults to 1.\n"
    page = "\n".join([one, say, marker.format("ckpt-defaults: root some/file.yaml"), "", say, two, say, three, say])
    assert [s.context.root for s in statements(page, name)] == ["", "some/file.yaml", "some/file.yaml", ""]


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_listing_and_example_decide_for_the_next_block_only(name: str, marker: str) -> None:
    block = code(name, "a: 1\n")
    listing, example = (marker.format(f"ckpt-defaults: {what}") for what in ("listing", "example"))
    page = f"Text.\n\n{block}\n{listing}\n\nFor example:\n\n{block}\n"
    page += f"{example}\n\nThe defaults:\n\n{block}\nText.\n\n{block}"
    assert [s.cue for s in statements(page, name)] == [UNKNOWN, SURE, UNKNOWN]  # nothing in an example is a statement


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_other_comments_are_no_markers_and_no_statements(name: str, marker: str) -> None:
    page = "\n\n".join(
        marker.format(text)
        for text in (
            "ckpt-defaults: ignored",
            "ckpt-defaults ignore",
            "a.lr defaults to 1",
            "see ckpt-defaults: ignore",
        )
    )
    assert [s.documented for s in statements(f"{page}\n\n``a.lr`` defaults to 2.\n", name)] == ["2"]


# -- what must stay quiet --------------------------------------------------------------------------------------------
QUIET = {
    "p.rst": """
        We changed the default from 50 to 200. The default branch is ``main``. These are good defaults.

        Set ``policy`` to use it. See `the default <https://example.org/default>`_ and :ref:`default <x>`.

        .. code-block:: python

           def f(x=1): ...

        .. math:: default = 5

        .. graphviz::

           default -> 5

        .. |default| replace:: 5

        .. _default: https://example.org

        .. toctree::

           default
        """,
    "p.md": """
        We changed the default from 50 to 200. The default branch is `main`.

        $default = 5$ ![the default is 5](default.png) [default](default.md)

        ```mermaid
        default: 5
        ```

        The config is in the namespace `default`.

        Set `a.lr`, without overriding the default list.

        The fields in `a.lr` keep their default weights; `a.n` defines the default interface for all networks.

        | Key | Format |
        |---|---|
        | a.lr | default:200,mongodb:50 |
        """,
}


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str) -> None:
    assert [(s.key, s.documented) for s in statements(textwrap.dedent(QUIET[name]), name)] == []
