"""The command ``ckpt-defaults``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from .options import Options, read_options
from .settings import ConfigError
from .version import __version__

FORMATS = ("text", "json", "sarif", "github", "junit")
ERROR = 2
"""The exit status when the command could not do its work."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command. Returns 0 when nothing disagrees, 1 when something does, 2 when it could not do its work."""
    try:
        args = _parser().parse_args(argv)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"ckpt-defaults: {error}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        print("ckpt-defaults: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ckpt-defaults", description="Checks what documentation says of defaults against the YAML config."
    )
    parser.add_argument("--version", action="version", version=f"ckpt-defaults {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_check(commands.add_parser("check", help="check every statement of a default"))
    _add_show(commands.add_parser("show", help="a default, where it is set, and what else states it"))
    _add_memory(commands.add_parser("memory", help="host memory that saving a checkpoint needs"))
    return parser


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("docs", nargs="*", metavar="DOCS", help="pages (.rst, .md) or folders of them")
    _add_config(parser)
    parser.add_argument("--code", action="append", metavar="PATH", help="folder of the Python that _target_ names")
    parser.add_argument("--pages", action="append", metavar="PATTERN=ROOT", help="pages that describe one root")
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument("--all", action="store_true", help="tell what agrees and what is not decided as well")
    parser.add_argument("-j", "--jobs", type=_jobs, default=1, metavar="N", help="processes; 'auto' for one a core")
    parser.add_argument("--statistics", action="store_true", help="count statements by kind and verdict")
    parser.add_argument("--no-cache", action="store_true", help="remember nothing between runs")
    parser.set_defaults(run=_check)


def _add_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", action="append", metavar="PATH", help="YAML file or folder (repeatable)")
    parser.add_argument("--root", action="append", metavar="NAME", help="judge against this root only (repeatable)")


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="a key, in full or its end")
    _add_config(parser)
    parser.add_argument("--docs", action="append", metavar="DOCS", help="pages whose statements are listed")
    parser.set_defaults(run=_show)


def _add_memory(parser: argparse.ArgumentParser) -> None:
    from . import memory_report

    memory_report.add_arguments(parser)
    parser.set_defaults(run=memory_report.run)


def _jobs(text: str) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; write 1 or more, or auto")


def options_of(args: argparse.Namespace) -> Options:
    """The options of the project, with the flags of the command above them. Raises :class:`ConfigError`."""
    options = read_options()
    given: dict[str, object] = {
        name: getattr(args, name) for name in ("docs", "config", "code", "root") if getattr(args, name, None)
    }
    pages = dict(options.pages)
    for text in getattr(args, "pages", None) or ():
        pattern, equals, root = text.partition("=")
        if not equals or not pattern or not root:
            raise ConfigError(f"--pages {text!r} is no PATTERN=ROOT")
        pages[pattern] = root
    options = replace(options, **given, pages=pages)  # type: ignore[arg-type]
    if not options.config:
        raise ConfigError("no config is named; give --config PATH, or config in [tool.ckpt-defaults] of pyproject.toml")
    return options


def _check(args: argparse.Namespace) -> int:
    from .checks import run_check
    from .reports import Report, writers

    options = options_of(args)
    if not options.docs and os.path.isdir("docs"):
        options = replace(options, docs=["docs"])
    outcome, notes = run_check(options, jobs=args.jobs, cached=not args.no_cache)
    for note in notes:
        print(f"ckpt-defaults: {note}", file=sys.stderr)
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and args.format == "text"
    report = Report(outcome, options.rules, args.all, color, args.statistics)
    sys.stdout.write(writers()[args.format](report))
    return int(any(options.rules.fails(v) for v in outcome.verdicts))


def _show(args: argparse.Namespace) -> int:
    from .show import described

    options = options_of(args)
    if not args.docs and not options.docs and os.path.isdir("docs"):
        options = replace(options, docs=["docs"])
    print(described(args.key, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
