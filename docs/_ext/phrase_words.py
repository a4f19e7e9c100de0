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
    parts = [{**load(str(file))[0].value, "file": str(file)} for file in files]
    return {NAMES.get(part["language"], part["language"]): part for part in parts}


class PhraseWords(SphinxDirective):
    """A table of one section: a row for each language, or for each of its groups where the section has some."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        section = self.arguments[0]
        table = [["Language", "Words"]]
        for name, part in languages().items():
            self.env.note_dependency(part.pop("file"))
            found = part.get(section, [])
            if isinstance(found, dict):
                table[0] = ["Language", "Read as", "Words"]
                table += [[name, f"``{meaning}``", _words(words)] for meaning, words in found.items()]
            else:
                table.append([name, _words(found)])
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in table:
            lines += [f"   {'*' if index == 0 else ' '} - {cell}" for index, cell in enumerate(row)]
        source, _ = self.get_source_info()
        holder = nodes.container(classes=["ckpt-defaults"])  # rendered from data: no statement of this page
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        return [holder]


def _words(found: Any) -> str:
    return ", ".join(f"``{word}``" for word in found if word != "") or "none"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("phrase-words", PhraseWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
