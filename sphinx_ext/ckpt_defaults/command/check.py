"""``ckpt-defaults check``: from its flags to what it prints, writes and returns."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..arguments import add_several
from ..baseline import apply_baseline, change_of, stale_note, write_baseline
from ..cache import FOLDER, Cache
from ..checks import load_project, run_check
from ..judging.checking import Outcome
from ..options import Options
from ..pages import find_pages
from ..settings import ConfigError, shown_path
from ..verdicts import DISAGREES
from ..wording import counted, say

FORMATS = ("text", "json", "sarif", "github", "junit")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of the check that no other command has."""
    parser.add_argument("docs", nargs="*", metavar="DOCS", help="pages (.rst, .md) or folders of them")
    add_several(parser, "--code", "PATH", "folders of the Python that _target_ names")
    parser.add_argument(
        "--code-every-place", action="store_true", help="with --code: judge a field at each key that repeats it"
    )
    parser.add_argument(
        "--config-copies",
        action="store_true",
        help="judge fallbacks and comments of the config, also without --code",
    )
    add_several(parser, "--pages", "PATTERN=ROOT", "pages that describe one root")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--all", action="store_true", help="tell what agrees and what is not decided as well")
    parser.add_argument("--fix", action="store_true", help="write the true values into the pages")
    parser.add_argument("--diff", action="store_true", help="print what --fix would write, and write nothing")
    parser.add_argument(
        "--live", action="store_true", help="with --fix or --diff: write the role config-default for values that agree"
    )
    parser.add_argument("--baseline", metavar="FILE", help="tell only what is not in this file of known disagreements")
    parser.add_argument(
        "--write-baseline", nargs="?", const="", metavar="FILE", help="write the known disagreements of today to FILE"
    )
    parser.add_argument("--strict-baseline", action="store_true", help="fail on entries that are healed")
    parser.add_argument(
        "--changed-since", metavar="REV", help="only lines that changed, and settings whose value changed, since REV"
    )
    parser.add_argument(
        "-j", "--jobs", type=_jobs, default="auto", metavar="N", help="processes (default: auto, one a core)"
    )
    parser.add_argument("--statistics", action="store_true", help="count statements by kind, page, key and reason")
    parser.add_argument("--no-cache", action="store_true", help="remember nothing between runs")


def _jobs(text: str) -> int:
    if text == "auto":
        return _cores()
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; write 1 or more, or auto")


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class _Found:
    """The outcome of a check as far as it is to be told, what it was made from, and remarks on the baseline."""

    whole: Outcome
    outcome: Outcome
    remarks: tuple[str, ...] = ()
    stale: bool = False


def run(args: argparse.Namespace, options: Options) -> int:
    """Checks, and mends or writes a baseline where that is asked. Returns the exit status.

    Raises :class:`ConfigError` for flags that do not go together and whatever keeps the check from its work.
    """
    _check_flags(args)
    if args.code_every_place and not options.code:
        raise ConfigError("--code-every-place judges the fields of classes: name the folder of their code with --code")
    options = replace(options, docs=options.docs or (["docs"] if os.path.isdir("docs") else ()))
    outcome, notes = run_check(options, jobs=args.jobs, cached=not args.no_cache)
    for note in notes:
        print(f"ckpt-defaults: {note}", file=sys.stderr)
    if args.write_baseline is not None:
        return _write_baseline(args.write_baseline or options.baseline, outcome, options)
    found = _narrowed(args, options, outcome)
    color = args.format == "text" and use_color(sys.stdout)
    if args.fix or args.diff:
        return _fix(args, options, found, color)
    return _tell(args, options, found, color)


def use_color(stream: object) -> bool:
    """Whether a stream is a terminal that wants colours (https://no-color.org)."""
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _check_flags(args: argparse.Namespace) -> None:
    if args.changed_since == "":
        raise ConfigError("--changed-since is empty; name a revision, or leave it out for the whole check")
    if args.live and not (args.fix or args.diff):
        raise ConfigError("--live rewrites pages: write it with --fix, or with --diff to see what it would write")
    if args.write_baseline and (os.path.isdir(args.write_baseline) or args.write_baseline.endswith((".rst", ".md"))):
        raise ConfigError(
            f"--write-baseline {args.write_baseline!r} is no baseline; write DOCS before the flag, or name a file"
        )
    if args.write_baseline is not None and (args.fix or args.diff or args.changed_since):
        raise ConfigError("--write-baseline takes the whole check: leave out --fix, --diff and --changed-since")
    if args.strict_baseline and args.changed_since:
        raise ConfigError("--strict-baseline needs the whole check; leave out --changed-since")
    if (args.fix or args.diff) and args.format != "text":
        raise ConfigError(f"--fix and --diff print text; leave out --format {args.format}")


def _write_baseline(file: str, outcome: Outcome, options: Options) -> int:
    if not file:
        raise ConfigError("--write-baseline needs a file: --write-baseline FILE")
    from ..reports.as_text import line

    known = [v for v in outcome.verdicts if options.rules.fails(v)]
    change = change_of(outcome, options.rules, file, _looked_at(outcome, options)) if os.path.exists(file) else None
    number = write_baseline(file, known)
    text = counted(
        "{number} known disagreement written to {file}.", "{number} known disagreements written to {file}.",
        number, file=shown_path(file),
    )  # fmt: skip
    if change is not None:
        for verdict in change.new:
            print(say("new: {line}", line=line(verdict)))
        text += " " + say(
            "{new} new, {kept} kept, {dropped} dropped (healed).",
            new=len(change.new), kept=change.kept, dropped=change.healed,
        )  # fmt: skip
        if change.unseen:
            text += " " + counted(
                "{number} more dropped, of a page that was not looked at.",
                "{number} more dropped, of pages that were not looked at.",
                change.unseen,
            )
    print(text)
    return 0


def _looked_at(outcome: Outcome, options: Options) -> list[str]:
    """The pages that were checked, and the other files in which a statement was found."""
    return [*(find_pages(options.docs) if options.docs else ()), *{v.statement.file for v in outcome.verdicts}]


def _narrowed(args: argparse.Namespace, options: Options, whole: Outcome) -> _Found:
    """The outcome without what the baseline knows and what did not change."""
    outcome, remarks, stale = whole, [], False
    if options.baseline:
        applied = apply_baseline(outcome, options.rules, options.baseline, _looked_at(outcome, options))
        outcome, stale = applied.outcome, bool(applied.stale)
        remarks += [stale_note(entry, options.baseline) for entry in applied.stale]
    elif args.strict_baseline:
        raise ConfigError("--strict-baseline needs a baseline: --baseline FILE")
    if args.changed_since:
        from .changed import changes_since

        project = load_project(options, Cache(None if args.no_cache else FOLDER))
        files = dict.fromkeys(v.statement.file for v in outcome.verdicts)
        changes = changes_since(args.changed_since, files, project, options.config)
        outcome = replace(outcome, verdicts=tuple(v for v in outcome.verdicts if changes.touch(v)), known=0)
        outcome, remarks = replace(outcome, unused_ignores=(), unused_comments=()), []
    return _Found(whole, outcome, tuple(remarks), stale and args.strict_baseline)


def _tell(args: argparse.Namespace, options: Options, found: _Found, color: bool) -> int:
    from ..reports import Report, writers

    report = Report(found.outcome, options.rules, args.all, color, args.statistics, found.remarks)
    if args.format in ("json", "sarif", "junit") and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # whatever a terminal would have
    sys.stdout.write(writers()[args.format](report))
    if args.format not in ("text", "github"):
        _aside(found.remarks)
    return int(found.stale or any(options.rules.fails(v) for v in found.outcome.verdicts))


def _aside(lines: Sequence[str]) -> None:
    for line in lines:
        print(f"ckpt-defaults: {line}", file=sys.stderr)


def _fix(args: argparse.Namespace, options: Options, found: _Found, color: bool) -> int:
    from ..fixing.checks import Judge
    from ..fixing.edits import fix, write_all
    from ..reports import of_fix

    told = found.outcome.told()
    project = load_project(options, Cache(None if args.no_cache else FOLDER))
    if args.live:
        from ..fixing.live import make_live

        files = make_live(found.outcome.verdicts, project)
    else:
        files = fix(told, Judge(project, options.rules), found.whole.verdicts)
    changed = any(file.done for file in files)
    beside = sum(v.verdict == DISAGREES for v in told) if args.live else 0
    if args.diff:
        sys.stdout.write(of_fix.diff(files))
        _aside([*of_fix.refusals(files), *found.remarks, of_fix.summary(files, False, beside)])
        faults: list[str] = []
    else:
        faults = write_all(files)
        if faults:
            raise ConfigError("; ".join(faults))
        lines = [*of_fix.mended(files, color), *of_fix.refusals(files, color), *found.remarks]
        undecided = found.outcome.summary()["undecided"]
        lines.append(of_fix.summary(files, True, beside))
        if undecided:
            lines[-1] += " " + say("{number} not decided and left as they are.", number=undecided)
        print("\n".join(lines))
    fails = any(
        options.rules.fails(v) for v in told if v.verdict == DISAGREES
    )  # an unknown key is for the check to tell
    return int(changed or found.stale or fails)
