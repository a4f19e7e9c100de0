"""Scalars of YAML as OmegaConf and Hydra read them: ``1e-6`` is a float, ``2024-01-01`` a string.

PyYAML's safe loader does it, in its C form where libyaml is there. Nothing is ever built from a tag that YAML itself
does not define.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import yaml

# The float rule of OmegaConf 2.3 (omegaconf/_utils.py, get_yaml_loader): an exponent needs no dot and no sign.
_FLOAT = re.compile(
    r"""^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+]?[0-9]+)?
    |[-+]?(?:[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)
    |\.[0-9_]+(?:[eE][-+][0-9]+)?
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
    |[-+]?\.(?:inf|Inf|INF)
    |\.(?:nan|NaN|NAN))$""",
    re.X,
)

TAG = "tag:yaml.org,2002:"
_OTHERWISE = (TAG + "timestamp", TAG + "float", TAG + "value")
"""Rules of PyYAML that are not taken: dates and ``=`` stay text, floats have OmegaConf's rule."""

MAX_BITS = 8192
"""Longest integer; beyond it Python refuses to write a number out, and nobody counts in it."""


@functools.lru_cache(maxsize=1)
def loader_class() -> type[Any]:
    """A safe loader with OmegaConf's rules, in C where PyYAML was built with libyaml."""
    base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, rule) for tag, rule in rules if tag not in _OTHERWISE]
        for first, rules in base.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver(TAG + "float", _FLOAT, list("-+0123456789."))
    return Loader


@functools.lru_cache(maxsize=16384)
def parse_scalar(text: str) -> Any:
    """The value that ``text`` would have as a plain scalar in a YAML file: ``"1e-6"`` gives ``1e-06``.

    Text that is no scalar of a known type comes back as it is. Raises nothing.
    """
    loader = _scalar_loader()
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))
    if tag == TAG + "str":
        return text
    try:
        value = loader.construct_object(yaml.ScalarNode(tag, text))
    except (yaml.YAMLError, ValueError, KeyError, IndexError, OverflowError):
        return text
    return text if isinstance(value, int) and value.bit_length() > MAX_BITS else value


@functools.lru_cache(maxsize=1)
def _scalar_loader() -> Any:
    return loader_class()("")
