"""One pass over a document's tree: each block goes to its reader, with what stands around it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docutils import nodes

from ..phrases import CLOSE, OPEN, phrases
from . import DEFAULTS, EXAMPLE, SURE, UNKNOWN, Context, Reading, Statement, listings, prose, tables
from .blocks import (
    BACKTICKS,
    PLAIN,
    Place,
    as_key,
    block_language,
    confval_of,
    head_key,
    is_rendered,
    key_of_bullet,
    keys_of_list,
    locate,
    locate_in_cell,
    lone_key,
    marked,
    options_of,
    place_of,
    unmarked,
)
from .cues import announces_blocks, cue_of_block, cue_of_entries
from .html_tables import html_table
from .places import RowLines, comment_place, first_line, indents

_MARKER = re.compile(
    r"^\s*ckpt-defaults:\s*(?P<what>ignore-page|ignore|listing|example|root\s+(?P<root>\S.*?))(?:\s+--?\s.*|\s*)$"
)
_ADMONITION = re.compile(r"^(?:!!!|\?\?\?\+?)\s")
_LISTS = (nodes.bullet_list, nodes.enumerated_list, nodes.table)
_FILE_NAME = re.compile(r"(?<![\w\-./])[\w\-./]{1,300}\.ya?ml\b")


@dataclass
class _Section:
    title: str
    root: str = ""
    file: str = ""
    key: str = ""
    cue: int = UNKNOWN
    above: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)


@dataclass
class _Walk:
    """Where the pass stands: sections and bullets around, what the last paragraph said, what a comment asked for."""

    file: str
    found: list[Statement] = field(default_factory=list)
    sections: list[_Section] = field(default_factory=lambda: [_Section("")])
    heads: list[str] = field(default_factory=list)
    lead: str = ""
    block_key: str = ""
    awaiting: tuple[str, ...] = ()
    skip_next: tuple[str, int] | None = None
    block_cue: int | None = None
    groups: int = 0
    grid: tables.Grid | None = None
    grid_group: str = ""
    html_end: int = 0
    page_ignored: tuple[str, int] | None = None
    unused: list[tuple[str, int]] = field(default_factory=list)

    # -- around ------------------------------------------------------------------------------------------------
    def context(self, *extra: str) -> Context:
        titles = tuple(t for s in reversed(self.sections) for t in (unmarked(s.title), s.file) if t)
        root = next((s.root for s in reversed(self.sections) if s.root), "")
        return Context(self.parents(), (*(e for e in extra if e), *titles), root)

    def parents(self) -> tuple[str, ...]:
        return tuple(head for head in reversed(self.heads) if head)

    def heading_key(self) -> str:
        section = self.sections[-1]
        return section.key or head_key(section.title) or as_key(section.title)

    def next_group(self) -> str:
        self.groups += 1
        return f"{self.file}#{self.groups}"

    def add(self, kind: str, keys: tuple[str, ...], value: str, place: Place, file: str, **more: object) -> None:
        said = unmarked(value)
        written = place.text(file).strip() if place.span else ""
        exact = written.translate(PLAIN) == said.strip().translate(PLAIN)
        span, said = (place.span, written) if exact else (0, said)
        self.found.append(Statement(file, place.line, place.column, kind, keys, said, span=span, **more))  # type: ignore[arg-type]

    # -- the pass ----------------------------------------------------------------------------------------------
    def visit(self, node: nodes.Node) -> None:
        comment = isinstance(node, (nodes.comment, nodes.raw))
        if isinstance(node, nodes.Text) or is_rendered(node) or (comment and self.marker(node)):
            return
        if self.html_end and place_of(node, self.file)[1] <= self.html_end:
            return
        if self.skip_next and isinstance(node, nodes.Element) and not isinstance(node, (nodes.Invisible, nodes.title)):
            self.skip(node)
            return
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler is not None:
            handler(node)
        else:
            for child in node.children:
                self.visit(child)

    def skip(self, node: nodes.Element) -> None:
        """Reads an ignored block as if for nothing, to know whether the comment before it is still needed."""
        place, self.skip_next = self.skip_next, None
        aside = _Walk(self.file, sections=copy.deepcopy(self.sections), heads=[*self.heads], lead=self.lead)
        aside.visit(node)
        if place is not None and not aside.found:
            self.unused.append(place)

    def reading(self) -> Reading:
        """What was found, without what is ignored."""
        unused = [*self.unused] + ([self.skip_next] if self.skip_next else [])
        if self.page_ignored is not None:
            return Reading([], tuple(unused) if self.found else (self.page_ignored,))
        return Reading(self.found, tuple(unused))

    def marker(self, node: nodes.Node) -> bool:
        text = re.sub(r"^<!--|-->$", "", node.astext().strip()).strip()
        hit = _MARKER.match(text)
        if hit is None:
            return isinstance(node, nodes.comment)
        what = hit.group("what")
        if what == "ignore":
            self.skip_next = comment_place(node, self.file)
        elif what == "ignore-page":
            self.page_ignored = comment_place(node, self.file)
        elif what == "listing":
            self.block_cue = SURE
        elif what == "example":
            self.block_cue = EXAMPLE
        else:
            self.sections[-1].root = hit.group("root").strip()
        return True

    def on_section(self, node: nodes.section) -> None:
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        parent = self.sections[-1]
        self.sections.append(_Section(marked(title) if title else "", cue=max(parent.cue, UNKNOWN)))
        if title is not None and _FILE_NAME.search(title.astext()):
            self.sections[-1].cue = SURE
        self.lead, self.grid, self.block_key = "", None, ""
        heads, self.heads = self.heads, []
        for child in node.children:
            if child is not title:
                self.visit(child)
        self.heads = heads
        self.sections.pop()
        self.lead = ""

    def on_admonition(self, node: nodes.Element) -> None:
        """A note between a sentence and the block that it announces does not announce it."""
        lead = self.lead
        for child in node.children:
            self.visit(child)
        self.lead = lead

    on_note = on_warning = on_tip = on_hint = on_important = on_attention = on_caution = on_danger = on_admonition

    def on_title(self, node: nodes.Node) -> None:
        """A title outside a section is text like any other; what docutils says of a page is no statement of it."""

    on_system_message = on_title

    def on_paragraph(self, node: nodes.paragraph) -> None:
        if self.grid is not None:
            rows = tables.fallen_rows(node)
            if rows is not None:
                self.read_rows(tables.Grid(self.grid.heads, rows, self.grid.carried))
                return
        text = marked(node)
        head = head_key(text)
        self.sections[-1].key = lone_key(node) or self.sections[-1].key
        own = self.heads[-1] if self.heads and self.heads[-1] else ""
        following = node.next_node(descend=False, siblings=True)
        listed = isinstance(following, _LISTS)
        if not isinstance(node.parent, nodes.entry):
            self.note_lead(text, following)
        parents = self.parents()
        parents = parents[1:] if parents and (head or own) == parents[0] else parents
        below = keys_of_list(following) if listed and text.rstrip().endswith((":", "：")) else ()
        if below and not head and not any(prose.find(text)):
            for key in below:
                self.read_prose(node, text, key, parents)
        else:
            self.read_prose(node, text, head or own, parents, "" if listed else self.block_key)
        block, self.block_key = self.block_key, ""
        labels = phrases().is_label(text) and text.rstrip().endswith((":", "："))
        self.awaiting = tuple(k for k in (head or own, *parents, block, self.heading_key()) if k) if labels else ()
        self.lead = text
        if not isinstance(node.parent, (nodes.list_item, nodes.definition, nodes.entry, nodes.field_body)):
            self.grid = None

    on_line_block = on_paragraph

    def note_lead(self, text: str, following: nodes.Node | None) -> None:
        """A sentence that announces the blocks of the whole section; one before a list or table announces that."""
        named = _FILE_NAME.findall(text) if ".y" in text else ()
        if named:
            self.sections[-1].file = named[-1]
        before_block = isinstance(following, nodes.literal_block)
        if not isinstance(following, _LISTS) and announces_blocks(text, before_block):
            self.sections[-1].cue = max(self.sections[-1].cue, DEFAULTS)

    def read_prose(self, node: nodes.Node, text: str, head: str, parents: tuple[str, ...], block: str = "") -> None:
        for hit in prose.find(text, head, (*self.expanded(head), *parents), self.heading_key(), block=block):
            file, line = place_of(node, self.file)
            place = locate(file, line, text[: hit.start], hit.value)
            keys = tuple(dict.fromkeys(k for key in hit.keys for k in (*self.expanded(key), key)))
            self.add(
                "prose", keys, hit.value, place, file,
                context=self.context(), literal=hit.literal, loose=hit.loose, conditional=hit.conditional,
                option=hit.keys[0].replace("-", "_") in self.sections[-1].options,
            )  # fmt: skip

    def expanded(self, key: str) -> Iterator[str]:
        """The full paths that the blocks above in this section give a key: their key of that name, where it is one."""
        for section in reversed(self.sections) if key else ():
            paths = [path for path in section.above if path.endswith("." + key)]
            if len(set(paths)) == 1:
                yield paths[0]
            if paths:
                return

    def on_list_item(self, node: nodes.list_item) -> None:
        self.heads.append(next((key_of_bullet(c) for c in node.children if isinstance(c, nodes.TextElement)), ""))
        for child in node.children:
            self.visit(child)
        self.heads.pop()

    def on_bullet_list(self, node: nodes.Element) -> None:
        """A list: the literal of the sentence before it may be the key that its items stand under."""
        lead = "" if any(self.heads) else self.lead
        literals = [as_key(m) for m in re.findall(f"{OPEN}([^{CLOSE}]+){CLOSE}", lead)]
        self.heads.append(next((k for k in reversed(literals) if k), ""))
        for child in node.children:
            self.visit(child)
        self.heads.pop()

    on_enumerated_list = on_bullet_list

    def on_definition_list_item(self, node: nodes.Element) -> None:
        term = next((c for c in node.children if isinstance(c, nodes.term)), None)
        text = marked(term) if term is not None else ""
        head = as_key(text) or head_key(text)
        if term is not None:
            self.read_prose(term, text, head, self.parents())
        self.heads.append(head)
        for child in node.children:
            if isinstance(child, nodes.definition):
                self.visit(child)
        self.heads.pop()

    def on_field(self, node: nodes.field) -> None:
        """``:default: X``, in a field list under a key or in Sphinx's ``confval``."""
        name, body = node.children[0], node.children[-1]
        around = tuple(k for k in (*self.parents(), self.heading_key()) if k)
        if phrases().is_label(name.astext()) and around and isinstance(body, nodes.Element):
            text = tables.cell_text(body)
            confval = confval_of(node)
            lined = next((child for child in body.children if getattr(child, "line", None)), None)
            file, line = place_of(lined or (body if confval is None else confval.children[0]), self.file)
            kind = "prose" if confval is None else "confval"
            for cell in tables.default_cell(tables.Cell(text, body), around):
                place = locate(file, line, text[: cell.start], cell.value)
                self.add(kind, around, cell.value, place, file, context=self.context(), literal=cell.literal)
            return
        self.heads.append(as_key(marked(name)))
        self.visit(body)
        self.heads.pop()

    def on_desc(self, node: nodes.Element) -> None:
        signature = node.children[0] if node.children else None
        head = ""
        if isinstance(signature, nodes.Element):
            head = as_key(str(signature.get("fullname", "")) or signature.astext())
        self.heads.append(head if node.get("objtype") in ("confval", "option", "envvar", "setting", "config") else "")
        for child in node.children[1:]:
            self.visit(child)
        self.heads.pop()

    # -- tables ------------------------------------------------------------------------------------------------
    def on_table(self, node: nodes.table) -> None:
        grid = tables.grid_of(node)
        if grid is None:
            return
        self.grid, self.grid_group = grid, self.next_group()
        self.read_rows(grid)
        for entry in node.findall(nodes.literal_block):
            self.visit(entry)
        self.grid = grid

    def read_rows(self, grid: tables.Grid) -> None:
        lines = RowLines(grid, self.file)
        for hit in tables.read(grid, self.heading_key(), self.parents()):
            file, line, alone = lines.of(hit)
            if hit.cell.offset:
                before = marked(hit.cell.node)[: hit.cell.offset]
            else:
                before = "" if alone else "".join(cell.text + " " for cell in hit.row)
            place = locate(file, line, before + hit.cell.text[: hit.start], hit.value)
            if not alone and not hit.cell.offset:
                place = locate_in_cell(file, line, len(hit.row), hit.cell.text[: hit.start], hit.value) or place
            group = f"{self.grid_group}/{hit.head}" if hit.kind == "table" else ""
            self.add(
                hit.kind, hit.keys, hit.value, place, file,
                context=self.context(hit.head if _FILE_NAME.search(hit.head) or len(hit.head) > 8 else ""),
                literal=hit.literal, group=group, loose=hit.loose, conditional=hit.conditional,
                cue=DEFAULTS if hit.sure else UNKNOWN,
            )  # fmt: skip

    def on_raw(self, node: nodes.raw) -> None:
        """A table that a page in Markdown writes in HTML."""
        found = html_table(node, self.file) if self.file.endswith(".md") and node.get("format") == "html" else None
        if found is not None:
            self.on_table(found[0])
            self.html_end = found[1]

    # -- blocks of code ----------------------------------------------------------------------------------------
    def on_literal_block(self, node: nodes.Element) -> None:
        text = node.astext()
        file, line = place_of(node, self.file)
        file = str(node.get("source") or file)
        first = first_line(file, line, text)
        language = block_language(node)
        self.sections[-1].options |= options_of(text)
        if self.block_cue == EXAMPLE:  # a marker says so: nothing in the block is a statement
            self.block_cue, self.lead = None, ""
            return
        titles = [unmarked(section.title) for section in self.sections]
        said = cue_of_block(self.lead, self.sections[-1].cue, titles)
        cue, self.block_cue = said if self.block_cue is None else self.block_cue, None
        keys, self.awaiting = self.awaiting, ()
        if keys and not any(entry.leaf for entry in listings.entries(text)):
            # "default:" and the value as a block of its own; a block of keys is a listing
            place = Place(first, 1, 0)
            self.add("listing", keys, listings.flow(text), place, file, context=self.context(), literal=True)
            return
        if _ADMONITION.match(self.lead) and not language:  # an admonition of MkDocs: its text is indented
            self.read_indented(node, text)
            return
        group = self.next_group()
        paths: dict[int, str] = {}
        columns = indents(file, first, text)
        if listings.is_yaml(text, language):
            found = listings.entries(text)
            cue = cue_of_entries(node, found) if cue == UNKNOWN else cue
            for entry in found:
                paths[entry.row] = entry.path
                if entry.leaf and not entry.selects:
                    place = Place(first + entry.row, columns(entry.row) + entry.column, entry.span)
                    self.add(
                        "listing", (entry.path,), entry.value, place, file,
                        context=self.context(), literal=True, group=group, cue=cue, comment=entry.comment,
                    )  # fmt: skip
            leaves = [entry.path for entry in found if entry.leaf]
            self.block_key = leaves[0] if len(leaves) == 1 else ""
            if cue != EXAMPLE or paths:
                self.sections[-1].above += [path for path in paths.values() if "." in path]
        for remark in listings.remarks(text, paths):
            place = Place(first + remark.row, columns(remark.row) + remark.column, remark.span)
            self.add(
                "comment", remark.keys, remark.value, place, file,
                context=self.context(), literal=remark.literal, loose=remark.loose,
            )  # fmt: skip
        self.lead = ""

    def read_indented(self, node: nodes.Element, text: str) -> None:
        """Paragraphs that Markdown takes for code because they are indented."""
        for part in re.split(r"\n\s*\n", text):
            if part.strip():
                said = BACKTICKS.sub(lambda hit: OPEN + hit.group(1) + CLOSE, part)
                self.read_prose(node, said, head_key(said), self.parents())


def read_page_tree(document: nodes.document, file: str) -> Reading:
    """What one document's tree holds; ``file`` is the path of its source."""
    walk = _Walk(file)
    for child in document.children:
        walk.visit(child)
    return walk.reading()


def read_document(document: nodes.document, file: str) -> list[Statement]:
    """The statements of one document's tree; ``file`` is the path of its source."""
    return read_page_tree(document, file).statements
