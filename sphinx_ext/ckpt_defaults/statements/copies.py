"""A copy of a default in code or config: the statement, and the settings that it repeats. Readers find them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..phrases import phrases
from ..roots import Root
from ..wording import later
from . import Context, Statement

SEVERAL = later("it gives several values")
"""Why a text that names more than one default is not judged."""


@dataclass(frozen=True, slots=True)
class Place:
    """A setting of one root that a copy repeats: its full key there.

    ``declared`` tells what it belongs to as (indentation, file, line): of a class's field, the line of YAML that names
    the class. Several roles may be laid from one such mapping, and may differ from it on purpose. Where one class is
    named by several mappings, the least indented one is its own; one deep inside another component is a role.
    ``problem`` is why the copy cannot be compared with this setting. ``beneath`` is the value that the mapping itself
    gives, where another file lays its own over it.
    """

    root: Root
    path: str
    declared: tuple[int, str, int] = (0, "", 0)
    problem: str = ""
    beneath: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """A statement found in code or config.

    ``places`` are the settings that it repeats, ``values`` the typed values that its text may mean (an enum's member
    has two); with ``words`` it is text for a person, read as a page is. A literal that several classes inherit makes a
    copy for each.
    """

    statement: Statement
    places: Sequence[Place]
    values: tuple[Any, ...] = ()
    words: bool = False


def statement_at(
    file: str,
    place: tuple[int, int, int],
    kind: str,
    keys: tuple[str, ...],
    documented: str,
    *,
    rewritable: bool = True,
    literal: bool = True,
) -> Statement:
    """A statement about ``keys`` whose value stands at (line, column, length); ``documented`` is put on one line.

    One that no literal can take the place of is given the length 0; a bare word of no language for values is loose.
    """
    line, column, length = place
    text = " ".join(documented.split())
    span = length if rewritable else 0
    loose = not literal and text.isalpha() and text.lower() not in phrases().values
    return Statement(file, line, column, kind, keys, text, Context(), span, literal=literal, loose=loose)
