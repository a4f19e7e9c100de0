"""What the classes that a config names by ``_target_`` declare of its settings: types, allowed values, limits.

Classes are read from the folders of ``ckpt_defaults_code`` (and, where none of them has the package, from installed
distributions), never imported; without such folders nothing is declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..literals import choices_of, holds, shown, type_of
from ..roots import MANDATORY, Root
from ..sources import code_folders, confdir_of
from ..statements.class_fields import Field, FieldReader
from ..statements.class_source import ClassSource, Function, Library
from ..statements.dataclasses import TARGET
from ..statements.field_types import NULL, UNKNOWN, FieldType, TypeReader
from .selection import Row

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

_known: dict[tuple[str, ...], Code] = {}


@dataclass(frozen=True)
class Declaration:
    """What a class declares of a setting: its type, and the files that say so; of a ``_target_``: its own full name."""

    type: FieldType = UNKNOWN
    defined: str = ""
    files: tuple[str, ...] = ()


UNDECLARED = Declaration()


class Code:
    """The classes of a project's code. Modules are read when they are asked for, each once."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.library = Library(folders)
        self.fields = FieldReader(self.library)
        self.types = TypeReader(self.fields)

    def declarations(self, root: Root, rows: Iterable[Row]) -> dict[str, Declaration]:
        """What is declared of the settings of ``rows``, by full key; keys that no class speaks of are left out."""
        classes: dict[str, ClassSource | None] = {}
        found: dict[str, Declaration] = {}
        for row in rows:
            if row.setting.name == TARGET:
                declaration = self._definition(row.setting.value)
            else:
                declaration = None if row.group else self._declaration(root, row.path, classes)
            if declaration is not None:
                found[row.path] = declaration
        return found

    def _declaration(self, root: Root, path: str, classes: dict[str, ClassSource | None]) -> Declaration | None:
        source = self._class_at(root, path.rpartition(".")[0], classes)
        field = self._field(source, path.rpartition(".")[2]) if source is not None else None
        if source is None or field is None:
            return None
        files = dict.fromkeys((source.module.file, field.scope.module.file))
        return Declaration(self.types.of(field), files=tuple(files))

    def _definition(self, target: Any) -> Declaration | None:
        """Where the class that a ``_target_`` names is defined: a package may hand it on under a shorter name."""
        found = self.library.find(target) if isinstance(target, str) and "." in target else None
        if isinstance(found, ClassSource):
            return Declaration(defined=found.dotted, files=(found.module.file,))
        return Declaration(defined=f"{found.module.name}.{found.node.name}") if isinstance(found, Function) else None

    def _class_at(self, root: Root, path: str, classes: dict[str, ClassSource | None]) -> ClassSource | None:
        """The class that a mapping is made into: by its ``_target_``, else by the field of the class around it."""
        if path not in classes:
            named = root.settings.get(f"{path}.{TARGET}" if path else TARGET)
            parent, _dot, name = path.rpartition(".")
            if named is not None:
                found = (
                    self.library.find(named.value) if isinstance(named.value, str) and "${" not in named.value else None
                )
                classes[path] = found if isinstance(found, ClassSource) else None
            else:
                around = self._class_at(root, parent, classes) if path else None
                field = self._field(around, name) if around is not None else None
                classes[path] = self.fields.class_in(field.annotation, field.scope) if field is not None else None
        return classes[path]

    def _field(self, source: ClassSource, name: str) -> Field | None:
        fields = self.fields.fields_of(source).fields
        return fields.get(name) or next((field for field in fields.values() if name in field.names), None)


def code_of(config: Any, env: BuildEnvironment) -> Code | None:
    """The code of the project, read once a build; ``None`` where no folder of it is named."""
    folders = code_folders(config, confdir_of(env))
    if folders and folders not in _known:
        _known[folders] = Code(folders)
    return _known.get(folders)


def forget_code() -> None:
    """Has the code read anew, by the next build."""
    _known.clear()


def declared_of(config: Any, env: BuildEnvironment, root: Root, rows: Iterable[Row]) -> Mapping[str, Declaration]:
    """What the project's code declares of the settings of ``rows``, by full key."""
    code = code_of(config, env)
    return code.declarations(root, rows) if code is not None else {}


def type_text(row: Row, declared: FieldType) -> str:
    """The type that a row shows: the class's, as long as the default is of it; else that of the default itself."""
    own = type_of(row.setting, row.resolution)
    fits = not own or own in declared.names or (own == "int" and "float" in declared.names)
    return " | ".join(declared.names) if fits and declared.names and declared.names != (NULL,) else own


def value_texts(row: Row, declared: FieldType) -> tuple[str, ...]:
    """The values that a row shows as allowed: those of the class, else those that the comment lists, else the limits.

    A list that lacks the default is none.
    """
    value = row.resolution.value
    default = row.setting.value if value is None else value
    for listed in (declared.choices, declared.members):
        texts = tuple(map(shown, listed))
        if texts and holds(texts, default):
            return (*texts, shown(None)) if NULL in declared.names and "list" not in declared.names else texts
    told = choices_of(row.setting, value) if row.setting.comment or row.setting.remark else ()
    if told or not declared.limits or default == MANDATORY:
        return told
    return (", ".join(f"{sign} {shown(bound)}" for sign, bound in declared.limits),)
