"""The copies of defaults that stand in code and in the config itself, judged: classes, fallbacks, generated files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..garbage import uncollected
from ..roots import Project
from ..settings import ConfigError, shown_path
from ..statements import Statement
from ..statements.class_fields import FieldReader
from ..statements.class_source import Library
from ..statements.class_texts import text_copies
from ..statements.config_comments import comment_copies
from ..statements.copies import Copy
from ..statements.dataclasses import ClassCopies, class_copies
from ..statements.fallbacks import fallback_copies
from ..statements.generated import generated_verdicts
from ..verdicts import UNDECIDED, Verdict
from .code_verdicts import judge_copies


@dataclass(frozen=True)
class CodeResult:
    """The verdicts of all copies in the order of files and lines, what is to be told once, and the files read."""

    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@uncollected()
def code_verdicts(project: Project, code: Sequence[str], *, every_place: bool = False) -> CodeResult:
    """Judges every copy of ``project``'s defaults.

    ``code`` are folders of Python in which the classes are found that ``_target_`` names; without one, classes are left
    out. ``every_place`` reports a class's field at each key that differs, not only where no use of the class agrees.
    Raises :class:`ConfigError` for a folder that does not exist and for YAML that cannot be read.
    """
    for folder in code:
        if not os.path.exists(folder):
            raise ConfigError("does not exist; name the folder of the code", folder)
    copies: list[Copy] = []
    verdicts: list[Verdict] = []
    notes: list[str] = []
    files: list[str] = []
    if code:
        library = Library(code)
        reader = FieldReader(library)
        found = class_copies(project, library, reader)
        copies += [*found.copies, *text_copies(found.uses, reader)]
        verdicts += _lost(found)
        notes += _notes(found, library, code)
        files += library.files
    copies += [*comment_copies(project), *fallback_copies(project)]
    made = generated_verdicts(project)
    verdicts += made.verdicts
    notes += made.notes
    verdicts += judge_copies(copies, every_place)
    verdicts.sort(key=lambda v: (v.statement.file, v.statement.line, v.statement.column, v.path))
    return CodeResult(tuple(verdicts), tuple(dict.fromkeys(notes)), tuple(dict.fromkeys([*files, *project.generated])))


def asked_for(project: Project, code: Sequence[str], *, every_place: bool, in_config: bool) -> CodeResult:
    """What a check judges beside the pages: with folders of code every copy; without them the generated files, and
    with ``in_config`` the copies that stand in the config itself.

    Raises what :func:`code_verdicts` raises.
    """
    if code or in_config:
        return code_verdicts(project, code, every_place=every_place)
    made = generated_verdicts(project)
    return CodeResult(tuple(made.verdicts), tuple(made.notes), tuple(project.generated))


def _lost(found: ClassCopies) -> list[Verdict]:
    """The mappings whose class was not found, once a place."""
    verdicts: dict[tuple[str, int], Verdict] = {}
    for setting, reason, root in found.lost:
        said = Statement(setting.file, setting.line, 1, "dataclass", (setting.path,), str(setting.value), literal=True)
        verdicts.setdefault(
            (setting.file, setting.line), Verdict(said, UNDECIDED, setting.path, root, "", setting, reason)
        )
    return list(verdicts.values())


def _notes(found: ClassCopies, library: Library, code: Sequence[str]) -> list[str]:
    notes = [f"{shown_path(file)} {fault}; its classes are left out" for file, fault in library.faults.items()]
    if found.lost and not found.uses:
        where = ", ".join(map(shown_path, code))
        notes.append(f"none of the classes that the config names by _target_ is found in {where}: {found.lost[0][1]}")
    return notes
