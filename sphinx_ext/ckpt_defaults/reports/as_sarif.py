"""The report as SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..settings import shown_path
from ..verdicts import AGREES, DISAGREES, UNDECIDED, UNKNOWN_KEY, Verdict
from ..version import __version__
from . import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    DISAGREES: "A documented default differs from the config.",
    UNKNOWN_KEY: "A default is documented for a key that no config has.",
    UNDECIDED: "A statement of a default that could not be judged.",
    AGREES: "A documented default is what the config says.",
}


def _location(file: str, line: int, column: int = 0, length: int = 0) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(line, 1)}
    if column:
        region["startColumn"] = column
        if length:
            region["endColumn"] = column + length
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region}}


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(shown_path(file), errors="surrogateescape")


def _result(verdict: Verdict, report: Report) -> dict[str, Any]:
    s = verdict.statement
    level = "error" if report.rules.fails(verdict) else "warning" if verdict.verdict == UNKNOWN_KEY else "note"
    fingerprint = "\n".join([shown_path(s.file), verdict.path or s.key, s.documented])
    result: dict[str, Any] = {
        "ruleId": verdict.verdict,
        "level": level,
        "message": {"text": verdict.message},
        "locations": [_location(s.file, s.line, s.column, s.span)],
        "partialFingerprints": {"statement/v1": hashlib.sha256(fingerprint.encode(errors="surrogatepass")).hexdigest()},
    }
    new = report.fix(verdict)
    if new is not None and s.span:
        region = _location(s.file, s.line, s.column, s.span)["physicalLocation"]
        replaced = {"deletedRegion": region["region"], "insertedContent": {"text": new}}
        result["fixes"] = [
            {
                "description": {"text": f"write {new}"},
                "artifactChanges": [{"artifactLocation": region["artifactLocation"], "replacements": [replaced]}],
            }
        ]
    if verdict.setting is not None:
        related = _location(verdict.setting.file, verdict.setting.line)
        result["relatedLocations"] = [{**related, "message": {"text": "the config"}}]
    return result


def write(report: Report) -> str:
    """One run with a rule for each verdict and a result for each that the report holds."""
    content = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ckpt-defaults",
                        "version": __version__,
                        "rules": [{"id": n, "shortDescription": {"text": t}} for n, t in _RULES.items()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(v, report) for v in report.verdicts],
            }
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
