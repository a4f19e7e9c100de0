"""What is to be left alone: patterns of pages and keys, and comments in YAML and Python, each with a reason."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..statements.blocks import source_lines
from ..verdicts import Verdict

_COMMENT = re.compile(r"(?P<code>.*?)(?:^|\s)#\s{0,9}ckpt-defaults:\s{0,9}ignore(?:\s+--?\s.*|\s*)$")


def matches(pattern: str, names: Iterable[str]) -> bool:
    """Whether a page pattern (shell style, ``*`` crosses folders) means a page that goes by one of ``names``."""
    return any(fnmatch.fnmatchcase(name, pattern) or name.endswith("/" + pattern) for name in names)


def commented(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines that a comment ``# ckpt-defaults: ignore -- reason`` takes out, each with the comment's (from 1).

    Behind code or a value it means its own line, alone on a line the next that holds more than a comment.
    """
    for number, line in enumerate(lines, start=1):
        hit = _COMMENT.match(line) if "ckpt-defaults" in line else None
        if hit is None:
            continue
        if hit.group("code").strip():
            yield number, number
            continue
        for below in range(number, len(lines)):
            bare = lines[below].strip()
            if bare and not bare.startswith("#"):
                yield below + 1, number
                break
        else:
            yield number, number


@dataclass
class Ignores:
    """The patterns of a project and the comments of its files; remembers which of them took something out."""

    patterns: Sequence[str]
    names: Mapping[str, Sequence[str]]
    used: set[str] = field(default_factory=set)
    used_comments: set[tuple[str, int]] = field(default_factory=set)
    comments: dict[str, dict[int, int]] = field(default_factory=dict)

    def covers(self, verdict: Verdict) -> bool:
        """Whether a verdict is to be left alone."""
        return self._by_comment(verdict) or self._by_pattern(verdict)

    def unused_patterns(self) -> tuple[str, ...]:
        """The patterns that took nothing out."""
        return tuple(pattern for pattern in self.patterns if pattern not in self.used)

    def unused_comments(self) -> tuple[tuple[str, int], ...]:
        """The comments, as file and line, that took nothing out, in the files that hold statements."""
        places = {(file, at) for file, lines in self.comments.items() for at in lines.values()}
        return tuple(sorted(places - self.used_comments))

    def _by_comment(self, verdict: Verdict) -> bool:
        file, line = verdict.statement.file, verdict.statement.line
        if file not in self.comments:
            self.comments[file] = dict(commented(source_lines(file)))
        at = self.comments[file].get(line)
        if at is not None:
            self.used_comments.add((file, at))
        return at is not None

    def _by_pattern(self, verdict: Verdict) -> bool:
        """Whether a pattern of ``page`` or ``page:key`` means it; the reason behind ``#`` does not count."""
        names = [name for name in (verdict.path, *verdict.statement.keys) if name]
        for written in self.patterns:
            page, _, key = written.split(" #", 1)[0].strip().partition(":")
            if matches(page, self.names[verdict.statement.file]) and (
                not key or any(fnmatch.fnmatchcase(name, key) for name in names)
            ):
                self.used.add(written)
                return True
        return False
