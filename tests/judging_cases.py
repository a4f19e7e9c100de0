"""Pages and their verdicts: which key and which root is meant."""

from __future__ import annotations

KEYS = {
    "the full path, an end of it, and a bare name that one setting has": (
        """
        - `a.lr`: default 1
        - `a.lr`: default 9
        - `c.yaml` says that `a.n` is 2 by default
        - `n`: default 2
        - `n`: default 9
        """,
        "a.lr: agrees\na.lr: disagrees\na.n: agrees\na.n: agrees\na.n: disagrees",
    ),
    "a bare name that several settings have is never decided by its last component": (
        "- `lr`: default 1\n- `lr`: default 3\n- `lr`: default 9\n",
        "a.lr: undecided\nb.lr: undecided\na.lr: undecided",
    ),
    "the parent bullet gives the rest": (
        """
        - `a`
            - `lr`: default 1
            - `n`: default 9
        - `b`:
            - `lr`: default 1
        """,
        "a.lr: agrees\na.n: disagrees\nb.lr: disagrees",
    ),
    "the heading gives the rest": (
        """
        ## `b`

        - `lr`: default 1

        ## Settings of a

        The default of `lr` is 3.

        ### b.lr

        Default: 3
        """,
        "b.lr: disagrees\na.lr: disagrees\nb.lr: agrees",
    ),
    "the block above gives the rest": (
        """
        ```yaml
        a:
          lr: 5
        ```

        `lr` defaults to 9.
        """,
        "a.lr: undecided\na.lr: disagrees",
    ),
    "the table's rows give the prefix": (
        """
        | Key | Default |
        |---|---|
        | n | 2 |
        | many | [1, 2] |
        | lr | 9 |
        """,
        "a.n: agrees\na.many: agrees\na.lr: disagrees",
    ),
    "the key column is the one whose cells are keys": (
        """
        | Engine | Name | Ours | Default |
        |---|---|---|---|
        | learning_rate | x1 | a.lr | 1 |
        | steps | x2 | a.n | 9 |
        """,
        "a.lr: agrees\na.n: disagrees",
    ),
    "a group's switch": (
        "- `group`: disabled by default\n- `group` is enabled by default.\n",
        "group.enabled: agrees\ngroup.enabled: disagrees",
    ),
    "case": ("- `A.LR`: default 9\n", "a.lr: disagrees"),
    "a list's index, and a placeholder": ("- `<x>.on`: default false\n", "a.on: disagrees"),
    "wrong parents are not forgiven": (
        "- `a.lr`: default 1\n- `group.lr`: default 1\n",
        "a.lr: agrees\ngroup.lr: unknown-key",
    ),
}

UNKNOWN = {
    "one of the same name elsewhere": ("- `a.lr`: default 1\n- `opt.lr`: default 1\n", "opt.lr", "a.lr"),
    "one that is spelt alike": ("- `a.lr`: default 1\n- `a.manyy`: default 1\n", "a.manyy", "a.many"),
    "none, where the page speaks of settings": (
        "# Settings\n\n- `a.lr`: default 1\n- `x.y`: default 1\n",
        "x.y",
        "group.x",
    ),
    "a listing's": ("The defaults:\n\n```yaml\na:\n  lr: 1\n  gone: 2\n```\n", "a.gone", ""),
    "a table's": ("| Key | Default |\n|---|---|\n| a.lr | 1 |\n| a.gone | 2 |\n", "a.gone", ""),
}

WHICH = {
    "any root that has the key: wrong only where no root agrees": (
        "- `k`: default 1\n- `k`: default 2\n- `k`: default 3\n- `m`: default 2\n- `only`: default 5\n",
        "k: agrees\nk: agrees\nk: disagrees\nm: disagrees\nonly: agrees",
    ),
    "a heading with a file's name": (
        "# fast.yaml\n\n- `k`: default 2\n\n# slow.yaml\n\n- `k`: default 2\n\n## More\n\n- `k`: default 1\n",
        "k: disagrees\nk: agrees\nk: disagrees",
    ),
    "a file's name in the sentence before": (
        "Text.\n\nThe file conf/slow.yaml holds:\n\n- `k`: default 1\n",
        "k: disagrees",
    ),
    "a marker": (
        "<!-- ckpt-defaults: root slow -->\n\n- `k`: default 1\n\n# Next\n\n- `k`: default 1\n",
        "k: disagrees\nk: disagrees",
    ),
    "a marker in a section": (
        "# One\n\n<!-- ckpt-defaults: root slow.yaml -->\n\n- `k`: default 1\n\n# Next\n\n- `k`: default 1\n",
        "k: disagrees\nk: agrees",
    ),
    "a marker that names no root": ("<!-- ckpt-defaults: root nope -->\n\n- `k`: default 9\n", "k: undecided"),
    "a heading that names a root without the key": ("# fast.yaml\n\n- `only`: default 6\n", "only: undecided"),
}
