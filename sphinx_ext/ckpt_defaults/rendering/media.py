"""Fits what the directives render to the medium: breakable literals, labels for stacked rows, the style sheet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ..nodes import CONTAINER_CLASS, Failure, is_boxed
from .format_table import TABLE_CLASS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK = "ckpt_defaults"
"""The attribute of a page that holds something for these transforms."""

STYLE = "ckpt_defaults.css"

_BREAKS = re.compile(r"(?<=[_./])(?=[^\s_./])")


class _Fitting(SphinxPostTransform):
    """Runs on the copy of a page that is written: the stored page is the same for every medium."""

    default_priority = 700

    def is_concerned(self) -> bool:
        """Whether the page may hold something to fit: it has the mark, or pages that have it were put into it.

        LaTeX, manual pages and single HTML files are made of the page with the toctree.
        """
        return bool(self.document.get(MARK)) or self.env.docname in self.env.toctree_includes

    def holders(self) -> list[nodes.container]:
        """What the directives rendered."""
        if not self.is_concerned():
            return []
        return [node for node in self.document.findall(nodes.container) if CONTAINER_CLASS in node["classes"]]


class DropFailures(_Fitting):
    """Takes the notes of failed directives out."""

    def run(self, **kwargs: Any) -> None:
        if self.is_concerned():
            for failed in list(self.document.findall(Failure)):
                failed.parent.remove(failed)


class FitToHtml(_Fitting):
    """Lets long names break after an underscore, and puts each column's head into its cells, for stacked rows."""

    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for holder in self.holders():
            _break_literals(holder, "<wbr />", "html")
            for table in _tables(holder):
                _label_cells(table)


class FitToLatex(_Fitting):
    """Lets long names break after an underscore, and the table over a page, or makes a list of it within a box."""

    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        for holder in self.holders():
            for table in _tables(holder):
                if is_boxed(table):
                    table.replace_self(_listed(table))
                else:
                    table["classes"].append("longtable")
            _break_literals(holder, r"\allowbreak{}", "latex")


class FitToColumns(_Fitting):
    """Makes a list of the table where a line has some eighty characters."""

    builders = ("text", "man")

    def run(self, **kwargs: Any) -> None:
        for holder in self.holders():
            for table in _tables(holder):
                table.replace_self(_listed(table))


def _tables(holder: nodes.Element) -> list[nodes.table]:
    return [table for table in holder.findall(nodes.table) if TABLE_CLASS in table["classes"]]


def _break_literals(holder: nodes.Element, mark: str, medium: str) -> None:
    for literal in holder.findall(nodes.literal):
        pieces = _BREAKS.split(literal.astext())
        literal.clear()
        for index, piece in enumerate(pieces):
            if index:
                literal += nodes.raw("", mark, format=medium)
            literal += nodes.Text(piece)


def _heads(table: nodes.table) -> list[str]:
    return [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]


def _listed(table: nodes.table) -> list[nodes.Node]:
    """The table as its title and a definition list: a row an item, each cell behind the head of its column."""
    heads = _heads(table)
    listed = nodes.definition_list()
    for body in table.findall(nodes.tbody):
        for row in body.findall(nodes.row):
            name, *rest = row.children[0].children
            told = nodes.definition("", *rest)
            for head, entry in list(zip(heads, row.children, strict=True))[1:]:
                paragraph = nodes.paragraph("", "", nodes.strong("", f"{head}:"))
                for part in entry.children:
                    paragraph += [nodes.Text(" "), *part.children]
                told += paragraph
            listed += nodes.definition_list_item("", nodes.term("", "", *name.children), told)
    return [nodes.rubric("", "", *table.children[0].children, ids=table["ids"]), listed]


def _label_cells(table: nodes.table) -> None:
    heads = _heads(table)
    for body in table.findall(nodes.tbody):
        for row in body.findall(nodes.row):
            for text, entry in list(zip(heads, row.findall(nodes.entry), strict=True))[1:]:
                entry.insert(0, nodes.paragraph("", text, classes=["ckpt-label"]))


def add_style(app: Sphinx, name: str) -> None:
    """Adds a style sheet of ``static/`` to HTML pages. The project's ``html_static_path`` is left as it is: a changed
    config value makes Sphinx build everything anew."""
    source = Path(__file__).parent.parent / "static" / name

    def copy(app: Sphinx) -> None:
        if app.builder.format != "html":
            return
        target = Path(app.outdir) / "_static" / name
        style = source.read_bytes()
        if not target.exists() or target.read_bytes() != style:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(style)

    app.connect("builder-inited", copy)
    app.add_css_file(name)
