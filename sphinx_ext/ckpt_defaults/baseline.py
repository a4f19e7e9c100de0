"""The baseline: the disagreements of the day on which a project switched the check on.

A file of one line an entry, sorted, so that it merges like text: the page, the key and the value that the page states,
as a JSON list. Lines of the page do not count: an edit above a statement does not wake it.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .files import open_regular
from .judging.checking import Outcome, Rules
from .redaction import HIDDEN, is_secret
from .settings import ConfigError, shown_path
from .verdicts import Verdict
from .wording import say
from .writing import replace_file

_HEADER = """\
# Disagreements that were there when the check was switched on: ["page", "key", "stated value"], one a line, sorted.
# Mend them when you touch the page; do not add to them. Written by: ckpt-defaults check --write-baseline FILE
"""


class Entry(NamedTuple):
    """A known disagreement; ``page`` is relative to the folder of the baseline, with forward slashes."""

    page: str
    key: str
    value: str


@dataclass(frozen=True)
class Applied:
    """An outcome without what the baseline knows; ``known`` is what it hid, ``stale`` the entries that fit nothing.

    ``unseen`` counts the entries of pages that were not looked at.
    """

    outcome: Outcome
    known: tuple[Verdict, ...]
    stale: tuple[Entry, ...]
    unseen: int


def entry_of(verdict: Verdict, folder: str) -> Entry:
    """The entry that a verdict would have in a baseline in ``folder``; the value of a secret is not in it."""
    s = verdict.statement
    key = verdict.path or s.key
    page = os.path.relpath(os.path.abspath(s.file), os.path.abspath(folder)).replace(os.sep, "/")
    return Entry(page, key, HIDDEN if is_secret(key) else " ".join(s.documented.split()))


def read_baseline(file: str) -> Counter[Entry]:
    """The entries of a baseline, each with how often it is there.

    Raises :class:`ConfigError` for a file that cannot be read and for a line that is no entry.
    """
    try:
        with io.TextIOWrapper(open_regular(file), encoding="utf-8-sig") as stream:
            lines = stream.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"cannot be read ({what}); write it with --write-baseline", file) from None
    entries: Counter[Entry] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            parts = json.loads(line)
        except (ValueError, RecursionError):
            parts = None
        if not (isinstance(parts, list) and len(parts) == 3 and all(isinstance(part, str) for part in parts)):
            conflict = line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||"))
            what = "is the mark of a merge conflict; keep the lines of both sides" if conflict else (
                'is no entry; an entry is ["page", "key", "stated value"]'
            )  # fmt: skip
            raise ConfigError(what, file, number)
        entries[Entry(*parts)] += 1
    return entries


def write_baseline(file: str, verdicts: Iterable[Verdict]) -> int:
    """Writes the baseline of ``verdicts`` and returns how many there are. Raises :class:`ConfigError`."""
    folder = os.path.dirname(file) or "."
    entries = sorted(entry_of(verdict, folder) for verdict in verdicts)
    text = _HEADER + "".join(json.dumps(list(entry), ensure_ascii=False) + "\n" for entry in entries)
    try:
        replace_file(os.path.realpath(file), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigError(f"cannot be written ({error.strerror})", file) from None
    return len(entries)


def apply_baseline(outcome: Outcome, rules: Rules, file: str, checked: Sequence[str] | None = None) -> Applied:
    """Takes out of an outcome what fails the check and is in the baseline ``file``.

    ``checked`` are the pages that were looked at (``None``: all there are): entries of others are not stale, unless
    their page is gone. Raises :class:`ConfigError`.
    """
    left = read_baseline(file)
    folder = os.path.dirname(file) or "."
    kept: list[Verdict] = []
    known: list[Verdict] = []
    for verdict in outcome.verdicts:
        entry = entry_of(verdict, folder) if rules.fails(verdict) else None
        if entry is not None and left[entry] > 0:
            left[entry] -= 1
            known.append(verdict)
        else:
            kept.append(verdict)
    pages = None if checked is None else {os.path.abspath(page) for page in checked}
    over = sorted((+left).elements())
    stale = []
    for entry in over:
        page = os.path.abspath(os.path.join(folder, entry.page))
        if pages is None or page in pages or not os.path.exists(page):
            stale.append(entry)
    outcome = replace(outcome, verdicts=tuple(kept), known=len(known))
    return Applied(outcome, tuple(known), tuple(stale), len(over) - len(stale))


@dataclass(frozen=True)
class Change:
    """What writing a baseline anew changes: the disagreements that are ``new`` in it, and how many entries were
    ``kept``, are ``healed``, or belong to files that were not looked at (``unseen``)."""

    new: tuple[Verdict, ...]
    kept: int
    healed: int
    unseen: int


def change_of(outcome: Outcome, rules: Rules, file: str, checked: Sequence[str]) -> Change:
    """What writing ``outcome`` into the baseline ``file`` will change; ``checked`` as in :func:`apply_baseline`.

    Raises :class:`ConfigError` for a file that is no baseline.
    """
    applied = apply_baseline(outcome, rules, file, checked)
    new = tuple(verdict for verdict in applied.outcome.verdicts if rules.fails(verdict))
    return Change(new, len(applied.known), len(applied.stale), applied.unseen)


def known_of(outcome: Outcome, rules: Rules, file: str) -> frozenset[int]:
    """Which verdicts of an outcome the baseline ``file`` (empty: none) knows, by ``id``.

    Raises :class:`ConfigError`.
    """
    return frozenset(map(id, apply_baseline(outcome, rules, file).known)) if file else frozenset()


def known_mark() -> str:
    """What stands behind a statement that the baseline knows."""
    return " " + say("(in the baseline)")


def stale_note(entry: Entry, file: str) -> str:
    """What is said of an entry that fits no statement any more."""
    return say(
        "{file}: {key} as {value} in {page} is healed; remove the entry",
        file=shown_path(file), key=entry.key, value=entry.value, page=entry.page,
    )  # fmt: skip
