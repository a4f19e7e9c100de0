"""What was mended, for a person: a line for each value, a line for each disagreement that is left alone, a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..fixing.edits import FixedFile
from ..settings import shown_path
from ..shortening import shown_apart
from ..wording import counted, say
from .as_text import place


def diff(files: Sequence[FixedFile]) -> str:
    """The change of all files as one unified diff."""
    return "".join(file.diff() for file in files)


def refusals(files: Sequence[FixedFile], color: bool = False) -> Iterator[str]:
    """A line for each disagreement that stays, with the reason."""
    for file in files:
        for refusal in file.refused:
            v = refusal.verdict
            yield say(
                "{place}: left alone: {message}: {reason}",
                place=place(v, color), message=v.message, reason=refusal.reason,
            )  # fmt: skip


def mended(files: Sequence[FixedFile], color: bool = False) -> Iterator[str]:
    """A line for each value that was replaced."""
    for file in files:
        for edit in sorted(file.done, key=lambda e: (e.line, e.column)):
            where = f"{shown_path(file.source.file)}:{edit.line}:{edit.column}"
            where = f"\x1b[1m{where}\x1b[0m" if color else where
            config = edit.verdict.setting.place if edit.verdict.setting is not None else ""
            old, new = shown_apart(edit.old, edit.new)
            yield say(
                "{place}: {key} is now documented as {new} instead of {old}, as {config} says",
                place=where, key=edit.verdict.path, new=new, old=old, config=config,
            )  # fmt: skip


def summary(files: Sequence[FixedFile], written: bool, beside: int = 0) -> str:
    """How many values were mended (or would be) in how many files, and how many are left.

    ``beside`` counts disagreements that were not to be mended.
    """
    done = sum(len(file.done) for file in files)
    left = beside + sum(len(file.refused) for file in files)
    changed = counted("{number} file", "{number} files", sum(1 for file in files if file.done))
    if not done and not left:
        return say("Nothing disagrees.")
    if written:
        text = counted("{number} value mended in {files}.", "{number} values mended in {files}.", done, files=changed)
    else:
        text = counted(
            "{number} value would be mended in {files}.", "{number} values would be mended in {files}.",
            done, files=changed,
        )  # fmt: skip
    if left:
        text += " " + counted("{number} disagreement left alone.", "{number} disagreements left alone.", left)
    return text
