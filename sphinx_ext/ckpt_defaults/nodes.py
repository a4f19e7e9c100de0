"""Nodes that the directives leave in a doctree for the build to collect."""

from __future__ import annotations

from docutils import nodes

CONTAINER_CLASS = "ckpt-defaults"
"""The class of the node that holds what ``ckpt-defaults`` renders: what stands in it is no hand-written statement."""

PIN = "ckpt_defaults_pin"
"""The attribute of that node with the pin of ``:expect:``: a mapping with ``key`` (full path of the setting that
chooses the format), ``documented`` (the text as written), ``root`` (the name of the root) and ``values`` (full path of
each setting that the pin speaks of: the value that it must have, as text)."""


class Failure(nodes.Invisible, nodes.Element):
    """A directive that could not do its work: reported in every build, not only in the one that read the page.

    Attributes: ``message`` (one line, without the place), ``line`` (of the directive, from 1), ``subtype`` (of the
    warning type ``ckpt_defaults``). It is taken out before a page is written.
    """


def failure(message: str, source: str | None, line: int | None, subtype: str = "config") -> Failure:
    """A :class:`Failure` at ``line`` of the file ``source``."""
    node = Failure(message=" ".join(message.split()), line=line or 0, subtype=subtype)
    node.source, node.line = source, line
    return node


def is_boxed(node: nodes.Node) -> bool:
    """Whether ``node`` stands where LaTeX cannot break a table over pages."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, (nodes.Admonition, nodes.entry, nodes.topic, nodes.sidebar)):
            return True
        parent = parent.parent
    return False
