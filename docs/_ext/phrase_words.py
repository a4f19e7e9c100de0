"""The words of each language as the checker has them: ``.. phrase-words:: heads`` or ``.. phrase-words:: values``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import ckpt_defaults.phrases
from ckpt_defaults.settings import load
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAMES = {"en": "English", "zh": "Chinese", "ja": "Japanese"}


def languages() -> dict[str, Any]:
    """What each language's file holds, by the language's name."""
    files = sorted(Path(ckpt_defaults.phrases.__file__).parent.glob("*.yaml"))
    parts = [load(str(file))[0].value for file in files]
    return {NAMES.get(part["language"], part["language"]): part for part in parts}


class PhraseWords(SphinxDirective):
    """A table of one section: a row for each language (and, for a section with groups, a column for each of them)."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        section = self.arguments[0]
        rows = {name: part.get(section, []) for name, part in languages().items()}
        columns = list(next(iter(rows.values()))) if isinstance(next(iter(rows.values())), dict) else [""]
        heads = ["Language", *(f"Read as ``{name}``" if name != "" else "Words" for name in columns)]
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in (heads, *([name, *(_words(part, column) for column in columns)] for name, part in rows.items())):
            lines += [f"   {'*' if index == 0 else ' '} - {cell}" for index, cell in enumerate(row)]
        source, _ = self.get_source_info()
        holder = nodes.container(classes=["ckpt-defaults"])  # rendered from data: no statement of this page
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        return [holder]


def _words(part: Any, column: str) -> str:
    found = part.get(column, []) if isinstance(part, dict) else part
    return ", ".join(f"``{word}``" for word in found if word != "") or "none"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("phrase-words", PhraseWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
