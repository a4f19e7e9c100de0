"""Statements: the places that say what a setting's default is. Readers find them, one kind a file."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("prose", "table", "listing", "comment", "confval", "pin", "dataclass", "fallback", "generated")

SURE, DEFAULTS, DESCRIBED, UNKNOWN, EXAMPLE = 3, 2, 1, 0, -1
"""What stands around a block of YAML says of it: surely a listing (a marker, a heading that is a file's name),
a listing (a sentence), settings that a list behind it explains one by one, nothing, an example."""


@dataclass(frozen=True, slots=True)
class Context:
    """What stands around a statement and may say which key and which root it means.

    ``parents`` are keys, nearest first (the parent bullet, the block above); ``headings`` the titles of the sections
    around it, innermost first; ``root`` is the root that a marker comment names.
    """

    parents: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    root: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One place that says what a setting's default is.

    ``file``, ``line`` and ``column`` (from 1) give the place of the value and ``span`` its length in the source, 0 when
    only the line is known. ``keys`` are the keys that may be meant, as written, the likeliest first; in a table the
    position tells the column, so that the rows can be judged together (``''``: this row has none there).
    ``documented`` is the value as written, ``literal`` whether it is surely a value (a literal, a listing's value),
    ``loose`` that nothing but nearness ties the key to the value, ``conditional`` that it holds in one case only.
    ``group`` names the table or listing that it belongs to, ``cue`` what the words around that group say of it,
    ``comment`` what a listing says above and beside its key. ``option`` says that a command shown in the section has an
    option of that name.
    """

    file: str
    line: int
    column: int
    kind: str
    keys: tuple[str, ...]
    documented: str
    context: Context = Context()
    span: int = 0
    literal: bool = False
    group: str = ""
    cue: int = DEFAULTS
    loose: bool = False
    comment: str = ""
    conditional: bool = False
    option: bool = False

    @property
    def key(self) -> str:
        """The likeliest key as written."""
        return next((key for key in self.keys if key), "")


@dataclass(frozen=True)
class Reading:
    """What was read in a document: its statements, and the comments that ignore nothing, as file and line."""

    statements: list[Statement]
    unused_ignores: tuple[tuple[str, int], ...] = ()
