"""Documents to doctrees without a Sphinx project: .rst through docutils, .md through MyST.

Directives and roles that docutils does not know are read as containers and plain text, so that no page of any project
breaks the reading. Files are never included from outside the folder of documents, nothing is written or executed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.directives.misc import Include
from docutils.parsers.rst.directives.tables import CSVTable
from docutils.parsers.rst.states import NestedStateMachine, RSTState
from docutils.utils import DependencyList, new_document

from .including import may_include, myst_includes_below
from .nodes import CONTAINER_CLASS
from .settings import ConfigError

ENDINGS = (".rst", ".md")

_OVERRIDES: dict[str, Any] = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": True,
    "raw_enabled": True,  # HTML comments of Markdown are ours to read; the directive "raw" is not read at all
    "warning_stream": False,
    "_disable_config": True,
    "syntax_highlight": "none",
    "line_length_limit": 1_000_000,
    "smart_quotes": False,
    "myst_enable_extensions": [
        "colon_fence", "deflist", "fieldlist", "tasklist",
    ],
    "myst_suppress_warnings": ["myst"],
    "myst_highlight_code_blocks": False,
}  # fmt: skip


ROLE = "config-default"
"""The role of a live value."""


class MystMissing(ConfigError):
    """A Markdown page and no MyST to read it."""


class _Anything(Directive):
    """A directive of some other extension: its content is read, its name and options do not matter."""

    has_content = True
    optional_arguments = 1_000
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = None

    def run(self) -> list[nodes.Node]:
        holder = nodes.container()
        holder.document = self.state.document
        with contextlib.suppress(Exception):
            self.state.nested_parse(self.content, self.content_offset, holder)
        return holder.children or []


class _Code(_Anything):
    """``code-block``, ``sourcecode``, ``literalinclude``, ``prompt``: text that is not read as a document."""

    def run(self) -> list[nodes.Node]:
        block = nodes.literal_block("\n".join(self.content), "\n".join(self.content))
        block["language"] = (self.arguments[0] if self.arguments else "").strip()
        block.source, block.line = self.state_machine.get_source_and_line(self.lineno)
        return [block] if self.content else []


class _Opaque(_Anything):
    """A directive whose content is no document (a graph, a formula, a page of another language)."""

    def run(self) -> list[nodes.Node]:
        return []


class _Confval(_Anything):
    """Sphinx's ``confval``: the key, and its options as a field list."""

    def run(self) -> list[nodes.Node]:
        description = _desc()
        description["objtype"] = "confval"
        name = (self.arguments or [""])[0].split("\n")[0]
        signature = nodes.inline(name, name)
        signature["fullname"] = name
        signature.source, signature.line = self.state_machine.get_source_and_line(self.lineno)
        description += signature
        body = nodes.container()
        body += self.options_as_fields()
        body += super().run()
        description += body
        return [description]

    def options_as_fields(self) -> nodes.field_list:
        """The options as the field list that Sphinx makes of them."""
        fields = nodes.field_list()
        for offset, line in enumerate(self.block_text.split("\n")):
            hit = re.match(r"^\s+:([\w-]+):\s*(.*)$", line)
            if hit is None and offset:
                break
            if hit is not None:
                parsed, _ = self.state.inline_text(hit.group(2), self.lineno + offset)
                text = nodes.paragraph(hit.group(2), "", *parsed)
                text.source, text.line = self.state_machine.get_source_and_line(self.lineno + offset)
                fields += nodes.field("", nodes.field_name("", hit.group(1)), nodes.field_body("", text))
        return fields


class _Foreign(_Confval):
    """A directive of some other extension; one with an option ``default`` describes the setting in its argument."""

    def run(self) -> list[nodes.Node]:
        head, _, options = self.block_text.partition("\n\n")[0].partition("\n")
        described = re.search(r"::\s+\S+\s*$", head) and re.search(r"^\s+:default:", options, re.M)
        return super().run() if described else _Anything.run(self)


def _desc() -> nodes.Element:
    """A node that the readers take for Sphinx's object description (told by its class name)."""
    return desc()


class desc(nodes.General, nodes.Element):
    """Stands for ``sphinx.addnodes.desc``, which the command does not import."""


_KNOWN: dict[str, type[Directive]] = {
    "code-block": _Code, "sourcecode": _Code, "prompt": _Code, "ipython": _Code, "parsed-literal": _Code, "code": _Code,
    "highlight": _Opaque, "toctree": _Opaque, "graphviz": _Opaque, "mermaid": _Opaque, "math": _Opaque, "raw": _Opaque,
    "plantuml": _Opaque, "productionlist": _Opaque, "testcode": _Code, "doctest": _Code, "default-role": _Opaque,
    "confval": _Confval, "ckpt-defaults": _Opaque, "ckpt-memory": _Opaque, "config-table": _Opaque,
    "config-listing": _Opaque, "image": _Opaque, "figure": _Opaque, "jinja": _Opaque,
}  # fmt: skip
_OWN = frozenset({"list-table", "table", "container", "only", "role", "class"})


@functools.lru_cache(maxsize=8)
def _literalinclude(root: str) -> type[Directive]:
    class LiteralInclude(_Anything):
        def run(self) -> list[nodes.Node]:
            here = os.path.dirname(self.state_machine.get_source(self.lineno) or "")
            path = os.path.normpath(os.path.join(here, (self.arguments or [""])[0]))
            if not may_include((self.arguments or [""])[0], here, root, self.state.document):
                return []
            try:
                with open(path, encoding="utf-8", errors="replace") as stream:
                    text = stream.read()
            except OSError:
                return []
            block = nodes.literal_block(text, text)
            block["language"] = "yaml" if path.endswith((".yaml", ".yml")) else ""
            block["source"] = path
            block.line = 1
            return [block]

    return LiteralInclude


@functools.lru_cache(maxsize=8)
def _include(root: str) -> type[Directive]:
    class OwnInclude(Include):
        # the option "parser" names a module, which docutils imports
        option_spec: ClassVar[Any] = {**(Include.option_spec or {}), "parser": directives.unchanged}

        def run(self) -> list[nodes.Node]:
            self.options.pop("parser", None)
            here = os.path.dirname(self.state.document.current_source or "")
            return list(super().run()) if may_include(self.arguments[0], here, root, self.state.document) else []

    return OwnInclude


@functools.lru_cache(maxsize=8)
def _csv_table(root: str) -> type[Directive]:
    class OwnCSVTable(CSVTable):
        def run(self) -> list[Any]:
            here = os.path.dirname(self.state.document.current_source or "")
            file = self.options.get("file")
            if "url" in self.options or (file and not may_include(file, here, root, self.state.document)):
                return []
            return list(super().run())

    return OwnCSVTable


class _States(dict[str, Any]):
    """The states of a docutils machine by name, each made when it is entered: a list needs two of fifteen."""

    def __init__(self, machine: _Nested, classes: Iterable[Any]) -> None:
        super().__init__()
        self.machine, self.classes = machine, {found.__name__: found for found in classes}

    def __missing__(self, name: str) -> Any:
        state = self[name] = self.classes[name](self.machine)
        if self.machine.memo is not None:
            state.runtime_init()
        return state


class _Nested(NestedStateMachine):
    """docutils' machine for what stands within something else, quicker to make: there is one for each list item."""

    memo: Any = None

    def add_states(self, state_classes: Iterable[Any]) -> None:
        self.states = _States(self, state_classes)


@contextlib.contextmanager
def _one_markdown_parser() -> Iterator[None]:
    """While it lasts, MyST takes the parser that it made for a page before, where the pages ask for the same."""
    module = sys.modules.get("myst_parser.parsers.docutils_")
    if module is None:
        yield
        return
    create = module.create_md_parser

    def kept(config: Any, renderer: Any) -> Any:
        if not _MADE or _MADE[0] != config:
            made = create(config, renderer)
            _MADE[:] = config, made, frozenset(vars(made.renderer))
        return _MADE[1]

    module.create_md_parser = kept  # type: ignore[attr-defined]
    try:
        yield
    finally:
        module.create_md_parser = create  # type: ignore[attr-defined]
        if _MADE:
            _, parser, own = _MADE
            parser.options.pop("document", None)
            for name in vars(parser.renderer).keys() - own:
                delattr(parser.renderer, name)


_MADE: list[Any] = []
"""The last configuration of MyST, the parser made for it, and what its renderer has before it is given a page."""


@contextlib.contextmanager
def _quick_machines() -> Iterator[None]:
    """While it lasts, docutils takes :class:`_Nested` for nested texts."""
    before = RSTState.nested_sm, RSTState.nested_sm_cache
    RSTState.nested_sm, RSTState.nested_sm_cache = _Nested, []
    try:
        yield
    finally:
        RSTState.nested_sm, RSTState.nested_sm_cache = before


@contextlib.contextmanager
def lenient(root: str) -> Iterator[None]:
    """While it lasts, docutils knows every directive and role; includes stay below ``root``."""
    find_directive, find_role = directives.directive, roles.role
    own = {"literalinclude": _literalinclude(root), "include": _include(root), "csv-table": _csv_table(root)}

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        bare = name.rsplit(":", 1)[-1].lower()
        if bare in own:
            return own[bare], []
        if bare in _KNOWN:
            return _KNOWN[bare], []
        found, messages = find_directive(name, language, document)
        if found is None or (bare not in _OWN and not _plain_docutils(found)):
            return _Foreign, []
        return found, messages

    def role(name: str, language: Any, lineno: int, reporter: Any) -> tuple[Any, list[Any]]:
        found, messages = find_role(name, language, lineno, reporter)
        return (found or _plain_role), ([] if found is None else messages)

    directives.directive, roles.role = directive, role  # type: ignore[assignment]
    try:
        with myst_includes_below(root), _one_markdown_parser(), _quick_machines():
            yield
    finally:
        directives.directive, roles.role = find_directive, find_role


def _plain_docutils(found: Any) -> bool:
    return str(getattr(found, "__module__", "")).startswith("docutils.")


_LITERAL_ROLES = re.compile(
    r"(?:^|:)(?:code|confval|option|envvar|samp|file|command|data|attr|meth|func|class|mod|obj|program|literal)$"
)


def _plain_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """A role of some other extension: a literal where the role is for names, else its text without the target."""
    if name.lower() == ROLE:
        return [nodes.literal(rawtext, text, classes=[CONTAINER_CLASS])], []
    shown = re.sub(r"\s*<[^<>]*>$", "", text) or text
    if shown == text:  # the name of a thing, shown as Sphinx shows it
        shown = text.rsplit(".", 1)[-1] if text.startswith("~") else text
        shown += "()" if re.search(r"(?:^|:)(?:func|meth)$", name) and not text.endswith(")") else ""
    make = nodes.literal if _LITERAL_ROLES.search(name) else nodes.inline
    return [make(rawtext, shown.lstrip("!~"))], []


def parse(file: str, text: str, root: str) -> nodes.document:
    """The doctree of a page. ``root`` is the folder below which ``include`` may read.

    Raises :class:`ConfigError` when a Markdown page is met and MyST is not installed, and for a page that the parser
    cannot read.
    """
    make, settings = _parser(file.endswith(".md"))
    settings.record_dependencies = DependencyList()
    document = new_document(file, settings)
    try:
        with lenient(root):
            make().parse(text, document)  # a parser keeps the tree that it made
    except RecursionError:
        raise ConfigError("is nested too deeply to be read; nest less, or leave the page out", file) from None
    except ConfigError:
        raise
    except Exception as error:  # a fault of the parser, not of this project: the page is named, nothing is skipped
        said = f"{type(error).__name__}: {error}"[:200]
        raise ConfigError(f"cannot be parsed ({said}); mend the page, or leave it out", file) from None
    return document


_PARSERS: dict[bool, tuple[Callable[[], Any], Any]] = {}
"""A class of parsers and its settings, for Markdown and for the other form."""


def _parser(markdown: bool) -> tuple[Callable[[], Any], Any]:
    if markdown not in _PARSERS:
        make: Callable[[], Any] = Parser
        if markdown:
            try:
                from myst_parser.parsers.docutils_ import Parser as make
            except ImportError:
                raise MystMissing("reading Markdown needs MyST: install sphinx-ckpt-defaults[myst]") from None
        settings = get_default_settings(make())
        for name, value in _OVERRIDES.items():
            setattr(settings, name, value)
        if markdown:
            settings.myst_enable_extensions = set(_OVERRIDES["myst_enable_extensions"])
        _PARSERS[markdown] = (make, settings)
    return _PARSERS[markdown]
