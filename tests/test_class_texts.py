"""What docstrings and comments of classes and of the config say, and how a value is written back."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.statements.python_values import python_literal
from code_projects import HEAD, judged, short

DOCSTRING = '''
    from dataclasses import dataclass

    @dataclass
    class C:
        """A part.

        Args:
            enable (bool): Whether, default False
            mode (str): One of "a" and "b", default "a"
            size (Optional[dict[str, Any]]): A size that needs many
                words. Defaults to
                3 and no more.
            other: The `mode` of the rest, see there.

        The default of all is 9.
        """

        enable: bool = False
        mode: str = "b"
        size: int = 4
        other: int = 1
        # Port to listen on, default is 9090
        port: int = 9091
        rate: float = 0.5  # default 0.1
'''


def test_docstrings_and_comments_of_a_class_are_statements(tmp_path: Path) -> None:
    config = "part: {_target_: mod.C, enable: true, mode: b, size: 4, other: 1, port: 9091, rate: 0.5}\n"
    result = judged(tmp_path, {"config.yaml": config, "mod.py": DOCSTRING})
    words = [v for v in result.verdicts if v.statement.kind in ("prose", "comment")]
    lines = (tmp_path / "mod.py").read_text(encoding="utf-8").splitlines()
    assert [(v.statement.kind, *short([v])[0]) for v in words] == [
        ("prose", "disagrees", "part.enable", "False", "true"),
        ("prose", "disagrees", "part.mode", '"a"', "b"),
        ("prose", "disagrees", "part.size", "3", "4"),
        ("comment", "disagrees", "part.port", "9090", "9091"),
        ("comment", "disagrees", "part.rate", "0.1", "0.5"),
    ]
    for verdict in words:
        s = verdict.statement
        assert lines[s.line - 1][s.column - 1 :][: s.span] == s.documented


OTHER_WAYS = [
    "Parameters\n----------\nx : int\n    A size. Default 3.\ny : int",
    ":param x: A size. Default 3.\n:param y: None.",
    "Attributes:\n    x: A size (default: 3).",
]


@pytest.mark.parametrize("text", OTHER_WAYS)
def test_docstrings_of_other_styles_are_read(tmp_path: Path, text: str) -> None:
    body = "\n".join(f"    {line}".rstrip() for line in f'"""A part.\n\n{text}\n"""\nx: int = 4'.splitlines())
    source = f"{HEAD}@dataclass\nclass C:\n{body}\n"
    result = judged(tmp_path, {"config.yaml": "part: {_target_: mod.C, x: 4}\n", "mod.py": source})
    words = [v for v in result.verdicts if v.statement.kind == "prose"]
    assert short(words) == [("disagrees", "part.x", "3", "4")]


def test_comments_of_the_config_are_statements(tmp_path: Path) -> None:
    config = """
        # Defaults to 1
        x: 2
        y: 3  # the default is 4
        # One of a and b. Default is 'a'.
        z: a
        # Kinds:
        # - strict: the default
        # Use ["p"] or ["q"]
        # By default, nothing is said.
        w: [p]
        # null for no limit (default max_length // 3)
        v: null
    """
    result = judged(tmp_path, {"config.yaml": config}, code=())
    assert short(result.verdicts) == [
        ("disagrees", "x", "1", "2"),
        ("disagrees", "y", "4", "3"),
        ("agrees", "z", "'a'", "a"),
    ]
    lines = (tmp_path / "config.yaml").read_text(encoding="utf-8").splitlines()
    places = [v.statement for v in result.verdicts]
    assert [lines[s.line - 1][s.column - 1 :][: s.span] for s in places] == ["1", "4", "'a'"]
    assert [s.line for s in places] == [1, 3, 4]


def test_a_secret_is_not_printed(tmp_path: Path) -> None:
    config = """
        part:
          _target_: mod.C
          api_key: abc
          url: ${part.api_key}
          section: {token: abc}
          other: {token: abc}
          one: 1
          two: {token: abc}
    """
    source = f"""{HEAD}@dataclass
class C:
    api_key: str = 'hunter2'
    url: str = 'hunter2'
    section: dict = field(default_factory=dict)
    other: dict = field(default_factory=lambda: {{"token": "hunter2"}})
    one: dict = field(default_factory=lambda: {{"token": "hunter2"}})
    two: int = 5
"""
    verdicts = judged(tmp_path, {"config.yaml": config, "mod.py": source}).verdicts
    assert [v.verdict for v in verdicts] == ["disagrees", "disagrees", "undecided", *["disagrees"] * 3]
    for verdict in verdicts:
        assert "hunter2" not in verdict.message
        assert "abc" not in verdict.message + verdict.actual
    assert all("hunter2" not in v.statement.documented for v in verdicts if v.path in ("part.url", "part.one"))


@pytest.mark.parametrize(
    ("actual", "instead_of", "expected"),
    [
        ("true", "False", "True"),
        ("null", "1", "None"),
        ("1e-06", "1e-3", "1e-06"),
        ("fast", "'slow'", "'fast'"),
        ("fast", '"slow"', '"fast"'),
        ("it's", '"a"', '"it\'s"'),
        ("''", "None", '""'),
        ("[a, b]", "['c']", "['a', 'b']"),
        ("[a]", "(1, 2)", '("a",)'),
        ("{a: 1}", "dict", 'lambda: {"a": 1}'),
        ("[1]", "None", None),
        (".inf", "1.0", None),
    ],
)
def test_a_value_is_spelt_as_python_to_stand_in_place_of_a_literal(
    actual: str, instead_of: str, expected: str | None
) -> None:
    assert python_literal(actual, instead_of) == expected
