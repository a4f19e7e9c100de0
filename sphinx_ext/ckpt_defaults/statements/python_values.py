"""What an expression in Python source says, read from its syntax: nothing is run, and what would have to be is refused.

A value is plain (``None``, a truth value, a number, a text, a list, a mapping), an :class:`EnumMember` or an
:class:`Instance`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..settings import parse_value
from ..wording import later
from .class_source import ClassSource, Expression, Function, Library, Module, Outside

_MAX = 10_000
"""Longest text or list that an operator may make, and the largest power."""

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.BitOr: operator.or_,
}
FACTORIES = frozenset({"dict", "list", "tuple", "set", "str", "int", "float", "bool"})
"""The factories of an empty value that a ``lambda`` may take the place of."""

QUOTE = '"'

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_EMPTY: Mapping[str, Callable[[], Any]] = {
    "builtins.list": list, "builtins.dict": dict, "builtins.tuple": list, "builtins.set": list,
    "builtins.frozenset": list, "builtins.str": str, "builtins.int": int, "builtins.float": float,
    "builtins.bool": bool, "collections.OrderedDict": dict, "collections.defaultdict": dict,
    "typing.List": list, "typing.Dict": dict,
}  # fmt: skip
_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})
_TEXTS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.PosixPath"})
_WRAPPERS = frozenset({"copy.copy", "copy.deepcopy", "types.MappingProxyType", "typing.cast"})
_REQUIRED = frozenset({
    "omegaconf.MISSING", "dataclasses.MISSING", "attr.NOTHING", "attrs.NOTHING", "builtins.Ellipsis",
    "pydantic_core.PydanticUndefined", "pydantic.fields.PydanticUndefined", "pydantic.fields.Undefined",
})  # fmt: skip


COMPUTED = later("it is computed")
COMPUTES = later("{name}() computes it")
NO_CONSTANT = later("{name} is no constant that the code shows")
NO_VALUE = later("a {type} is no value of a config")


class NotStatic(Exception):
    """An expression whose value only running it would tell; the message says why."""


class Required:
    """The value of a field that has no default."""


REQUIRED = Required()


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum; ``values`` are the texts or numbers by which a config may call it: its name, its value."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Instance:
    """A class called: the class and its arguments by name, each with the scope that it is read in."""

    source: ClassSource
    arguments: Mapping[str, tuple[ast.expr, Scope]]
    positional: tuple[tuple[ast.expr, Scope], ...] = ()


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: its module, and the class in whose body it does."""

    module: Module
    owner: ClassSource | None = None


class Reader:
    """Reads expressions; ``library`` finds what their names stand for."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def read(self, node: ast.expr, scope: Scope, depth: int = 0) -> Any:
        """The value of an expression. Raises :class:`NotStatic`."""
        if depth > 60:
            raise NotStatic(later("it is nested too deeply"))
        if isinstance(node, ast.Constant):
            if node.value is Ellipsis:
                return REQUIRED
            if isinstance(node.value, (bytes, complex)):
                raise NotStatic(NO_VALUE.format(type=type(node.value).__name__))
            return node.value
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return self._items(node.elts, scope, depth)
        if isinstance(node, ast.Dict):
            return self._mapping(node, scope, depth)
        if isinstance(node, ast.UnaryOp):
            return self._calculated(_UNARY.get(type(node.op)), self.read(node.operand, scope, depth + 1))
        if isinstance(node, ast.BinOp):
            left, right = self.read(node.left, scope, depth + 1), self.read(node.right, scope, depth + 1)
            return self._calculated(_OPERATORS.get(type(node.op)), left, right)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node, scope, depth)
        if isinstance(node, ast.Call):
            return self._called(node, scope, depth)
        if isinstance(node, ast.Subscript):
            return self._picked(node, scope, depth)
        if isinstance(node, ast.JoinedStr):
            return "".join(str(self._plain(part, scope, depth)) for part in node.values)
        raise NotStatic(later("it is not a literal"))

    def call(self, node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Any, ast.expr]:
        """The value of a factory when it is called, and the expression that gives it. Raises :class:`NotStatic`."""
        if isinstance(node, ast.Lambda):
            return self.read(node.body, scope, depth + 1), node.body
        if isinstance(node, ast.Call) and self._dotted(node, scope) == "functools.partial" and node.args:
            inner, _ = self.call(node.args[0], scope, depth + 1)
            if isinstance(inner, Instance) and not node.args[1:]:
                given = {k.arg: (k.value, scope) for k in node.keywords if k.arg}
                return Instance(inner.source, {**inner.arguments, **given}), node
            raise NotStatic(later("its factory is no class"))
        found = self.library.resolve(node, scope.module, scope.owner)
        if isinstance(found, ClassSource):
            return Instance(found, {}), node
        if isinstance(found, Outside) and found.dotted in _EMPTY:
            return _EMPTY[found.dotted](), node
        if isinstance(found, Expression) and isinstance(found.node, ast.Lambda):
            return self.read(found.node.body, Scope(found.module, found.owner), depth + 1), node
        if isinstance(found, Function):
            body = [n for n in found.node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
                return self.read(body[0].value, Scope(found.module), depth + 1), node
            raise NotStatic(COMPUTES.format(name=found.node.name))
        raise NotStatic(later("its factory is not found in the code") if isinstance(found, Outside) else COMPUTED)

    # -- parts -------------------------------------------------------------------------------------------------
    def _items(self, elements: list[ast.expr], scope: Scope, depth: int) -> list[Any]:
        items: list[Any] = []
        for element in elements:
            if isinstance(element, ast.Starred):
                inner = self.read(element.value, scope, depth + 1)
                if not isinstance(inner, list):
                    raise NotStatic(later("it unpacks what is no list"))
                items += inner
            else:
                items.append(self._plain(element, scope, depth))
        return items

    def _mapping(self, node: ast.Dict, scope: Scope, depth: int) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                inner = self.read(value, scope, depth + 1)
                if not isinstance(inner, dict):
                    raise NotStatic(later("it unpacks what is no mapping"))
                mapping.update(inner)
                continue
            name = self._plain(key, scope, depth)
            if isinstance(name, (list, dict)):
                raise NotStatic(later("a key of it is no text"))
            mapping[name] = self._plain(value, scope, depth)
        return mapping

    def _plain(self, node: ast.expr, scope: Scope, depth: int) -> Any:
        """The value of a part, an enum's member by the value that a config would write."""
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise NotStatic(later("it formats a text"))
            node = node.value
        value = self.read(node, scope, depth + 1)
        if isinstance(value, EnumMember):
            return value.values[-1]
        if isinstance(value, (Instance, Required)):
            raise NotStatic(later("it holds an object"))
        return value

    def _calculated(self, how: Callable[..., Any] | None, *values: Any) -> Any:
        if how is None:
            raise NotStatic(COMPUTED)
        sizes = [v if isinstance(v, int) else len(v) if isinstance(v, (str, list)) else 0 for v in values]
        if how in (operator.pow, operator.lshift) and any(abs(size) > _MAX for size in sizes):
            raise NotStatic(COMPUTED)
        if how is operator.pow and len(values) == 2 and abs(sizes[1]) > 1000:
            raise NotStatic(COMPUTED)
        if how is operator.mul and any(isinstance(v, (str, list)) for v in values) and sizes[0] * sizes[1] > _MAX:
            raise NotStatic(COMPUTED)
        if how is operator.mod and isinstance(values[0], str):
            raise NotStatic(later("it formats a text"))
        try:
            return how(*values)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise NotStatic(COMPUTED) from error

    def _named(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> Any:
        if isinstance(node, ast.Attribute):
            member = self._enum_member(node, scope, depth)
            if member is not None:
                return member
            if node.attr in ("value", "name") and isinstance(node.value, ast.Attribute):
                inner = self._enum_member(node.value, scope, depth)
                if inner is not None:
                    return inner.name if node.attr == "name" else inner.values[-1]
        found = self.library.resolve(node, scope.module, scope.owner)
        if isinstance(found, Expression):
            return self.read(found.node, Scope(found.module, found.owner), depth + 1)
        if isinstance(found, Outside):
            if found.dotted in _REQUIRED:
                return REQUIRED
            infinite = {"math.inf": float("inf"), "sys.maxsize": 2**63 - 1, "math.nan": float("nan")}
            if found.dotted in infinite:
                return infinite[found.dotted]
        raise NotStatic(NO_CONSTANT.format(name=ast.unparse(node)))

    def _enum_member(self, node: ast.Attribute, scope: Scope, depth: int) -> EnumMember | None:
        owner = self.library.resolve(node.value, scope.module, scope.owner)
        if not isinstance(owner, ClassSource) or not self._is_enum(owner, 0):
            return None
        return self._member(owner, node.attr, depth)

    def members(self, source: ClassSource) -> tuple[EnumMember, ...]:
        """The members of an enum, those of one value once; nothing for any other class."""
        if not self._is_enum(source, 0):
            return ()
        found: dict[str, EnumMember] = {}
        targets = [t for node in source.node.body if isinstance(node, ast.Assign) for t in node.targets]
        for name in (t.id for t in targets if isinstance(t, ast.Name) and not t.id.startswith("_")):
            member = self._member(source, name, 0)
            if member is not None:
                found.setdefault(repr(member.values[-1]), member)
        return tuple(found.values())

    def _member(self, owner: ClassSource, name: str, depth: int) -> EnumMember | None:
        found = self.library.attribute(owner, name)
        if not isinstance(found, Expression):
            return None
        try:
            value = self.read(found.node, Scope(found.module, found.owner), depth + 1)
        except NotStatic:  # auto()
            lower = any(self._dotted(base, Scope(owner.module)).endswith(".StrEnum") for base in owner.node.bases)
            return EnumMember(name, (name, name.lower()) if lower else (name,))
        return EnumMember(name, (name, value))

    def _is_enum(self, source: ClassSource, depth: int) -> bool:
        for base in source.node.bases:
            found = self.library.resolve(base, source.module)
            if isinstance(found, Outside) and (found.dotted in _ENUMS or found.dotted.endswith((".StrEnum", ".Enum"))):
                return True
            if isinstance(found, ClassSource) and depth < 20 and self._is_enum(found, depth + 1):
                return True
        return False

    def _called(self, node: ast.Call, scope: Scope, depth: int) -> Any:
        found = self.library.resolve(node.func, scope.module, scope.owner)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise NotStatic(later("its arguments are unpacked"))
        if isinstance(found, ClassSource):
            if self._is_enum(found, 0):
                raise NotStatic(COMPUTED)
            given = {k.arg: (k.value, scope) for k in node.keywords if k.arg}
            return Instance(found, given, tuple((a, scope) for a in node.args))
        dotted = found.dotted if isinstance(found, Outside) else ""
        if dotted in _EMPTY and not node.args:
            if not node.keywords:
                return _EMPTY[dotted]()
            if dotted == "builtins.dict":
                return {k.arg: self._plain(k.value, scope, depth) for k in node.keywords}
        if len(node.args) == 1 and not node.keywords:
            value = self.read(node.args[0], scope, depth + 1)
            if dotted in _WRAPPERS:
                return value
            if dotted in _TEXTS and isinstance(value, str):
                return value
            if dotted in _EMPTY:
                return self._converted(dotted.rpartition(".")[2], value)
        if dotted in ("os.getenv", "os.environ.get"):
            raise NotStatic(later("the environment decides it"))
        raise NotStatic(COMPUTES.format(name=ast.unparse(node.func)))

    def _converted(self, name: str, value: Any) -> Any:
        try:
            if name in ("list", "tuple", "set", "frozenset") and isinstance(value, (list, str)):
                return list(value)
            if name == "dict" and isinstance(value, dict):
                return value
            if name in ("int", "float", "str", "bool") and isinstance(value, (bool, int, float, str)):
                return {"int": int, "float": float, "str": str, "bool": bool}[name](value)
        except (ValueError, OverflowError):
            pass
        raise NotStatic(COMPUTED)

    def _picked(self, node: ast.Subscript, scope: Scope, depth: int) -> Any:
        inner, index = self.read(node.value, scope, depth + 1), self.read(node.slice, scope, depth + 1)
        try:
            if isinstance(inner, (dict, list)):
                return inner[index]
        except (LookupError, TypeError):
            pass
        raise NotStatic(COMPUTED)

    def _dotted(self, node: ast.expr, scope: Scope) -> str:
        return self.library.dotted(node, scope.module, scope.owner)


def is_plain(node: ast.expr) -> bool:
    """Whether an expression is a literal through and through, so that another literal may take its place."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and is_plain(node.operand)
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(is_plain(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and is_plain(key) for key in node.keys) and all(map(is_plain, node.values))
    return isinstance(node, ast.Constant)


def python_literal(actual: str, instead_of: str) -> str | None:
    """A config's value (as the config writes it) in Python's spelling, to stand in place of a literal of that text.

    Quotes are those of ``instead_of``; in place of a factory (``dict``, ``list``) stands a ``lambda``. ``None`` where
    a literal would not do: a list or mapping in place of something else (a dataclass refuses it as a default), or
    text that is no value.
    """
    try:
        value = parse_value(actual)
    except ValueError:
        return None
    if instead_of in FACTORIES:
        return f"lambda: {_spelt(value, QUOTE)}"
    if isinstance(value, list) and instead_of[:1] == "(":
        inner = ", ".join(_spelt(item, QUOTE) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, (list, dict)) and instead_of[:1] not in ("[", "{"):
        return None
    if isinstance(value, float) and value - value != 0:  # inf, nan: no literal
        return None
    quote = "'" if "'" in instead_of and QUOTE not in instead_of else QUOTE
    return _spelt(value, quote)


def _spelt(value: Any, quote: str) -> str:
    if isinstance(value, str):
        plain = repr(value)
        if quote == '"' and '"' not in value and plain[0] == "'":
            return '"' + plain[1:-1].replace("\\'", "'") + '"'
        return plain
    if isinstance(value, list):
        return "[" + ", ".join(_spelt(item, quote) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_spelt(k, quote)}: {_spelt(v, quote)}" for k, v in value.items()) + "}"
    return repr(value)
