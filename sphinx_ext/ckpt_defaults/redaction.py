"""Values that must never be printed: those of keys that name a secret."""

from __future__ import annotations

import functools
import re

HIDDEN = "<secret>"

_SECRET = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|credentials?|api_?key|access_key|private_key|auth_?token)(?:$|_)"
    r"|(?:^|_)token$"
)


_ASSIGNED = re.compile(
    r"(?<![\w.\-])(?P<key>[\w.\-]+)(?P<sign>['\"]?\s{0,9}[:=]\s{0,9})(?P<value>\"[^\"]*\"|'[^']*'|[^\s,}]+)"
)


def redacted_text(text: str) -> str:
    """``text`` with what is assigned to a secret's name in it replaced: ``{password: x}``."""

    def hide(hit: re.Match[str]) -> str:
        return f"{hit['key']}{hit['sign']}{HIDDEN}" if is_secret(hit["key"]) else hit[0]

    return _ASSIGNED.sub(hide, text)


@functools.lru_cache(maxsize=16384)
def is_secret(path: str) -> bool:
    """Whether the last component of a dotted key names a secret, by whole words.

    ``db.password`` and ``hf_token`` do; ``max_token_len`` and ``tokenizer`` do not.
    """
    name = path.rsplit(".", 1)[-1]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).lower()
    return _SECRET.search(words) is not None
