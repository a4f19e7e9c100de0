"""What a project asks of the command: ``[tool.ckpt-defaults]`` of pyproject.toml, and the flags above it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .judging.checking import FAIL_ON, Rules
from .settings import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = "ckpt-defaults"


@dataclass(frozen=True)
class Options:
    """The settings of a project, paths relative to the working directory.

    ``docs`` files or folders of pages, ``config`` YAML files or folders, ``code`` folders of Python, ``root`` names of
    the roots to judge against (empty: all), ``pages`` page pattern to root, ``ignore`` patterns of ``page`` or
    ``page:key``, ``baseline`` a file of known disagreements, ``fail_on`` what fails the check. ``code_every_place``
    judges a class's field at each key that repeats it, ``config_copies`` the copies in the config without any code.
    """

    docs: Sequence[str] = ()
    config: Sequence[str] = ()
    code: Sequence[str] = ()
    code_every_place: bool = False
    config_copies: bool = False
    root: Sequence[str] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    baseline: str = ""
    fail_on: str = FAIL_ON[0]
    source_url: str = ""
    prefer_live: bool = False

    @property
    def rules(self) -> Rules:
        """The rules of the check."""
        return Rules(self.pages, self.ignore, self.fail_on)


def find_pyproject(start: str) -> str | None:
    """The nearest pyproject.toml from the folder ``start`` upwards."""
    folder = os.path.abspath(start)
    while True:
        file = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(file):
            return file
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def read_options(start: str = ".") -> Options:
    """The options of the project around ``start``; the defaults where pyproject.toml has no such table.

    Raises :class:`ConfigError` for TOML that does not parse, an unknown name or a value of the wrong kind.
    """
    file = find_pyproject(start)
    if file is None:
        return Options()
    try:
        with open(file, "rb") as stream:
            tools = tomllib.load(stream).get("tool", {})
    except RecursionError:
        raise ConfigError("is nested too deeply; mend it", file) from None
    except (OSError, ValueError) as error:  # of TOML, of its encoding, and a number of too many digits
        raise ConfigError(f"cannot be read ({error}); mend it", file) from None
    table = tools.get(TABLE, {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"[tool.{TABLE}] must be a table", file)
    known = {f.name: f for f in fields(Options)}
    given: dict[str, Any] = {}
    for written, value in table.items():
        name = written.replace("-", "_")
        if name not in known:
            have = ", ".join(sorted(n.replace("_", "-") for n in known))
            raise ConfigError(f"[tool.{TABLE}] has no setting {written!r}; there are {have}", file)
        given[name] = _checked(written, value, getattr(Options(), name), file)
    base = os.path.relpath(os.path.dirname(file), start)
    for name in ("docs", "config", "code"):
        given[name] = [os.path.normpath(os.path.join(base, path)) for path in given.get(name, ())]
    if given.get("baseline"):
        given["baseline"] = os.path.normpath(os.path.join(base, given["baseline"]))
    return Options(**given)


def _checked(written: str, value: Any, default: Any, file: str) -> Any:
    wanted: tuple[type[Any], str]
    if isinstance(default, bool):
        wanted = (bool, "true or false")
    elif isinstance(default, str):
        wanted = (str, "a text")
    elif isinstance(default, Mapping):
        wanted = (dict, "a table")
    else:
        value = [value] if isinstance(value, str) else value
        wanted = (list, "a list of texts")
    inner: Sequence[Any] = ()
    if isinstance(value, (dict, list)):
        inner = list(value.values()) if isinstance(value, dict) else value
    texts = [*inner, value] if isinstance(value, str) else inner
    if not isinstance(value, wanted[0]) or not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise ConfigError(f"[tool.{TABLE}] {written} must be {wanted[1]}", file)
    if written.replace("-", "_") == "fail_on" and str(value) not in FAIL_ON:
        raise ConfigError(f"[tool.{TABLE}] {written} is {value!r}; write one of {', '.join(FAIL_ON)}", file)
    return value
