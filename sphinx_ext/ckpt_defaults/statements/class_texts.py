"""Statements in the words around a class: its docstring's parameters and the comments at its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .class_fields import FieldReader
from .class_source import ClassSource
from .copies import SEVERAL, Copy, Place, statement_at
from .dataclasses import Use
from .passages import Said, docstring_entries, field_comments, said_of


def text_copies(uses: Sequence[Use], reader: FieldReader) -> list[Copy]:
    """What docstrings and comments say of the fields of the classes in use, as copies of the settings of each use.

    The docstring of a base speaks of a field as long as no class between it and the one in use defines the field anew.
    """
    entries: dict[ClassSource, list[tuple[str, str, list[Said]]]] = {}
    found: dict[tuple[str, tuple[int, int, int]], tuple[Said, str, str, list[Place]]] = {}
    for use in uses:
        fields = reader.fields_of(use.source)
        hidden: set[str] = set()
        for base in fields.bases:
            if base not in entries:
                entries[base] = list(_said(base, reader))
            for kind, name, said in entries[base]:
                field = fields.fields.get(name)
                names = [use.prefix + each for each in (field.names if field else (name,))]
                path = next((each for each in names if each in use.root.settings), "")
                if not path or name in hidden:
                    continue
                problem = SEVERAL if len({one.value for one in said}) > 1 else ""
                for one in said:
                    entry = found.setdefault((base.module.file, one.place), (one, kind, f"{base.dotted}.{name}", []))
                    entry[3].append(Place(use.root, path, use.declared, problem))
            hidden.update(reader.own_fields(base))
    copies = []
    for (file, place), (one, kind, name, places) in found.items():
        statement = statement_at(file, place, kind, (places[0].path, name), one.value, literal=one.literal)
        copies.append(Copy(statement, places, words=True))
    return copies


def _said(source: ClassSource, reader: FieldReader) -> Iterator[tuple[str, str, list[Said]]]:
    for name, pieces in docstring_entries(source):
        said = said_of(name, pieces)
        if said:
            yield "prose", name, said
    for field in reader.own_fields(source).values():
        for pieces in field_comments(source, field.statement):
            said = said_of(field.name, pieces)
            if said:
                yield "comment", field.name, said
