"""Text in source that says a default: the comments of a YAML file, the docstrings and comments of a class.

The sentences are those of pages (``prose``); this finds the text, joins its lines and gives the place of a value in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..phrases import CLOSE, OPEN, phrases
from .class_source import ClassSource

_LITERAL = re.compile(r"``([^`\n]+)``|`([^`\n]+)`")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s")
_SECTION = re.compile(
    r"^(\s*)(?:Args|Arguments|(?:Other )?Param(?:eter)?s|Attributes|Fields|Options|Keyword Arg(?:ument)?s):?\s*$"
)
_ENTRY = re.compile(r"^(\s*)\*{0,2}`{0,2}([A-Za-z_][\w.]*)`{0,2}\s*(?:\(.*?\))?\s*:(?!:)")
_FIELD = re.compile(r"^(\s*):(?:param|ivar|cvar|var|arg|argument|attribute|keyword)\s+(?:[^:]*\s)?([A-Za-z_]\w*):")
_STARTS = re.compile(r"(?!(?:True|False|None|Null)\b)[A-Z][a-z]+\b")
_GOES_ON = re.compile(r"(?:\b(?:defaults?|default value|is|to|of|the|an?|and|or|for|by)|[,:=(])\s*$", re.I)
_RULE = re.compile(r"^\s*-{3,}\s*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one line of source: its line and column (from 1), and its text."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A default that a passage gives of the key that it stands under: the value as written, and its place."""

    value: str
    place: tuple[int, int, int]
    literal: bool


def said_of(name: str, pieces: Sequence[Piece]) -> list[Said]:
    """The defaults that some lines of text give of ``name``; what they say of other keys is left out."""
    if not any(phrases().word.search(piece.text) for piece in pieces):
        return []
    from .prose import find  # the reader of sentences; reading code alone does not need it

    found = []
    for part in _sentences(pieces):
        text = " ".join(piece.text for piece in part)
        for hit in find(_LITERAL.sub(_marked, text), head=name, owned=True):
            value = hit.value.replace(OPEN, "").replace(CLOSE, "")
            bare = value.strip()
            start = hit.start + (1 if hit.value.startswith(OPEN) else 0) + len(value) - len(value.lstrip())
            cut = re.match(r"\w", text[start + len(bare) :]) and re.search(r"\w$", bare)  # in the middle of a word
            if hit.keys[:1] == (name,) and not cut:
                found.append(Said(bare, _place(part, start, len(bare)), hit.literal))
    return found


def _sentences(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The lines, parted where a new sentence begins a line though no stop ends the one before."""
    part: list[Piece] = []
    for piece in pieces:
        if part and _STARTS.match(piece.text) and not _GOES_ON.search(part[-1].text):
            yield part
            part = []
        part.append(piece)
    if part:
        yield part


def _marked(hit: re.Match[str]) -> str:
    """A literal between the marks of one, as long as it was."""
    double = hit.group(1) is not None
    inner = hit.group(1) if double else hit.group(2)
    return f" {OPEN}{inner}{CLOSE} " if double else f"{OPEN}{inner}{CLOSE}"


def _place(pieces: Sequence[Piece], start: int, length: int) -> tuple[int, int, int]:
    """Line, column and length of a part of the joined text; length 0 where it runs over a line's end."""
    for piece in pieces:
        if start < len(piece.text):
            return piece.line, piece.column + start, length if start + length <= len(piece.text) else 0
        start -= len(piece.text) + 1
    return pieces[-1].line, pieces[-1].column, 0


def comment_passages(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """The lines of a comment as passages: a bullet, or a blank line, begins a new one."""
    passage: list[Piece] = []
    for piece in pieces:
        if passage and (not piece.text.strip() or _BULLET.match(piece.text)):
            yield passage
            passage = []
        if piece.text.strip():
            passage.append(piece)
    if passage:
        yield passage


def comment_piece(line: int, text: str, start: int) -> Piece:
    """The text of a comment whose ``#`` stands at ``start`` (from 0) in a line, without the ``#``."""
    bare = text[start:].rstrip()
    inner = bare.lstrip("#").lstrip()
    return Piece(line, start + len(bare) - len(inner) + 1, inner)


# -- classes ---------------------------------------------------------------------------------------------------------
def docstring_entries(source: ClassSource) -> Iterator[tuple[str, list[Piece]]]:
    """The parameters that a class's docstring describes, each with its lines: Google's, NumPy's and Sphinx's ways."""
    first = source.node.body[0]
    text = first.value if isinstance(first, ast.Expr) else None
    if not (isinstance(text, ast.Constant) and isinstance(text.value, str) and phrases().word.search(text.value)):
        return
    start, end = text.lineno, text.end_lineno or text.lineno
    rows = [(number, source.module.lines[number - 1]) for number in range(start, end + 1)]
    rows[-1] = (end, re.sub(r"(?:\"\"\"|''')\s*$", "", rows[-1][1]))
    yield from _entries(rows)


def _entries(rows: Sequence[tuple[int, str]]) -> Iterator[tuple[str, list[Piece]]]:
    section: int | None = None
    at: int | None = None
    name, pieces = "", list[Piece]()
    numpy = False
    for index, (line, text) in enumerate(rows):
        indent = len(text) - len(text.lstrip())
        heading = _SECTION.match(text)
        hit = _FIELD.match(text)
        ruled = index + 1 < len(rows) and bool(_RULE.match(rows[index + 1][1])) and bool(text.strip())
        if heading or ruled or (section is not None and text.strip() and indent <= section and not numpy):
            if name:
                yield name, pieces
            name, pieces, at = "", [], None
            section = len(heading.group(1)) if heading else None
            numpy = ruled and heading is not None
            if heading or ruled:
                continue
        if hit is None and section is not None and text.strip() and not _RULE.match(text) and at in (None, indent):
            hit = _ENTRY.match(text) or (re.match(r"^(\s*)([A-Za-z_]\w*)\s*$", text) if numpy else None)
            at = indent if hit else at
        if hit:
            if name:
                yield name, pieces
            name, pieces = hit.group(2), [_piece(line, text, hit.end(2))]
        elif name and text.strip():
            pieces.append(_piece(line, text, 0))
    if name:
        yield name, pieces


def _piece(line: int, text: str, start: int) -> Piece:
    rest = text[start:]
    bare = rest.lstrip(" \t:`")
    return Piece(line, start + len(rest) - len(bare) + 1, bare.rstrip())


def field_comments(source: ClassSource, statement: ast.stmt) -> Iterator[list[Piece]]:
    """The comment lines right above a field of a class, and the one behind it."""
    lines = source.module.lines
    above: list[Piece] = []
    number = statement.lineno - 1
    while number > 0 and lines[number - 1].lstrip().startswith("#"):
        text = lines[number - 1]
        above.insert(0, comment_piece(number, text, len(text) - len(text.lstrip())))
        number -= 1
    yield from comment_passages(above)
    line, column, span = source.module.place(statement)
    last = statement.end_lineno or statement.lineno
    behind = lines[last - 1]
    end = column - 1 + span if last == line else len(behind.encode()[: statement.end_col_offset or 0].decode())
    hash_at = behind.find("#", end)
    if hash_at >= 0 and not behind[end:hash_at].strip():
        yield [comment_piece(last, behind, hash_at)]
