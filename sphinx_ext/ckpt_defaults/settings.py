"""YAML files as settings: every key with its typed value, the line that sets it and the comment above it.

Values are read by the rules of :mod:`.yaml_scalars`. Nothing is ever built from a tag that YAML itself does not define.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from .files import fault_of, open_regular
from .yaml_scalars import MAX_BITS, TAG, loader_class

MAX_BYTES = 16 * 1024 * 1024
"""Largest YAML file that is read, in bytes. A file of defaults is written by hand; one beyond this is data."""

MAX_DEPTH = 200
"""Deepest nesting of mappings and lists that is read."""

MAX_ALIASED = 100_000
"""How many settings the aliases of one file may add to those that stand in it."""

YAML_ENDINGS = (".yaml", ".yml")


_TEXT = "!unsafe"
"""Ansible's mark of a scalar that is text as it stands, whatever braces it holds."""


class ConfigError(Exception):
    """A config that cannot be read, as one line: ``file:line: what is wrong; what to do``.

    ``file`` is a path as the user would recognise it, ``line`` counts from 1 (``None``: the file as a whole).
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.message, self.file, self.line = message, file, line
        place = "" if file is None else f"{shown_path(file)}:{line}: " if line else f"{shown_path(file)}: "
        super().__init__(place + " ".join(message.split()))


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of a config.

    ``path`` is the full dotted path, ``value`` what stands in the file (typed; interpolations are strings; a mapping
    or list as plain containers), ``line`` and ``column`` (from 1) the place of the key, ``value_line`` the line on
    which the value starts, ``comment`` the comment lines right above the key without their ``#``, ``remark`` the
    comment behind the value, ``style`` the quoting of a scalar (``'`` or ``"``, empty when plain).
    """

    path: str
    value: Any
    file: str
    line: int
    column: int
    value_line: int
    comment: str = ""
    remark: str = ""
    style: str = ""

    @property
    def name(self) -> str:
        """The last component of the path."""
        return self.path.rsplit(".", 1)[-1]

    @property
    def place(self) -> str:
        """``file:line``, the file relative to the working directory where it lies below it."""
        return f"{shown_path(self.file)}:{self.line}"


@dataclass(frozen=True)
class ConfigFile:
    """One document of a YAML file: its settings by path (mappings and their parents included) and its plain value."""

    file: str
    settings: Mapping[str, Setting]
    value: Mapping[str, Any]
    document: int = 0
    header: tuple[str, ...] = field(default=())


def shown_path(file: str) -> str:
    """``file`` relative to the working directory when it lies below it, with forward slashes."""
    if not os.path.isabs(file):
        return file.replace(os.sep, "/") or "''"
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file.replace(os.sep, "/")
    return (file if relative.startswith("..") else relative).replace(os.sep, "/")


def parse_value(text: str) -> Any:
    """The value of a YAML fragment (scalar, flow list or flow mapping). Raises ``ValueError`` when it is no YAML."""
    try:
        loader = loader_class()(text)
        node = loader.get_single_node()
        if node is None:
            return None
        return _Reader(text, "<text>", loader).build(node, 0)
    except (yaml.YAMLError, ConfigError, RecursionError) as error:
        raise ValueError(str(error)) from None


def read_text(file: str) -> str:
    """The text of ``file`` (UTF-8, or UTF-16 or UTF-32 with its mark; a byte-order mark is dropped).

    Raises :class:`ConfigError` for a file that is missing, unreadable, too large or in another encoding.
    """
    try:
        size = os.path.getsize(file)
        if os.path.isdir(file):
            raise ConfigError("is a folder; name a YAML file", file)
        if size > MAX_BYTES:
            raise ConfigError(
                f"is {size / 1e6:.0f} MB; a file of defaults of more than {MAX_BYTES / 1e6:.0f} MB is not read", file
            )
        with open_regular(file) as stream:
            data = stream.read()
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror}); check the path and its permissions", file) from None
    wide = "utf-32" if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff") else "utf-16"
    encoding = wide if data[:2] in (b"\xff\xfe", b"\xfe\xff") or wide == "utf-32" else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("is not UTF-8; save it as UTF-8", file, line) from None


def load(file: str) -> tuple[ConfigFile, ...]:
    """The documents of a YAML file, each a mapping. An empty document has no settings.

    Raises :class:`ConfigError` for YAML that does not parse, duplicate keys, a root that is no mapping, tags that
    YAML does not define, and aliases that contain themselves or multiply.
    """
    text = read_text(file)
    try:
        loader = loader_class()(text)
        documents: list[ConfigFile] = []
        while loader.check_node():
            documents.append(_Reader(text, file, loader).document(loader.get_node(), len(documents)))
        return tuple(documents) or (ConfigFile(file, {}, {}, 0, _header(text)),)
    except yaml.YAMLError as error:
        raise _yaml_error(error, text, file) from None
    except RecursionError:
        raise ConfigError(f"is nested deeper than {MAX_DEPTH} levels; nest less", file) from None


def _yaml_error(error: yaml.YAMLError, text: str, file: str) -> ConfigError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else None
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    lines = text.splitlines()
    near = lines[line - 1] if line and line <= len(lines) else ""
    if "\t" in near[: len(near) - len(near.lstrip())] or "'\\t'" in problem:
        return ConfigError("a tab indents this line; YAML wants spaces", file, line)
    if isinstance(error, yaml.reader.ReaderError):
        position = error.position if isinstance(error.position, int) else 0
        return ConfigError("holds a character that YAML forbids; remove it", file, text.count("\n", 0, position) + 1)
    return ConfigError(f"is not valid YAML: {problem}; mend this line", file, line)


def _header(text: str) -> tuple[str, ...]:
    """The comment lines at the top of a file, without their ``#``."""
    lines = []
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("#"):
            lines.append(bare.lstrip("#").strip())
        elif bare and bare != "---":
            break
    return tuple(lines)


def _short(text: str) -> str:
    return text if len(text) < 60 else text[:50] + "…"


class _Reader:
    """Turns the nodes of one document into plain values and settings."""

    def __init__(self, text: str, file: str, loader: Any) -> None:
        self.file, self.loader, self.text = file, loader, text
        self.lines = text.splitlines()
        self.built: dict[int, Any] = {}
        self.open: set[int] = set()
        self.sizes: dict[int, int] = {}
        self.mappings: dict[int, list[tuple[str, Any, Any]]] = {}
        self.settings: dict[str, Setting] = {}
        self.aliased = 0

    def document(self, node: Any, index: int) -> ConfigFile:
        header = _header(self.text) if index == 0 else ()
        if isinstance(node, yaml.ScalarNode) and node.tag == TAG + "null":
            return ConfigFile(self.file, {}, {}, index, header)
        if not isinstance(node, yaml.MappingNode):
            kind = "a list" if isinstance(node, yaml.SequenceNode) else "a scalar"
            raise self.fault(f"holds {kind} at its top; a config is a mapping of keys", node)
        value = self.build(node, 0)
        self.list_settings(node, "", 0)
        return ConfigFile(self.file, self.settings, value, index, header)

    def fault(self, message: str, node: Any) -> ConfigError:
        """An error at the line of a node."""
        return ConfigError(message, self.file, node.start_mark.line + 1)

    # -- values ------------------------------------------------------------------------------------------------
    def build(self, node: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise self.fault(f"is nested deeper than {MAX_DEPTH} levels; nest less", node)
        key = id(node)
        if key in self.built:
            self.count_aliased(node, self.sizes[key])
            return self.built[key]
        if key in self.open:
            raise self.fault("an alias contains itself; write the value out", node)
        self.open.add(key)
        inner: list[Any] = []
        if isinstance(node, yaml.ScalarNode):
            value = self.scalar(node)
        elif isinstance(node, yaml.SequenceNode):
            self.check_tag(node, ("seq",))
            inner = node.value
            value = [self.build(item, depth + 1) for item in inner]
        else:
            self.check_tag(node, ("map",))
            inner = [item for _, _, item in self.pairs(node)]
            value = {name: self.build(item, depth + 1) for name, _, item in self.pairs(node)}
        self.open.discard(key)
        self.built[key] = value
        self.sizes[key] = 1 + sum(self.sizes[id(item)] for item in inner)
        return value

    def count_aliased(self, node: Any, size: int) -> None:
        """Refuses a file whose aliases multiply: shared as they are, whoever walks the values would never end."""
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            raise self.fault(f"its aliases expand to more than {MAX_ALIASED} settings; write fewer aliases", node)

    def scalar(self, node: Any) -> Any:
        if node.tag == TAG + "merge" or node.tag == _TEXT:  # "<<" as a value
            return str(node.value)
        self.check_tag(node, ("str", "int", "float", "bool", "null"))
        try:
            value = self.loader.construct_object(node)
            if not isinstance(value, int) or value.bit_length() <= MAX_BITS:
                return value
        except (ValueError, KeyError, IndexError, OverflowError):
            pass
        kind = node.tag.rsplit(":", 1)[-1]
        raise self.fault(f"{_short(node.value)!r} is no {kind} that is read; quote it if it is text", node)

    def check_tag(self, node: Any, known: tuple[str, ...]) -> None:
        if node.tag.startswith(TAG) and node.tag[len(TAG) :] in known:
            return
        shown = _short(node.tag.replace(TAG, "!!"))
        raise self.fault(f"the tag {shown} is refused; a config holds plain values only", node)

    def pairs(self, node: Any) -> list[tuple[str, Any, Any]]:
        """The (name, key node, value node) of a mapping, merge keys laid below its own; a name twice is an error."""
        known = self.mappings.get(id(node))
        if known is None:
            known = self.mappings[id(node)] = self.read_pairs(node)
        return known

    def read_pairs(self, node: Any) -> list[tuple[str, Any, Any]]:
        own: dict[str, tuple[str, Any, Any]] = {}
        merged: dict[str, tuple[str, Any, Any]] = {}
        for key, value in node.value:
            if key.tag == TAG + "merge":
                sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for source in sources:
                    if not isinstance(source, yaml.MappingNode):
                        raise self.fault("'<<' merges mappings only; name a mapping's anchor", key)
                    if id(source) in self.open:
                        raise self.fault("an alias contains itself; write the value out", key)
                    self.open.add(id(source))
                    below = self.pairs(source)
                    self.count_aliased(source, len(below))
                    for pair in below:
                        merged.setdefault(pair[0], pair)
                    self.open.discard(id(source))
                continue
            if not isinstance(key, yaml.ScalarNode):
                raise self.fault("a list or mapping as a key is not read; name keys by text", key)
            self.check_tag(key, ("str", "int", "float", "bool", "null"))
            if key.value in own:
                first = own[key.value][1].start_mark.line + 1
                raise self.fault(f"the key {_short(key.value)!r} stands twice (first on line {first}); remove one", key)
            own[key.value] = (key.value, key, value)
        return [*(pair for name, pair in merged.items() if name not in own), *own.values()]

    # -- settings ----------------------------------------------------------------------------------------------
    def list_settings(self, node: Any, prefix: str, depth: int) -> None:
        items: Iterator[tuple[str, Any, Any]]
        if isinstance(node, yaml.MappingNode):
            items = iter(self.pairs(node))
        else:
            items = ((str(index), item, item) for index, item in enumerate(node.value))
        for name, key, value in items:
            path = f"{prefix}{name}"
            if isinstance(node, yaml.MappingNode) or not isinstance(value, yaml.ScalarNode):
                mark = key.start_mark
                scalar = isinstance(value, yaml.ScalarNode)
                self.settings[path] = Setting(
                    path,
                    self.built[id(value)],
                    self.file,
                    mark.line + 1,
                    mark.column + 1,
                    value.start_mark.line + 1,
                    self.comment_above(mark.line, mark.column),
                    self.remark(value if scalar or value.flow_style else key),
                    (value.style or "") if scalar else "",
                )
            if isinstance(value, yaml.MappingNode) or (
                isinstance(value, yaml.SequenceNode) and any(isinstance(v, yaml.MappingNode) for v in value.value)
            ):
                self.list_settings(value, path + ".", depth + 1)

    def comment_above(self, line: int, column: int) -> str:
        found: list[str] = []
        while line > 0:
            text = self.lines[line - 1]
            bare = text.lstrip()
            if not bare.startswith("#") or len(text) - len(bare) > column:
                break
            found.append(bare.lstrip("#").strip())
            line -= 1
        return "\n".join(reversed(found)).strip()

    def remark(self, node: Any) -> str:
        mark = node.end_mark
        if mark.line >= len(self.lines) or (mark.column == 0 and mark.line > node.start_mark.line):
            return ""
        rest = self.lines[mark.line][mark.column :]
        hit = re.match(r":?\s*(?:^|\s)#\s*(.*)$", rest)
        return hit.group(1).strip() if hit else ""


def yaml_files(place: str) -> tuple[str, ...]:
    """The YAML files that ``place`` names: itself, or all below it when it is a folder, sorted.

    Raises :class:`ConfigError` when it does not exist or is a folder without YAML.
    """
    if os.path.isfile(place):
        return (place,)
    if not os.path.isdir(place):
        raise ConfigError(fault_of(place, "does not exist; check the path"), place)
    found = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(place)
        for name in names
        if name.endswith(YAML_ENDINGS) and not name.startswith(".")
    )
    if not found:
        raise ConfigError("holds no .yaml or .yml file; name the folder of the config", place)
    return tuple(found)
