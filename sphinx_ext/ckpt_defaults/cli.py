"""The command ``ckpt-defaults``."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from .arguments import Parser, add_several
from .command import check as check_command
from .options import Options, read_options
from .settings import ConfigError
from .version import __version__

ERROR = 2
"""The exit status when the command could not do its work."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command. Returns 0 when nothing disagrees, 1 when something does, 2 when it could not do its work."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # a name or value that the terminal's encoding lacks
    try:
        parser = _parser()
        args, left = parser.parse_known_args(argv)
        _refuse(left, parser)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except ConfigError as error:
        print(f"ckpt-defaults: {error}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        print("ckpt-defaults: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away: what was found was not told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ERROR


def _refuse(left: Sequence[str], parser: argparse.ArgumentParser) -> None:
    """Says what arguments that fit nowhere are likely meant to be. Raises :class:`ConfigError`."""
    if left and not left[0].startswith("-"):
        raise ConfigError(f"{left[0]!r} is one argument too many; name DOCS together, in front of the flags")
    if left:
        parser.error(f"unrecognized arguments: {' '.join(left)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ckpt-defaults", description="Checks what documentation says of defaults against the YAML config."
    )
    parser.add_argument("--version", action="version", version=f"ckpt-defaults {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    _add_check(commands.add_parser("check", help="check every statement of a default"))
    _add_show(commands.add_parser("show", help="a default, where it is set, and what else states it"))
    _add_impact(commands.add_parser("impact", help="what would have to follow if a default were another"))
    _add_memory(commands.add_parser("memory", help="host memory that saving a checkpoint needs"))
    return parser


def _add_check(parser: argparse.ArgumentParser) -> None:
    check_command.add_arguments(parser)
    _add_config(parser)
    parser.set_defaults(run=lambda args: check_command.run(args, options_of(args)))


def _add_config(parser: argparse.ArgumentParser) -> None:
    add_several(parser, "--config", "PATH", "YAML files or folders")
    add_several(parser, "--root", "NAME", "judge against these roots only")


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="a key, in full or its end")
    _add_config(parser)
    add_several(parser, "--docs", "DOCS", "pages (.rst, .md) or folders of them, whose statements are listed")
    add_several(parser, "--code", "PATH", "folders of the Python that _target_ names")
    parser.set_defaults(run=_show)


def _add_impact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("changes", nargs="+", metavar="KEY=VALUE", help="a default as it might be")
    _add_config(parser)
    add_several(parser, "--docs", "DOCS", "pages (.rst, .md) or folders of them")
    add_several(parser, "--code", "PATH", "folders of the Python that _target_ names")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_impact)


def _add_memory(parser: argparse.ArgumentParser) -> None:
    from .memory import report as memory_report

    memory_report.add_arguments(parser)
    parser.set_defaults(run=memory_report.run)


def options_of(args: argparse.Namespace) -> Options:
    """The options of the project, with the flags of the command above them. Raises :class:`ConfigError`."""
    options = read_options()
    given: dict[str, object] = {
        name: getattr(args, name) for name in ("docs", "config", "code", "root") if getattr(args, name, None)
    }
    given.update((name, True) for name in ("code_every_place", "config_copies") if getattr(args, name, False))
    if getattr(args, "baseline", None) is not None:
        given["baseline"] = args.baseline
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


def _with_docs(options: Options) -> Options:
    """The options, with the folder ``docs`` where no pages are named."""
    return options if options.docs or not os.path.isdir("docs") else replace(options, docs=["docs"])


def _show(args: argparse.Namespace) -> int:
    from .command.show import described

    print(described(args.key, _with_docs(options_of(args))))
    return 0


def _impact(args: argparse.Namespace) -> int:
    from .command import impact

    found = impact.impact(args.changes, _with_docs(options_of(args)))
    sys.stdout.write(impact.as_json(found) if args.format == "json" else impact.as_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
