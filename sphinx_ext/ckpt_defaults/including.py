"""What a page may include: files below the folder of documents, each of a bearable size, and not itself."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from docutils import nodes

from .settings import MAX_BYTES


def _below(path: str, root: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)


def may_include(argument: str, here: str, root: str, document: nodes.document) -> bool:
    """Whether a page in the folder ``here`` may read what it names: a file below ``root`` (or one of docutils' own).

    What is not there yet is recorded with the document as well: the page changes when it comes.
    """
    path = "".join(line.strip() for line in argument.splitlines())
    if path.startswith("<") and path.endswith(">"):
        return "/" not in path and os.sep not in path
    path = os.path.normpath(os.path.join(here, path))
    if not _below(path, root):
        return False
    document.settings.record_dependencies.add(path)
    return os.path.isfile(path) and os.path.getsize(path) <= MAX_BYTES


@contextlib.contextmanager
def myst_includes_below(root: str) -> Iterator[None]:
    """While it lasts, MyST's own form of ``include`` reads what the other one may."""
    mocking = sys.modules.get("myst_parser.mocking")
    if mocking is None:
        yield
        return
    run = mocking.MockIncludeDirective.run
    open_files: list[str] = []  # docutils tells an include of itself; MyST would go on for ever

    def guarded(self: Any) -> list[Any]:
        page = os.path.abspath(self.document["source"])
        file = os.path.realpath(os.path.join(os.path.dirname(page), self.arguments[0].strip()))
        if not may_include(self.arguments[0], os.path.dirname(page), root, self.document):
            return []
        if file == os.path.realpath(page) or file in open_files:
            return []
        open_files.append(file)
        try:
            found: list[Any] = run(self)
        finally:
            open_files.pop()
        return found

    mocking.MockIncludeDirective.run = guarded
    try:
        yield
    finally:
        mocking.MockIncludeDirective.run = run
