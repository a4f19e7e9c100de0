"""Whether the words around a value still hold when the value is another: what they explain, a program cannot mend."""

from __future__ import annotations

import re

from ..phrases import phrases
from ..statements import Statement
from ..values import readings
from ..wording import say

_CLOSING = r"^[`'\"*”’」]*(?:\s{0,20}by\s{1,20}default)?"
_PURPOSE = re.compile(_CLOSING + r"\s{0,20},?\s{0,20}(?:to\s+[a-z]+|so\s+that|in\s+order\s+to|以便|用于|为了)", re.I)
_REASON = re.compile(
    _CLOSING
    + r"[\s,，;；—–-]{0,20}(?:[(（]?\s{0,20}(?:which\s+means|meaning|because|i\.e\.|that\s+is,|即|表示|意味着|因为)"
    r"|[(（]\s{0,20}(?:disabled?|enabled?|off|on|no\s|not\s|unlimited|without|all\s|auto|禁用|启用|关闭|开启|不|无|自动))",
    re.I,
)


def _is_special(documented: str) -> bool:
    """Whether a text says "nothing" or a switch: what a cell adds in brackets then explains that very value."""
    first = next(iter(readings(documented.strip("`'\""), True)), "")
    return first is None or isinstance(first, bool) or first in ([], {})


def sentence_fault(statement: Statement, before: str, after: str, new: str, value: object) -> str:
    """Why the sentence with ``before`` and ``after`` around a value would have to be written anew, empty when not.

    ``value`` is the typed value that ``new`` spells.
    """
    attached = re.sub(r"^[`'\"(\[]+", "", re.search(r"\S*$", before)[0])  # type: ignore[index]
    if len(attached) > 2 and new.startswith(attached):
        return say("the value goes on before the place that was read")
    if statement.kind == "table" and not _is_special(statement.documented):
        return ""
    if statement.kind not in ("prose", "comment", "table"):
        return ""
    if _REASON.match(after):
        return say("the words behind the value explain it: the sentence has to be written anew")
    if (value is None or isinstance(value, bool)) and _PURPOSE.match(after):
        return say("the words behind the value tell its purpose: the sentence has to be written anew")
    word = statement.documented
    if not statement.literal and word.isalpha() and word.lower() not in phrases().values:
        numbers = any(isinstance(reading, (bool, int, float)) for reading in readings(word))
        if not numbers and not isinstance(value, str):
            return say("{word} is a word of the sentence, which has to be written anew", word=word)
    return ""
