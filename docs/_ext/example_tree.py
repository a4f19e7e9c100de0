"""A worked example that starts from a project as it is, not from files of our own.

.. code-block:: rst

   .. project-tree:: corpus/verl           a folder of ../shared, where that is there
      :take: docs/examples verl/config     what of it is copied into the example's folder
      :without: _generated*                files that are not
      :else: examples/verl                 where it is not there: this folder of ours into the first of ``take``
                                           (pages end with .txt, so that they are no pages here), our config beside it

The folder is a repository of git with one commit. The directive says on the page from which of the two it was made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from example_project import Part

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CKPT_DEFAULTS_SHARED", str(ROOT.parent / "shared")))


class ProjectTree(Part):
    option_spec: ClassVar[Any] = {
        "take": directives.unchanged_required,
        "without": directives.unchanged,
        "else": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        source = SHARED / self.arguments[0]
        first, *others = self.options["take"].split()
        skip = shutil.ignore_patterns(*self.options.get("without", "").split(), "__pycache__")
        if source.is_dir():
            for part in (first, *others):
                shutil.copytree(source / part, self.folder / part, ignore=skip, dirs_exist_ok=True)
            told = f"The output below is that of {source.name}'s own pages and configs."
        else:
            ours = ROOT / "docs" / self.options["else"]
            shutil.copytree(ours, self.folder / first, dirs_exist_ok=True)
            for file in (self.folder / first).rglob("*.txt"):
                file.rename(file.with_suffix(""))
            for part in others:
                shutil.copytree(ROOT / part, self.folder / part, ignore=skip, dirs_exist_ok=True)
            told = "The output below is that of a small example with the same configs."
        self._commit()
        return [nodes.paragraph("", told)]

    def _commit(self) -> None:
        identity = ("-c", "user.name=you", "-c", "user.email=you@example.org", "-c", "commit.gpgsign=false")
        for command in (("init", "-q"), ("add", "-f", "."), ("commit", "-q", "-m", "as it is")):
            subprocess.run(["git", *identity, *command], cwd=self.folder, check=True, capture_output=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("project-tree", ProjectTree)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
