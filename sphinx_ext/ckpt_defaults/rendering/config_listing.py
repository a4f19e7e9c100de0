"""The directive ``config-listing``: the settings under a key as the YAML that sets them, or as a diff of two roots."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.directives.code import container_wrapper

from ..settings import ConfigError
from .config_answers import DIFF, LISTING, answer_diff, answer_listing, digest, digest_lines, project_here
from .config_directive import ConfigDirective, words
from .config_nodes import _, config_yaml
from .config_text import Line
from .confvals import LISTING as IN_LISTING
from .confvals import domain_of
from .selection import Answer, rows_of

if TYPE_CHECKING:
    from sphinx.util.typing import OptionSpec


class ConfigListing(ConfigDirective):
    """The settings under a key as YAML, line by line as the files have it.

    ``:no-comments:`` leaves comments out, ``:linenos:`` shows the files' own line numbers, ``:emphasize:`` marks keys,
    ``:diff: ROOT`` shows what another root changes.
    """

    has_content = False
    option_spec: ClassVar[OptionSpec] = {
        **ConfigDirective.option_spec,
        "no-comments": directives.flag,
        "linenos": directives.flag,
        "emphasize": words,
        "diff": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        if "diff" in self.options:
            return self.run_diff()
        query = self.query(LISTING, "bare" if "no-comments" in self.options else "")
        try:
            found, lines = answer_listing(project_here(self.config, self.env), query, self.page_root())
        except ConfigError as error:
            return self.failed(query, error)
        try:
            marked = emphasized(self.options.get("emphasize", ()), found, lines)
        except ConfigError as error:
            return self.failed(query, error, digest_lines(lines))
        self.note(query, digest_lines(lines), [row.setting.file for row in found.rows])
        targets: list[tuple[str, str, int]] = []
        anchors = [self.target(line.key, targets, IN_LISTING) if line.first else "" for line in lines]
        domain_of(self.env).note_keys(targets)
        block = self.listing("\n".join(line.text for line in lines), "yaml")
        block["numbers"], block["anchors"] = [line.number for line in lines], anchors
        if marked:
            block["highlight_args"] = {"hl_lines": marked}
        return [self.block(self.wrapped(block))]

    def run_diff(self) -> list[nodes.Node]:
        query = self.query(DIFF, self.options["diff"].strip())
        try:
            roots, names, key, lines, count = answer_diff(project_here(self.config, self.env), query, self.page_root())
        except ConfigError as error:
            return self.failed(query, error)
        rows = [row for each in roots for row in rows_of(each, key, query)]
        self.note(query, digest((names, lines)), [row.setting.file for row in rows])
        told = {"root": names[0], "other": names[1], "count": count}
        if not lines:
            text = _("%(other)s and %(root)s have the same settings here.") % told
            return [self.block(nodes.paragraph("", text, translatable=False))]
        text = _("What %(other)s changes of %(root)s (%(count)s settings):") % told
        lead = nodes.paragraph("", text, translatable=False)
        return [self.block(lead, self.wrapped(self.listing("\n".join(lines), "diff")))]

    def listing(self, text: str, language: str) -> config_yaml:
        block = config_yaml(text, text, language=language, translatable=False, linenos="linenos" in self.options)
        block["xml:space"] = "preserve"
        self.set_source_info(block)
        return block

    def wrapped(self, block: config_yaml) -> nodes.Element:
        """The block with its caption, if there is one, and the name of ``:name:``."""
        node: nodes.Element = block
        if "caption" in self.options:
            node = container_wrapper(self, block, self.options["caption"])
        self.add_name(node)
        return node


def emphasized(patterns: Sequence[str], found: Answer, lines: Sequence[Line]) -> list[int]:
    """The lines (from 1) that set a key that a pattern fits. Raises :class:`ConfigError` for a pattern without one."""
    names = {row.path: row for row in found.rows}
    hits: set[str] = set()
    for pattern in patterns:
        fitting = {
            path for path, row in names.items()
            if any(fnmatch.fnmatchcase(text, pattern) for text in (row.name, row.setting.name, path))
        }  # fmt: skip
        if not fitting:
            near = difflib.get_close_matches(pattern, [row.name for row in found.rows], n=1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f":emphasize: {pattern!r} fits no key that is listed{advice}")
        hits |= fitting
    marked = []
    begun = ""
    for number, line in enumerate(lines, 1):
        begun = line.key if line.first else begun
        if line.key in hits and begun == line.key:
            marked.append(number)
    return marked
