"""The check in a Sphinx build: statements are collected while pages are read, and judged in every build.

Statements are kept in the environment, verdicts never: a page that is not read again is judged against the config as
it is now. Warnings alone do not hold (a rerun with nothing changed is green since Sphinx 8.1, also under ``-W``), so
the build's status is set as well.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.domains import Domain
from sphinx.util import logging

from .baseline import apply_baseline, stale_note
from .fixing.live import LineOf, find_live
from .garbage import uncollected
from .judging.checking import FAIL_ON, Outcome, Rules, check, joined
from .judging.code_statements import asked_for
from .nodes import CONTAINER_CLASS, PIN, Failure
from .phrases import phrases
from .reports.as_text import summary
from .roots import Project
from .settings import ConfigError
from .sources import code_folders, confdir_of, project_of
from .statements import Context, Statement
from .statements.blocks import forget_sources, place_of
from .statements.documents import read_page_tree
from .verdicts import DISAGREES, UNKNOWN_KEY
from .wording import say

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

ENV_VERSION = 3
"""To be raised when what the environment keeps changes its form."""

logger = logging.getLogger(__name__)


class StatementDomain(Domain):
    """Keeps, by page, the statements that its readers found and the faults that its directives met."""

    name = "ckpt_defaults"
    label = "documented defaults"
    data_version = 2
    initial_data: ClassVar[dict[str, Any]] = {"statements": {}, "failures": {}, "unused": {}}

    def process_doc(self, env: BuildEnvironment, docname: str, document: nodes.document) -> None:
        page = str(env.doc2path(docname))
        with uncollected():
            reading = read_page_tree(document, page)
        # some versions of docutils name an included file from the working directory; Sphinx by its full path
        whole = os.path.abspath
        stated = (*reading.statements, *_pins(document, page))
        statements = [s if s.file == page else replace(s, file=whole(s.file)) for s in stated]
        if statements:
            self.data["statements"][docname] = statements
        if reading.unused_ignores:
            self.data["unused"][docname] = [(whole(file), line) for file, line in reading.unused_ignores]
        found = document.findall(Failure)
        # a title is copied into its table of contents, and the failure in it
        failures = list(dict.fromkeys((whole(f.source or page), f["line"], f["message"], f["subtype"]) for f in found))
        if failures:
            self.data["failures"][docname] = failures

    def clear_doc(self, docname: str) -> None:
        for kept in self.data.values():
            if isinstance(kept, dict):
                kept.pop(docname, None)

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        for name in self.initial_data:
            for docname in docnames:
                if docname in otherdata[name]:
                    self.data[name][docname] = otherdata[name][docname]


def _pins(document: nodes.document, page: str) -> Iterator[Statement]:
    """The statements that ``:expect:`` makes, one for each setting that it pins."""
    for node in document.findall(nodes.container):
        if PIN in node and CONTAINER_CLASS in node["classes"]:
            file, line = place_of(node, page)
            for key, value in node[PIN]["values"].items():
                context = Context(root=node[PIN].get("root", ""))
                yield Statement(file, line, 1, "pin", (key,), value, context, literal=True)


@uncollected()
def judge_pages(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Reports what disagrees and makes the build fail (for ``env-updated``, which every build emits)."""
    domain = env.get_domain("ckpt_defaults")
    failures = [each for page in sorted(domain.data["failures"]) for each in domain.data["failures"][page]]
    statements = [s for page in sorted(domain.data["statements"]) for s in domain.data["statements"][page]]
    failed = bool(failures)
    with _all_warnings():
        for file, line, message, subtype in failures:
            logger.error(message, location=f"{file}:{line}", type="ckpt_defaults", subtype=subtype)
        try:
            rules = rules_of(app)
            project = project_of(app.config, confdir_of(env))
            for note in project.notes:
                logger.info("ckpt-defaults: %s", note)
            outcome = check(list(dict.fromkeys(statements)), project, rules, lambda file: names_of(app, file))
            unused = [place for page in sorted(domain.data["unused"]) for place in domain.data["unused"][page]]
            outcome = replace(outcome, unused_comments=(*outcome.unused_comments, *unused))
            copies = asked_for(
                project,
                code_folders(app.config, confdir_of(env)),
                every_place=app.config.ckpt_defaults_code_every_place,
                in_config=app.config.ckpt_defaults_config_copies,
            )
            for note in copies.notes:
                logger.info("ckpt-defaults: %s", note)
            outcome = joined(outcome, copies.verdicts, rules, lambda file: names_of(app, file))
            outcome = _without_known(app, env, outcome, rules)
            if app.config.ckpt_defaults_prefer_live:
                _tell_live(outcome, project)
        except ConfigError as error:
            if app.config.ckpt_defaults_config or statements or failed:  # else nothing was asked of the check
                logger.error(str(error), type="ckpt_defaults", subtype="config")
                app.statuscode = 1
            return []
        failed = report(outcome, rules) or failed
        logger.info("ckpt-defaults: %s", summary(outcome))
    if failed:
        app.statuscode = 1
    return []


def report(outcome: Outcome, rules: Rules) -> bool:
    """Logs each verdict that is told, at its page and line; whether one of them fails the build."""
    failed = False
    for verdict in outcome.told():
        fails = rules.fails(verdict)
        failed = failed or fails
        tell = logger.error if fails else logger.warning
        subtype = {DISAGREES: "disagrees", UNKNOWN_KEY: "unknown_key"}[verdict.verdict]
        place = f"{verdict.statement.file}:{verdict.statement.line}"
        tell(verdict.message, location=place, type="ckpt_defaults", subtype=subtype)
    for pattern in outcome.unused_ignores:
        logger.warning(
            say("ckpt_defaults_ignore: {pattern!r} matches no statement any more; remove it", pattern=pattern),
            type="ckpt_defaults", subtype="ignore",
        )  # fmt: skip
    for file, line in outcome.unused_comments:
        logger.warning(
            say("this comment ignores nothing any more; remove it"),
            location=f"{file}:{line}", type="ckpt_defaults", subtype="ignore",
        )  # fmt: skip
    return failed


def _tell_live(outcome: Outcome, project: Project) -> None:
    """Warns of hand-written defaults that agree and could be taken from the config."""
    for live in find_live(outcome.verdicts, project, LineOf()):
        s = live.verdict.statement
        logger.warning(live.message, location=f"{s.file}:{s.line}", type="ckpt_defaults", subtype="prefer_live")


def _without_known(app: Sphinx, env: BuildEnvironment, outcome: Outcome, rules: Rules) -> Outcome:
    """The outcome without what the baseline of conf.py knows; tells which of its entries are healed.

    Raises :class:`ConfigError` for a baseline that cannot be read.
    """
    if not app.config.ckpt_defaults_baseline:
        return outcome
    file = os.path.normpath(os.path.join(confdir_of(env), app.config.ckpt_defaults_baseline))
    applied = apply_baseline(outcome, rules, file)
    for entry in applied.stale:
        logger.info("ckpt-defaults: %s", stale_note(entry, file))
    return applied.outcome


def rules_of(app: Sphinx) -> Rules:
    """What conf.py asks for. Raises :class:`ConfigError` for a value that there is not."""
    config = app.config
    if config.ckpt_defaults_fail_on not in FAIL_ON:
        raise ConfigError(
            f"ckpt_defaults_fail_on is {config.ckpt_defaults_fail_on!r}; write one of {', '.join(FAIL_ON)}"
        )
    return Rules(dict(config.ckpt_defaults_pages), tuple(config.ckpt_defaults_ignore), config.ckpt_defaults_fail_on)


def names_of(app: Sphinx, file: str) -> list[str]:
    """The names by which conf.py may call a page: its path below the source folder, with and without the ending."""
    path = os.path.relpath(file, app.srcdir).replace(os.sep, "/")
    return [path, os.path.splitext(path)[0]]


@contextlib.contextmanager
def _all_warnings() -> Iterator[None]:
    """Under ``-W``, Sphinx before 8.1 stops at the first warning; here every one is told before the build fails."""
    skip = getattr(logging, "skip_warningiserror", None)
    with skip() if skip is not None else contextlib.nullcontext():
        yield


def _begin(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Has the sources of pages read anew: a process may build more than once.

    The readers' rules are compiled here too, before workers are forked, which would do it for every batch of pages.
    """
    forget_sources()
    if docnames:
        phrases()


def setup(app: Sphinx) -> None:
    """Adds the domain and connects the check."""
    app.add_domain(StatementDomain)
    app.connect("env-before-read-docs", _begin)
    app.connect("env-updated", judge_pages)
