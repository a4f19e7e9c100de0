"""What the annotation of a field says of its values: their types, a list of them, limits. Read as syntax alone.

Types go by the names that a config has for them: ``bool``, ``int``, ``float``, ``str``, ``list``, ``dict``, ``null``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .class_fields import Field, FieldReader, unquoted
from .class_source import ClassSource, Expression, Outside
from .python_values import EnumMember, NotStatic, Scope

NULL = "null"

_FAMILIES = frozenset({"builtins", "typing", "typing_extensions", "collections"})
_KINDS: Mapping[str, tuple[str, ...]] = {
    "bool": ("bool",), "int": ("int",), "float": ("float",), "str": ("str", "text"),
    "list": ("list", "tuple", "set", "frozenset", "sequence", "mutablesequence", "collection", "iterable"),
    "dict": ("dict", "mapping", "mutablemapping", "ordereddict", "defaultdict"),
}  # fmt: skip
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names}
_OTHERS: Mapping[str, str] = {
    "pathlib.Path": "str", "pathlib.PurePath": "str", "omegaconf.DictConfig": "dict", "omegaconf.ListConfig": "list",
    "pydantic.StrictBool": "bool", "pydantic.StrictInt": "int", "pydantic.StrictFloat": "float",
    "pydantic.StrictStr": "str", "pydantic.conint": "int", "pydantic.confloat": "float", "pydantic.constr": "str",
}  # fmt: skip
_SIGNED: Mapping[str, str] = {"Positive": ">", "NonNegative": ">=", "Negative": "<", "NonPositive": "<="}
_LIMITS: Mapping[str, str] = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_TRANSPARENT = frozenset({"Final", "Required", "NotRequired", "ReadOnly"})
_NAMING = frozenset({"typing.NewType", "typing_extensions.NewType"})


@dataclass(frozen=True)
class FieldType:
    """The values that a field takes.

    ``names``: their types, ``null`` last, empty where they are not known; ``choices``: all of them, empty where they
    are not listed; ``members``: the names of an enum's members, by which a config may call ``choices``; ``limits``:
    what a number must be, as pairs of a sign (``>=``) and a bound.
    """

    names: tuple[str, ...] = ()
    choices: tuple[Any, ...] = ()
    members: tuple[str, ...] = ()
    limits: tuple[tuple[str, Any], ...] = ()


UNKNOWN = FieldType()


class TypeReader:
    """Reads annotations; ``fields`` knows the classes."""

    def __init__(self, fields: FieldReader) -> None:
        self.fields = fields
        self.library = fields.library

    def of(self, field: Field) -> FieldType:
        """The type of a field; an empty one where its annotation is missing or says nothing that a config knows."""
        found = self._read(field.annotation, field.scope, 0)
        value = field.statement.value if isinstance(field.statement, ast.AnnAssign) else None
        return replace(found, limits=(*found.limits, *self._limits([value], field.scope))) if found.names else found

    def _read(self, node: ast.expr | None, scope: Scope, depth: int) -> FieldType:
        node = unquoted(node)
        if node is None or depth > 20:
            return UNKNOWN
        if isinstance(node, ast.Constant) and node.value is None:
            return FieldType((NULL,))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return _either([self._read(part, scope, depth + 1) for part in (node.left, node.right)])
        if isinstance(node, ast.Subscript):
            inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self._subscript(node.value, inner, scope, depth)
        if isinstance(node, ast.Call):
            dotted = self.library.dotted(node, scope.module, scope.owner)
            if dotted in _NAMING and len(node.args) == 2:
                return self._read(node.args[1], scope, depth + 1)
            return FieldType((_OTHERS[dotted],), limits=self._limits([node], scope)) if dotted in _OTHERS else UNKNOWN
        found = self.library.resolve(node, scope.module, scope.owner)
        if isinstance(found, Expression):  # an alias
            return self._read(found.node, Scope(found.module, found.owner), depth + 1)
        if isinstance(found, ClassSource):
            return self._class(found)
        return _outside(found.dotted) if isinstance(found, Outside) else UNKNOWN

    def _subscript(self, head: ast.expr, inner: Sequence[ast.expr], scope: Scope, depth: int) -> FieldType:
        name = self._special(head, scope)
        parts = [self._read(node, scope, depth + 1) for node in inner] if name != "Literal" else []
        if name == "Literal":
            return self._literal(inner, scope, depth)
        if name == "Optional":
            return _either([*parts, FieldType((NULL,))])
        if name == "Union":
            return _either(parts)
        if name == "Annotated":
            return replace(parts[0], limits=(*parts[0].limits, *self._limits(inner[1:], scope)))
        if name in _TRANSPARENT:
            return parts[0]
        found = self._read(head, scope, depth + 1)
        listed = found.names == ("list",) and len(parts) == 1
        return replace(found, choices=parts[0].choices, members=parts[0].members) if listed else found

    def _special(self, head: ast.expr, scope: Scope) -> str:
        """The name of a form of ``typing``, also of one that another module hands on; ``''`` for anything else."""
        for _ in range(20):
            found = self.library.resolve(head, scope.module, scope.owner)
            if not isinstance(found, Expression):
                break
            head, scope = found.node, Scope(found.module, found.owner)
        family, _dot, name = found.dotted.rpartition(".") if isinstance(found, Outside) else ("", "", "")
        return name if family in _FAMILIES else ""

    def _literal(self, inner: Sequence[ast.expr], scope: Scope, depth: int) -> FieldType:
        parts = []
        for node in inner:
            try:
                value = self.fields.reader.read(node, scope)
            except NotStatic:  # a Literal within it
                parts.append(self._read(node, scope, depth + 1))
                continue
            value = value.values[-1] if isinstance(value, EnumMember) else value
            parts.append(FieldType((NULL,)) if value is None else FieldType((type(value).__name__,), (value,)))
        return _either(parts)

    def _class(self, source: ClassSource) -> FieldType:
        members = self.fields.reader.members(source)
        if members:
            values = tuple(member.values[-1] for member in members)
            names = tuple(member.name for member in members)
            kinds = dict.fromkeys(type(value).__name__ for value in values)
            plain = all(kind in _KINDS and kind not in ("list", "dict") for kind in kinds)
            return FieldType(tuple(kinds), values, names) if plain else FieldType(("str",), names)
        return FieldType(("dict",)) if self.fields.fields_of(source).readable else UNKNOWN

    def _limits(self, nodes: Iterable[ast.expr | None], scope: Scope) -> tuple[tuple[str, Any], ...]:
        """The bounds that calls state: ``Field(ge=1)``, ``conint(ge=1)``, ``annotated_types.Ge(1)``."""
        found: dict[str, Any] = {}
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            called = self.library.dotted(node, scope.module, scope.owner)
            given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg in _LIMITS}
            short = called.rpartition(".")[2].lower()
            if called.startswith("annotated_types.") and short in _LIMITS and node.args:
                given = {short: node.args[0]}
            for name, bound in given.items():
                try:
                    found[_LIMITS[str(name)]] = self.fields.reader.read(bound, scope)
                except NotStatic:
                    continue
        return tuple((sign, bound) for sign, bound in found.items() if isinstance(bound, (int, float)))


def _outside(dotted: str) -> FieldType:
    family, _dot, name = dotted.rpartition(".")
    if family.partition(".")[0] in _FAMILIES and name.lower() in _BY_NAME:
        return FieldType((_BY_NAME[name.lower()],))
    if dotted in _OTHERS:
        return FieldType((_OTHERS[dotted],))
    if family == "pydantic":
        for kind in ("Int", "Float"):
            sign = _SIGNED.get(name.removesuffix(kind))
            if name.endswith(kind) and sign:
                return FieldType((kind.lower(),), limits=((sign, 0),))
    return UNKNOWN


def _either(parts: Sequence[FieldType]) -> FieldType:
    """What takes any of several types: nothing is known where one of them is not, and what one lists another opens."""
    if not parts or not all(part.names for part in parts):
        return UNKNOWN
    names = list(dict.fromkeys(name for part in parts for name in part.names))
    names.sort(key=lambda name: name == NULL)
    values = [part for part in parts if part.names != (NULL,)]
    closed = all(part.choices for part in values)
    choices = _distinct(value for part in values for value in part.choices) if closed else ()
    named = closed and all(len(part.members) == len(part.choices) for part in values)
    members = tuple(name for part in values for name in part.members) if named else ()
    return FieldType(tuple(names), choices, members, values[0].limits if len(values) == 1 else ())


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for value in values:
        if not any(value == each and type(value) is type(each) for each in found):
            found.append(value)
    return tuple(found)
