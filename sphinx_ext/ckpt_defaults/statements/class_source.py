"""Python modules by their dotted path, and what a name in them stands for: read as syntax, nothing is imported.

A module is looked for in the folders of code that a project names (each the parent of a package, the package itself or
a repository that holds it) and, where none of them has the package, among the files of installed distributions.
"""

from __future__ import annotations

import ast
import importlib.machinery
import io
import os
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..files import open_regular

MAX_BYTES = 4 * 1024 * 1024
"""Largest Python file that is read, in bytes."""

READ_BY_NAME = frozenset({"attr", "attrs", "chex", "flax", "msgspec", "omegaconf", "pydantic", "pydantic_core",
                          "pydantic_settings", "sqlmodel"})  # fmt: skip
"""Libraries whose names are known as they are: what they make of a class is not in their source to be read."""

_MOST_PARTS = 64
"""Names of more parts are no modules: each of their beginnings would be looked for on the disk."""

_LAYOUTS = ("", "src", "python", "lib")
_NOT_CODE = frozenset({"build", "dist", "node_modules", "site-packages", "test", "tests", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Import:
    """A name bound by an import: of ``module`` itself (``attribute`` empty), or of a name in it (``*``: all names)."""

    module: str
    attribute: str = ""


@dataclass(eq=False)
class Module:
    """A parsed file. ``bindings`` are the names bound at its top, in order; the last one of a name holds."""

    name: str
    file: str
    text: str
    tree: ast.Module
    bindings: list[tuple[str, ast.AST | Import]] = field(init=False, repr=False)
    lines: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        package = self.name if os.path.basename(self.file) == "__init__.py" else self.name.rpartition(".")[0]
        self.bindings = list(_bindings(self.tree.body, package))
        self.lines = re.split(r"\r\n|\r|\n", self.text)

    def place(self, node: ast.AST) -> tuple[int, int, int]:
        """Line and column (from 1, in characters) of a node and the length of its text, line ends as one each."""
        first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        start = self._characters(first, node.col_offset)  # type: ignore[attr-defined]
        end = self._characters(last, node.end_col_offset or 0)  # type: ignore[attr-defined]
        if first == last:
            return first, start + 1, end - start
        between = sum(len(line) + 1 for line in self.lines[first : last - 1])
        return first, start + 1, len(self.lines[first - 1]) - start + 1 + between + end

    def source(self, node: ast.AST) -> str:
        """The text of a node as it stands in the file."""
        line, column, span = self.place(node)
        rest = self.lines[line - 1][column - 1 :]
        while len(rest) < span and line < len(self.lines):
            rest += "\n" + self.lines[line]
            line += 1
        return rest[:span]

    def _characters(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


@dataclass(frozen=True)
class ClassSource:
    """A class in a module; ``name`` is dotted when it stands inside another class."""

    module: Module
    node: ast.ClassDef
    name: str

    @property
    def dotted(self) -> str:
        """The full dotted name by the module that defines it."""
        return f"{self.module.name}.{self.name}"

    def __hash__(self) -> int:
        return id(self.node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassSource) and other.node is self.node


@dataclass(frozen=True)
class Expression:
    """A value that a name was given: the expression, in its module and (for a class's own names) its class."""

    module: Module
    node: ast.expr
    owner: ClassSource | None = None


@dataclass(frozen=True)
class Function:
    """A function of a module."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Outside:
    """Something that no source was found for (or was looked for: the standard library), by its dotted name."""

    dotted: str


Target = ClassSource | Expression | Function | Module | Outside


class Library:
    """The modules of a project's code, each read once. ``files`` were read, ``faults`` tells what stopped it."""

    def __init__(self, folders: Sequence[str]) -> None:
        places = map(os.path.abspath, folders)
        self.folders = tuple(os.path.dirname(place) if os.path.isfile(place) else place for place in places)
        self.files: list[str] = []
        self.faults: dict[str, str] = {}
        self._modules: dict[str, Module | None] = {}
        self._parents: dict[str, tuple[str, ...]] = {}
        self._members: dict[tuple[str, str], Target | None] = {}

    # -- modules -----------------------------------------------------------------------------------------------
    def has_package(self, top: str) -> bool:
        """Whether any folder or installed distribution holds the top-level package or module ``top``."""
        return bool(self._holders(top))

    def module(self, name: str) -> Module | None:
        """The module of that dotted name; ``None`` when no file has it or the file is no Python (see ``faults``)."""
        if name.count(".") > _MOST_PARTS:
            return None
        if name not in self._modules:
            file = self._file_of(name)
            self._modules[name] = self._parse(name, file) if file else None
        return self._modules[name]

    def _file_of(self, name: str) -> str | None:
        parts = name.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        for parent in self._holders(parts[0]):
            base = os.path.join(parent, *parts)
            for file in (os.path.join(base, "__init__.py"), base + ".py"):
                if os.path.isfile(file):
                    return file
        return None

    def _holders(self, top: str) -> tuple[str, ...]:
        """The folders that hold the package or module ``top``: those of the project, else where it is installed."""
        if top in READ_BY_NAME:
            return ()
        if top not in self._parents:
            found = dict.fromkeys(p for folder in self.folders for p in _parents_of(folder, top) if _holds(p, top))
            self._parents[top] = tuple(found) or tuple(_installed(top))
        return self._parents[top]

    def _parse(self, name: str, file: str) -> Module | None:
        self.files.append(file)
        try:
            if os.path.getsize(file) > MAX_BYTES:
                self.faults[file] = f"is larger than {MAX_BYTES // 2**20} MB"
                return None
            with open_regular(file) as stream:
                data = stream.read()
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an invalid escape in somebody's text
                tree = ast.parse(text, file)
        except SyntaxError as error:
            self.faults[file] = f"line {error.lineno or 1} is no Python that this interpreter reads ({error.msg})"
        except (OSError, ValueError, LookupError, RecursionError, MemoryError) as error:
            self.faults[file] = f"cannot be read ({error})"
        else:
            return Module(name, file, text.removeprefix("\ufeff"), tree)
        return None

    # -- names -------------------------------------------------------------------------------------------------
    def find(self, dotted: str) -> Target:
        """What a full dotted name stands for, through every re-export on the way."""
        parts = dotted.split(".")
        for size in range(len(parts) - 1, 0, -1):
            module = self.module(".".join(parts[:size]))
            if module is not None:
                found: Target = module
                for part in parts[size:]:
                    found = self.attribute(found, part)
                return found
        return Outside(dotted)

    def lookup(self, module: Module, name: str) -> Target | None:
        """What ``name`` stands for at the top of a module, ``None`` when it is not bound there."""
        key = (module.name, name)
        if key not in self._members:
            self._members[key] = None  # a circle of imports ends here
            self._members[key] = self._lookup(module, name)
        return self._members[key]

    def _lookup(self, module: Module, name: str) -> Target | None:
        for bound, what in reversed(module.bindings):
            if isinstance(what, Import) and what.attribute == "*":
                other = self.module(what.module)
                if other is not None and other is not module and self._exports(other, name):
                    found = self.lookup(other, name)
                    if found is not None:
                        return found
            elif bound == name:
                found = self._target(module, name, what)
                if found is not None:
                    return found
        return None

    def _target(self, module: Module, name: str, what: ast.AST | Import) -> Target | None:
        if isinstance(what, Import):
            other = self.module(what.module)
            if not what.attribute:
                return other or Outside(what.module)
            if other is None:
                return self.module(f"{what.module}.{what.attribute}") or Outside(f"{what.module}.{what.attribute}")
            return self.attribute(other, what.attribute)
        if isinstance(what, ast.ClassDef):
            return ClassSource(module, what, name)
        if isinstance(what, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Function(module, what)
        return Expression(module, what) if isinstance(what, ast.expr) else None

    def attribute(self, target: Target, name: str) -> Target:
        """What ``target.name`` stands for."""
        if isinstance(target, Module):
            found = self.lookup(target, name)
            if found is not None:
                return found
            return self.module(f"{target.name}.{name}") or Outside(f"{target.name}.{name}")
        if isinstance(target, Outside):
            dotted = f"{target.dotted}.{name}"
            return self.module(dotted) or Outside(dotted)
        if isinstance(target, ClassSource):
            return own_name(target, name) or Outside(f"{target.dotted}.{name}")
        return Outside(name)

    def resolve(self, node: ast.AST, module: Module, owner: ClassSource | None = None) -> Target | None:
        """What a name or dotted name in an expression stands for; ``None`` for any other expression."""
        if isinstance(node, ast.Name):
            found = own_name(owner, node.id) if owner is not None else None
            return found or self.lookup(module, node.id) or Outside(f"builtins.{node.id}")
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value, module, owner)
            return None if base is None or isinstance(base, (Expression, Function)) else self.attribute(base, node.attr)
        if isinstance(node, ast.Subscript):  # Generic[T], list[int]
            return self.resolve(node.value, module, owner)
        return None

    def dotted(self, node: ast.AST, module: Module, owner: ClassSource | None = None) -> str:
        """The full dotted name that an expression (of a call: what is called) names, ``''`` when it names nothing."""
        found = self.resolve(node.func if isinstance(node, ast.Call) else node, module, owner)
        if isinstance(found, (Outside, ClassSource)):
            return found.dotted
        return f"{found.module.name}.{found.node.name}" if isinstance(found, Function) else ""

    def _exports(self, module: Module, name: str) -> bool:
        """Whether a star import takes ``name`` from a module."""
        listed = self._all_of(module, frozenset())
        return not name.startswith("_") if listed is None else name in listed

    def _all_of(self, module: Module, seen: frozenset[str]) -> frozenset[str] | None:
        """The names in ``__all__``; ``None`` when there is none or it cannot be read as syntax."""
        found: frozenset[str] | None = None
        for bound, what in module.bindings:
            if bound == "__all__" and isinstance(what, ast.expr):
                more = isinstance(what, ast.BinOp) and isinstance(what.left, ast.Name) and found is not None
                added = self._names(what.right if more else what, module, seen | {module.name})  # type: ignore[attr-defined]
                added = added | found if more and added is not None and found is not None else added
                if added is None:
                    return None
                found = added
        return found

    def _names(self, node: ast.expr, module: Module, seen: frozenset[str]) -> frozenset[str] | None:
        if isinstance(node, (ast.List, ast.Tuple)):
            texts = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            return frozenset(texts) if len(texts) == len(node.elts) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._names(node.left, module, seen), self._names(node.right, module, seen)
            return None if left is None or right is None else left | right
        if isinstance(node, ast.Attribute) and node.attr == "__all__":
            other = self.resolve(node.value, module)
            if isinstance(other, Module) and other.name not in seen:
                return self._all_of(other, seen)
        return None


def own_name(owner: ClassSource, name: str) -> Target | None:
    """What ``name`` stands for in the body of a class itself, ``None`` when it is not bound there."""
    found: Target | None = None
    for node in owner.node.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            found = ClassSource(owner.module, node, f"{owner.name}.{name}")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            found = Expression(owner.module, node.value, owner) if node.value is not None else found
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = Expression(owner.module, node.value, owner)
    return found


def _bindings(body: Sequence[ast.stmt], package: str) -> Iterator[tuple[str, ast.AST | Import]]:
    """The names that statements bind, in the order in which they hold: what a ``try`` or ``if`` prefers comes last."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, Import(alias.name)) if alias.asname else (
                    alias.name.partition(".")[0], Import(alias.name.partition(".")[0])
                )  # fmt: skip
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            for alias in node.names:
                yield alias.asname or alias.name, Import(module, alias.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name) and node.value is not None:
                yield node.target.id, node.value
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):  # of what the name was before
                yield node.target.id, ast.BinOp(node.target, node.op, node.value)
        elif isinstance(node, ast.If):
            yield from _bindings(node.orelse, package)
            yield from _bindings(node.body, package)
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _bindings(handler.body, package)
            yield from _bindings([*node.body, *node.orelse, *node.finalbody], package)
        elif isinstance(node, ast.With):
            yield from _bindings(node.body, package)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """The module that ``from ... import`` names, relative to the package it stands in."""
    parts = package.split(".") if package else []
    above = parts[: len(parts) - (node.level - 1)] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


def _parents_of(folder: str, top: str) -> Iterator[str]:
    """The folders that may hold ``top`` when a project names ``folder``."""
    for layout in _LAYOUTS:
        yield os.path.join(folder, layout) if layout else folder
    here = folder
    while os.path.dirname(here) != here:  # the package itself, or a folder inside it
        if os.path.basename(here) == top:
            yield os.path.dirname(here)
        here = os.path.dirname(here)
    try:
        below = sorted(os.listdir(folder))
    except OSError:
        return
    for name in below:
        if name not in _NOT_CODE and not name.startswith((".", "_")) and os.path.isdir(os.path.join(folder, name)):
            yield os.path.join(folder, name)


def _holds(parent: str, top: str) -> bool:
    return os.path.isdir(os.path.join(parent, top)) or os.path.isfile(os.path.join(parent, top + ".py"))


def _installed(top: str) -> Iterator[str]:
    """The folders in which an installed distribution keeps the package ``top``; the standard library is left alone."""
    if top in sys.stdlib_module_names or not top.isidentifier():
        return
    try:
        spec = importlib.machinery.PathFinder.find_spec(top)  # of a top-level name: looks for files, imports nothing
    except (ImportError, ValueError, AttributeError):
        return
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield os.path.dirname(os.path.abspath(place))
    if spec is not None and spec.origin and spec.submodule_search_locations is None and spec.has_location:
        yield os.path.dirname(os.path.abspath(spec.origin))
