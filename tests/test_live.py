"""Hand-written values that agree and could be live: told by the build, rewritten by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from conftest import Build, write_files

FILES = {
    "config.yaml": "server:\n  port: 8080\n  host: localhost\n  token: abc\nretries: 3\ndebug: false\n",
    "docs/page.rst": """
        Page
        ====

        ``server.port`` defaults to ``8080``. By default, ``retries`` is 3, without marks.

        - ``server.host``: the name (default ``localhost``).
        - ``debug``: default ``true``.
        - ``server.token``: default ``abc``.

        .. list-table::
           :header-rows: 1

           * - Key
             - Default
           * - ``retries``
             - ``3``

        .. code-block:: yaml

           retries: 3
        """,
    "docs/page.md": """
        # Page

        | Key | Default |
        |---|---|
        | `server.port` | `8080` |
        | `debug` | `true` |

        `retries` is already live: default {config-default}`retries`.
        """,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_files(tmp_path, FILES))
    return tmp_path


def check(*flags: str) -> int:
    return main(["check", "docs", "--config", "config.yaml", "--no-cache", *flags])


def test_what_agrees_becomes_a_role_and_the_sentence_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: (project / name).read_text(encoding="utf-8") for name in ("docs/page.rst", "docs/page.md")}
    assert check("--fix", "--live") == 1
    rst = (project / "docs/page.rst").read_text(encoding="utf-8")
    wanted = before["docs/page.rst"]
    wanted = wanted.replace("``8080``", ":config-default:`server.port`")
    wanted = wanted.replace("``localhost``", ":config-default:`server.host`").replace(
        "``3``", ":config-default:`retries`"
    )
    assert rst == wanted
    markdown = (project / "docs/page.md").read_text(encoding="utf-8")
    assert markdown == before["docs/page.md"].replace("`8080`", "{config-default}`server.port`")
    capsys.readouterr()
    assert check("--fix", "--live") == 1
    assert "2 disagreements left alone." in capsys.readouterr().out
    assert (project / "docs/page.rst").read_text(encoding="utf-8") == wanted


def test_diff_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "docs/page.rst").read_text(encoding="utf-8")
    assert check("--fix", "--live", "--diff") == 1
    assert "+``server.port`` defaults to :config-default:`server.port`." in capsys.readouterr().out
    assert (project / "docs/page.rst").read_text(encoding="utf-8") == before


def test_live_alone_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--live") == 2
    assert "--fix" in capsys.readouterr().err


CONF = (
    "extensions = ['ckpt_defaults', 'myst_parser']\nckpt_defaults_config = ['config.yaml']\nshow_warning_types = True\n"
)


@pytest.mark.parametrize("prefer", [False, True])
def test_the_build_tells_what_could_be_live(build: Build, prefer: bool) -> None:
    pages = {
        "config.yaml": FILES["config.yaml"],
        "index.rst": "Page\n====\n\n``retries`` defaults to ``3``, live: :config-default:`retries`.\n",
    }
    built = build({"conf.py": CONF + f"ckpt_defaults_prefer_live = {prefer}\n", **pages}, "dummy")
    told = [line for line in built.lines if "[ckpt_defaults.prefer_live]" in line]
    assert built.status == 0
    assert len(told) == int(prefer)
    if prefer:
        assert told[0].startswith("index.rst:4: WARNING: the default of retries is written by hand (3)")
        assert ":config-default:`retries`" in told[0]
