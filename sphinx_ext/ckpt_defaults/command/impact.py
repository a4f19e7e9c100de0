"""What would have to follow if a default were another: every page, copy and generated file, before it is changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..baseline import known_mark, known_of
from ..cache import FOLDER, Cache
from ..checks import load_project, run_check, with_copies
from ..fixing.spelling import replacement, style_of
from ..interpolation import Resolution, environment_default, is_interpolated, resolve_all
from ..judging import keys as key_rules
from ..judging.checking import Outcome, check
from ..judging.keys import BARE
from ..literals import references
from ..options import Options
from ..pages import names_of
from ..reports.as_text import place
from ..roots import Project, Root
from ..settings import ConfigError, Setting, load, parse_value, shown_path
from ..statements import Statement
from ..values import display
from ..verdicts import AGREES, DISAGREES, Verdict
from ..wording import counted, say


@dataclass(frozen=True)
class Impact:
    """What would have to follow.

    ``places`` are what is to be changed (setting, new value); ``following`` the settings that change with them, as
    (path, old, new); ``verdicts`` the statements that would be wrong then; ``healed`` those that would be right at
    last; ``generated`` the files to be written anew; ``spelt`` how the new values were written; ``known`` the
    statements that the baseline knows.
    """

    places: Sequence[tuple[Setting, Any]]
    following: Sequence[tuple[str, str, str]]
    verdicts: Sequence[Verdict]
    healed: Sequence[Verdict]
    generated: Sequence[str]
    spelt: Mapping[str, str]
    known: frozenset[Statement] = frozenset()


def impact(changes: Sequence[str], options: Options) -> Impact:
    """What follows from ``changes`` of the form ``KEY=VALUE``.

    Raises :class:`ConfigError` for a change of another form, an unknown key and one that may mean several settings.
    """
    options = replace(options, config_copies=True)
    project = load_project(options, Cache(FOLDER))
    wanted: dict[tuple[str, int], tuple[Setting, Any]] = {}
    spelt: dict[str, str] = {}
    for text in changes:
        key, equals, written = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"{text!r} is no KEY=VALUE")
        try:
            value = parse_value(written)
        except ValueError:
            raise ConfigError(f"{written!r} is no value as YAML writes it; quote it") from None
        for setting in _settings(key.strip(), project):
            wanted[setting.file, setting.line] = setting, value
            spelt[display(value)] = written.strip()
    changed = replace(project, roots=tuple(with_values(root, wanted) for root in project.roots))
    outcome, _ = run_check(options)
    known = known_of(outcome, options.rules, options.baseline)
    before = [verdict for verdict in outcome.verdicts if verdict.statement.kind != "generated"]
    after = _judged_again(before, changed, options)
    ends = [(old, new) for old, new in zip(before, after, strict=True) if new is not None]
    return Impact(
        list(wanted.values()),
        list(_following(project, changed)),
        [new for old, new in ends if new.verdict == DISAGREES and old.actual != new.actual],
        [new for old, new in ends if new.verdict == AGREES and old.verdict == DISAGREES],
        list(_generated(project, changed)),
        spelt,
        frozenset(verdict.statement for verdict in outcome.verdicts if id(verdict) in known),
    )


def _settings(key: str, project: Project) -> list[Setting]:
    """The settings that a key means, in whichever root."""
    found = {root: match for root in project.roots if (match := key_rules.find(root, key)) is not None}
    found = {root: match for root, match in found.items() if not root.fragment} or found
    if not found:
        near = key_rules.suggestion(project.roots, key)
        raise ConfigError(f"no config has the key {key!r}" + (f"; did you mean {near}?" if near else ""))
    best = max(match.how for match in found.values())
    paths = sorted({path for match in found.values() if match.how == best for path in match.paths})
    if len(paths) > 1 and (best == BARE or "." not in key):
        raise ConfigError(f"{key} may mean {', '.join(paths[:6])}{' …' if len(paths) > 6 else ''}; write it in full")
    return [
        root.settings[path] for root, match in found.items() if match.how == best for path in match.paths
    ]  # fmt: skip


def with_values(root: Root, wanted: Mapping[tuple[str, int], tuple[Setting, Any]]) -> Root:
    """A root in which every setting that comes from one of the places has the new value."""
    hit = {
        path: wanted[s.file, s.line][1]
        for path, s in root.settings.items()
        if (s.file, s.line) in wanted and s.name == wanted[s.file, s.line][0].name
    }
    if not hit:
        return root
    values = tree_of(root)
    settings = dict(root.settings)
    for path, value in hit.items():
        settings[path] = replace(settings[path], value=value)
        parts = path.split(".")
        inner: Any = values
        for depth, part in enumerate(parts[:-1]):
            inner = inner[int(part)] if isinstance(inner, list) else inner[part]
            above = ".".join(parts[: depth + 1])
            if above in settings:
                settings[above] = replace(settings[above], value=inner)
        _put(inner, parts[-1:], value)
    return replace(root, settings=settings, resolved=_resolved_again(root, settings, values, hit))


def _resolved_again(
    root: Root, settings: Mapping[str, Setting], values: Mapping[str, Any], hit: Mapping[str, Any]
) -> Mapping[str, Resolution]:
    """The resolutions of a root in which the settings at ``hit`` have new values; all anew only where that tells."""
    if any(is_interpolated(value) for value in hit.values()) or _is_followed(root, hit):
        return resolve_all(settings, values)
    resolved = {path: found for path, found in root.resolved.items() if path not in hit}
    for path, value in hit.items():
        parts = path.split(".")
        for depth in range(1, len(parts)):
            above = resolved.get(".".join(parts[:depth]))
            if above is not None and not above.problem:
                whole = copy.deepcopy(above.value)
                _put(whole, parts[depth:], value)
                resolved[".".join(parts[:depth])] = replace(above, value=whole)
    return resolved


def _put(inner: Any, parts: Sequence[str], value: Any) -> None:
    """Puts a value into plain containers, at the place that ``parts`` name."""
    for part in parts[:-1]:
        inner = inner[int(part)] if isinstance(inner, list) else inner[part]
    if isinstance(inner, list):
        inner[int(parts[-1])] = value
    else:
        inner[parts[-1]] = value


def _is_followed(root: Root, hit: Mapping[str, Any]) -> bool:
    """Whether the value of another setting may be made of one at ``hit``, of what is in it, or of what it is in."""
    for path in root.resolved:
        value = root.settings[path].value
        if isinstance(value, dict):
            continue  # its items are settings themselves
        keys = references(value, path)
        if display(value).count("${") > len(keys) and environment_default(value) is None:
            return True  # it is named in a way that only resolving tells
        if any(f"{key}.".startswith(f"{one}.") or f"{one}.".startswith(f"{key}.") for key in keys for one in hit):
            return True
    return False


def tree_of(root: Root) -> dict[str, Any]:
    """The settings of a root as plain containers; a mapping that no file sets by itself is made of what is in it."""
    tree: dict[str, Any] = {}
    for path in sorted(root.settings, key=lambda path: path.count(".")):
        inner: Any = tree
        *above, last = path.split(".")
        for part in above:
            inner = inner[int(part)] if isinstance(inner, list) else inner.setdefault(part, {})
        if not isinstance(inner, list) and last not in inner:
            inner[last] = copy.deepcopy(root.settings[path].value)
    return tree


def _judged_again(before: Sequence[Verdict], project: Project, options: Options) -> list[Verdict | None]:
    """The verdicts of the same statements by another project: those of copies, and those of pages, page by page."""
    copies = {_identity(v): v for v in with_copies(Outcome(()), project, options)[0].verdicts}
    after: list[Verdict | None] = [copies.get(_identity(verdict)) for verdict in before]
    by_file: dict[str, list[int]] = {}
    for index, verdict in enumerate(before):
        if after[index] is None:
            by_file.setdefault(verdict.statement.file, []).append(index)
    for members in by_file.values():
        outcome = check([before[i].statement for i in members], project, options.rules, names_of)
        found = {verdict.statement: verdict for verdict in outcome.verdicts}
        for index in members:
            after[index] = found.get(before[index].statement)
    return after


def _identity(verdict: Verdict) -> tuple[str, int, int, str, str, str]:
    s = verdict.statement
    return s.file, s.line, s.column, s.kind, s.documented, verdict.path


def _following(project: Project, changed: Project) -> Iterable[tuple[str, str, str]]:
    seen: dict[tuple[str, str, str], None] = {}
    for old, new in zip(project.roots, changed.roots, strict=True):
        if old is new:
            continue
        for path, setting in new.settings.items():
            if isinstance(setting.value, dict):
                continue
            before, after = old.resolve(path), new.resolve(path)
            was, now = display(before.value), display(after.value)
            if was != now and not before.problem and not after.problem:
                seen.setdefault((path, was, now))
    return seen


def _generated(project: Project, changed: Project) -> Iterable[str]:
    """The generated files that hold a setting which changes."""
    paths = {path for path, _, _ in _following(project, changed)}
    for file in project.generated:
        for part in load(file):
            line = min((s.line for path, s in part.settings.items() if path in paths), default=0)
            if line:
                yield f"{shown_path(file)}:{line}"


def as_text(found: Impact) -> str:
    """What follows, a line each, and a summary."""
    lines = [
        say("{place}: {key} would be {new}, is {old}", place=s.place, key=s.path, new=display(v), old=display(s.value))
        for s, v in found.places
    ]
    own = {s.path for s, _ in found.places}
    lines += [
        say("{key} follows: {old} would be {new}", key=path, old=was, new=now)
        for path, was, now in found.following
        if path not in own
    ]
    words: dict[str, list[Statement]] = {}
    for verdict in found.verdicts:
        words.setdefault(verdict.statement.file, []).append(verdict.statement)
    styles = {file: style_of(statements) for file, statements in words.items()}
    for verdict in found.verdicts:
        s = verdict.statement
        new = replacement(verdict, styles[s.file])
        todo = say("write the sentence anew") if new is None else say("write {fix}", fix=found.spelt.get(new, new))
        lines.append(
            say(
                "{place}: {key} is documented as {said}; {todo}",
                place=place(verdict), key=verdict.path, said=s.documented, todo=todo,
            )
            + f" [{s.kind}]"
            + (known_mark() if s in found.known else "")
        )  # fmt: skip
    for verdict in found.healed:
        said = verdict.statement.documented
        lines.append(say("{place}: {key} would be right as {said}", place=place(verdict), key=verdict.path, said=said))
    lines += [say("{place}: would have to be written anew", place=at) for at in found.generated]
    files = len(words) + len(found.generated)
    if files:
        lines.append(
            counted(
                "{number} statement in {files} would have to follow.",
                "{number} statements in {files} would have to follow.",
                len(found.verdicts),
                files=counted("{number} file", "{number} files", files),
            )
        )
    else:
        lines.append(say("Nothing that states this default would have to follow."))
    return "\n".join(lines) + "\n"


def as_json(found: Impact) -> str:
    """What follows, for a program: ``{"version": 1, "places", "following", "claims", "healed", "generated"}``."""
    from ..reports.as_json import claim

    content = {
        "version": 1,
        "places": [{"path": s.path, "config": s.place, "from": s.value, "to": v} for s, v in found.places],
        "following": [{"path": path, "from": was, "to": now} for path, was, now in found.following],
        "claims": [{**claim(v), "known": v.statement in found.known} for v in found.verdicts],
        "healed": [claim(v) for v in found.healed],
        "generated": list(found.generated),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
