"""The text of a document's blocks, with literals marked, and the place of a piece of it in the source."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes

from ..nodes import CONTAINER_CLASS
from ..phrases import CLOSE, OPEN, phrases

_IDENTIFIER = re.compile(r"^[+~]{0,2}[A-Za-z_*<{][\w.\-\[\]*<>{}/]*$", re.A)
_HEAD = re.compile(f"^[\\s\\[(]*{OPEN}([^{CLOSE}]+){CLOSE}")
_PLAIN_HEAD = re.compile(r"^([A-Za-z_][\w.\-*]*)\s*(?:\([^)\n]{0,40}\)\s*)?[:：](?:\s|$)")
_TOKEN = re.compile(r"\w+")
_WORD = frozenset(string.ascii_letters + string.digits + "_")
BACKTICKS = re.compile(r"``?([^`\n]+)``?")  # inside strong text, where markup does not nest
_CLI_OPTION = re.compile(r"(?<![\w-])--([A-Za-z][\w-]*)")
_VALUES = frozenset({"true", "false", "none", "null", "yes", "no", "on", "off"})
_SKIPPED = (
    nodes.image,
    nodes.raw,
    nodes.math,
    nodes.footnote_reference,
    nodes.citation_reference,
    nodes.system_message,
    nodes.Invisible,
)
_WINDOW = 4000
_ROWS = 400
_FAR = 400
_NESTED = 4
_SPACES = re.compile(r"[ \t]+")
PLAIN = {ord(a): b for a, b in zip("–—“”‘’…", ("--", "---", '"', '"', "'", "'", "..."), strict=True)}
"""What Sphinx's smart quotes were in the source."""


def marked(node: nodes.Node) -> str:
    """The text of a node; each literal stands between :data:`OPEN` and :data:`CLOSE`."""
    if isinstance(node, nodes.Text):
        text = node.astext()
        return BACKTICKS.sub(lambda hit: OPEN + hit.group(1) + CLOSE, text) if "`" in text else text
    if isinstance(node, _SKIPPED) or is_rendered(node):
        return ""
    if isinstance(node, (nodes.literal, nodes.title_reference)):
        return OPEN + node.astext() + CLOSE
    return ("\n" if isinstance(node, nodes.line_block) else "").join([marked(child) for child in node.children])


def is_rendered(node: nodes.Node) -> bool:
    """Whether a node was rendered from the config, so that nobody wrote what it says."""
    return isinstance(node, nodes.Element) and CONTAINER_CLASS in node.get("classes", ())


def unmarked(text: str) -> str:
    """``text`` without the marks of literals."""
    return text.replace(OPEN, "").replace(CLOSE, "")


@functools.lru_cache(maxsize=4096)
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


_instead: dict[str, tuple[str, ...]] = {}


@contextlib.contextmanager
def instead_of_file(file: str, text: str) -> Iterator[None]:
    """While it lasts, ``text`` is what :func:`source_lines` finds in ``file``: a page as it would be."""
    before = _instead.get(file)
    _instead[file] = tuple(text.split("\n"))
    try:
        yield
    finally:
        if before is None:
            del _instead[file]
        else:
            _instead[file] = before


def source_lines(file: str) -> tuple[str, ...]:
    """The lines of a document's source file, empty when it cannot be read."""
    return _instead[file] if file in _instead else _lines_on_disk(file)


def forget_sources() -> None:
    """Has files read again, after they were written."""
    _lines_on_disk.cache_clear()


@functools.lru_cache(maxsize=64)
def _lines_on_disk(file: str) -> tuple[str, ...]:
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

    def text(self, file: str) -> str:
        """What stands there in the source of ``file``."""
        return source_lines(file)[self.line - 1][self.column - 1 : self.column - 1 + self.span]


def locate(file: str, line: int, before: str, value: str) -> Place:
    """The place of ``value``, which follows ``before`` in the text of the block that starts on ``line`` (from 1).

    The words of ``before`` are followed through the source, whatever the markup between them.
    """
    lines = source_lines(file)
    wanted = unmarked(value).strip()
    first = max(0, min(line - 1, len(lines)))
    best = _search(lines, first, before, wanted)
    for start in range(first - 1, max(first - 1 - _NESTED, -1), -1):  # MyST tells one line too many for each nesting
        if best[0] == 0 or not lines:
            break
        best = min(best, _search(lines, start, before, wanted), key=lambda found: found[0])
    return best[1]


def _search(lines: tuple[str, ...], start: int, before: str, wanted: str) -> tuple[int, Place]:
    """The place of ``wanted`` in the block whose source starts at ``start`` (from 0), and how many words are amiss."""
    most = _WINDOW + len(before) * 2
    sizes = itertools.accumulate(len(text) + 1 for text in lines[start : start + _ROWS])
    rows = next((row for row, size in enumerate(sizes, start=1) if size > most), _ROWS)
    raw = "\n".join(lines[start : start + rows])
    position, missing = _behind(raw, 0, len(raw), before)
    found = _near(raw, position, len(raw), wanted)
    if found < 0 and (plain := wanted.translate(PLAIN)) != wanted:  # smart quotes are not in the source
        wanted, found = plain, _near(raw, position, len(raw), plain)
    if found < 0:
        head = _TOKEN.search(wanted)
        found = _near(raw, position, len(raw), head.group(0)) if head else -1
        line = start + 1 + raw.count("\n", 0, position if found < 0 else found)
        return missing + (1 if found < 0 else 0), Place(line, 1, 0)
    row = raw.count("\n", 0, found)
    return missing, Place(start + 1 + row, found - (raw.rfind("\n", 0, found) + 1) + 1, len(wanted))


def locate_in_cell(file: str, line: int, index: int, before: str, value: str) -> Place | None:
    """The place of ``value`` in the cell ``index`` (from 0) of the row of a ruled table whose cell starts on ``line``.

    ``before`` is the text of the cell before the value. ``None`` where the line is no row between bars, or the value
    does not stand in that cell as it is.
    """
    lines = source_lines(file)
    wanted = unmarked(value).strip()
    if not 0 < line <= len(lines) or not wanted:
        return None
    bars = bars_of(lines[line - 1])
    if index + 1 >= len(bars):
        return None
    begin, end = bars[index] + 1, bars[index + 1]
    words = before
    for row in range(line - 1, min(line + 39, len(lines))):
        text = lines[row]
        if row > line - 1 and (not text.lstrip().startswith("|") or bars_of(text) != bars):
            return None
        position, _ = _behind(text, begin, end, words)
        for spelling in dict.fromkeys((wanted, wanted.translate(PLAIN))):
            found = _near(text, position, end, spelling)
            if found >= 0:
                return Place(row + 1, found + 1, len(spelling))
        words = _unfound(text[begin:end], words)
    return None


def bars_of(text: str) -> list[int]:
    """The offsets of the bars of a table's row (escaped ones are text); empty for a line that starts with none."""
    if not text.lstrip().startswith("|"):
        return []
    return [hit.start() for hit in re.finditer(r"(?<!\\)\|", text)]


def _behind(raw: str, position: int, end: int, before: str) -> tuple[int, int]:
    """The offset behind the words of ``before``, searched one after the other, and how many are not there."""
    missing = 0
    for token in _TOKEN.findall(unmarked(before)):
        found = _near(raw, position, end, token)
        if found >= 0:
            position = found + len(token)
        missing += found < 0
    return position, missing


def _near(raw: str, position: int, end: int, wanted: str) -> int:
    """The first place of ``wanted``, as words of their own if there is one, at ``position`` or not far behind it."""
    if not wanted:
        return -1
    for found in (_whole(raw, position, end, wanted), raw.find(wanted, position, end)):
        if found >= 0 and (found - position < _FAR or len(_SPACES.sub(" ", raw[position:found])) < _FAR):
            return found
    return -1


def _whole(raw: str, position: int, end: int, wanted: str) -> int:
    """The first place of ``wanted`` between ``position`` and ``end`` that no letter, digit or underscore continues."""
    found = raw.find(wanted, position, end)
    while found >= 0:
        after = found + len(wanted)
        begins = wanted[0] not in _WORD or found == 0 or raw[found - 1] not in _WORD
        if begins and (wanted[-1] not in _WORD or after >= end or raw[after] not in _WORD):
            return found
        found = raw.find(wanted, found + 1, end)
    return -1


def _unfound(text: str, words: str) -> str:
    """``words`` without those that ``text``, the line of a cell, holds."""
    left = _TOKEN.findall(unmarked(words))
    for token in _TOKEN.findall(text):
        if left and left[0] == token:
            left.pop(0)
    return " ".join(left)


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


@functools.lru_cache(maxsize=4096)
def head_key(text: str) -> str:
    """The key that a block of text stands under: its first literal, or a plain name before a colon."""
    literal = _HEAD.match(text)
    if literal:
        return as_key(literal.group(1))
    plain = _PLAIN_HEAD.match(text)
    return plain.group(1) if plain and not phrases().is_label(plain.group(1)) else ""


def key_of_bullet(paragraph: nodes.Element) -> str:
    """The key that a bullet stands under: as for any text, else its first words in bold type."""
    head = head_key(marked(paragraph))
    first = next((child for child in paragraph.children if child.astext()), None)
    return head or (_bold_key(first) if isinstance(first, nodes.strong) else "")


def _bold_key(node: nodes.Element) -> str:
    """The key that a text in bold type is; a plain word with a capital is a label."""
    key = as_key(marked(node))
    return key if re.search(r"^[a-z]|[_.]", key) else ""


def lone_key(paragraph: nodes.Element) -> str:
    """The key that a paragraph is, in bold type or as a literal, with nothing else: the heading of what follows."""
    parts = [child for child in paragraph.children if child.astext().strip()]
    if len(parts) != 1 or not isinstance(paragraph.parent, (nodes.section, nodes.document)):
        return ""
    if isinstance(parts[0], nodes.strong):
        return _bold_key(paragraph)
    return as_key(marked(paragraph)) if isinstance(parts[0], nodes.literal) else ""


def keys_of_list(node: nodes.Node | None) -> tuple[str, ...]:
    """The keys that the items of a list are, nothing else standing in them; none where one is something else."""
    if not isinstance(node, (nodes.bullet_list, nodes.enumerated_list)):
        return ()
    texts = [marked(item).strip() for item in node.children]
    keys = [as_key(text) for text in texts if _HEAD.fullmatch(text)]
    return tuple(keys) if all(keys) and len(keys) == len(texts) else ()


def block_language(node: nodes.Element) -> str:
    """The language of a code block: Sphinx's attribute, or the class that docutils leaves."""
    language = node.get("language")
    if language:
        return str(language)
    classes: list[str] = node.get("classes", [])
    return next((name for name in classes if name != "code"), "")


def options_of(text: str) -> set[str]:
    """The options (``--name``) that a block of code gives a command, with underscores."""
    return {name.replace("-", "_") for name in _CLI_OPTION.findall(text)}


def confval_of(node: nodes.Node) -> nodes.Element | None:
    """The description of a ``confval`` that a node stands in."""
    current: nodes.Node | None = node.parent
    while current is not None:
        if isinstance(current, nodes.Element) and current.get("objtype") == "confval":
            return current
        current = current.parent
    return None
