"""Disagreements mended in the files that state them: one way to the new text, for ``--diff`` and for ``--fix``.

Only the characters of a value are replaced. What the edit does is looked at before anything is written: the page must
be read as before but for the value, and the statement must agree. What does not pass is left alone, with the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..parsing import ENDINGS
from ..roots import Project
from ..settings import ConfigError, shown_path
from ..statements.blocks import forget_sources
from ..verdicts import DISAGREES, Verdict
from ..wording import say
from ..writing import Source, read_source, write_source
from .cells import TooNarrow, one_left, put
from .checks import Checker, Judge, checker_for
from .sentences import sentence_fault
from .spelling import Style, refusal, replacement, style_of, true_value
from .spread import Piece, Unspreadable, pieces_of

_ROUNDS = 20
"""How often a file is judged anew at most: what was refused may be mended once its neighbours are, and a listing in
which most values agree at last is judged more strictly."""


@dataclass(frozen=True, eq=False)
class Edit:
    """``new`` for ``old`` at ``line`` and ``column`` (from 1), to mend the disagreement ``verdict``.

    Where the value stands on several lines, ``parts`` are what is replaced, and the others tell it as a whole.
    """

    line: int
    column: int
    old: str
    new: str
    verdict: Verdict
    parts: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What is replaced in the lines of the file."""
        return self.parts or (Piece(self.line, self.column, self.old, self.new),)


@dataclass(frozen=True)
class Refusal:
    """A disagreement that is left alone, and why."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Page:
    """What is known of a page before it is mended.

    How it spells values, the verdicts on the values of each cell of a table, the configs, and the settings whose
    default a row gives in a cell, by file, line and key.
    """

    style: Style
    cells: Mapping[tuple[str, int, str, tuple[str, ...]], Sequence[Verdict]]
    project: Project
    rows: frozenset[tuple[str, int, str]] = frozenset()


def _cell(verdict: Verdict) -> tuple[str, int, str, tuple[str, ...]]:
    s = verdict.statement
    return s.file, s.line, s.kind, s.keys


@dataclass(frozen=True)
class FixedFile:
    """A file as it is and as it would be: the edits that are made, and the disagreements that stay."""

    source: Source
    lines: tuple[str, ...]
    done: tuple[Edit, ...]
    refused: tuple[Refusal, ...]

    def diff(self) -> str:
        """The change as a unified diff, empty when there is none."""
        name = shown_path(self.source.file)
        ends = ["\n" if end == "\r" else end for end in (*self.source.endings, "")]
        old, new = (
            [line + end for line, end in zip(lines, ends, strict=True) if line or end]
            for lines in (self.source.lines, self.lines)
        )
        parts: list[str] = []
        for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
            parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
        return "".join(parts)

    def write(self) -> None:
        """Writes the file when it changes. Raises :class:`ConfigError`, with nothing written, when that fails."""
        if self.done:
            write_source(self.source, self.lines)
            forget_sources()


def fix(told: Iterable[Verdict], judge: Judge, stated: Iterable[Verdict]) -> list[FixedFile]:
    """The files of the disagreements in ``told``, mended; nothing is written.

    ``stated`` are all verdicts of the project, whose words show how each page spells its values.
    """
    words: dict[str, list[Verdict]] = {}
    for verdict in stated:
        words.setdefault(verdict.statement.file, []).append(verdict)
    cells: dict[tuple[str, int, str, tuple[str, ...]], list[Verdict]] = {}
    for v in {v.statement: v for file in words.values() for v in file}.values():
        cells.setdefault(_cell(v), []).append(v)
    rows = frozenset(
        (v.statement.file, v.statement.line, v.path)
        for file in words.values()
        for v in file
        if v.statement.kind == "table"
    )
    by_file: dict[str, list[Verdict]] = {}
    for verdict in told:
        if verdict.verdict == DISAGREES:
            by_file.setdefault(verdict.statement.file, []).append(verdict)
    return [
        _fixed(
            file,
            verdicts,
            judge,
            Page(style_of(v.statement for v in words.get(file, ())), cells, judge.project, rows),
        )
        for file, verdicts in sorted(by_file.items())
    ]


def _fixed(file: str, verdicts: Sequence[Verdict], judge: Judge, page: Page) -> FixedFile:
    try:
        source = read_source(file)
        check = checker_for(judge, source)
    except ConfigError as error:
        return FixedFile(Source(file, ("",), (), b""), ("",), (), tuple(Refusal(v, error.message) for v in verdicts))
    lines = source.lines
    done: list[Edit] = []
    refused: list[Refusal] = []
    told = {_key(v) for v in verdicts}
    left_out = {_key(v) for v in check.disagreements(lines)} - told
    for _ in range(_ROUNDS):
        edits, unplanned = _planned(lines, verdicts, page)
        accepted, faulty = _accepted(lines, edits, check)
        refused = unplanned + faulty
        if not accepted:
            break
        lines = applied(lines, accepted)
        done += accepted
        if not check.judges:
            break
        verdicts = [v for v in check.disagreements(lines) if _key(v) not in left_out]
        if not verdicts:
            refused = []
            break
    return FixedFile(source, tuple(lines), tuple(done), tuple(refused))


def _key(verdict: Verdict) -> tuple[int, str, str, str]:
    s = verdict.statement
    return s.line, s.kind, verdict.path, s.documented


def _planned(lines: Sequence[str], verdicts: Iterable[Verdict], page: Page) -> tuple[list[Edit], list[Refusal]]:
    """The edits that mend ``verdicts``, one a place, and what has none."""
    edits: dict[tuple[int, int], Edit] = {}
    refused: list[Refusal] = []
    for verdict in verdicts:
        edit = _edit(lines, verdict, page)
        if isinstance(edit, Refusal):
            refused.append(edit)
            continue
        there = edits.setdefault((edit.line, edit.column), edit)
        if (there.old, there.new) != (edit.old, edit.new):
            refused.append(Refusal(verdict, say("another statement wants {new} there", new=there.new)))
    return list(edits.values()), refused


def _edit(lines: Sequence[str], verdict: Verdict, page: Page) -> Edit | Refusal:
    s = verdict.statement
    beside = page.cells.get(_cell(verdict), ()) if s.kind == "table" else ()
    if len(beside) > 1:
        chosen = one_left(verdict, beside, page.project)
        if chosen is None:
            return Refusal(verdict, say("its cell gives several values"))
        verdict = chosen
    reason = refusal(verdict)
    if not reason and s.kind == "generated":
        reason = say("a program writes the file; run it again")
    if not reason and s.kind == "listing" and not s.file.endswith(ENDINGS):
        reason = say("a page shows the file, which may be used elsewhere")
    if reason:
        return Refusal(verdict, reason)
    if s.kind == "prose" and (s.file, s.line, verdict.path) in page.rows:
        return Refusal(verdict, say("the row gives the default in a cell of its own"))
    new = replacement(verdict, page.style)
    if new is None:
        what = say("{said} has no like for {actual}: the sentence has to be written anew",
                   said=s.documented, actual=verdict.actual)  # fmt: skip
        return Refusal(verdict, what)
    if not s.span:
        try:
            parts = pieces_of(lines, verdict, page.style)
        except Unspreadable as error:
            return Refusal(verdict, str(error))
        return Edit(parts[0].line, parts[0].column, s.documented, new, verdict, tuple(parts))
    if not 0 < s.line <= len(lines):
        return Refusal(verdict, say("its value does not stand as one piece on a line"))
    start = s.column - 1
    piece = lines[s.line - 1][start : start + s.span]
    old = s.documented
    at = piece.find(old)
    if at < 0 or piece.count(old) > 1 or len(piece) - len(old) > 4:
        return Refusal(verdict, say("its value does not stand as one piece on a line"))
    line, start = lines[s.line - 1], start + at
    reason = sentence_fault(s, line[:start], line[start + len(old) :], new, true_value(verdict))
    return Refusal(verdict, reason) if reason else Edit(s.line, start + 1, old, new, verdict)


def applied(lines: Sequence[str], edits: Iterable[Edit]) -> tuple[str, ...]:
    """``lines`` after ``edits``. Raises :class:`~ckpt_defaults.fixing.cells.TooNarrow` where a cell has no room."""
    result = list(lines)
    pieces = (piece for edit in edits for piece in edit.pieces)
    for piece in sorted(pieces, key=lambda p: (p.line, -p.column)):
        result[piece.line - 1] = put(result, piece.line - 1, piece.column - 1, piece.old, piece.new)
    return tuple(result)


def _accepted(lines: Sequence[str], edits: Sequence[Edit], check: Checker) -> tuple[list[Edit], list[Refusal]]:
    """Those of ``edits`` that change nothing but their values, together."""
    if not edits:
        return [], []
    try:
        faults = check.faults(lines, applied(lines, edits), edits)
    except TooNarrow as error:
        faults = {None: str(error)}
    if not faults:
        return list(edits), []
    blamed = [Refusal(e.verdict, faults[e]) for e in edits if e in faults]
    if blamed:
        accepted, refused = _accepted(lines, [e for e in edits if e not in faults], check)
        return accepted, blamed + refused
    if len(edits) == 1:
        return [], [Refusal(edits[0].verdict, faults[None])]
    middle = len(edits) // 2
    first, refused_first = _accepted(lines, edits[:middle], check)
    second, refused_second = _accepted(lines, edits[middle:], check)
    refused = refused_first + refused_second
    if first and second and check.faults(lines, applied(lines, [*first, *second]), [*first, *second]):
        return first, refused + [Refusal(e.verdict, say("not together with another edit; run again")) for e in second]
    return [*first, *second], refused


def write_all(files: Iterable[FixedFile]) -> list[str]:
    """Writes every file that changes; the faults of those that could not be written."""
    faults = []
    for file in files:
        try:
            file.write()
        except ConfigError as error:
            faults.append(str(error))
    return faults
