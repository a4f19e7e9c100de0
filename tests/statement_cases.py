"""Pages with their statements marked, ``⟦key|value⟧``, and pages that state nothing: for the tests of the readers."""

from __future__ import annotations

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
