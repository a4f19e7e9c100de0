"""The fields of a class and the expressions of their defaults: dataclasses, classes of pydantic and attrs, and others.

Inheritance is followed over modules in Python's own order; a base that no source is found for is told.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .class_source import ClassSource, Expression, Library, Outside
from .python_values import REQUIRED, NotStatic, Reader, Scope

_ATTRS = frozenset({
    "attr.s", "attr.attrs", "attr.attributes", "attr.dataclass", "attr.define", "attr.frozen", "attr.mutable",
    "attrs.define", "attrs.frozen", "attrs.mutable",
})  # fmt: skip
_ATTRS_FIELDS = frozenset({"attr.ib", "attr.attrib", "attr.field", "attrs.field"})
_ATTRS_FACTORIES = ("attr.Factory", "attrs.Factory")
_OPTIONAL = ("Optional", "Annotated", "Union")
_MODELS = frozenset({
    "pydantic.BaseModel", "pydantic.main.BaseModel", "pydantic.v1.BaseModel", "pydantic.BaseSettings",
    "pydantic_settings.BaseSettings", "sqlmodel.SQLModel", "msgspec.Struct", "typing.NamedTuple",
})  # fmt: skip
_MODEL_FIELDS = ("pydantic.Field", "pydantic.fields.Field", "pydantic.v1.Field", "sqlmodel.Field", "msgspec.field")
_NO_FIELDS = ("builtins.object", "abc.ABC", "enum.Enum", "typing.Generic", "typing.Protocol")
_WITHOUT = ("typing.ClassVar", "typing_extensions.ClassVar", "dataclasses.KW_ONLY")
_ALIASES = ("alias", "validation_alias")


@dataclass(frozen=True)
class Field:
    """A field of a class: where its default stands, as ``node`` in ``scope`` (``None``: it has none).

    ``factory`` says that ``node`` is called to give the default. ``names`` are the keys by which a config may set it.
    ``line`` is the line of the field itself.
    """

    name: str
    names: tuple[str, ...]
    scope: Scope
    node: ast.expr | None
    factory: bool
    annotation: ast.expr | None
    statement: ast.stmt


@dataclass(frozen=True)
class Fields:
    """What is known of a class: its fields by name, the classes it was read from (itself first), missing bases.

    ``readable`` is false for a class whose attributes are no fields (an ordinary class).
    """

    readable: bool
    fields: Mapping[str, Field]
    bases: tuple[ClassSource, ...]
    missing: tuple[str, ...] = ()


class FieldReader:
    """Reads the fields of classes, each class once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.reader = Reader(library)
        self._known: dict[ClassSource, Fields] = {}
        self._orders: dict[ClassSource, tuple[ClassSource, ...]] = {}
        self._outer: dict[ClassSource, tuple[str, ...]] = {}
        self._own: dict[ClassSource, dict[str, Field] | None] = {}

    def fields_of(self, source: ClassSource) -> Fields:
        """The fields of a class with those that it inherits."""
        if source not in self._known:
            try:
                order = self._order(source, ())
            except RecursionError:  # nobody's classes: thousands of bases, one below the other
                order = ()
            fields: dict[str, Field] = {}
            readable = False
            for base in reversed(order):
                own = self._own_fields(base)
                readable = readable or own is not None
                fields.update(own or {})
            outer = dict.fromkeys(name for base in order for name in self._outer_bases(base))
            missing = tuple(n for n in outer if n not in _MODELS and n not in _NO_FIELDS and not _standard(n))
            self._known[source] = Fields(readable, fields, order, missing)
        return self._known[source]

    def own_fields(self, source: ClassSource) -> Mapping[str, Field]:
        """The fields that the body of a class itself defines."""
        return self._own_fields(source) or {}

    def default_of(self, field: Field) -> tuple[Any, ast.expr]:
        """The value of a field's default and the expression that gives it. Raises :class:`NotStatic`."""
        assert field.node is not None
        if field.factory:
            return self.reader.call(field.node, field.scope)
        return self.reader.read(field.node, field.scope), field.node

    # -- order of bases ----------------------------------------------------------------------------------------
    def _order(self, source: ClassSource, below: tuple[ClassSource, ...]) -> tuple[ClassSource, ...]:
        """The class and its bases as Python orders them (C3), as far as their source is found."""
        if source in below:
            return ()
        if source not in self._orders:
            bases = [b for b in map(self._resolved(source), source.node.bases) if isinstance(b, ClassSource)]
            lines = [list(self._order(base, (*below, source))) for base in bases] + [list(bases)]
            self._orders[source] = (source, *_merged(lines))
        return self._orders[source]

    def _resolved(self, source: ClassSource) -> Any:
        return lambda node: self.library.resolve(node, source.module)

    def _outer_bases(self, source: ClassSource) -> tuple[str, ...]:
        if source not in self._outer:
            found = [b for b in map(self._resolved(source), source.node.bases) if not isinstance(b, ClassSource)]
            self._outer[source] = tuple(b.dotted if isinstance(b, Outside) else "?" for b in found)
        return self._outer[source]

    # -- one class ---------------------------------------------------------------------------------------------
    def _own_fields(self, source: ClassSource) -> dict[str, Field] | None:
        """The fields that the body of a class adds, ``None`` when it adds none because it is an ordinary class."""
        if source not in self._own:
            decorators = [self.library.dotted(node, source.module) for node in source.node.decorator_list]
            attrs = any(name in _ATTRS for name in decorators)
            data = any(name.rpartition(".")[2] == "dataclass" for name in decorators)
            model = any(name in _MODELS for base in self._order(source, ()) for name in self._outer_bases(base))
            fields = None
            if attrs or data or model:
                fields = {f.name: f for f in self._fields(source, attrs, model)}
            self._own[source] = fields
        return self._own[source]

    def _fields(self, source: ClassSource, attrs: bool, model: bool) -> Iterator[Field]:
        for statement in source.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                found = self._field(source, statement, statement.target.id, statement.value, statement.annotation)
            elif (
                attrs and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
                and self._callee(statement.value, source) in _ATTRS_FIELDS
            ):  # fmt: skip
                found = self._field(source, statement, statement.targets[0].id, statement.value, None)
            else:
                continue
            if found is not None and not (model and (found.name[0] == "_" or found.name == "model_config")):
                yield found

    def _field(
        self, source: ClassSource, statement: ast.stmt, name: str, value: ast.expr | None, annotation: ast.expr | None
    ) -> Field | None:
        annotation = unquoted(annotation)
        marker = self.library.dotted(annotation, source.module) if annotation is not None else ""
        if marker in _WITHOUT:
            return None
        if value is None and marker.rpartition(".")[2] == "Annotated" and isinstance(annotation, ast.Subscript):
            parts = annotation.slice.elts[1:] if isinstance(annotation.slice, ast.Tuple) else []
            value = next((p for p in parts if self._callee(p, source) in _MODEL_FIELDS), None)
        names: tuple[str, ...] = (name,)
        factory, scope = False, Scope(source.module, source)
        called = self._callee(value, source)
        if isinstance(value, ast.Call) and (called in _ATTRS_FIELDS or called in _MODEL_FIELDS or _is_field(called)):
            given = {k.arg: k.value for k in value.keywords if k.arg}
            init = given.get("init")
            if isinstance(init, ast.Constant) and init.value is False:
                return None
            texts = (given[a].value for a in _ALIASES if isinstance(given.get(a), ast.Constant))  # type: ignore[attr-defined]
            names = (name, *dict.fromkeys(str(text) for text in texts))
            positional = value.args[0] if value.args else None
            factory_node = given.get("default_factory", given.get("factory"))
            factory = factory_node is not None
            value = factory_node if factory_node is not None else given.get("default", positional)
        if isinstance(value, ast.Call) and self._callee(value, source) in _ATTRS_FACTORIES and value.args:
            factory, value = True, value.args[0]
        if value is not None and not factory:
            with contextlib.suppress(NotStatic):  # told where the field is compared
                value = None if self.reader.read(value, scope) is REQUIRED else value
        return Field(name, names, scope, value, factory, annotation, statement)

    def _callee(self, node: ast.AST | None, source: ClassSource) -> str:
        return self.library.dotted(node, source.module) if isinstance(node, ast.Call) else ""

    def class_in(self, annotation: ast.expr | None, scope: Scope, depth: int = 0) -> ClassSource | None:
        """The class with fields that an annotation names, as it is or as ``Optional``."""
        annotation = unquoted(annotation)
        deeper = depth + 1
        if depth > 20:
            return None
        if isinstance(annotation, ast.BinOp):
            return self.class_in(annotation.left, scope, deeper) or self.class_in(annotation.right, scope, deeper)
        if isinstance(annotation, ast.Subscript):
            if self.library.dotted(annotation.value, scope.module).rpartition(".")[2] in _OPTIONAL:
                inner = annotation.slice
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return next((c for p in parts if (c := self.class_in(p, scope, deeper)) is not None), None)
            return None
        if isinstance(annotation, (ast.Name, ast.Attribute)):
            found = self.library.resolve(annotation, scope.module)
            if isinstance(found, Expression):  # an alias
                return self.class_in(found.node, Scope(found.module), deeper)
            if isinstance(found, ClassSource) and self.fields_of(found).readable:
                return found
        return None


def _is_field(called: str) -> bool:
    return called in ("dataclasses.field", "flax.struct.field") or called.endswith(".dataclasses.field")


def _standard(name: str) -> bool:
    return name.split(".")[0] in ("typing", "collections", "abc", "builtins", "typing_extensions", "enum")


def unquoted(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation that stands as a text, as the expression that it is."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return None
    return annotation


def _merged(lines: list[list[ClassSource]]) -> list[ClassSource]:
    """C3's merge; where the bases contradict each other, the order in which they stand."""
    merged: list[ClassSource] = []
    while lines := [line for line in lines if line]:
        heads = [line[0] for line in lines]
        good = next((h for h in heads if not any(h in line[1:] for line in lines)), heads[0])
        merged.append(good)
        lines = [[item for item in line if item != good] for line in lines]
    return merged
