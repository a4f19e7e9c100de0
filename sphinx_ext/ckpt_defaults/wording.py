"""What the command says, in the language of the terminal."""

from __future__ import annotations

import functools
import gettext
import re
from pathlib import Path

DOMAIN = "ckpt_defaults_command"
_FOLDER = Path(__file__).parent / "locale"


@functools.lru_cache(maxsize=1)
def _translation() -> gettext.NullTranslations:
    """The catalogue for the language that LANGUAGE, LC_ALL, LC_MESSAGES or LANG asks for; English where none is."""
    try:
        return gettext.translation(DOMAIN, str(_FOLDER), fallback=True)
    except (OSError, UnicodeDecodeError):
        return gettext.NullTranslations()


def say(message: str, /, **values: object) -> str:
    """``message`` in the user's language, its ``{names}`` replaced by ``values``."""
    return _translation().gettext(message).format(**values)


def counted(one: str, many: str, number: int, /, **values: object) -> str:
    """``one`` or ``many`` in the user's language, by ``number``, which is ``{number}`` in them."""
    return _translation().ngettext(one, many, number).format(number=number, **values)


_TEMPLATES: dict[str, re.Pattern[str]] = {}
"""The messages with ``{names}`` that :func:`later` marked, and what fits them once they are filled in."""


def later(message: str) -> str:
    """Marks a message that is said elsewhere, by :func:`in_words`; one with ``{names}`` as a constant of its module."""
    if "{" in message:
        parts = re.split(r"\{(\w+)\}", message)
        _TEMPLATES[message] = re.compile(
            "".join(f"(?P<{part}>.+)" if odd % 2 else re.escape(part) for odd, part in enumerate(parts)), re.S
        )
    return message


def in_words(text: str) -> str:
    """A text that was made of a message of :func:`later`, in the user's language; another text as it is.

    Verdicts keep their reasons in English, whatever language asked for them: they are remembered between runs.
    """
    if type(_translation()) is gettext.NullTranslations or not text:
        return text
    translated = _translation().gettext(text)
    if translated != text:
        return translated
    for message, pattern in _TEMPLATES.items():
        hit = pattern.fullmatch(text)
        if hit is not None:
            return say(message, **hit.groupdict())
    return text
