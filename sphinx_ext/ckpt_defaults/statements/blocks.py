"""The text of a document's blocks, with literals marked, and the place of a piece of it in the source."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from docutils import nodes

from ..phrases import CLOSE, OPEN

_IDENTIFIER = re.compile(r"^[+~]{0,2}[A-Za-z_*<{][\w.\-\[\]*<>{}/]*$")
_TOKEN = re.compile(r"\w+")
_BACKTICKS = re.compile(r"``?([^`\n]+)``?")  # inside strong text, where markup does not nest
_VALUES = frozenset({"true", "false", "none", "null", "yes", "no", "on", "off"})
_SKIPPED = (
    nodes.image,
    nodes.raw,
    nodes.math,
    nodes.footnote_reference,
    nodes.citation_reference,
    nodes.system_message,
)
_WINDOW = 4000


def marked(node: nodes.Node) -> str:
    """The text of a node; each literal stands between :data:`OPEN` and :data:`CLOSE`."""
    if isinstance(node, nodes.Text):
        return _BACKTICKS.sub(lambda hit: OPEN + hit.group(1) + CLOSE, node.astext())
    if isinstance(node, (nodes.literal, nodes.title_reference)):
        return OPEN + node.astext() + CLOSE
    if isinstance(node, (*_SKIPPED, nodes.Invisible)):
        return ""
    return "".join(marked(child) for child in node.children)


def unmarked(text: str) -> str:
    """``text`` without the marks of literals."""
    return text.replace(OPEN, "").replace(CLOSE, "")


def as_key(text: str) -> str:
    """``text`` as the key it may be: ``k`` of ``k=v`` and of ``k: v``, without quotes; ``''`` when it is none."""
    bare = unmarked(text).strip().strip("`'\"*“”‘’ ").rstrip(":：=").strip()
    bare = re.split(r"\s*[=:]\s*(?=\S)", bare, maxsplit=1)[0].strip("'\" ") if not re.search(r"\s", bare) else bare
    if re.search(r"\s", bare):
        head = re.match(r"^([A-Za-z_][\w.\-]*):\s", bare)
        bare = head.group(1) if head else bare
    bare = bare.lstrip("+~") if not bare.startswith("--") else ""
    if bare.lower() in _VALUES or len(bare) > 200:
        return ""
    return bare if _IDENTIFIER.match(bare) else ""


@functools.lru_cache(maxsize=64)
def source_lines(file: str) -> tuple[str, ...]:
    """The lines of a document's source file, empty when it cannot be read."""
    try:
        with open(file, encoding="utf-8-sig", errors="replace", newline=None) as stream:
            return tuple(stream.read().split("\n"))
    except OSError:
        return ()


@dataclass(frozen=True, slots=True)
class Place:
    """Line and column (from 1) and length of a piece of source; length 0 when only the line is known."""

    line: int
    column: int
    span: int


def locate(file: str, line: int, before: str, value: str) -> Place:
    """The place of ``value``, which follows ``before`` in the text of the block that starts on ``line`` (from 1).

    The words of ``before`` are followed through the source, whatever the markup between them.
    """
    lines = source_lines(file)
    start = max(0, min(line - 1, len(lines)))
    window: list[str] = []
    size = 0
    for text in lines[start : start + 400]:
        window.append(text)
        size += len(text) + 1
        if size > _WINDOW + len(before) * 2:
            break
    raw = "\n".join(window)
    position = 0
    for token in _TOKEN.findall(unmarked(before)):
        found = raw.find(token, position)
        if found >= 0 and found - position < 400:
            position = found + len(token)
    wanted = unmarked(value).strip()
    found = raw.find(wanted, position) if wanted else -1
    if found < 0 or found - position > 400:
        head = _TOKEN.search(wanted)
        found = raw.find(head.group(0), position) if head else -1
        row = raw.count("\n", 0, max(position, 0) if found < 0 or found - position > 400 else found)
        return Place(start + 1 + row, 1, 0)
    row = raw.count("\n", 0, found)
    return Place(start + 1 + row, found - (raw.rfind("\n", 0, found) + 1) + 1, len(wanted))


def place_of(node: nodes.Node, default: str) -> tuple[str, int]:
    """The source file and line (from 1) of a node or of the nearest of its parents that knows."""
    current: nodes.Node | None = node
    while current is not None:
        line = getattr(current, "line", None)
        source = getattr(current, "source", None)
        if line:
            return (source if source and not source.startswith("<") else default).split(":docstring of")[0], line
        current = current.parent
    return default, 1
