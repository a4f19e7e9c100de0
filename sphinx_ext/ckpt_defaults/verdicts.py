"""A verdict: what became of a statement, and how a person is told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .redaction import HIDDEN, is_secret, redacted_text
from .settings import Setting
from .statements import Statement
from .wording import say

AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED = "agrees", "disagrees", "unknown-key", "undecided"
VERDICTS = (AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED)


_LONGEST = 200
"""The number of characters of a value that a message shows."""


def _shown(text: str) -> str:
    """A value in a message: on one line, without what a terminal would take for a command, and not without end."""
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a statement.

    ``path`` is the full key that it means (empty when none was found), ``root`` the root's name, ``actual`` the value
    as the config would write it (``HIDDEN`` for a secret), ``setting`` the setting that says so, ``reason`` why a
    verdict is undecided or a key unknown, ``suggestion`` a key that may have been meant,
    ``others`` the values of other settings that may be meant just as well.
    """

    statement: Statement
    verdict: str
    path: str = ""
    root: str = ""
    actual: str = ""
    setting: Setting | None = None
    reason: str = ""
    suggestion: str = ""
    others: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """One line for a person: what is documented, what is true, where, or what is not known."""
        s = self.statement
        secret = is_secret(self.path or s.key)
        said = HIDDEN if secret else _shown(redacted_text(s.documented))
        config = self.setting.place if self.setting is not None else ""
        if self.verdict == DISAGREES and config:
            told = say(
                "{key} is documented as {said}; {config} says {actual}",
                key=self.path, said=said, config=config, actual=_shown(self.actual),
            )  # fmt: skip
            return f"{told}; {self.reason}" if self.reason else told
        if self.verdict == AGREES and config:
            return say("{key} is {actual}, as {config} says", key=self.path, actual=_shown(self.actual), config=config)
        if self.verdict == UNKNOWN_KEY and self.suggestion:
            return say(
                "{key} is documented as {said}, but no config has this key; did you mean {near}?",
                key=s.key, said=said, near=self.suggestion,
            )  # fmt: skip
        if self.verdict == UNKNOWN_KEY:
            return say("{key} is documented as {said}, but no config has this key", key=s.key, said=said)
        return say(
            "{key} is documented as {said}: not decided, {reason}",
            key=self.path or s.key, said=said, reason=self.reason,
        )  # fmt: skip

    def unsure(self, reason: str) -> Verdict:
        """The same statement left undecided, for ``reason``."""
        return replace(self, verdict=UNDECIDED, reason=reason, suggestion="")
