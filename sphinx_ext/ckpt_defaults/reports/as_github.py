"""The report as GitHub's workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from ..settings import shown_path
from ..verdicts import UNKNOWN_KEY, Verdict
from . import Report
from .as_text import summary


def _escaped(text: str, more: str = "") -> str:
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *((c, f"%{ord(c):02X}") for c in more)):
        text = text.replace(char, code)
    return text


def annotation(verdict: Verdict, level: str, message: str) -> str:
    """``::error file=...,line=...,col=...,title=...::message``."""
    s = verdict.statement
    file = _escaped(shown_path(s.file), ":,")
    title = _escaped(f"ckpt-defaults: {verdict.verdict}", ":,")
    return f"::{level} file={file},line={s.line},col={s.column},title={title}::{_escaped(message)}"


def write(report: Report) -> str:
    """An annotation each, errors for what fails the check, warnings for other findings, then the summary."""
    lines = [
        annotation(
            v,
            "error" if report.rules.fails(v) else "warning" if v.verdict == UNKNOWN_KEY else "notice",
            report.told(v),
        )
        for v in (report.outcome.verdicts if report.everything else report.outcome.told())
    ]
    lines += [f"::warning title=ckpt-defaults::{_escaped(remark)}" for remark in report.remarks]
    return "\n".join([*lines, summary(report.outcome)]) + "\n"
