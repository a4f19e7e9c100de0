"""What the directives that show settings have in common: their options, and what they note for the build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from ..nodes import CONTAINER_CLASS, failure
from ..settings import ConfigError
from .config_answers import failed, page_root
from .config_nodes import MARK
from .confvals import domain_of
from .media import MARK as FAILURES
from .selection import Query

if TYPE_CHECKING:
    from sphinx.util.typing import OptionSpec


def words(argument: str | None) -> tuple[str, ...]:
    """The value of an option that takes several words, with or without commas."""
    found = tuple((argument or "").replace(",", " ").split())
    if not found:
        raise ValueError("one or more words are wanted")
    return found


class ConfigDirective(SphinxDirective):
    """A directive whose argument is a key, and whose options choose the root and the settings below the key."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec] = {
        "root": directives.unchanged_required,
        "depth": directives.positive_int,
        "only": words,
        "exclude": words,
        "caption": directives.unchanged_required,
        "name": directives.unchanged,
        "class": directives.class_option,
        "no-index": directives.flag,
    }

    def query(self, kind: str, other: str = "") -> Query:
        """What the directive asks."""
        return Query(
            (self.arguments[0].strip() if self.arguments else ""),
            self.options.get("root", "").strip(),
            self.options.get("depth", 0),
            self.options.get("only", ()),
            self.options.get("exclude", ()),
            self.options.get("sort", "config"),
            kind,
            other,
        )

    def page_root(self) -> str:
        return page_root(self.config, self.env, self.env.docname)

    def failed(self, query: Query, error: ConfigError, digest: str = "") -> list[nodes.Node]:
        """Leaves the failure to the build, which tells it each time; the page is read again when it is mended.

        ``digest`` is that of the answer where the config did answer.
        """
        domain_of(self.env).note_answer(query, digest or failed(error))
        self.state.document[FAILURES] = "yes"
        return [failure(str(error), *self.get_source_info())]

    def note(self, query: Query, digest: str, files: Sequence[str]) -> None:
        """Notes what the page depends on."""
        domain_of(self.env).note_answer(query, digest)
        for file in dict.fromkeys(files):
            self.env.note_dependency(file)

    def block(self, *content: nodes.Node) -> nodes.compound:
        """The outer node, by whose class everything in it is known to be rendered."""
        self.state.document[MARK] = "yes"
        block = nodes.compound("", *content, classes=[CONTAINER_CLASS, *self.options.get("class", [])])
        self.set_source_info(block)
        return block

    def target(self, key: str, targets: list[tuple[str, str, int]], kind: int) -> str:
        """A fresh id for a key, noted as the place of the key unless ``:no-index:`` is given."""
        node_id = self.fresh_id("confval", key)
        if "no-index" not in self.options:
            targets.append((key, node_id, kind))
        return node_id

    def fresh_id(self, prefix: str, key: str) -> str:
        """An id that nothing else in the page has."""
        document = self.state.document
        node_id = make_id(self.env, document, prefix, key)
        document.ids[node_id] = _TAKEN
        return node_id


_TAKEN = nodes.target()
