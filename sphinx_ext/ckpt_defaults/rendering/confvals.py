"""Rendered keys as objects of Sphinx's ``confval`` kind, and which page is out of date.

Sphinx's own standard domain keeps the objects: ``:confval:``, the search and ``objects.inv`` find them there. A key has
one place: the author's own ``confval`` directive where there is one, else a table before a listing and then the first
page by name. Which it is can only be told when all pages are read, so places are put in for each build anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from ..settings import ConfigError
from .config_answers import digest_of, project_here
from .config_nodes import index_entry
from .declared import forget_code
from .selection import Query

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

TABLE, LISTING = 0, 1
"""What a key is rendered in; a table is the better place to be sent to."""

NAME = "ckpt_keys"

logger = logging.getLogger(__name__)

_Place = tuple[str, str]


class KeyDomain(Domain):
    """Keeps, by page: the keys rendered there, what was asked of the config, and the keys that it refers to.

    ``places``: page to ``(key, id, kind)``; ``answers``: page to query to the digest of its answer; ``wanted``: page
    to the targets of its references; ``written``: what was last put into Sphinx's domains, key to (page, id).
    """

    name = NAME
    label = "settings"
    data_version = 1
    initial_data: ClassVar[dict[str, Any]] = {"places": {}, "answers": {}, "wanted": {}, "written": {}}

    def note_keys(self, keys: Iterable[tuple[str, str, int]]) -> None:
        """Notes keys that the page being read renders: the full key, its id, and what it is rendered in."""
        self.data["places"].setdefault(self.env.docname, []).extend(keys)

    def note_answer(self, query: Query, digest: str) -> None:
        """Notes what the config answered to the page being read."""
        self.data["answers"].setdefault(self.env.docname, {})[query] = digest

    def process_doc(self, env: BuildEnvironment, docname: str, document: nodes.document) -> None:
        wanted = {
            node["reftarget"]
            for node in document.findall(addnodes.pending_xref)
            if node.get("reftype") == "confval" or node.get("refdomain") == NAME
        }
        if wanted:
            self.data["wanted"][docname] = wanted

    def clear_doc(self, docname: str) -> None:
        for name in ("places", "answers", "wanted"):
            self.data[name].pop(docname, None)

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        for name in ("places", "answers", "wanted"):
            for docname in docnames:
                if docname in otherdata[name]:
                    self.data[name][docname] = otherdata[name][docname]

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: nodes.Element,
    ) -> nodes.reference | None:
        """A link that a table makes to another key: on the same page where it is there, no link where it is nowhere."""
        here = next((node_id for key, node_id, _kind in self.data["places"].get(fromdocname, ()) if key == target), "")
        if here:
            return make_refnode(builder, fromdocname, fromdocname, here, [contnode])
        found = standard_objects(env).get(("confval", target))
        if found:
            return make_refnode(builder, fromdocname, found[0], found[1], [contnode])
        return cast("nodes.reference", contnode)  # any node will do

    def resolve_any_xref(self, *given: Any) -> list[tuple[str, nodes.reference]]:
        """Nothing: the standard domain has the objects."""
        return []


def domain_of(env: BuildEnvironment) -> KeyDomain:
    """The domain of rendered keys."""
    domain = env.get_domain(NAME)
    assert isinstance(domain, KeyDomain)
    return domain


def standard_objects(env: BuildEnvironment) -> dict[tuple[str, str], _Place]:
    """The objects of Sphinx's standard domain: kind and name to page and id."""
    objects: dict[tuple[str, str], _Place] = env.get_domain("std").data.setdefault("objects", {})
    return objects


def _index_entries(env: BuildEnvironment) -> dict[str, list[tuple[Any, ...]]]:
    entries: dict[str, list[tuple[Any, ...]]] = env.get_domain("index").data.setdefault("entries", {})
    return entries


def withdraw(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Takes the keys out of Sphinx's domains before pages are read (for ``env-before-read-docs``).

    Else the author's own ``confval`` of such a key would be told to be a duplicate.
    """
    objects = standard_objects(env)
    written: dict[str, _Place] = domain_of(env).data["written"]
    pages: dict[str, set[str]] = {}
    for key, place in written.items():
        pages.setdefault(place[0], set()).add(place[1])
        if objects.get(("confval", key)) == place:
            del objects[("confval", key)]
    entries = _index_entries(env)
    for page, ids in pages.items():
        if page in entries:
            entries[page] = [entry for entry in entries[page] if entry[2] not in ids or entry[0] != "single"]


def settle(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Puts each rendered key into Sphinx's domains, at its one place (for ``env-updated``, when all pages are read).

    Gives the pages to be written again: those that refer to a key whose place is another than in the last build.
    """
    domain = domain_of(env)
    withdraw(app, env, [])  # a second call must not count twice
    objects, entries = standard_objects(env), _index_entries(env)
    places: dict[str, tuple[int, str, str]] = {}
    for page in sorted(domain.data["places"]):
        for key, node_id, kind in domain.data["places"][page]:
            if key not in places or kind < places[key][0]:
                places[key] = (kind, page, node_id)
    before: dict[str, _Place] = domain.data["written"]
    written: dict[str, _Place] = {}
    for key, (_kind, page, node_id) in places.items():
        if ("confval", key) not in objects:
            written[key] = objects[("confval", key)] = (page, node_id)
            entries.setdefault(page, []).append(index_entry(key, node_id))
    domain.data["written"] = written
    moved = {key for key in before.keys() | written.keys() if before.get(key) != written.get(key)}
    return [page for page, wanted in domain.data["wanted"].items() if _touches(wanted, moved)] if before else []


def _touches(wanted: Iterable[str], moved: set[str]) -> bool:
    return bool(moved) and any(key == each or key.endswith("." + each) for each in wanted for key in moved)


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """The pages for which the config has another answer than when they were read (for ``env-get-outdated``)."""
    answers = domain_of(env).data["answers"]
    forget_code()
    with contextlib.suppress(ConfigError):  # told by the pages that need it
        project_here(app.config, env, check=True)
    told: dict[tuple[str, Query], str] = {}
    found = []
    for page, known in answers.items():
        if page in removed or page in changed:
            continue
        if any(digest_of(app.config, env, page, query, told) != digest for query, digest in known.items()):
            found.append(page)
    return found


def resolve_missing(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, contnode: nodes.Element
) -> nodes.Node | None:
    """A ``:confval:`` by the end of a key, where one key alone ends so (for ``missing-reference``, after intersphinx).

    Also: what our own tables refer to without a promise that it is there, which then is no link. A class may be
    documented where it is defined and named by a package that hands it on.
    """
    if node.get("ckpt_optional"):
        entry = env.get_domain("py").data.get("objects", {}).get(node.get("ckpt_defined"))
        return make_refnode(app.builder, node["refdoc"], entry[0], entry[1], [contnode]) if entry else contnode
    if node.get("refdomain") == NAME:
        return contnode
    if (node.get("refdomain"), node.get("reftype")) != ("std", "confval"):
        return None
    target = node["reftarget"]
    found = sorted(_ending(env, target))
    if not found:
        return None
    if len(found) > 1:
        logger.warning(
            "confval %r is ambiguous: %s; write the full key",
            target, ", ".join(found[:6]) + (f" and {len(found) - 6} more" if len(found) > 6 else ""),
            location=node, type="ckpt_defaults", subtype="ambiguous",
        )  # fmt: skip
        return contnode
    page, node_id = standard_objects(env)["confval", found[0]]
    return make_refnode(app.builder, node["refdoc"], page, node_id, [contnode])


def _ending(env: BuildEnvironment, target: str) -> Iterator[str]:
    end = "." + target
    return (name for kind, name in standard_objects(env) if kind == "confval" and name.endswith(end))


def key_reference(key: str, docname: str, contents: Sequence[nodes.Node]) -> addnodes.pending_xref:
    """A reference to a key, without a promise that some page renders it."""
    return addnodes.pending_xref(
        "", *contents, refdomain=NAME, reftype="key", reftarget=key, refdoc=docname, refexplicit=True, refwarn=False
    )


def setup(app: Sphinx) -> None:
    """Adds the domain and connects what keeps Sphinx's own ones right."""
    app.add_domain(KeyDomain)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", withdraw)
    app.connect("env-updated", settle)
    app.connect("missing-reference", resolve_missing, priority=600)
