"""The values of conf.py: their defaults, what each must be, and one line for one that is something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

logger = logging.getLogger(__name__)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and all(map(_is_text, value))


def _is_places(value: Any) -> bool:
    return _is_text(value) or _is_texts(value)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and _is_texts([*value, *value.values()])


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, int))  # 0 and 1 are how "-D name=1" says it


class _Kind(NamedTuple):
    """What a value may be, in Sphinx's words, by a test, and in words."""

    types: frozenset[type]
    fits: Callable[[Any], bool]
    words: str


_TEXT = _Kind(frozenset({str}), _is_text, "a text")
_TEXTS = _Kind(frozenset({list, tuple}), _is_texts, "a list of texts")
_PLACES = _Kind(frozenset({list, tuple, str}), _is_places, "a list of paths")
_MAPPING = _Kind(frozenset({dict}), _is_mapping, "a dict of texts to texts")
_FLAG = _Kind(frozenset({bool}), _is_flag, "True or False")

_VALUES: tuple[tuple[str, Any, Literal["", "env"], _Kind], ...] = (
    ("ckpt_defaults_config", [], "env", _PLACES),
    ("ckpt_defaults_code", [], "env", _TEXTS),
    ("ckpt_defaults_code_every_place", False, "", _FLAG),
    ("ckpt_defaults_config_copies", False, "", _FLAG),
    ("ckpt_defaults_pages", {}, "", _MAPPING),
    ("ckpt_defaults_ignore", [], "", _TEXTS),
    ("ckpt_defaults_baseline", "", "", _TEXT),
    ("ckpt_defaults_fail_on", "disagrees", "", _TEXT),
    ("ckpt_defaults_source_url", "", "env", _TEXT),
    ("ckpt_defaults_prefer_live", False, "", _FLAG),
)


def check_values(app: Sphinx, config: Config) -> None:
    """Tells each value that is not what it must be, has the build fail, and goes on as if it were not given."""
    for name, default, _, kind in _VALUES:
        value = getattr(config, name)
        if value is not default and not kind.fits(value):
            shown = repr(value)[:80]
            logger.error("%s is %s; write %s", name, shown, kind.words, type="ckpt_defaults", subtype="config")
            setattr(config, name, default)
            app.statuscode = 1


def setup(app: Sphinx) -> None:
    """Adds the values; they are checked before anything reads them."""
    for name, default, rebuild, kind in _VALUES:
        app.add_config_value(name, default, rebuild, types=kind.types)
    app.connect("config-inited", check_values, priority=100)
