"""What the command says, in the language of the terminal."""

from __future__ import annotations

import functools
import gettext
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


def later(message: str) -> str:
    """Marks a message that is said elsewhere."""
    return message
