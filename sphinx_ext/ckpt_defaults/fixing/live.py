"""Hand-written defaults that agree and could be live: told by ``ckpt_defaults_prefer_live``, rewritten by ``--live``.

Only a value that stands as a literal in a sentence or a table is rewritten, to the role ``config-default``; the
sentence stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docutils import nodes

from ..pages import parse_page
from ..parsing import ROLE
from ..redaction import is_secret
from ..roots import Project
from ..settings import ConfigError, shown_path
from ..statements.blocks import is_rendered
from ..values import SAME, compare
from ..verdicts import AGREES, Verdict
from ..wording import say
from ..writing import read_source
from .edits import Edit, FixedFile, Refusal, applied
from .likeness import Unlike, check_alike

_MARKS = ("``", "`")


@dataclass(frozen=True)
class Live:
    """A statement that could be live: ``old`` at ``column`` (from 1) is the marked literal, ``new`` the role."""

    verdict: Verdict
    column: int
    old: str
    new: str

    @property
    def message(self) -> str:
        """One line: what is stated by hand, and what to write instead."""
        said = self.verdict.statement.documented
        return f"the default of {self.verdict.path} is written by hand ({said}); write {self.new} to take it live"


def role_for(file: str, key: str) -> str:
    """The role that shows the default of ``key``, in the syntax of a page."""
    return f"{{{ROLE}}}`{key}`" if file.endswith(".md") else f":{ROLE}:`{key}`"


def find_live(verdicts: Iterable[Verdict], project: Project, line_of: LineOf) -> Iterator[Live]:
    """The statements that could be live. ``line_of`` gives the source line of a file by its number (from 1)."""
    for verdict in verdicts:
        s = verdict.statement
        if verdict.verdict != AGREES or s.kind not in ("prose", "table") or not s.span or is_secret(verdict.path):
            continue
        if not _role_agrees(verdict, project):
            continue
        line = line_of(s.file, s.line)
        start, end = s.column - 1, s.column - 1 + s.span
        mark = next((m for m in _MARKS if line[:start].endswith(m) and line[end:].startswith(m)), "")
        role = re.search(r":[\w:-]+:$|\{[\w:-]+\}$", line[: start - len(mark)])
        if mark and role is None and not line[: start - len(mark)].endswith("`"):
            old = line[start - len(mark) : end + len(mark)]
            yield Live(verdict, start - len(mark) + 1, old, role_for(s.file, verdict.path))


def _role_agrees(verdict: Verdict, project: Project) -> bool:
    """Whether the role would show the same: it takes the first root that has the key in full."""
    root = next((r for r in project.roots if verdict.path in r.settings), None)
    if root is None or isinstance(root.settings[verdict.path].value, dict):
        return False
    resolution = root.resolve(verdict.path)
    return not resolution.problem and compare(verdict.statement.documented, resolution.value, True) == SAME


class LineOf:
    """The lines of sources, each file read once."""

    def __init__(self) -> None:
        self.known: dict[str, Sequence[str]] = {}

    def __call__(self, file: str, number: int) -> str:
        if file not in self.known:
            try:
                self.known[file] = read_source(file).lines
            except ConfigError:
                self.known[file] = ()
        lines = self.known[file]
        return lines[number - 1] if 0 < number <= len(lines) else ""


def make_live(verdicts: Iterable[Verdict], project: Project) -> list[FixedFile]:
    """The pages with live values instead of hand-written ones; nothing is written.

    Each page must be read as before but for these values, else the edit is refused with the reason.
    """
    by_file: dict[str, list[Live]] = {}
    for live in find_live(verdicts, project, LineOf()):
        by_file.setdefault(live.verdict.statement.file, []).append(live)
    return [_rewritten(file, found) for file, found in sorted(by_file.items())]


def _rewritten(file: str, found: Sequence[Live]) -> FixedFile:
    source = read_source(file)
    places = {(live.verdict.statement.line, live.column): live for live in found}
    edits = [Edit(line, column, live.old, live.new, live.verdict) for (line, column), live in places.items()]
    done = edits
    refused: list[Refusal] = []
    if _fault(file, source.lines, edits):  # one of them is to blame: each by itself
        done = []
        for edit in edits:
            fault = _fault(file, source.lines, [*done, edit])
            if fault:
                refused.append(Refusal(edit.verdict, fault))
            else:
                done.append(edit)
    return FixedFile(source, applied(source.lines, done), tuple(done), tuple(refused))


def _fault(file: str, lines: Sequence[str], edits: Sequence[Edit]) -> str:
    """Why a page would not be read as before but for the values that became live; ``''`` when it would."""
    try:
        after = applied(lines, edits)
        before_tree, _ = parse_page(file, "\n".join(lines))
        after_tree, _ = parse_page(file, "\n".join(after))
        shown = [node for node in after_tree.findall(nodes.literal) if is_rendered(node)]
        kept = [node for node in before_tree.findall(nodes.literal) if is_rendered(node)]
        if len(shown) != len(kept) + len(edits):
            return say("{new} would not be read as a role there", new=edits[-1].new)
        _take_back(shown, {e.verdict.path: e.old.strip("`") for e in edits})
        check_alike(before_tree, after_tree, [])
    except (Unlike, ValueError) as error:
        return str(error) or shown_path(file)
    return ""


def _take_back(shown: Iterable[nodes.literal], values: dict[str, str]) -> None:
    """Puts the hand-written values back into a tree, for comparison."""
    for node in shown:
        if node.astext() in values:
            node.parent.replace(node, nodes.literal("", values[node.astext()]))
