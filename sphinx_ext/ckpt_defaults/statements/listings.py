"""Statements in blocks of YAML: each key with its value, and the sentences in the comments.

A block in a document need not be valid YAML (``...``, Jinja, odd indentation): it is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..interpolation import environment_default
from ..phrases import CLOSE, OPEN, phrases
from ..settings import parse_value
from ..values import display
from . import prose

_LINE = re.compile(
    r"""^(?P<indent>[ \t]*)(?P<dash>(?:-[ \t]+)*)
    (?P<key>"[^"\n]+"|'[^'\n]+'|[A-Za-z_*<][\w.\-/*<>\[\]@]*)[ \t]*:(?:[ \t]+(?P<value>.*))?$""",
    re.X,
)
_QUOTES = frozenset("\"'")
_ITEM = re.compile(r"^(?P<indent>[ \t]*)-[ \t]+(?P<value>\S.*)$")
_ASSIGNMENT = re.compile(
    r"(?:^|\s)[+~]{0,2}(?P<key>[A-Za-z_][\w.\-]*)\s{0,3}=\s{0,3}(?P<value>\"[^\"]*\"|'[^']*'|[^\s\\]+)"
)
_COMMENT = re.compile(r"(?:^|\s)(?:#|//)\s?(?P<text>.*)$")
YAML_LANGUAGES = frozenset({"yaml", "yml", "yaml+jinja", "jinja", "yml+jinja"})
OPEN_LANGUAGES = frozenset({"", "text", "none", "default", "guess", "console", "python", "python3", "ipython3"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a block: ``path`` dotted from the block's top; ``row`` from 0, ``column`` and ``span`` of the value.

    ``selects`` says that the value names a mapping beside the key (``name: adam`` above ``adam:``): such a block shows
    one choice, and the value is the block's own.
    """

    path: str
    value: str
    row: int
    column: int
    span: int
    leaf: bool
    selects: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement in a comment of a block: its keys, likeliest first."""

    keys: tuple[str, ...]
    value: str
    row: int
    column: int
    span: int
    literal: bool
    loose: bool = False


def is_yaml(text: str, language: str) -> bool:
    """Whether a block reads as YAML: by its language, or (where it has none) because most of its lines do."""
    if language.lower() in YAML_LANGUAGES:
        return True
    if language.lower() not in ("", "text", "none", "default", "guess", "python"):
        return False
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    fitting = sum(1 for line in lines if _LINE.match(line.rstrip()) or _ITEM.match(line))
    keyed = sum(1 for line in lines if _LINE.match(line.rstrip()))
    return bool(keyed) and fitting >= 0.8 * len(lines)


def _split_comment(value: str) -> tuple[str, int]:
    """A value without the comment behind it, and where the comment starts (-1: none)."""
    quote = ""
    for index, char in enumerate(value):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and (index == 0 or value[index - 1] in "[{, :("):
            quote = char
        elif char == "#" and (index == 0 or value[index - 1] in " \t"):
            return value[:index].rstrip(), index
    return value.rstrip(), -1


def entries(text: str) -> list[Entry]:
    """The keys of a block of YAML with their values as written; a list below a key is one value in flow form."""
    found: list[Entry] = []
    stack: list[tuple[int, str]] = []  # (indent, dotted path)
    open_key: tuple[int, int] | None = None  # (index in found, indent) of a key whose value may follow as a list
    block_indent: int | None = None  # inside a block scalar of a key with this indent
    counts: dict[str, int] = {}
    rows = text.split("\n")
    skip_to = 0
    for row, raw in enumerate(rows):
        if row < skip_to:
            continue
        line = raw.expandtabs(8) if "\t" in raw[: len(raw) - len(raw.lstrip())] else raw
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if block_indent is not None:
            if not bare or indent > block_indent:
                continue
            block_indent = None
        if not bare or bare.startswith("#") or bare in ("...", "…", "---"):
            if bare in ("...", "…"):
                open_key = None
            continue
        hit = _LINE.match(line.rstrip())
        if hit is None:
            item = _ITEM.match(line)
            if item and open_key is not None and len(item.group("indent")) >= open_key[1]:
                _append(found, open_key[0], _split_comment(item.group("value"))[0])
            continue
        dashes = len(hit.group("dash"))
        while stack and stack[-1][0] >= indent + (dashes and 1):
            stack.pop()
        parent = stack[-1][1] if stack else ""
        if dashes:
            number = counts.get(f"{row and parent}@{indent}", 0)
            counts[f"{row and parent}@{indent}"] = number + 1
            parent = f"{parent}.{number}" if parent else str(number)
            stack.append((indent + 1, parent))
            if open_key is not None:
                _drop_value(found, open_key[0])
        key = hit.group("key").strip("\"'")
        path = f"{parent}.{key}" if parent else key
        written = hit.group("value") or ""
        value, _ = _split_comment(written)
        column = hit.start("value") + 1 if hit.group("value") is not None else len(line.rstrip()) + 1
        anchor = re.match(r"^[&!]\S+(?:\s+|$)", value)
        if anchor:
            column, value = column + anchor.end(), value[anchor.end() :]
        span = len(value)
        if value[:1] in "[{" and value and not _balanced(value):
            value, skip_to = _joined(rows, row, value, _balanced)
            span = 0
        elif value[:1] in _QUOTES and value and not _closed(value):
            value, skip_to = _joined(rows, row, value, _closed)
            span = 0
        if re.fullmatch(r"[|>][-+\d]*", value):
            block_indent, value = indent + dashes, ""
            leaf = False
        else:
            leaf = value != ""
        found.append(Entry(path, value, row, column, span, leaf, False, _comments(rows, row, written)))
        open_key = None if value else (len(found) - 1, indent + dashes)
        stack.append((indent + dashes, path))
    return [replace(entry, selects=_selects(entry, found)) if entry.leaf else entry for entry in found]


def _selects(entry: Entry, found: list[Entry]) -> bool:
    beside = entry.path.rpartition(".")[0]
    value = environment_default(entry.value)
    named = (value if value is not None else entry.value).strip("\"'").lower()
    wanted = {f"{beside}.{named}{end}".lstrip(".").lower() for end in ("", "s")}
    return bool(named) and any(other.path.lower() in wanted and not other.leaf for other in found)


def declares_defaults(found: Sequence[Entry]) -> bool:
    """Whether a block's values are mostly ``${NAME:x}``, which itself says that ``x`` is the default."""
    leaves = [entry for entry in found if entry.leaf and not entry.selects]
    declared = sum(1 for entry in leaves if environment_default(entry.value) is not None)
    return bool(leaves) and declared >= 0.6 * len(leaves)


def _balanced(value: str) -> bool:
    return sum(value.count(c) for c in "[{") <= sum(value.count(c) for c in "]}")


def _closed(value: str) -> bool:
    """Whether the quote that opens a value closes."""
    return len(re.sub(r"\\.|''" if value[0] == "'" else r"\\.", "", value[1:]).partition(value[0])[1]) > 0


def _joined(rows: list[str], row: int, value: str, ends: Callable[[str], bool]) -> tuple[str, int]:
    """A flow list, a mapping or a quoted text over several lines as one text, and the row behind it."""
    for index in range(row + 1, min(row + 60, len(rows))):
        value += " " + _split_comment(rows[index].strip())[0]
        if ends(value):
            return value, index + 1
    return value, row + 1


def _comments(rows: list[str], row: int, written: str) -> str:
    """The comment lines above a row and the comment behind its value, as one text."""
    above: list[str] = []
    for line in reversed(rows[:row]):
        if not line.lstrip().startswith("#"):
            break
        above.append(line.strip().lstrip("#").strip())
    _, at = _split_comment(written)
    return " ".join([*reversed(above), written[at:].lstrip("# ") if at >= 0 else ""]).strip()


def _append(found: list[Entry], index: int, item: str) -> None:
    """Adds an item to the list that is the value of an entry."""
    entry = found[index]
    value = f"{entry.value[:-1]}, {item}]" if entry.leaf else f"[{item}]"
    found[index] = Entry(entry.path, value, entry.row, entry.column, 0, True)


def _drop_value(found: list[Entry], index: int) -> None:
    entry = found[index]
    if entry.leaf and entry.span == 0:
        found[index] = Entry(entry.path, "", entry.row, entry.column, 0, False)


def flow(text: str) -> str:
    """A block that is one YAML value, in flow form on one line; the text itself where it is no YAML."""
    try:
        return display(parse_value(text))
    except ValueError:
        return " ".join(text.split())


def remarks(text: str, paths: dict[int, str]) -> Iterator[Remark]:
    """The statements in the comments of a code block; ``paths`` gives the key that stands on a row, if any."""
    rows = text.split("\n")
    word = phrases().word
    for row, line in enumerate(rows):
        comment = _COMMENT.search(line)
        if comment is None or not word.search(comment.group("text")):
            continue
        words, begin = comment.group("text"), comment.start("text")
        code = line[: comment.start()]
        assigned = _ASSIGNMENT.search(code)
        head = paths.get(row, "") if code.strip() else _below(rows, row, paths)
        if not head and assigned:
            head = assigned.group("key")
        keys = (head,) if head else ()
        words = re.sub(r"`([^`]+)`", lambda m: OPEN + m.group(1) + CLOSE, words)
        for hit in prose.find(words, head, (), ""):
            mark = hit.value.startswith(OPEN)  # a mark stands where the comment has its backtick
            start, span = begin + hit.start + mark, len(hit.value) - mark - hit.value.endswith(CLOSE)
            yield Remark(hit.keys or keys, hit.value, row, start + 1, span, hit.literal, not code.strip())


def _below(rows: list[str], row: int, paths: dict[int, str]) -> str:
    """The key on the first line below a comment that is no comment."""
    for index in range(row + 1, min(row + 12, len(rows))):
        if index in paths:
            return paths[index]
        bare = rows[index].strip()
        if not bare:
            return ""
        if not bare.startswith(("#", "//")):
            hit = _ASSIGNMENT.search(" " + bare)
            return hit.group("key") if hit else ""
    return ""
