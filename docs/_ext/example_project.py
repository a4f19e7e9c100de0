"""A worked example whose output is real: its files are written, and its commands run, while the page is built.

.. code-block:: rst

   .. project-file:: docs/index.rst       shows a file and writes it into the example's folder
      :hidden:                            writes it only

   .. project-change:: docs/index.rst     shows a change as a diff and applies it: lines with - go, lines with + come

   .. project-run:: ckpt-defaults check   runs a command there and shows it with its output
      :status: 1                          what it must exit with (0 when not given), shown with ``echo $?``
      :says: is wrong                     what its output must hold
      :lines: 6                           of longer output, this many lines are shown, what it must hold, and the end

A page has one folder, made anew for each build. A change that does not fit, another exit status or a missing text is a
warning, and so fails the build: a page that says "this build fails" can only be published while it does.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import ckpt_defaults
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.directives.code import container_wrapper
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SHOWN_FOLDER = "/home/you/kettle"
"""What the example's folder is called in the output that a page shows."""

LANGUAGES = {".py": "python", ".rst": "rst", ".md": "markdown", ".yaml": "yaml", ".toml": "toml"}
PROGRAMS = {"ckpt-defaults": "ckpt_defaults.cli", "sphinx-build": "sphinx"}
TIMEOUT = 300
"""Seconds after which a command of an example is given up."""

logger = logging.getLogger(__name__)
_folders: weakref.WeakKeyDictionary[nodes.document, tempfile.TemporaryDirectory[str]] = weakref.WeakKeyDictionary()


class Part(SphinxDirective):
    """What the three directives have in common: the folder of the page, and how text is shown."""

    final_argument_whitespace = True
    required_arguments = 1

    @property
    def folder(self) -> Path:
        document = self.state.document
        if document not in _folders:
            _folders[document] = tempfile.TemporaryDirectory(prefix="example")
        return Path(_folders[document].name).resolve()

    @property
    def file(self) -> Path:
        return self.folder / self.arguments[0]

    def text(self) -> str:
        return "\n".join(self.content) + "\n"

    def shown(self, text: str, language: str, caption: str = "") -> list[nodes.Node]:
        block = nodes.literal_block(text, text, language=language)
        self.set_source_info(block)
        return [container_wrapper(self, block, caption) if caption else block]

    def fault(self, message: str) -> None:
        logger.warning(message, location=self.get_location(), type="example", subtype="project")


class ProjectFile(Part):
    has_content = True
    option_spec: ClassVar[Any] = {"hidden": directives.flag}

    def run(self) -> list[nodes.Node]:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.text(), encoding="utf-8")
        if "hidden" in self.options:
            return []
        return self.shown("\n".join(self.content), LANGUAGES.get(self.file.suffix, "text"), self.arguments[0])


class ProjectChange(Part):
    has_content = True

    def run(self) -> list[nodes.Node]:
        old = "".join(line[1:] + "\n" for line in self.content if not line.startswith("+"))
        new = "".join(line[1:] + "\n" for line in self.content if not line.startswith("-"))
        text = self.file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            self.fault(f"{self.arguments[0]} holds these lines {text.count(old)} times, not once")
        self.file.write_text(text.replace(old, new), encoding="utf-8")
        return self.shown("\n".join(self.content), "diff", self.arguments[0])


class ProjectRun(Part):
    option_spec: ClassVar[Any] = {
        "status": directives.nonnegative_int,
        "says": directives.unchanged_required,
        "lines": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        for file in Path(ckpt_defaults.__file__).parent.rglob("*.[py][ya]*"):
            if file.suffix in (".py", ".yaml"):
                self.env.note_dependency(str(file))
        command = self.arguments[0]
        status, output = run(command, self.folder)
        wanted = self.options.get("status", 0)
        if status != wanted:
            self.fault(f"{command!r} ends with status {status}, not {wanted}: {output}")
        if self.options.get("says", "") not in output:
            self.fault(f"{command!r} does not say {self.options['says']!r}: {output}")
        output = cut(output, self.options.get("lines", 0), self.options.get("says", ""))
        lines = [f"$ {command}", *([output] if output else [])]
        if "status" in self.options:
            lines += ["$ echo $?", str(status)]
        return self.shown("\n".join(lines), "console")


def cut(output: str, most: int, says: str) -> str:
    """Output of more than ``most`` lines (0: any number) as its beginning, the lines with ``says``, and its end."""
    lines = output.split("\n")
    if not most or len(lines) <= most + 2:
        return output
    shown = [i for i, line in enumerate(lines) if i < most or i == len(lines) - 1 or (says and says in line)]
    found: list[str] = []
    for before, index in zip([-1, *shown], shown, strict=False):
        left_out = index - before - 1
        found += [f"[{left_out} more lines]"] if left_out > 1 else lines[before + 1 : index]
        found.append(lines[index])
    return "\n".join(found)


def run(command: str, folder: Path) -> tuple[int, str]:
    """The exit status of a command in ``folder``, and what it wrote to its output and its error output, in order."""
    words = shlex.split(command)
    if words[0] in PROGRAMS:
        words[:1] = [sys.executable, "-m", PROGRAMS[words[0]]]
    package = Path(ckpt_defaults.__file__).parent.parent
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONIOENCODING": "utf-8",
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )
    return done.returncode, done.stdout.replace(str(folder), SHOWN_FOLDER).rstrip("\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("project-file", ProjectFile)
    app.add_directive("project-change", ProjectChange)
    app.add_directive("project-run", ProjectRun)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
