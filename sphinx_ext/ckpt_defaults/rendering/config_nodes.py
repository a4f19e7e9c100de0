"""The nodes of rendered settings, and how each medium writes them.

They are kinds of docutils' own nodes: a builder that does not know them writes them as what they derive from. Rendered
settings stand in a :class:`~docutils.nodes.compound` of the class ``ckpt-defaults``.
"""

from __future__ import annotations

import contextlib
import re
from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import get_translation
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..nodes import CONTAINER_CLASS, Failure, is_boxed

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_translated = get_translation("ckpt_defaults")


def _(message: str) -> str:
    """``message`` in the language of the build."""
    return str(_translated(message))


MARK = "ckpt_config"
"""The attribute of a document that holds rendered settings; the transforms pass others by."""

TABLE_CLASS = "ckpt-config"

_BREAKS = re.compile(r"(?<=[_./:=,])(?=[^\s_./:=,])|(?<=[a-z0-9])(?=[A-Z][a-z])")


class config_key(nodes.literal):
    """A key that is shown and is the target of references to it (``ids``). ``key``: the full key."""

    tagname = "literal"


class config_value(nodes.literal):
    """A value. ``title``: where it is set, as a tooltip."""

    tagname = "literal"


class config_cell(nodes.entry):
    """A cell. ``label``: the head of its column, shown where rows are stacked."""

    tagname = "entry"


class config_yaml(nodes.literal_block):
    """A listing. ``numbers``: the number of each line in its file, ``anchors``: the id of each line (or ``''``)."""

    tagname = "literal_block"


def _tag(node: nodes.Element, extra: str) -> str:
    """The start of a ``code`` element with the node's ids, classes and tooltip."""
    classes = " ".join(["docutils", "literal", "notranslate", extra, *node["classes"]])
    ids = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    title = f' title="{escape(node["title"])}"' if node.get("title") else ""
    return f'<code class="{classes}"{ids}{title}>'


def breakable(text: str) -> str:
    """HTML of a text that may break after a stop, a slash or an underscore, and before a capital within a name."""
    return "<wbr />".join(map(escape, _BREAKS.split(text)))


def visit_value_html(self: Any, node: config_value) -> None:
    self.body.append(f"{_tag(node, 'ckpt-value')}{breakable(node.astext())}</code>")
    raise nodes.SkipNode


def visit_cell_html(self: Any, node: config_cell) -> None:
    """A cell without docutils' search for stubs and heads: the first of a row heads it."""
    name = "th" if node.parent[0] is node else "td"
    scope = ' scope="row"' if name == "th" else ""
    label = f' data-label="{escape(node["label"])}"' if node.get("label") else ""
    classes = f' class="{" ".join(node["classes"])}"' if node["classes"] else ""
    self.body.append(f"<{name}{classes}{scope}{label}>")
    self.context.append(f"</{name}>\n")


def depart_cell_html(self: Any, node: config_cell) -> None:
    self.body.append(self.context.pop())


def visit_yaml_html(self: Any, node: config_yaml) -> None:
    """Lets the writer highlight the block, then puts in the lines' own numbers and their anchors."""
    start = len(self.body)
    try:
        self.visit_literal_block(node)
    except nodes.SkipNode:
        written = "".join(self.body[start:])
        del self.body[start:]
        self.body.append(_with_places(written, node))
        raise


_NUMBER = re.compile(r'(<span class="linenos(?: special)?">)\s*\d+\s*?(</span>)')


def _with_places(written: str, node: config_yaml) -> str:
    numbers: list[int] = node.get("numbers", [])
    anchors: list[str] = node.get("anchors", [])
    if node.get("linenos") and numbers:
        width = len(str(max(numbers)))
        rest = iter(numbers)
        written = _NUMBER.sub(lambda hit: f"{hit.group(1)}{next(rest, ''):>{width}}{hit.group(2)}", written)
    head, opened, body = written.partition("<pre>")
    code, closed, tail = body.rpartition("</pre>")
    lines = code.split("\n")
    if not opened or '<td class="linenos' in head or len(lines) < len(anchors):
        return written
    for index, anchor in enumerate(anchors):
        if anchor:
            closing = len(lines[index]) - len(lines[index].removeprefix("</span>"))  # of the line before
            lines[index] = f'{lines[index][:closing]}<span id="{escape(anchor)}"></span>{lines[index][closing:]}'
    return head + opened + "\n".join(lines) + closed + tail


_SHOWN_ENTRY = re.compile(r"(?<=@\\spxentry\{).*?(?=\}[!|}])")
"""What an entry of the index shows, behind what it is sorted by."""


def _breakable_entry(hit: re.Match[str]) -> str:
    """A key that may break in the narrow columns of an index on paper."""
    return re.sub(r"(?<!\\)\.|\\_", lambda mark: rf"{mark.group()}\allowbreak{{}}", hit.group())


def visit_key_latex(self: Any, node: config_key) -> None:
    if self.in_title:
        self.visit_literal(node)
        return
    for node_id in node["ids"]:
        self.body.append(self.hypertarget(node_id))
    if node["ids"] and node.get("key"):
        entry = addnodes.index(entries=[index_entry(node["key"], node["ids"][0])])
        start = len(self.body)
        with contextlib.suppress(nodes.SkipNode):
            self.visit_index(entry)
        self.body[start:] = [_SHOWN_ENTRY.sub(_breakable_entry, text) for text in self.body[start:]]
    visit_value_latex(self, node)


def visit_value_latex(self: Any, node: nodes.literal) -> None:
    if self.in_title:
        self.visit_literal(node)
        return
    text = r"\allowbreak{}".join(map(self.encode, _BREAKS.split(node.astext())))
    self.body.append(rf"\sphinxcode{{\sphinxupquote{{{text}}}}}")
    raise nodes.SkipNode


def depart_literal_latex(self: Any, node: nodes.literal) -> None:
    self.depart_literal(node)


def skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def nothing(self: Any, node: nodes.Node) -> None:
    """Nothing is left to be closed."""


def index_entry(key: str, node_id: str) -> tuple[str, str, str, str, None]:
    """The entry of a key in the general index: under its last component, which is what readers look for."""
    name = key.rpartition(".")[2]
    return ("single", key if name == key else f"{name}; {key}", node_id, "", None)


def blocks(document: nodes.document, env: BuildEnvironment) -> list[nodes.compound]:
    """What the directives left in a document, or in the pages that LaTeX, man and single HTML put into it."""
    if not document.get(MARK) and env.docname not in env.toctree_includes:
        return []
    return [node for node in document.findall(nodes.compound) if CONTAINER_CLASS in node["classes"]]


class FitConfigToPages(SphinxPostTransform):
    """Lets a table run over pages in LaTeX; within a box it becomes a list. A listing is cut where its numbers jump."""

    default_priority = 699
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        for block in blocks(self.document, self.env):
            for table in list(block.findall(nodes.table)):
                if is_boxed(block):
                    table.replace_self(listed(table))
                else:
                    table["classes"].append("longtable")
                    _break_words(table)
            for listing in list(block.findall(config_yaml)):
                if listing.get("linenos"):
                    listing.replace_self(runs(listing))


class FitConfigToLines(SphinxPostTransform):
    """Makes a list of a table where a line has some eighty characters."""

    default_priority = 699
    builders = ("text", "man", "texinfo")

    def run(self, **kwargs: Any) -> None:
        for block in blocks(self.document, self.env):
            for table in list(block.findall(nodes.table)):
                table.replace_self(listed(table))


_LONG_WORD = re.compile(r"\S{18,}")


def _break_words(table: nodes.table) -> None:
    """Lets long names in descriptions break as those in literals do: a column is narrow on paper."""
    for text in list(table.findall(nodes.Text)):
        if isinstance(text.parent, nodes.literal) or not _LONG_WORD.search(text):
            continue
        marked = _LONG_WORD.sub(lambda hit: "\0".join(_BREAKS.split(hit.group())), text)
        first, *rest = marked.split("\0")
        pieces: list[nodes.Node] = [nodes.Text(first)]
        for piece in rest:
            pieces += [nodes.raw("", r"\allowbreak{}", format="latex"), nodes.Text(piece)]
        text.parent.replace(text, pieces)


def listed(table: nodes.table) -> list[nodes.Node]:
    """A table as its title and a definition list: the name, then what is short in brackets, then the rest."""
    found: list[nodes.Node] = []
    title = next((child for child in table.children if isinstance(child, nodes.title)), None)
    if title is not None:
        found.append(nodes.rubric("", "", *title.children, ids=table["ids"]))
    items = nodes.definition_list()
    heads = [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]
    for body in table.findall(nodes.tbody):
        for row in body.findall(nodes.row):
            items += _item(row, heads)
    return [*found, items]


def _item(row: nodes.row, heads: list[str]) -> nodes.definition_list_item:
    cells = [cell for cell in row.children if isinstance(cell, nodes.entry)]
    term = nodes.term("", "", *(part for child in cells[0].children for part in child.children))
    told = nodes.definition()
    short = nodes.paragraph("", "", translatable=False)
    for head, cell in list(zip(heads, cells, strict=False))[1:]:
        if "ckpt-wide" in cell["classes"]:
            told += cell.children
            continue
        if not cell.astext():
            continue
        short += nodes.Text(("; " if short.children else "") + f"{head}: ")
        for index, child in enumerate(cell.children):
            short += [nodes.Text(", ")] if index else []
            short += child.children
    if short.children:
        told.insert(0, short)
    if not told.children:
        told += nodes.paragraph("", "–", translatable=False)
    return nodes.definition_list_item("", term, told)


def _marked(listing: config_yaml) -> set[int]:
    given: dict[str, list[int]] = listing.get("highlight_args", {})
    return set(given.get("hl_lines", []))


def runs(listing: config_yaml) -> list[nodes.Node]:
    """A listing as one block for each run of lines that follow each other in the file."""
    lines, numbers = listing.astext().split("\n"), listing["numbers"]
    marked = _marked(listing)
    found: list[nodes.Node] = []
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and numbers[end] == numbers[end - 1] + 1:
            continue
        text = "\n".join(lines[start:end])
        block = nodes.literal_block(text, text, language=listing["language"], linenos=True, translatable=False)
        hit = [line - start for line in marked if start < line <= end]
        block["highlight_args"] = {"linenostart": numbers[start], **({"hl_lines": hit} if hit else {})}
        block.source, block.line = listing.source, listing.line
        found.append(block)
        start = end
    return found


def setup(app: Sphinx) -> None:
    """Adds the nodes and the transforms that fit them to a medium."""
    app.add_node(config_key, latex=(visit_key_latex, depart_literal_latex))
    app.add_node(config_value, html=(visit_value_html, nothing), latex=(visit_value_latex, depart_literal_latex))
    app.add_node(config_cell, html=(visit_cell_html, depart_cell_html))
    app.add_node(config_yaml, html=(visit_yaml_html, nothing))
    silent = (skip, nothing)
    app.add_node(Failure, html=silent, latex=silent, text=silent, man=silent, texinfo=silent)
    app.add_post_transform(FitConfigToPages)
    app.add_post_transform(FitConfigToLines)
