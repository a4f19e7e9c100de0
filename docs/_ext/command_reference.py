"""The reference of a command, made of its own argument parser: ``.. command-options:: check``.

Each flag becomes an ``option`` of Sphinx, so that a page that speaks of ``:option:`ckpt-defaults check --all``` breaks
when there is no such flag.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from ckpt_defaults.cli import _parser

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDTH = 86
"""Columns of a usage line."""


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of the subcommands, by name; the whole command's under an empty name."""
    parser = _parser()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {"": parser, **action.choices}
    return {"": parser}


class CommandOptions(SphinxDirective):
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0] if self.arguments else ""
        parser = commands()[name]
        parser.formatter_class = functools.partial(argparse.HelpFormatter, width=WIDTH)  # type: ignore[assignment]
        parser.color = False  # type: ignore[attr-defined]
        usage = parser.format_usage().strip()
        block = nodes.literal_block(usage, usage, language="text")
        self.set_source_info(block)
        here = self.get_source_info()[0]
        holder = nodes.container()
        self.state.nested_parse(StringList(list(_lines(parser)), here), self.content_offset, holder)
        return [block, *holder.children]


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f".. program:: {parser.prog}"
    yield ""
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if not isinstance(a, argparse._SubParsersAction)]
        titled = group.title not in ("positional arguments", "options", "optional arguments")
        if actions and titled:
            yield from (f".. rubric:: {str(group.title).capitalize()}", "")
        for action in actions:
            yield from (f".. option:: {_signature(action)}", "")
            yield from (f"   {_help(action)}", "")


def _signature(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest)
    value = ""
    if action.nargs != 0:
        value = " " + (str(action.metavar) if action.metavar else "|".join(map(str, action.choices or ("VALUE",))))
    return ", ".join(option + value for option in action.option_strings)


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    if "%(" in text:
        text %= {**vars(action), "default": action.default}
    return (text[:1].upper() + text[1:]).replace("*", "\\*").replace("_", "\\_") or "..."


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("command-options", CommandOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
