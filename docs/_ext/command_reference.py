"""The reference of a command, made of its own argument parser: ``.. command-options:: check``.

Each flag becomes an ``option`` of Sphinx, so that a page that speaks of ``:option:`ckpt-defaults check --all``` breaks
when there is no such flag.
"""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ckpt_defaults import cli
from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDTH = 86
"""Columns of a usage line."""

logger = logging.getLogger(__name__)


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parsers of the subcommands, by name; the whole command's under an empty name."""
    parser = cli._parser()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {"": parser, **action.choices}
    return {"": parser}


class CommandOptions(SphinxDirective):
    """The usage line and the options of a subcommand (or of the whole command), each with the help that it prints.

    The content is a field list that says more on some of them: ``:--all: more text``.
    """

    optional_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(cli.__file__)
        parser = commands()[self.arguments[0] if self.arguments else ""]
        parser.formatter_class = functools.partial(argparse.HelpFormatter, width=WIDTH)  # type: ignore[assignment]
        parser.color = False  # type: ignore[attr-defined]
        usage = parser.format_usage().strip()
        block = nodes.literal_block(usage, usage, language="text")
        self.set_source_info(block)
        source, _ = self.get_source_info()
        holder = nodes.container()
        self.state.nested_parse(StringList(list(_lines(parser)), source), self.content_offset, holder)
        self.say_more(holder)
        return [block, *holder.children]

    def say_more(self, holder: nodes.Element) -> None:
        """Puts the fields of the content below the options that they are named after."""
        more = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, more)
        described: dict[str, addnodes.desc_content] = {}
        for option in holder.findall(addnodes.desc):
            for name in option[0].get("allnames", ()):
                described[name] = option[-1]
        for field in more.findall(nodes.field):
            name, body = field[0].astext(), field[-1]
            if name in described:
                described[name] += body.children
            else:
                logger.warning("the command has no option %r", name, location=self.get_location(), type="example")


def _lines(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f".. program:: {parser.prog}"
    yield ""
    for subcommands in (a for a in parser._actions if isinstance(a, argparse._SubParsersAction)):
        for choice in subcommands._choices_actions:
            yield from (f"``{choice.dest}``", f"   {_help(choice)}", "")
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if not isinstance(a, argparse._SubParsersAction)]
        titled = group.title not in ("positional arguments", "options", "optional arguments")
        if actions and titled:
            yield from (f".. rubric:: {str(group.title).capitalize()}", "")
        for action in actions:
            yield from (f".. option:: {_signature(action)}", "")
            if action.help:
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
    text = re.sub(r"(?<!\S)\(?(?:--[a-z-]+|[A-Za-z_]*_[A-Za-z_]+)", lambda hit: f"``{hit.group(0)}``", text)
    text = text.replace("``(", "(``").replace("*", "\\*")
    return f"{text[:1].upper()}{text[1:]}."


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("command-options", CommandOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
