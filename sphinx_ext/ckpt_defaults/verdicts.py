"""A verdict: what became of a statement, and how a person is told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .redaction import HIDDEN, is_secret, redacted_text
from .settings import Setting
from .shortening import shown, shown_apart
from .statements import Statement
from .wording import in_words, later, say

AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED = "agrees", "disagrees", "unknown-key", "undecided"
VERDICTS = (AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED)


NO_DEFAULT = later("required (???), it has no default")
"""What is told as the value of a setting that has none."""


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
        said = HIDDEN if secret else redacted_text(s.documented)
        config = self.setting.place if self.setting is not None else ""
        actual = in_words(self.actual) if self.actual == NO_DEFAULT else self.actual
        if self.verdict == DISAGREES and config:
            said, actual = shown_apart(said, actual)
            told = say(
                "{key} is documented as {said}; {config} says {actual}",
                key=self.path, said=said, config=config, actual=actual,
            )  # fmt: skip
            return f"{told}; {in_words(self.reason)}" if self.reason else told
        if self.verdict == AGREES and config:
            return say("{key} is {actual}, as {config} says", key=self.path, actual=shown(actual), config=config)
        said = shown(said)
        if self.verdict == UNKNOWN_KEY and self.suggestion:
            return say(
                "{key} is documented as {said}, but no config has this key; did you mean {near}?",
                key=s.key, said=said, near=self.suggestion,
            )  # fmt: skip
        if self.verdict == UNKNOWN_KEY:
            return say("{key} is documented as {said}, but no config has this key", key=s.key, said=said)
        return say(
            "{key} is documented as {said}: not decided, {reason}",
            key=self.path or s.key, said=said, reason=in_words(self.reason),
        )  # fmt: skip

    def unsure(self, reason: str) -> Verdict:
        """The same statement left undecided, for ``reason``."""
        return replace(self, verdict=UNDECIDED, reason=reason, suggestion="")
