"""What the command remembers between runs, by content: the verdicts of a page, and a project of configs.

Everything is keyed by the SHA-256 of what it was made of (page, includes, configs, rules, the program's own files), so
that it is never wrong after a change; the folder may be deleted at any time. It holds JSON only: nothing in it is run.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from .interpolation import Resolution
from .judging.checking import Outcome, Rules
from .roots import Project, Root, index_names
from .settings import Setting, yaml_files
from .statements import Context, Statement
from .verdicts import VERDICTS, Verdict
from .version import __version__

_STANDS_ON = ("docutils", "hydra-core", "myst-parser", "omegaconf", "PyYAML")
FOLDER = ".ckpt-defaults-cache"
_Digests = Callable[[Iterable[str]], dict[str, str]]


@functools.lru_cache(maxsize=1)
def program_key() -> str:
    """A digest of the program: its version, each of its files' size and time, and the versions of what it stands on."""
    parts = [__version__, sys.version]
    for name in _STANDS_ON:
        with contextlib.suppress(metadata.PackageNotFoundError):
            parts.append(f"{name} {metadata.version(name)}")
    for folder, _, names in sorted(os.walk(Path(__file__).parent)):
        for name in sorted(names):
            if name.endswith((".py", ".yaml")):
                state = os.stat(os.path.join(folder, name))
                parts.append(f"{name}:{state.st_size}:{state.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()


def config_key(places: Iterable[str], names: Iterable[str], digests: _Digests, extra: str = "") -> str:
    """A digest of the configs below ``places`` and of the roots chosen.

    Raises :class:`ConfigError` for a place that is missing.
    """
    files = [file for place in places for file in yaml_files(place)]
    text = json.dumps([program_key(), os.getcwd(), digests(files), sorted(names), extra], sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def page_key(project: Project, rules: Rules) -> str:
    """A digest of all that a page's verdicts depend on beside the page."""
    text = json.dumps([program_key(), project.key, dict(rules.pages), list(rules.ignore)], sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class Cache:
    """The remembered results in a folder; ``None`` remembers nothing. Broken content counts as none."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.pages: dict[str, Any] = {}
        self.fresh: dict[str, Any] = {}
        self.learned = False
        if folder is not None:
            loaded = self._load("pages.json")
            self.pages = loaded if isinstance(loaded, dict) else {}

    def page(self, page: str, key: str, digests: _Digests) -> Outcome | None:
        """What is known of a page under ``key``, ``None`` when it, an include or anything else changed."""
        entry = self.pages.get(page)
        try:
            if not isinstance(entry, dict) or entry["key"] != key or page not in entry["parts"]:
                return None
            if digests(entry["parts"]) != entry["parts"]:
                return None
            outcome = Outcome(
                tuple(_verdict(v) for v in entry["verdicts"]),
                tuple(_text(pattern) for pattern in entry["unused"]),
                tuple((_text(file), int(line)) for file, line in entry["comments"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        self.fresh[page] = entry
        return outcome

    def keep_page(self, page: str, key: str, outcome: Outcome, parts: Mapping[str, str]) -> None:
        """Remembers the verdicts of a page that was made of ``parts`` (path: digest)."""
        if self.folder is not None:
            self.learned = True
            self.fresh[page] = {
                "key": key,
                "parts": dict(parts),
                "verdicts": [_plain(v) for v in outcome.verdicts],
                "unused": list(outcome.unused_ignores),
                "comments": list(outcome.unused_comments),
            }

    def project(self, key: str) -> Project | None:
        """The project remembered under ``key``."""
        if self.folder is None:
            return None
        try:
            stored = self._load("project.json")
            return _project(stored) if isinstance(stored, dict) and stored["key"] == key else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def keep_project(self, project: Project) -> None:
        """Remembers a project under its key."""
        if self.folder is not None:
            roots = [
                {
                    "name": r.name, "files": r.files, "choices": sorted(r.choices), "fragment": r.fragment,
                    "settings": [astuple(s) for s in r.settings.values()],
                    "resolved": {path: [x.value, x.follows, x.problem] for path, x in r.resolved.items()},
                }
                for r in project.roots
            ]  # fmt: skip
            self._store(
                "project.json",
                {"key": project.key, "roots": roots, "generated": project.generated, "notes": project.notes,
                 "files": project.files},
            )  # fmt: skip

    def save(self) -> None:
        """Writes what is remembered of pages where that is more than before; others than this run's are kept."""
        if self.folder is not None and self.learned:
            self._store("pages.json", {**self.pages, **self.fresh})

    def _load(self, name: str) -> Any:
        try:
            with open(os.path.join(self.folder or "", name), encoding="utf-8") as stream:
                return json.load(stream)
        except (OSError, ValueError, RecursionError):
            return None

    def _store(self, name: str, content: Any) -> None:
        assert self.folder is not None
        with contextlib.suppress(OSError, TypeError, ValueError):  # a cache that cannot be written is no error
            os.makedirs(self.folder, exist_ok=True)
            ignore = Path(self.folder, ".gitignore")
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    # json.dump would do it in Python, bit by bit
                    stream.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
                os.replace(temporary, os.path.join(self.folder, name))
            finally:
                with contextlib.suppress(OSError):  # it is not there any more where all went well
                    os.unlink(temporary)


_OWN = tuple(f.name for f in fields(Statement) if f.name != "context")


def _plain(v: Verdict) -> list[Any]:
    return [
        [getattr(v.statement, name) for name in _OWN],
        astuple(v.statement.context),
        [v.verdict, v.path, v.root, v.actual, v.reason, v.suggestion, list(v.others)],
        None if v.setting is None else astuple(replace(v.setting, value=None)),  # it may be a secret
    ]


def _verdict(stored: Any) -> Verdict:
    own, context, rest, setting = stored
    values = dict(zip(_OWN, own, strict=True))
    values["keys"] = tuple(map(_text, values["keys"]))
    parents, headings, root = context
    around = Context(tuple(map(_text, parents)), tuple(map(_text, headings)), _text(root))
    statement: Statement = _checked(Statement(context=around, **values))
    verdict, path, root_name, actual, reason, suggestion, others = rest
    if verdict not in VERDICTS:
        raise ValueError(verdict)
    where = None if setting is None else _checked(Setting(*setting))
    told: Verdict = _checked(
        Verdict(statement, verdict, path, root_name, actual, where, reason, suggestion, tuple(map(_text, others)))
    )
    return told


def _project(stored: Mapping[str, Any]) -> Project:
    roots = []
    for r in stored["roots"]:
        settings = {_text(s[0]): _checked(Setting(*s)) for s in r["settings"]}
        resolved = {path: _checked(Resolution(*x)) for path, x in r["resolved"].items()}
        names, lower = index_names(settings)
        files, choices = tuple(map(_text, r["files"])), frozenset(map(_text, r["choices"]))
        roots.append(Root(_text(r["name"]), settings, resolved, files, choices, bool(r["fragment"]), names, lower))
    told = [tuple(map(_text, stored[name])) for name in ("generated", "notes", "files")]
    return Project(tuple(roots), told[0], told[1], told[2], stored["key"])


_PLAIN_TYPES: Mapping[object, type] = {"str": str, "int": int, "bool": bool}


def _checked(made: Any) -> Any:
    """``made`` when its plain fields are of their types; raises ``TypeError`` for what somebody else wrote."""
    for name, wanted in _plain_fields(made.__class__):
        if type(getattr(made, name)) is not wanted:
            raise TypeError(name)
    return made


@functools.lru_cache(maxsize=16)
def _plain_fields(kind: type) -> tuple[tuple[str, type], ...]:
    """The fields of a dataclass that hold a text, a number or a switch, with their types."""
    return tuple((f.name, _PLAIN_TYPES[f.type]) for f in fields(kind) if f.type in _PLAIN_TYPES)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
