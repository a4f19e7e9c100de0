"""The report as JSON: ``{"version": 1, "claims": [...], "summary": {...}}``."""

from __future__ import annotations

import json
from typing import Any

from ..redaction import HIDDEN, is_secret, redacted_text
from ..settings import shown_path
from ..verdicts import Verdict
from . import Report

VERSION = 1


def claim(verdict: Verdict, fix: str | None = None) -> dict[str, Any]:
    """One verdict as the fields of a claim; paths are relative to the working directory, with forward slashes.

    ``fix`` is what the page would have to write instead.
    """
    s = verdict.statement
    secret = is_secret(verdict.path or s.key)
    return {
        "file": shown_path(s.file),
        "line": s.line,
        "column": s.column,
        "kind": s.kind,
        "key": s.key,
        "path": verdict.path or None,
        "root": verdict.root or None,
        "documented": HIDDEN if secret else redacted_text(s.documented),
        "actual": verdict.actual if verdict.setting is not None else None,
        "config": verdict.setting.place if verdict.setting is not None else None,
        "verdict": verdict.verdict,
        "message": verdict.message,
        "fix": None if secret else fix,
    }


def write(report: Report) -> str:
    """The report as JSON, indented, ending with a line break."""
    content = {
        "version": VERSION,
        "claims": [claim(v, report.fix(v)) for v in report.verdicts],
        "summary": report.outcome.summary(),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
