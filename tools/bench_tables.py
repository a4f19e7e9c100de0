"""What documenting a config costs a build: our table beside a hand-written one and the peers that are installed.

Every variant documents the same 1,000 keys (40 groups of 25, two levels, each with a comment) in a project of N pages,
page i the 25 keys of group ``i % 40``. ``empty`` is the project without any of it; ``plain`` the rows as a hand-written
``list-table``, which is what all ratios are against. A variant's cost is the CPU time of its build, with that of its
workers, above the one of ``empty``: the wall clock of a shared machine tells nothing. Rounds take all variants in turn.

    python tools/bench_tables.py                     # 100 pages, -j1 and -j2
    python tools/bench_tables.py --pages 100 400 --rounds 3
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

GROUPS, KEYS = 40, 25
PACKAGE = Path(__file__).resolve().parent.parent / "sphinx_ext"
VALUES = (("bool", "False"), ("bool", "True"), ("null", "null"), ("str", "''"), ("int", "2048"), ("float", "0.5"),
          ("str", "auto"), ("list", "[core_attn]"))  # fmt: skip


@dataclass(frozen=True)
class Key:
    """One setting of the config."""

    group: str
    name: str
    kind: str
    value: str
    comment: str


def keys_of(group: int) -> list[Key]:
    """The settings of a group, the last ten in a group within it."""
    found = []
    for index in range(KEYS):
        kind, value = VALUES[(group * KEYS + index) % len(VALUES)]
        name = f"option_{index:02d}" if index < 15 else f"nested.option_{index:02d}"
        comment = f"Whether option {index} of group {group} is on; used when saving a distributed checkpoint."
        found.append(Key(f"group_{group:02d}", name, kind, value, comment))
    return found


def yaml_of(keys: list[Key], mark: str = "#", before: str = "") -> str:
    """The YAML of one group. ``mark`` starts a comment, ``before`` is a line above it."""
    lines = [f"{keys[0].group}:"]
    for index, key in enumerate(keys):
        pad = "    " if "." in key.name else "  "
        if "." in key.name and "." not in keys[index - 1].name:
            lines.append("  nested:")
        lines += [f"{pad}{before}"] if before else []
        lines += [f"{pad}{mark} {key.comment}", f"{pad}{key.name.rpartition('.')[2]}: {key.value}", ""]
    return "\n".join(lines) + "\n"


def whole(folder: Path) -> None:
    """All groups in one file."""
    (folder / "config.yaml").write_text("".join(yaml_of(keys_of(group)) for group in range(GROUPS)), "utf-8")


@dataclass(frozen=True)
class Variant:
    """A way to document a group: the body of a page, the extension, and what the pages need beside them."""

    page: Callable[[int], str]
    extension: str = ""
    module: str = ""
    conf: str = ""
    files: Callable[[Path], None] = lambda folder: None


def plain(group: int) -> str:
    rows = ["   * - Key", "     - Type", "     - Default", "     - Description"]
    for key in keys_of(group):
        rows += [f"   * - ``{key.name}``", f"     - {key.kind}", f"     - ``{key.value}``", f"     - {key.comment}"]
    return ".. list-table::\n   :header-rows: 1\n\n" + "\n".join(rows)


TEMPLATE = """\
.. list-table::
   :header-rows: 1

   * - Key
     - Default
{% for key, value in data[options['group']].items() %}{% if value is mapping %}{% for inner, each in value.items() %}
   * - ``{{ key }}.{{ inner }}``
     - ``{{ each|tojson }}``
{% endfor %}{% else %}
   * - ``{{ key }}``
     - ``{{ value|tojson }}``
{% endif %}{% endfor %}
"""


def template(folder: Path) -> None:
    whole(folder)
    (folder / "_templates").mkdir()
    (folder / "_templates/table.tmpl").write_text(TEMPLATE, "utf-8")


def marked(folder: Path) -> None:
    for group in range(GROUPS):
        (folder / f"group_{group:02d}.yaml").write_text(yaml_of(keys_of(group), before="###"), "utf-8")


def schema(folder: Path) -> None:
    types = {"bool": "boolean", "null": "null", "str": "string", "int": "integer", "float": "number", "list": "array"}
    defaults = {
        "False": False,
        "True": True,
        "null": None,
        "''": "",
        "[core_attn]": ["core_attn"],
        "2048": 2048,
        "0.5": 0.5,
    }
    top: dict[str, object] = {}
    for group in range(GROUPS):
        outer: dict[str, object] = {}
        inner: dict[str, object] = {}
        for key in keys_of(group):
            told = {"type": types[key.kind], "default": defaults.get(key.value, key.value), "description": key.comment}
            (inner if "." in key.name else outer)[key.name.rpartition(".")[2]] = told
        outer["nested"] = {"type": "object", "properties": inner}
        top[f"group_{group:02d}"] = {"type": "object", "title": f"group_{group:02d}", "properties": outer}
    (folder / "schema.json").write_text(json.dumps({"type": "object", "properties": top}), "utf-8")


VARIANTS = {
    "empty": Variant(lambda group: "Nothing here."),
    "plain": Variant(plain),
    "config-table": Variant(
        lambda group: f".. config-table:: group_{group:02d}",
        "ckpt_defaults", "ckpt_defaults", "ckpt_defaults_config = ['config.yaml']", whole,
    ),
    "config-listing": Variant(
        lambda group: f".. config-listing:: group_{group:02d}",
        "ckpt_defaults", "ckpt_defaults", "ckpt_defaults_config = ['config.yaml']", whole,
    ),
    "datatemplates": Variant(
        lambda group: f".. datatemplate:yaml:: config.yaml\n   :template: table.tmpl\n   :group: group_{group:02d}",
        "sphinxcontrib.datatemplates", "sphinxcontrib.datatemplates", "templates_path = ['_templates']", template,
    ),
    "autoyaml": Variant(
        lambda group: f".. autoyaml:: group_{group:02d}.yaml",
        "sphinxcontrib.autoyaml", "sphinxcontrib.autoyaml",
        "autoyaml_root = '.'\nautoyaml_level = 0\nautoyaml_safe_loader = True", marked,
    ),
    "jsonschema": Variant(
        lambda group: f".. jsonschema:: schema.json#/properties/group_{group:02d}",
        "sphinx-jsonschema", "sphinx-jsonschema", "", schema,
    ),
}  # fmt: skip


def write_project(variant: Variant, pages: int, folder: Path) -> None:
    """A project of ``pages`` pages."""
    folder.mkdir(parents=True)
    extensions = [variant.extension] if variant.extension else []
    (folder / "conf.py").write_text(f"extensions = {extensions!r}\nhtml_theme = 'basic'\n{variant.conf}\n", "utf-8")
    (folder / "index.rst").write_text("Index\n=====\n\n.. toctree::\n   :glob:\n\n   page*\n", "utf-8")
    for page in range(pages):
        text = f"Page {page}\n=========\n\nSome words before it.\n\n{variant.page(page % GROUPS)}\n"
        (folder / f"page{page:03d}.rst").write_text(text, "utf-8")
    variant.files(folder)


def cpu_seconds(source: Path, jobs: int) -> float:
    """The CPU time of a build from nothing, workers included."""
    output = source.parent / "out"
    shutil.rmtree(output, ignore_errors=True)
    path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-j", str(jobs), str(source), str(output)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    told = process.stderr.read()
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the build of {source} failed:\n{told[-2000:]}")
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    """Builds all variants and prints a table for each number of pages and of processes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[100])
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    given = parser.parse_args()
    sys.path.insert(0, str(PACKAGE))
    wanted = [name for name in VARIANTS if name in {"empty", "plain", *given.variants}]
    names = [n for n in wanted if not VARIANTS[n].module or importlib.util.find_spec(VARIANTS[n].module) is not None]
    for name in wanted:
        if name not in names:
            print(f"{name} is left out: it is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for pages in given.pages:
            sources = {name: Path(folder) / f"{pages}" / name / "docs" for name in names}
            for name, source in sources.items():
                write_project(VARIANTS[name], pages, source)
            for jobs in given.jobs:
                times: dict[str, list[float]] = {name: [] for name in names}
                for _round in range(given.rounds):
                    for name in names:
                        times[name].append(cpu_seconds(sources[name], jobs))
                print_table(pages, jobs, {name: statistics.median(each) for name, each in times.items()})
    return 0


def print_table(pages: int, jobs: int, times: dict[str, float]) -> None:
    """The table of one size: CPU above the empty project, and its ratio to that of the plain table."""
    print(f"\n{pages} pages, -j{jobs}: CPU above the empty project ({times['empty']:.1f} s)\n")
    print(f"{'':16}{'ms a page':>10}{'ms a key':>10}{'of plain':>10}")
    base = times["plain"] - times["empty"]
    for name, seconds in times.items():
        if name != "empty":
            cost = seconds - times["empty"]
            print(
                f"{name:16}{cost / pages * 1000:10.1f}{cost / pages / KEYS * 1000:10.2f}{cost / base:10.2f}", flush=True
            )


if __name__ == "__main__":
    sys.exit(main())
