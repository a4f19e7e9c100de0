"""Flags that take several values at once, and what stands behind them that is no value of theirs.

``check --config a b`` names two configs; ``check --config a docs`` names one, and the pages. A flag takes every word up
to the next flag, so the words behind its first value are looked at before they are taken.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from .pages import holds_pages
from .parsing import ENDINGS


def add_several(parser: argparse.ArgumentParser, flag: str, metavar: str, what: str) -> None:
    """Adds a flag that takes one value or more, and may be given again; ``what`` is its help."""
    parser.add_argument(flag, nargs="+", action="extend", metavar=metavar, help=what)


class Parser(argparse.ArgumentParser):
    """The parser of a subcommand whose positional arguments may stand behind such a flag.

    They are put first, for argparse would give them to the flag.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's; it is what the parser of the whole command calls."""
        return super().parse_known_args(None if args is None else self._sorted(list(args)), namespace)

    def _sorted(self, words: list[str]) -> list[str]:
        """The words of a command line, with those in front that stand behind a flag and are none of its values."""
        named, behind = self._parted(words)
        moved = self._positional(words, behind)
        if named:
            moved = [index for index in behind if words[index].endswith(ENDINGS)]
        return [words[index] for index in moved] + [word for index, word in enumerate(words) if index not in moved]

    def _parted(self, words: Sequence[str]) -> tuple[bool, list[int]]:
        """Whether a positional argument stands by itself, and which words stand behind the first value of a flag."""
        named, behind, index = False, list[int](), 0
        while index < len(words):
            action = self._option_string_actions.get(words[index])
            if action is None:
                if words[index] == "--":
                    return named or index + 1 < len(words), behind
                named = named or not words[index].startswith("-")
                index += 1
                continue
            start = index + 1
            index = start
            while index < len(words) and not words[index].startswith("-") and (
                action.nargs == "+" or (index == start and action.nargs != 0)
            ):  # fmt: skip
                index += 1
            behind += range(start + 1, index)
        return named, behind

    def _positional(self, words: Sequence[str], behind: Sequence[int]) -> list[int]:
        """Which of the words ``behind`` are what the command takes without a flag: pages, ``KEY=VALUE``, or one key."""
        wanted = next((a for a in self._actions if not a.option_strings), None)
        if wanted is None or wanted.metavar == "DOCS":
            return [index for index in behind if holds_pages(words[index])]
        no_files = [index for index in behind if not os.path.exists(words[index])]
        if wanted.nargs == "+":
            return [index for index in no_files if "=" in words[index]] or no_files[-1:]
        return no_files[-1:]
