"""The report as JUnit XML: a test suite a page, a test case a statement."""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from ..settings import shown_path
from ..verdicts import UNDECIDED, Verdict
from ..wording import in_words
from . import Report

_FORBIDDEN = {code: None for code in range(32) if code not in (9, 10, 13)}


def _text(value: str) -> str:
    return value.translate(_FORBIDDEN)


def _case(verdict: Verdict, report: Report) -> str:
    s = verdict.statement
    file = quoteattr(_text(shown_path(s.file)))
    name = quoteattr(_text(f"{verdict.path or s.key} (line {s.line})"))
    head = f'    <testcase classname={file} name={name} file={file} line="{s.line}"'
    if report.rules.fails(verdict):
        message = _text(report.told(verdict))
        failure = f"<failure type={quoteattr(verdict.verdict)} message={quoteattr(message)}>{escape(message)}</failure>"
        return f"{head}>\n      {failure}\n    </testcase>"
    if verdict.verdict == UNDECIDED:
        return f"{head}>\n      <skipped message={quoteattr(_text(in_words(verdict.reason)))}/>\n    </testcase>"
    return f"{head}/>"


def write(report: Report) -> str:
    """All statements as test cases: what fails the check are failures, what is undecided is skipped."""
    suites = []
    ordered = sorted(report.outcome.verdicts, key=lambda v: v.statement.file)
    for file, group in groupby(ordered, key=lambda v: v.statement.file):
        members = list(group)
        failures = sum(1 for v in members if report.rules.fails(v))
        skipped = sum(1 for v in members if v.verdict == UNDECIDED and not report.rules.fails(v))
        suites.append(
            f'  <testsuite name={quoteattr(_text(shown_path(file)))} tests="{len(members)}" failures="{failures}" '
            f'errors="0" skipped="{skipped}">\n' + "\n".join(_case(v, report) for v in members) + "\n  </testsuite>"
        )
    body = "\n".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="ckpt-defaults">\n{body}\n</testsuites>\n'
