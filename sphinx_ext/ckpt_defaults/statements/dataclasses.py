"""Statements in code: the defaults of the classes that a config names by ``_target_``, one for each field.

Every mapping with ``_target_: package.module.Class`` is a use of that class. A field whose default is itself such a
class is followed into the mapping of that key. What the class says is compared with nothing here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..interpolation import is_interpolated
from ..literals import redacted
from ..redaction import HIDDEN
from ..roots import MANDATORY, Project, Root
from ..settings import ConfigFile, Setting, load
from ..wording import later
from .class_fields import Field, FieldReader
from .class_source import ClassSource, Library, Module, Outside
from .copies import Copy, Place, statement_at
from .python_values import FACTORIES, EnumMember, Instance, NotStatic, Required, Scope, is_plain

TARGET = "_target_"
HYDRAS_OWN = frozenset({TARGET, "_recursive_", "_convert_", "_partial_", "_args_"})

FILLED = later("the class leaves this section empty, the config fills it")
TAKEN = later("the class leaves it open, the config takes it from {key}")
LACKS = later("the config has no {name} in this section")
NO_BASE = later("the base {name} of {target} is not among the code")
ORDINARY = later("{target} is an ordinary class: only fields of dataclasses, pydantic's and attrs' are read")
NO_CLASS = later("{target} is no class")
NOT_SHOWN = later("{module} has no {name} that its source shows")
NOT_FOUND = later("{target} is not found")
NO_FOLDER = later("no folder of code holds {package}")


@dataclass(frozen=True)
class Use:
    """A mapping of a root that a class is made from; ``prefix`` is its path with a dot behind.

    ``declared`` is the place of the ``_target_`` that says so, its own or that of a mapping around it, ``around`` the
    prefix of that mapping.
    """

    root: Root
    prefix: str
    source: ClassSource
    declared: tuple[int, str, int]
    around: str


@dataclass
class ClassCopies:
    """What was found: the copies, the uses of classes, and the mappings without one, each with its root and why."""

    copies: list[Copy] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    lost: list[tuple[Setting, str, str]] = field(default_factory=list)


@dataclass
class _Found:
    file: str
    place: tuple[int, int, int]
    text: str
    names: tuple[str, ...]
    values: tuple[Any, ...]
    plain: bool
    places: list[Place]


def class_copies(project: Project, library: Library, reader: FieldReader) -> ClassCopies:
    """The defaults of every class that a root of ``project`` names, as copies of the settings that name it."""
    return _Walk(library, reader).roots(project)


class _Walk:
    def __init__(self, library: Library, reader: FieldReader) -> None:
        self.library, self.reader = library, reader
        self.result = ClassCopies()
        self.found: dict[tuple[Any, ...], _Found] = {}
        self.targets: dict[str, ClassSource | str] = {}
        self.parts: dict[str, tuple[ConfigFile, ...]] = {}
        self.defaults: dict[int, tuple[Any, ast.expr] | NotStatic] = {}

    def roots(self, project: Project) -> ClassCopies:
        whole = [root for root in project.roots if not root.fragment]
        for root in whole:
            self.root(root, frozenset())
        seen = frozenset(use.source.dotted for use in self.result.uses)
        for root in project.roots:
            if root.fragment:  # a file that no root is composed of counts for the classes that only it names
                self.root(root, seen)
        for one in self.found.values():
            keys = tuple(dict.fromkeys((one.places[0].path, *one.names)))
            said = statement_at(one.file, one.place, "dataclass", keys, one.text, rewritable=one.plain)
            self.result.copies.append(Copy(said, one.places, one.values))
        return self.result

    def root(self, root: Root, seen: frozenset[str]) -> None:
        done: set[str] = set()
        for path in dict.fromkeys(each for own in root.by_name.get(TARGET, ()) for each in _owners_first(own, root)):
            setting = root.settings[path]
            prefix = path[: -len(TARGET)]
            if prefix in done or not isinstance(setting.value, str) or "${" in setting.value:
                continue
            source = self.target(setting.value)
            if isinstance(source, str):
                self.result.lost.append((setting, source, root.name))
            elif source.dotted not in seen:
                self.use(Use(root, prefix, source, _declared(root, path), prefix), {}, done)

    def target(self, dotted: str) -> ClassSource | str:
        """The class with fields that a ``_target_`` names, or why there is none."""
        if dotted not in self.targets:
            found = self.library.find(dotted)
            if isinstance(found, ClassSource):
                known = self.reader.fields_of(found)
                missing = known.missing[0] if known.missing else ""
                self.targets[dotted] = found if known.readable else (
                    NO_BASE.format(name=missing, target=dotted) if missing
                    else ORDINARY.format(target=dotted)
                )  # fmt: skip
            elif isinstance(found, Outside):
                self.targets[dotted] = self.absent(dotted)
            else:
                self.targets[dotted] = NO_CLASS.format(target=dotted)
        return self.targets[dotted]

    def absent(self, dotted: str) -> str:
        top = dotted.partition(".")[0]
        for size in range(dotted.count("."), 0, -1):
            module = self.library.module(".".join(dotted.split(".")[:size]))
            if isinstance(module, Module):
                return NOT_SHOWN.format(module=module.name, name=dotted[len(module.name) + 1 :])
        return NOT_FOUND.format(target=dotted) if self.library.has_package(top) else NO_FOLDER.format(package=top)

    # -- one mapping -------------------------------------------------------------------------------------------
    def use(self, use: Use, given: Mapping[str, tuple[ast.expr, Scope]], done: set[str], depth: int = 0) -> None:
        """Compares a mapping with its class; ``given`` are arguments with which another class makes this one."""
        done.add(use.prefix)
        self.result.uses.append(use)
        for one in self.reader.fields_of(use.source).fields.values():
            path = next((use.prefix + name for name in one.names if use.prefix + name in use.root.settings), "")
            if not path or one.name in HYDRAS_OWN:
                continue
            if one.name in given:
                node, scope = given[one.name]
                one = Field(one.name, one.names, scope, node, False, one.annotation, one.statement)
            if one.node is not None:
                self.field(use, path, one, one.node, done, depth)

    def field(self, use: Use, path: str, one: Field, node: ast.expr, done: set[str], depth: int) -> None:
        default = self.default(one, node)
        if isinstance(default, NotStatic):
            self.add(use, path, one, node, (), str(default))
            return
        value, node = default
        if isinstance(value, Required) or value == MANDATORY:
            return
        inner = self.inner(use.root, path, one, value)
        if inner is not None and depth < 30 and path + "." not in done:
            given = dict(value.arguments) if isinstance(value, Instance) else {}
            if isinstance(value, Instance) and value.positional:
                names = list(self.reader.fields_of(inner).fields)
                given = {**dict(zip(names, value.positional, strict=False)), **given}
            own = f"{path}.{TARGET}"
            named = own in use.root.settings
            declared = (_declared(use.root, own), path + ".") if named else (use.declared, use.around)
            self.use(Use(use.root, path + ".", inner, *declared), given, done, depth + 1)
        self.compare(use, path, one, node, value, inner is not None)

    def compare(self, use: Use, path: str, one: Field, node: ast.expr, value: Any, entered: bool) -> None:
        resolution = use.root.resolve(path)
        filled = isinstance(resolution.value, dict) and resolution.value != {}
        open_ = value is None and resolution.value is not None
        if resolution.follows and (open_ or (filled and isinstance(value, Instance))):
            self.add(use, path, one, node, (), TAKEN.format(key=resolution.follows))
        elif filled and (entered or isinstance(value, Instance)):
            return  # its fields were compared, or its own _target_ names another class
        elif isinstance(value, Instance):
            self.add(use, path, one, node, (value,), "" if self.is_read(value) else later("an ordinary class makes it"))
        elif filled and value in (None, {}, []):
            self.add(use, path, one, node, (), FILLED)
        elif filled and isinstance(value, dict) and isinstance(node, ast.Dict):
            self.leaves(use, path, one, node)
        else:
            self.add(use, path, one, node, _readings(value), "")

    def inner(self, root: Root, path: str, one: Field, value: Any) -> ClassSource | None:
        """The class whose fields stand in the mapping at ``path``, where the field says so."""
        if not isinstance(root.settings[path].value, dict):
            return None
        own = root.settings.get(f"{path}.{TARGET}")
        named = self.target(own.value) if own is not None and isinstance(own.value, str) else None
        if isinstance(value, Instance):
            right = self.is_read(value) and (named is None or named == value.source)
            return value.source if right else None
        return None if own is not None else self.reader.class_in(one.annotation, one.scope)

    def is_read(self, value: Instance) -> bool:
        return self.reader.fields_of(value.source).readable

    def default(self, one: Field, node: ast.expr) -> tuple[Any, ast.expr] | NotStatic:
        key = id(node)
        if key not in self.defaults:
            try:
                self.defaults[key] = self.reader.default_of(one)
            except NotStatic as reason:
                self.defaults[key] = reason
            except RecursionError:
                self.defaults[key] = NotStatic(later("it refers to itself"))
        return self.defaults[key]

    def leaves(self, use: Use, path: str, one: Field, node: ast.Dict) -> None:
        """Compares a mapping that the class writes out with the config's, key by key."""
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or isinstance(key.value, bytes):
                continue
            name = str(key.value)
            below = f"{path}.{name}"
            if below not in use.root.settings:
                self.add(use, path, one, value, (), LACKS.format(name=name), name)
            elif isinstance(value, ast.Dict) and value.keys and use.root.settings[below].value:
                self.leaves(use, below, one, value)
            else:
                try:
                    read = self.reader.reader.read(value, one.scope)
                except NotStatic as reason:
                    self.add(use, below, one, value, (), str(reason), name)
                else:
                    self.add(use, below, one, value, _readings(read), "", name)

    # -- what was found ----------------------------------------------------------------------------------------
    def add(
        self, use: Use, path: str, one: Field, node: ast.expr, values: tuple[Any, ...], problem: str, below: str = ""
    ) -> None:
        module, source = one.scope.module, use.source
        key = (source.dotted, one.name, id(node), below)
        if key not in self.found:
            place, text = module.place(node), module.source(node)
            if any(redacted(value) != value for value in values if isinstance(value, (dict, list))):
                text = HIDDEN
            name = ".".join(filter(None, (source.name, one.name, below)))
            names = (f"{source.module.name}.{name}", name)
            plain = is_plain(node) or (one.factory and text in FACTORIES)
            self.found[key] = _Found(module.file, place, text, names, values, plain, [])
        if values and not self.found[key].values:
            self.found[key].values = values
        self.found[key].places.append(Place(use.root, path, use.declared, problem, self.beneath(use, path)))

    def beneath(self, use: Use, path: str) -> tuple[Any, ...]:
        """What the mapping that names the class says at a key over which another file has laid its own value."""
        _, file, line = use.declared
        if use.root.settings[path].file == file:
            return ()
        if file not in self.parts:
            self.parts[file] = load(file)
        for part in self.parts[file]:
            for target, setting in part.settings.items():
                if setting.line == line and setting.name == TARGET:
                    own = part.settings.get(target[: -len(TARGET)] + path[len(use.around) :])
                    return () if own is None or is_interpolated(own.value) else (own.value,)
        return ()


def _owners_first(path: str, root: Root) -> Iterator[str]:
    """The settings that name the classes of the mappings around the one that ``path`` names, then ``path``."""
    parts = path.split(".")
    for size in range(len(parts)):
        around = ".".join([*parts[:size], TARGET])
        if around in root.settings:
            yield around


def _declared(root: Root, path: str) -> tuple[int, str, int]:
    """The place of the setting that names a class, with the indentation of the mapping that it stands in (0: none)."""
    target = root.settings[path]
    parent = root.settings.get(path.rpartition(".")[0])
    if parent is not None and parent.file == target.file and parent.line <= target.line:
        return (parent.column, target.file, target.line)
    return (max(target.column - 2, 0), target.file, target.line)


def _readings(value: Any) -> tuple[Any, ...]:
    return value.values if isinstance(value, EnumMember) else (value,)
