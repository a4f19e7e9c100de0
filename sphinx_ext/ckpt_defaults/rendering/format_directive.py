"""The directive ``ckpt-defaults``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from ..checkpoint import Default
from ..formats import FORMATS, GATHER, GOVERNING, named_format
from ..nodes import CONTAINER_CLASS, PIN, failure
from ..settings import ConfigError
from ..sources import confdir_of, default_for_page, line_url, look_again, note_confdir, page_path
from ..yaml_scalars import parse_scalar
from .format_table import FormatTable, Place
from .media import MARK, STYLE, DropFailures, FitToColumns, FitToHtml, FitToLatex, add_style

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import OptionSpec


class CkptDefaults(SphinxDirective):
    """The trade-offs of Megatron-Core's optimizer checkpoint formats, the project's default marked, and the warning.

    ``:config:`` chooses among several files or roots that have the settings; ``:expect:`` pins the format (or the raw
    value) that the surrounding text was written for; ``:name:`` is a label for references to the table.

    A fault of the config is left as a :class:`~ckpt_defaults.nodes.Failure`, a pin as the attribute
    ``ckpt_defaults_pin`` of the container: the build judges both each time, also when the page is not read again.
    """

    has_content = False
    option_spec: ClassVar[OptionSpec] = {
        "config": directives.unchanged_required,
        "expect": directives.unchanged_required,
        "name": directives.unchanged,
        "class": directives.class_option,
    }

    def run(self) -> list[nodes.Node]:
        self.state.document[MARK] = "yes"
        try:
            default = default_for_page(self.env, self.options.get("config", ""))
        except ConfigError as error:
            return [self.failed(str(error))]
        setting = default.section.gather
        confdir = confdir_of(self.env)
        place = Place(
            f"{page_path(setting.file, self.config, confdir)}:{setting.line}",
            line_url(setting.file, setting.line, self.config, confdir),
        )
        lean = default.section.resolutions[1].value is True
        builder = FormatTable(self, self.env.new_serialno("ckpt-defaults"))
        table, rest = builder.build(default.format, place, lean)
        self.add_name(table)
        container = nodes.container("", table, *rest, classes=[CONTAINER_CLASS, *self.options.get("class", [])])
        self.set_source_info(container)
        problems = self.pin(container, default)
        return [container, *problems]

    def pin(self, container: nodes.container, default: Default) -> list[nodes.Node]:
        """Leaves on ``container`` what ``:expect:`` says, for the build to compare; a pin that says nothing fails."""
        if "expect" not in self.options:
            return []
        text: str = self.options["expect"].strip()
        pinned = named_format(text)
        if pinned is not None:
            flags = pinned.flags
        else:
            value = parse_scalar(text)
            if not isinstance(value, bool):
                names = ", ".join(each.name for each in FORMATS)
                return [self.failed(f":expect: {text!r} is no format and no value of {GATHER}; write one of {names}")]
            flags = {GATHER: value}
        paths = dict(zip(GOVERNING, (setting.path for setting in default.section.settings), strict=True))
        container[PIN] = {
            "key": paths[GATHER],
            "documented": text,
            "root": default.section.root,
            "values": {paths[key]: str(value) for key, value in flags.items()},
        }
        return []

    def failed(self, message: str) -> nodes.Node:
        return failure(message, *self.get_source_info())


def setup(app: Sphinx) -> None:
    """Adds the directive and what it needs: the transforms that fit it to a medium, and the style sheet."""
    app.add_directive("ckpt-defaults", CkptDefaults)
    for transform in (DropFailures, FitToColumns, FitToHtml, FitToLatex):
        app.add_post_transform(transform)
    app.connect("builder-inited", note_confdir)
    app.connect("env-before-read-docs", look_again)
    add_style(app, STYLE)
