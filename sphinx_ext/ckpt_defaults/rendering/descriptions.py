"""The comment above a setting as the description that a page shows: inline markup of the page's own language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils import Reporter, new_document
from sphinx import addnodes

from ..settings import Setting

if TYPE_CHECKING:
    from sphinx.util.docutils import SphinxDirective

_MARKUP = re.compile(r"[`*|\\<\[]|://|\w_(?!\w)")
_TICKS = re.compile(r"(?<![`:\w])`([^`\n]+?)`(?![`_\w])")
_LITERAL = re.compile(r"``(.+?)``|`([^`]+)`", re.S)
_ITEM = re.compile(r"[-*•]\s+")
_NO_TEXT = re.compile(r"^[\W_]*$")


class Descriptions:
    """Makes the nodes of descriptions for one directive."""

    def __init__(self, directive: SphinxDirective) -> None:
        self.directive = directive
        self.markdown = not hasattr(directive.state, "state_machine") or "myst" in type(directive.state).__module__
        self.scratch: nodes.document | None = None

    def of(self, setting: Setting) -> list[nodes.Node]:
        """The description of a setting: paragraphs and lists, with the place of the comment as their place."""
        text = setting.comment if setting.comment else setting.remark
        if setting.comment and setting.remark and setting.remark not in setting.comment:
            text = f"{setting.comment}\n\n{setting.remark}"
        if not text:
            return []
        if "\n" not in text:
            return [self.paragraph(_bare(text), setting)]
        found: list[nodes.Node] = []
        for block in blocks(text):
            if isinstance(block, str):
                found.append(self.paragraph(block, setting))
            else:
                items = (nodes.list_item("", self.paragraph(item, setting)) for item in block)
                found.append(nodes.bullet_list("", *items, bullet="*"))
        return found

    def paragraph(self, text: str, setting: Setting) -> nodes.paragraph:
        """Text as a paragraph that translators find at the line of the setting."""
        paragraph = nodes.paragraph(text)
        paragraph.source, paragraph.line = setting.file, setting.line
        if _MARKUP.search(text):
            paragraph.extend(self.inline(text, setting))
        else:
            paragraph.append(nodes.Text(text))
        return paragraph

    def inline(self, text: str, setting: Setting) -> list[nodes.Node]:
        """Text with inline markup: as the page's language reads it where it is valid, else with literals alone."""
        try:
            found = self.markdown_nodes(text) if self.markdown else self.rest_nodes(text)
        except (
            Exception
        ):  # whatever a parser or a role of the project makes of text that was written for nobody's parser
            found = None
        if found is None or not _sound(found):
            return literals(text)
        for node in found:
            if isinstance(node, nodes.Element):
                for each in node.findall(nodes.Element):
                    each.source, each.line = setting.file, setting.line
        return found

    def rest_nodes(self, text: str) -> list[nodes.Node] | None:
        """The nodes of reStructuredText, bare backticks being literals; ``None`` where it is not valid."""
        state: Any = self.directive.state
        if self.scratch is None:
            self.scratch = new_document(state.document["source"], state.document.settings)
            self.scratch.reporter = _Quiet(state.document.reporter)
        memo = _Memo(state.memo, self.scratch)
        inliner = state.inliner
        kept = {name: getattr(inliner, name, None) for name in ("document", "reporter", "language", "parent")}
        try:
            found, messages = inliner.parse(_TICKS.sub(r"``\1``", text), self.directive.lineno, memo, None)
        finally:
            for name, value in kept.items():
                setattr(inliner, name, value)
        return None if messages else found

    def markdown_nodes(self, text: str) -> list[nodes.Node] | None:
        """The nodes of Markdown as the page's own parser reads it."""
        found, messages = self.directive.parse_inline(text)
        return None if messages else found


class _Quiet(Reporter):
    """A reporter that tells nobody: what is not valid becomes plain text."""

    def __init__(self, reporter: Any) -> None:
        super().__init__(reporter.source, 5, 5, stream=False)
        self.get_source_and_line = reporter.get_source_and_line


class _Memo:
    """A parser's memo with another document."""

    def __init__(self, memo: Any, document: nodes.document) -> None:
        self.__dict__.update(memo.__dict__)
        self.document, self.reporter = document, document.reporter


def _sound(found: list[nodes.Node]) -> bool:
    """Whether parsed text stands for itself: nothing raw, unknown or still to be defined elsewhere in the page."""
    for top in found:
        for node in top.findall():
            if isinstance(node, (nodes.problematic, nodes.raw, nodes.system_message, nodes.image, nodes.target)):
                return False
            if isinstance(node, (nodes.substitution_reference, nodes.footnote_reference, nodes.citation_reference)):
                return False
            if isinstance(node, nodes.reference) and not (node.get("refuri") or "").startswith(("http", "mailto:")):
                return False
            if isinstance(node, addnodes.pending_xref) and node.get("reftype") in ("myst", "any", None):
                return False
    return True


def literals(text: str) -> list[nodes.Node]:
    """Text in which nothing but backticks means anything."""
    found: list[nodes.Node] = []
    end = 0
    for hit in _LITERAL.finditer(text):
        if hit.start() > end:
            found.append(nodes.Text(text[end : hit.start()]))
        found.append(nodes.literal("", hit.group(1) or hit.group(2)))
        end = hit.end()
    if end < len(text):
        found.append(nodes.Text(text[end:]))
    return found


def _bare(line: str) -> str:
    """A line of a comment without the marks that generators of documentation read (``# -- text``)."""
    return re.sub(r"^(?:--|@schema|@param\s+\S+)\s+", "", line)


def blocks(text: str) -> list[str | list[str]]:
    """A comment as paragraphs and as lists of items; lines of nothing but punctuation are rules and are left out."""
    found: list[str | list[str]] = []
    fresh = True
    for raw in text.split("\n"):
        line = _bare(raw.strip())
        if not line or _NO_TEXT.match(line):
            fresh = True
            continue
        item = _ITEM.match(line)
        if item:
            if not found or isinstance(found[-1], str):
                found.append([])
            found[-1].append(line[item.end() :])  # type: ignore[union-attr]
        elif fresh or not found:
            found.append(line)
        elif isinstance(found[-1], str):
            found[-1] += f" {line}"
        else:
            found[-1][-1] += f" {line}"
        fresh = False
    return found
