"""The row of one setting as a single node that holds its texts; what it costs a build is mostly the number of nodes.

HTML is written from it directly. For every other medium it is taken apart first, into the cells, paragraphs and
literals that any writer knows.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from .config_nodes import (
    _,
    blocks,
    breakable,
    config_cell,
    config_key,
    config_value,
    nothing,
)

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class config_row(nodes.row):
    """The row of a setting.

    ``ids``: the target of references; ``key``: the full key; ``text`` and ``lead``: the name that is shown and how many
    of its characters name the groups above; ``type``, ``default``, ``choices``, ``source``: texts, empty where there is
    nothing to tell; ``title``: where the default is set; ``url``: the address of that line.
    A :class:`~.config_nodes.config_cell` as first child is the default where a text cannot say it; the other children
    are the description.
    """

    tagname = "row"


class config_body(nodes.tbody):
    """The rows of settings. ``columns``: the names of the columns, ``labels``: their heads."""

    tagname = "tbody"


def _code(text: str, kind: str, title: str = "", lead: int = 0) -> str:
    tooltip = f' title="{escape(title)}"' if title else ""
    above = f'<span class="ckpt-lead">{breakable(text[:lead])}</span><wbr />' if lead else ""
    return f'<code class="docutils literal notranslate {kind}"{tooltip}>{above}{breakable(text[lead:])}</code>'


def _codes(texts: list[str]) -> str:
    return ", ".join(_code(text, "ckpt-value") for text in texts)


def visit_row_html(self: Any, node: config_row) -> None:
    """Writes the whole row."""
    body: list[str] = self.body
    columns, labels = node.parent["columns"], node.parent["labels"]
    default, description = parts(node)
    identity = f' id="{escape(node["ids"][0])}"' if node["ids"] else ""
    classes = f' class="{" ".join(node["classes"])}"' if node["classes"] else ""
    body.append(f"<tr{identity}{classes}>")
    for column, label in zip(columns, labels, strict=True):
        if column == "name":
            body.append(f'<th scope="row">{_code(node["text"], "ckpt-key", node["key"], node["lead"])}')
            add_permalink = getattr(self, "add_permalink_ref", None)
            if add_permalink is not None:
                add_permalink(node, _("Link to this setting"))
            body.append("</th>\n")
        elif column == "description":
            body.append('<td class="ckpt-wide">')
            for child in description:
                child.walkabout(self)
            if node["choices"] and "values" not in columns:
                allowed = escape(_("Allowed: %s")).replace("%s", _codes(node["choices"]))
                body.append(f'<p class="ckpt-values">{allowed}</p>')
            if node["source"] and "source" not in columns:
                body.append(f'<p class="ckpt-source">{escape(_("Set in %s")).replace("%s", _link(node))}</p>')
            body.append("</td>\n")
        else:
            body.append(f'<td data-label="{escape(label)}">')
            if column == "default" and default is not None:
                for child in default.children:
                    child.walkabout(self)
            else:
                body.append(_text_of(node, column))
            body.append("</td>\n")
    body.append("</tr>\n")
    raise nodes.SkipNode


def _text_of(node: config_row, column: str) -> str:
    if column == "default":
        return f"<p>{_code(node['default'], 'ckpt-value', node['title'])}</p>" if node["default"] else ""
    if column == "type":
        return f"<p>{escape(node['type'])}</p>" if node["type"] else ""
    if column == "values":
        return f"<p>{_codes(node['choices'])}</p>" if node["choices"] else ""
    return f'<p class="ckpt-source">{_link(node)}</p>' if node["source"] else ""


def _link(node: config_row) -> str:
    text = breakable(node["source"])
    return f'<a class="reference external" href="{escape(node["url"])}">{text}</a>' if node["url"] else text


def parts(node: config_row) -> tuple[config_cell | None, list[nodes.Node]]:
    """The cell of the default, if the row holds one, and the description."""
    first = node.children[0] if node.children else None
    return (first, node.children[1:]) if isinstance(first, config_cell) else (None, node.children)


def expanded(node: config_row, columns: list[str], labels: list[str]) -> nodes.row:
    """The row as cells that every writer knows."""
    default, description = parts(node)
    row = nodes.row(classes=node["classes"])
    for column, label in zip(columns, labels, strict=True):
        cell = config_cell(label="" if column in ("name", "description") else label)
        if column == "name":
            cell += line(config_key("", node["text"], ids=node["ids"], key=node["key"]))
        elif column == "description":
            cell["classes"].append("ckpt-wide")
            cell += description
            if node["choices"] and "values" not in columns:
                cell += told(_("Allowed: %s"), *values(node["choices"]), name="ckpt-values")
            if node["source"] and "source" not in columns:
                cell += told(_("Set in %s"), _reference(node), name="ckpt-source")
        elif column == "default" and default is not None:
            cell += default.children
        elif column == "default" and node["default"]:
            cell += line(config_value("", node["default"]))
        elif column == "type" and node["type"]:
            cell += line(nodes.Text(node["type"]))
        elif column == "values" and node["choices"]:
            cell += line(*values(node["choices"]))
        elif column == "source" and node["source"]:
            cell += line(_reference(node))
        row += cell
    return row


def _reference(node: config_row) -> nodes.Node:
    if not node["url"]:
        return config_value("", node["source"])
    return nodes.reference("", "", config_value("", node["source"]), refuri=node["url"], internal=False)


def line(*content: nodes.Node, name: str = "") -> nodes.paragraph:
    """A paragraph that is no message for translators."""
    return nodes.paragraph("", "", *content, translatable=False, classes=[name] if name else [])


def told(text: str, *content: nodes.Node, name: str = "") -> nodes.paragraph:
    """A paragraph of a translated text that has ``content`` in the place of its ``%s``."""
    before, _place, after = text.partition("%s")
    around = [nodes.Text(before)] if before else []
    return line(*around, *content, *([nodes.Text(after)] if after else []), name=name)


def values(texts: list[str] | tuple[str, ...]) -> list[nodes.Node]:
    """Values, separated by commas."""
    found: list[nodes.Node] = []
    for text in texts:
        found += [nodes.Text(", ")] if found else []
        found.append(config_value("", text))
    return found


class ExpandRows(SphinxPostTransform):
    """Takes rows apart for all writers but those of HTML."""

    default_priority = 690
    formats = ("html",)

    def is_supported(self) -> bool:
        return not super().is_supported()

    def run(self, **kwargs: Any) -> None:
        for block in blocks(self.document, self.env):
            for body in list(block.findall(config_body)):
                plain = nodes.tbody()
                plain += [expanded(row, body["columns"], body["labels"]) for row in body.findall(config_row)]
                body.replace_self(plain)


def setup(app: Sphinx) -> None:
    """Adds the nodes and their transform."""
    app.add_node(config_row, html=(visit_row_html, nothing))
    app.add_post_transform(ExpandRows)
