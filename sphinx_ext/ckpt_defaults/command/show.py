"""What is known of one key: its default in each root, where it is set, and what states it."""

from __future__ import annotations

from dataclasses import replace

from ..baseline import known_mark, known_of
from ..cache import Cache
from ..checks import load_project, run_check
from ..judging import keys as key_rules
from ..literals import is_hidden, redacted, told_value
from ..options import Options
from ..redaction import HIDDEN, is_secret
from ..reports.as_text import line
from ..roots import MANDATORY, Root
from ..settings import ConfigError
from ..values import display
from ..verdicts import NO_DEFAULT
from ..wording import counted, in_words


def described(key: str, options: Options) -> str:
    """The lines that tell a key's default: by root and place, with its comment, then all statements of it.

    Those are of the pages, of the code where folders of it are named, of the config itself and of generated files.
    Raises :class:`ConfigError` when no root has the key, with the key that may have been meant.
    """
    options = replace(options, config_copies=True)
    project = load_project(options, Cache(None))
    found = {root: match for root in project.roots if (match := key_rules.find(root, key)) is not None}
    main = {root: match for root, match in found.items() if not root.fragment} or found
    if not main:
        near = key_rules.suggestion(project.roots, key)
        raise ConfigError(f"no config has the key {key!r}" + (f"; did you mean {near}?" if near else ""))
    by_path: dict[str, list[Root]] = {}
    for root, match in main.items():
        for path in match.paths:
            by_path.setdefault(path, []).append(root)
    lines: list[str] = []
    for path, roots in by_path.items():
        lines += _setting(path, roots)
    outcome, _ = run_check(options)
    known = known_of(outcome, options.rules, options.baseline)
    stated = [line(v) + (known_mark() if id(v) in known else "") for v in outcome.verdicts if v.path in by_path]
    if stated or options.docs:
        lines += [counted("{number} statement:", "{number} statements:", len(stated)), *stated]
    return "\n".join(lines)


def _setting(path: str, roots: list[Root]) -> list[str]:
    """A key, and each different value of it with its place and roots."""
    values: dict[tuple[str, str], list[str]] = {}
    comment = ""
    for root in roots:
        setting, resolution = root.settings[path], root.resolve(path)
        if is_secret(path) or is_hidden(root, path):
            text = HIDDEN
        elif resolution.value == MANDATORY:
            text = in_words(NO_DEFAULT)
        else:
            text = (
                display(told_value(root, path, resolution.value))
                if not resolution.problem
                else f"{display(redacted(setting.value))} ({resolution.problem})"
            )
        if resolution.follows:
            text += f" (follows {resolution.follows})"
        values.setdefault((text, setting.place), []).append(root.name)
        comment = comment or setting.comment
    lines = [path]
    lines += [f"  {text}  {place}  in {', '.join(names)}" for (text, place), names in values.items()]
    return lines + [f"  # {part}" for part in comment.split("\n") if part]
