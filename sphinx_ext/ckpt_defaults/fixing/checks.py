"""What an edit does to a file, looked at before it is written: pages by doctree, other files by their own syntax."""

from __future__ import annotations

import ast
import csv
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..judging.checking import Rules, check
from ..pages import names_of, parse_page
from ..parsing import ENDINGS
from ..roots import Project
from ..settings import YAML_ENDINGS, ConfigError, parse_value
from ..verdicts import AGREES, DISAGREES, Verdict
from ..wording import say
from ..writing import Source

if TYPE_CHECKING:
    from .edits import Edit


@dataclass(frozen=True)
class Judge:
    """What pages are judged by: the project's configs and rules."""

    project: Project
    rules: Rules


class Checker(Protocol):
    """Looks at edits of one file; ``judges`` says whether it can tell what disagrees in it."""

    judges: bool

    def disagreements(self, lines: Sequence[str]) -> list[Verdict]:
        """What disagrees in the file when it holds ``lines``."""

    def faults(self, before: Sequence[str], after: Sequence[str], edits: Sequence[Edit]) -> Mapping[Edit | None, str]:
        """What is wrong with ``edits``: the reason by edit, under ``None`` what cannot be laid to one of them."""


def checker_for(judge: Judge, source: Source) -> Checker:
    """The checker for a file. Raises :class:`ConfigError` for a kind of file that is not mended."""
    ending = os.path.splitext(source.file)[1].lower()
    if ending in ENDINGS:
        return PageChecker(source.file, judge)
    if ending == ".py":
        return SyntaxChecker(_python)
    if ending in YAML_ENDINGS:
        return SyntaxChecker(_yaml)
    if ending == ".csv":
        return SyntaxChecker(_csv)
    raise ConfigError("is no page, and is not mended", source.file)


class PageChecker:
    """A page of documentation: it must be read as before but for the values, and these must agree."""

    judges = True

    def __init__(self, file: str, judge: Judge) -> None:
        self.file, self.judge = file, judge
        self.known: dict[tuple[str, ...], tuple[Any, list[Verdict]]] = {}

    def read(self, lines: Sequence[str]) -> tuple[Any, list[Verdict]]:
        """The doctree and the verdicts of the page, as it would be with ``lines``."""
        key = tuple(lines)
        if key not in self.known:
            while len(self.known) > 2:
                self.known.pop(next(iter(self.known)))
            document, reading = parse_page(self.file, "\n".join(lines))
            own = [s for s in reading.statements if s.file == self.file]
            outcome = check(own, self.judge.project, self.judge.rules, names_of)
            self.known[key] = document, list(outcome.verdicts)
        return self.known[key]

    def disagreements(self, lines: Sequence[str]) -> list[Verdict]:
        return [v for v in self.read(lines)[1] if v.verdict == DISAGREES]

    def faults(self, before: Sequence[str], after: Sequence[str], edits: Sequence[Edit]) -> Mapping[Edit | None, str]:
        from .likeness import Unlike, check_alike

        old_tree, old = self.read(before)
        new_tree, new = self.read(after)
        if len(old) != len(new):
            return {None: say("other statements of the page would be read otherwise")}
        by_place: dict[tuple[int, int], Edit] = {(e.line, e.column): e for e in edits if not e.parts}
        spread = {_head(e.verdict): e for e in edits if e.parts}
        faults: dict[Edit | None, str] = {}
        for a, b in zip(old, new, strict=True):
            s, t = a.statement, b.statement
            over = spread.get(_head(a))
            if over is not None and a.verdict == DISAGREES:
                if b.verdict != AGREES or _head(a) != _head(b):
                    faults[over] = say("{new} would not be read as the value there", new=over.new)
                continue
            edit = next((by_place[s.line, c] for c in range(s.column, s.column + 5) if (s.line, c) in by_place), None)
            if edit is None or edit.old not in s.documented or not s.span:
                if (s.line, s.kind, s.documented) != (t.line, t.kind, t.documented):
                    return {None: say("other statements of the page would be read otherwise")}
            elif t.documented != s.documented.replace(edit.old, edit.new, 1) or (t.line, t.kind) != (s.line, s.kind):
                faults[edit] = say("{new} would not be read as the value there", new=edit.new)
            elif b.verdict != AGREES and a.verdict == DISAGREES:
                faults[edit] = say("{new} would not be sure to be right there", new=edit.new)
        if faults:
            return faults
        try:
            check_alike(old_tree, new_tree, [(p.old, p.new) for e in edits for p in e.pieces])
        except Unlike as error:
            return {None: str(error)}
        return {}


def _head(verdict: Verdict) -> tuple[int, str, str]:
    """What stays of a statement when its value is replaced."""
    return verdict.statement.line, verdict.statement.kind, verdict.path


class SyntaxChecker:
    """A file of code, config or data: nothing but the values must differ in what its own syntax reads."""

    judges = False

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    def disagreements(self, lines: Sequence[str]) -> list[Verdict]:
        return []

    def faults(self, before: Sequence[str], after: Sequence[str], edits: Sequence[Edit]) -> Mapping[Edit | None, str]:
        try:
            old, new = self.read("\n".join(before)), self.read("\n".join(after))
        except (SyntaxError, ValueError, RecursionError, csv.Error):
            return {None: say("the file would not be read any more")}
        if _differences(old, new) > sum(len(edit.pieces) for edit in edits):
            return {None: say("more than the value would change")}
        return {}


def _python(text: str) -> Any:
    """Python as nested lists, each constant (a number with its sign) one leaf."""

    def plain(node: Any) -> Any:
        if isinstance(node, ast.AST):
            try:
                return repr(ast.literal_eval(node)) if isinstance(node, ast.expr) else _fields(node)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return _fields(node)
        return [plain(item) for item in node] if isinstance(node, list) else node

    def _fields(node: ast.AST) -> Any:
        return [type(node).__name__, *(plain(value) for _, value in ast.iter_fields(node))]

    return plain(ast.parse(text))


def _yaml(text: str) -> Any:
    return parse_value(text)


def _csv(text: str) -> Any:
    return list(csv.reader(text.splitlines(keepends=True), strict=True))


def _differences(a: Any, b: Any) -> int:
    """In how many leaves two nested values differ; one in which they are built differently counts as many."""
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        return sum(_differences(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return sum(_differences(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, (list, dict)) or isinstance(b, (list, dict)):
        return 1_000_000
    return int(type(a) is not type(b) or a != b)
