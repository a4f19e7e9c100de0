"""The first day and the next: switched on in a real project, green, red when a default flips, mended, green."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from ckpt_defaults.cli import main


@pytest.mark.slow
def test_switched_on_in_verl(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shared / "corpus" / "verl"
    if not source.is_dir():
        pytest.skip("verl's pages are not in ../shared")
    project = tmp_path / "verl"
    shutil.copytree(source, project, ignore=shutil.ignore_patterns("_generated*"))
    monkeypatch.chdir(project)
    monkeypatch.setenv("LC_ALL", "C")
    check = ["check", "docs", "--config", "verl/trainer/config", "--baseline", "known.txt"]
    identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")

    def git(*args: str) -> str:
        done = subprocess.run(["git", *identity, *args], check=True, capture_output=True, encoding="utf-8")
        return done.stdout

    assert main([*check[:-2], "--write-baseline", "known.txt"]) == 0
    assert main(check) == 0
    git("init", "-q")
    git("add", "-f", ".")
    git("commit", "-q", "-m", "x")
    config = project / "verl/trainer/config/actor/actor.yaml"
    config.write_text(config.read_text("utf-8").replace("kl_loss_coef: 0.001", "kl_loss_coef: 0.002"), "utf-8")
    capsys.readouterr()
    assert main(check) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if line.endswith("[disagrees]")]
    assert told
    assert all("kl_loss_coef is documented as 0.001" in line for line in told), told
    assert {line.split(":")[0] for line in told} >= {"docs/examples/config.rst"}
    assert main([*check, "--changed-since", "HEAD"]) == 1
    assert [line for line in capsys.readouterr().out.splitlines() if line.endswith("[disagrees]")] == told
    assert main([*check, "--fix"]) == 1
    assert main(check) == 0, capsys.readouterr().out
    changed = git("diff", "-U0", "--", "docs").splitlines()
    removed = [line[1:] for line in changed if line.startswith("-") and not line.startswith("---")]
    added = [line[1:] for line in changed if line.startswith("+") and not line.startswith("+++")]
    assert len(removed) == len(told)
    assert [line.replace("0.001", "0.002", 1) for line in removed] == added
