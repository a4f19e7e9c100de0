"""What a page says and what the fix makes of it, in every kind of place, for the config of test_fixing.py."""

from __future__ import annotations

# what the page says, and what it has to say instead: each value once, nothing else
CASES = {
    "prose": ("``seed`` defaults to ``7``.\n", "``seed`` defaults to ``42``.\n"),
    "prose, bare": ("The default of ``seed`` is 7.\n", "The default of ``seed`` is 42.\n"),
    "the value stands before as another word": (
        "Use 7 processes; ``seed`` (7 digits at most, default: ``7``) is up to you.\n",
        "Use 7 processes; ``seed`` (7 digits at most, default: ``42``) is up to you.\n",
    ),
    "Python's words": ("``use_kl`` (bool): default ``True``\n", "``use_kl`` (bool): default ``False``\n"),
    "YAML's words": ("``use_kl`` defaults to ``true``.\n", "``use_kl`` defaults to ``false``.\n"),
    "yes and no": ("``use_kl`` defaults to ``yes``.\n", "``use_kl`` defaults to ``no``.\n"),
    "quotes": ('``name`` defaults to ``"sgd"``.\n', '``name`` defaults to ``"adam"``.\n'),
    "single quotes": ("``name`` defaults to ``'sgd'``.\n", "``name`` defaults to ``'adam'``.\n"),
    "the config's digits": ("``lr`` defaults to ``1e-5``.\n", "``lr`` defaults to ``1e-6``.\n"),
    "a list": ("``betas`` defaults to ``[0.9, 0.99]``.\n", "``betas`` defaults to ``[0.9, 0.95]``.\n"),
    "a unit": ("``timeout_s`` defaults to 5 seconds.\n", "``timeout_s`` defaults to 300 seconds.\n"),
    "another unit": ("``timeout_s`` defaults to 1 minute.\n", "``timeout_s`` defaults to 5 minutes.\n"),
    "null like the page": (
        "``path`` defaults to ``x``.\n\n``other`` is ``None`` by default; ``path`` defaults to ``None``.\n",
        "``path`` defaults to ``None``.\n\n``other`` is ``None`` by default; ``path`` defaults to ``None``.\n",
    ),
    "Chinese": ("``seed``\\ ：默认值为 ``7``。\n", "``seed``\\ ：默认值为 ``42``。\n"),
    "是": ("- ``use_kl``：默认值：是\n", "- ``use_kl``：默认值：否\n"),
    "grid table": (
        """
        +------------+---------+------+
        | key        | Default | text |
        +============+=========+======+
        | ``seed``   | 7       | one  |
        +------------+---------+------+
        | ``use_kl`` | True    | two  |
        +------------+---------+------+
        """,
        """
        +------------+---------+------+
        | key        | Default | text |
        +============+=========+======+
        | ``seed``   | 42      | one  |
        +------------+---------+------+
        | ``use_kl`` | False   | two  |
        +------------+---------+------+
        """,
    ),
    "grid table, a shorter value": (
        """
        +----------+-----------+------+
        | key      | Default   | text |
        +==========+===========+======+
        | ``seed`` | ``12345`` | one  |
        +----------+-----------+------+
        """,
        """
        +----------+-----------+------+
        | key      | Default   | text |
        +==========+===========+======+
        | ``seed`` | ``42``    | one  |
        +----------+-----------+------+
        """,
    ),
    "simple table, a shorter value": (
        """
        ======== ========= ====
        key      Default   text
        ======== ========= ====
        ``seed`` ``12345`` one
        ``name`` adam      two
        ======== ========= ====
        """,
        """
        ======== ========= ====
        key      Default   text
        ======== ========= ====
        ``seed`` ``42``    one
        ``name`` adam      two
        ======== ========= ====
        """,
    ),
    "grid table with wide characters": (
        """
        +----------+--------+--------+
        | 参数     | 默认值 | 说明   |
        +==========+========+========+
        | ``seed`` | 7      | 随机数 |
        +----------+--------+--------+
        """,
        """
        +----------+--------+--------+
        | 参数     | 默认值 | 说明   |
        +==========+========+========+
        | ``seed`` | 42     | 随机数 |
        +----------+--------+--------+
        """,
    ),
    "simple table": (
        """
        ========== ======= ==========
        key        Default text
        ========== ======= ==========
        ``seed``   7       the seed
        ``use_kl`` True    the switch
        ========== ======= ==========
        """,
        """
        ========== ======= ==========
        key        Default text
        ========== ======= ==========
        ``seed``   42      the seed
        ``use_kl`` False   the switch
        ========== ======= ==========
        """,
    ),
    "list-table": (
        """
        .. list-table::
           :header-rows: 1

           * - key
             - Default
           * - ``seed``
             - 7
           * - ``lr``
             - ``1e-5``
        """,
        """
        .. list-table::
           :header-rows: 1

           * - key
             - Default
           * - ``seed``
             - 42
           * - ``lr``
             - ``1e-6``
        """,
    ),
    "csv-table": (
        """
        .. csv-table::
           :header: key, default, text

           seed, 7, "one, two"
           use_kl, True, 7
        """,
        """
        .. csv-table::
           :header: key, default, text

           seed, 42, "one, two"
           use_kl, False, 7
        """,
    ),
    "listing": (
        """
        The default configuration is:

        .. code-block:: yaml

           lr: 1e-5   # 1e-5 was good
           seed: 42
           label: "off"  # text
           path: /tmp
        """,
        """
        The default configuration is:

        .. code-block:: yaml

           lr: 1e-6   # 1e-5 was good
           seed: 42
           label: "on"  # text
           path: null
        """,
    ),
    "a list below its key": (
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           betas:  # of Adam
             - 0.9
             - 0.99  # the second
           name: adam
        """,
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           betas:  # of Adam
             - 0.9
             - 0.95  # the second
           name: adam
        """,
    ),
    "a list below its key, not indented, quoted items": (
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           modes:
           - "train"
           - 'eval'
           name: sgd
        """,
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           modes:
           - "test"
           - 'all'
           name: adam
        """,
    ),
    "a list in brackets over several lines": (
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           modes: [train,
                   all]
           betas: [
             0.8, 0.99
           ]
           name: adam
        """,
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           modes: [test,
                   all]
           betas: [
             0.9, 0.95
           ]
           name: adam
        """,
    ),
    "a mapping in braces over several lines": (
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           extra: {deep: [1, 5],
                   on: True}
           name: adam
        """,
        """
        The default configuration is:

        .. code-block:: yaml

           seed: 42
           extra: {deep: [1, 2],
                   on: False}
           name: adam
        """,
    ),
    "a block that is the value": (
        """
        - ``modes``

          Default:

          .. code-block:: yaml

             - train
             - all
        """,
        """
        - ``modes``

          Default:

          .. code-block:: yaml

             - test
             - all
        """,
    ),
    "comment": (
        """
        .. code-block:: bash

           run seed=3  # default: 7
        """,
        """
        .. code-block:: bash

           run seed=3  # default: 42
        """,
    ),
    "confval": (
        """
        .. confval:: seed
           :type: int
           :default: 7
        """,
        """
        .. confval:: seed
           :type: int
           :default: 42
        """,
    ),
}

MARKDOWN = {
    "prose": ("`seed` defaults to `7`.\n", "`seed` defaults to `42`.\n"),
    "a table in columns": (
        "| key      | default | text |\n|----------|---------|------|\n"
        "| `use_kl` | `true`  | one  |\n| `seed`   | 7       | 7    |\n",
        "| key      | default | text |\n|----------|---------|------|\n"
        "| `use_kl` | `false` | one  |\n| `seed`   | 42      | 7    |\n",
    ),
    "a table in columns, a shorter value": (
        "| key    | default |\n|--------|---------|\n| `seed` | `12345` |\n| `name` | adam    |\n",
        "| key    | default |\n|--------|---------|\n| `seed` | `42`    |\n| `name` | adam    |\n",
    ),
    "a tight table": (
        "| key | default |\n|---|---|\n| `use_kl` | true |\n| `lr` | 1e-5 |\n",
        "| key | default |\n|---|---|\n| `use_kl` | false |\n| `lr` | 1e-6 |\n",
    ),
    "a list in a fence": (
        "Defaults:\n\n```yaml\nseed: 7\nlr: 1e-6\nname: adam\n```\n",
        "Defaults:\n\n```yaml\nseed: 42\nlr: 1e-6\nname: adam\n```\n",
    ),
    "a comment with backticks": (
        "```yaml\n# the default is `7`\nseed: 3\n```\n",
        "```yaml\n# the default is `42`\nseed: 3\n```\n",
    ),
}
