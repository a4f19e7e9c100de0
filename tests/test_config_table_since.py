"""What changed between two copies of a config, as the directive ``config-table`` shows it."""

from __future__ import annotations

from config_pages import CONFIG, project, read_again, rows
from conftest import Build

# -- :since: ---------------------------------------------------------------------------------------------------------
OLDER = """
trainer:
  save_freq: 10
  resume_mode: auto
  root: /data
  gone: 1
optim:
  warmup: 10
  lr: 1e-6
  hub_token: other-secret
"""


def test_since_tells_what_changed(build: Build) -> None:
    files = project(".. config-table:: optim\n   :since: ../older\n", **{"../older/train.yaml": OLDER})
    files["trainer.rst"] = ":orphan:\n\nT\n=\n\n.. config-table:: trainer\n   :since: ../older\n"
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert rows(built) == {
        "optim.schedule.steps.warmup": ["moved from optim.warmup", "", "10"],
        "optim.follows": ["new", "", "1e-6"],
        "optim.schedule.kind": ["new", "", "cosine"],
        "optim.schedule._target_": ["new", "", "pkg.Schedule"],
        "optim.hub_token": ["removed", "secret, not shown", ""],
    }
    trainer = rows(built, "trainer.html")
    assert trainer["trainer.save_freq"] == ["default changed", "10", "20"]
    assert trainer["trainer.gone"] == ["removed", "1", ""]
    assert "trainer.root" not in trainer
    # Another older config is another answer.
    built = build({"../older/train.yaml": CONFIG})
    assert read_again(built) == {"index", "trainer"}
    assert "No setting changed." in built.read("index.html")
