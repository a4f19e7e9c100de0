"""Pages to verdicts for the command: found, parsed, judged, several at once, and remembered by their content."""

from __future__ import annotations

import gc
import hashlib
import io
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from docutils import nodes

from .cache import Cache, page_key
from .files import fault_of, open_regular
from .garbage import uncollected
from .judging.checking import Outcome, Rules, check
from .parsing import ENDINGS, parse
from .phrases import phrases
from .roots import Project
from .settings import ConfigError, shown_path
from .statements import Reading
from .statements.blocks import instead_of_file
from .statements.documents import read_page_tree

_SKIPPED_FOLDERS = frozenset({"_build", "node_modules", "__pycache__", "site-packages"})
_PAGES_EACH = 8
"""The number of pages for which a worker is worth its start."""


def find_pages(places: Sequence[str]) -> list[str]:
    """The .rst and .md files that ``places`` name, folders searched, sorted, each once.

    Raises :class:`ConfigError` for a place that is not there, a file of another kind, or no page at all.
    """
    found: dict[str, None] = {}
    for place in places:
        if os.path.isfile(place):
            if not place.endswith(ENDINGS):
                raise ConfigError(f"is no page; pages end with {' or '.join(ENDINGS)}", place)
            found[os.path.normpath(place)] = None
        elif os.path.isdir(place):
            for folder, folders, names in os.walk(place):
                folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
                for name in sorted(names):
                    if name.endswith(ENDINGS) and not name.startswith(".#"):  # an editor's lock, which Sphinx skips
                        found[os.path.normpath(os.path.join(folder, name))] = None
        else:
            raise ConfigError(fault_of(place, "does not exist; name a page or a folder of pages"), place)
    if not found:
        raise ConfigError(
            f"no page in {', '.join(places) or 'the given places'}; name files or folders of .rst and .md"
        )
    return list(found)


def holds_pages(place: str) -> bool:
    """Whether a name is that of a page, or of a folder with one."""
    try:
        return bool(find_pages([place]))
    except ConfigError:
        return False


@dataclass(frozen=True)
class _Work:
    """What a worker needs; workers are forked, so that it is not sent."""

    project: Project
    rules: Rules


_work: _Work | None = None


def names_of(file: str) -> list[str]:
    """The names by which a pattern may call a page: its path with forward slashes, with and without the ending."""
    path = file.replace(os.sep, "/")
    return [path, os.path.splitext(path)[0]]


def read_page(file: str) -> tuple[str, list[str]]:
    """The text of a page, and nothing when it is no UTF-8. Raises :class:`ConfigError` when it cannot be read."""
    try:
        with io.TextIOWrapper(open_regular(file), encoding="utf-8-sig") as stream:
            return stream.read(), []
    except UnicodeDecodeError:
        return "", [f"{file}: is not UTF-8 and was left out"]
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", file) from None


def _judge_page(file: str) -> tuple[str, Outcome, dict[str, str], list[str]]:
    """The verdicts of one page, the files that it was made of by their digests, and remarks."""
    assert _work is not None
    text, notes = read_page(file)
    document, reading = parse_page(file, text)
    outcome = check(reading.statements, _work.project, _work.rules, names_of)
    outcome = replace(outcome, unused_comments=(*outcome.unused_comments, *reading.unused_ignores))
    return file, outcome, digests([file, *parse_dependencies(document)]), notes


def _judge_and_tidy(file: str) -> tuple[str, Outcome, dict[str, str], list[str]]:
    """The same, and gives the page's tree back, whose nodes are circles.

    Python by itself would look at them again and again while the tree grows, which takes a third of a page's time, and
    at all verdicts so far. Here nothing is looked at that was there before the page.
    """
    found = _judge_page(file)
    gc.collect(1)
    return found


def parse_page(file: str, text: str) -> tuple[nodes.document, Reading]:
    """The doctree of a page, and what is read in it, when it holds ``text``, which need not be what the file holds."""
    with instead_of_file(file, text):
        document = parse(file, text, _top(os.path.dirname(file) or "."))
        reading = read_page_tree(document, file)
    # docutils names what a page includes from the working directory, MyST by the full path: here as the page is named
    named = os.path.abspath if os.path.isabs(file) else shown_path
    statements = [s if s.file == file else replace(s, file=named(s.file)) for s in reading.statements]
    unused = tuple((named(where), line) for where, line in reading.unused_ignores)
    return document, replace(reading, statements=statements, unused_ignores=unused)


def parse_dependencies(document: object) -> list[str]:
    """The files that a page included."""
    record = getattr(getattr(document, "settings", None), "record_dependencies", None)
    return sorted(set(getattr(record, "list", ()) or ()))


def _top(folder: str) -> str:
    """The folder below which a page may include: the working directory, or its own when it lies elsewhere."""
    here = os.path.abspath(".")
    return here if os.path.abspath(folder).startswith(here) else os.path.abspath(folder)


def digests(files: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each file's content, empty for one that cannot be read."""
    found = {}
    for file in files:
        try:
            with open_regular(file) as stream:
                found[file] = hashlib.sha256(stream.read()).hexdigest()
        except OSError:
            found[file] = ""
    return found


def judge_pages(
    pages: Sequence[str],
    project: Project,
    rules: Rules,
    cache: Cache,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Outcome, list[str]]:
    """The verdicts of all pages, in their order, and remarks. ``jobs`` processes share the work.

    A page whose content, config and rules are what they were is taken from ``cache``.
    Raises :class:`ConfigError` for a page that cannot be read.
    """
    global _work
    _work = _Work(project, rules)
    key = page_key(project, rules)
    known = {page: cache.page(page, key, digests) for page in pages}
    missing = [page for page in pages if known[page] is None]
    notes: list[str] = []
    used: set[str] = set()
    if missing:
        _get_ready(missing)
    with uncollected():
        for done, (page, outcome, parts, remarks) in enumerate(_run(missing, jobs), start=1):
            known[page] = outcome
            notes += remarks
            if not remarks:
                cache.keep_page(page, key, outcome, parts)
            progress(done, len(missing))
    outcomes = [found for page in pages if (found := known[page]) is not None]
    verdicts = {v.statement: v for outcome in outcomes for v in outcome.verdicts}.values()  # an include is told once
    for outcome in outcomes:
        used |= set(rules.ignore) - set(outcome.unused_ignores)
    comments = sorted({place for outcome in outcomes for place in outcome.unused_comments})
    return Outcome(tuple(verdicts), tuple(p for p in rules.ignore if p not in used), tuple(comments)), notes


def _get_ready(pages: Sequence[str]) -> None:
    """Loads the parsers that ``pages`` need and compiles the readers' rules, once for all workers.

    Raises :class:`ConfigError` when a Markdown page is among them and MyST is not installed.
    """
    phrases()
    for ending in ENDINGS:
        if any(page.endswith(ending) for page in pages):
            parse(f"page{ending}", "A page.\n", ".")


def _run(pages: Sequence[str], jobs: int) -> Iterator[tuple[str, Outcome, dict[str, str], list[str]]]:
    jobs = min(jobs, len(pages) // _PAGES_EACH)
    if jobs > 1 and "fork" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("fork")
        sys.stdout.flush()
        with context.Pool(jobs) as pool:
            yield from pool.imap(_judge_and_tidy, pages, chunksize=max(1, min(16, len(pages) // (jobs * 4))))
    else:
        yield from map(_judge_and_tidy, pages)
