"""The fix: only the value, in the page's own spelling, in every kind of place; or nothing, with the reason."""

from __future__ import annotations

import os
import stat
import subprocess
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.values import display
from fixing_cases import CASES, MARKDOWN

CONFIG = """
    lr: 1e-6  # learning rate
    seed: 42
    use_kl: false
    name: adam
    ratio: 0.5
    path: null
    betas: [0.9, 0.95]
    timeout_s: 300
    label: "on"
    modes: [test, all]
    extra: {deep: [1, 2], on: false}
    api_key: hidden-value
    needed: ???
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "conf.yaml").write_text(textwrap.dedent(CONFIG), encoding="utf-8")
    return tmp_path


def page(folder: Path, text: str, name: str = "page.rst") -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


def check(*args: str) -> int:
    return main(["check", "--config", "conf.yaml", "--no-cache", *args])


@pytest.mark.parametrize("case", CASES)
def test_rst(project: Path, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = CASES[case]
    file = page(project, before)
    assert check("page.rst", "--fix") == 1, "a hook must stop the commit"
    assert file.read_text(encoding="utf-8") == textwrap.dedent(after), capsys.readouterr().out
    assert check("page.rst", "--fix") == 0
    assert file.read_text(encoding="utf-8") == textwrap.dedent(after)


@pytest.mark.parametrize("case", MARKDOWN)
def test_markdown(project: Path, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = MARKDOWN[case]
    file = page(project, before, "page.md")
    assert check("page.md", "--fix") == 1
    assert file.read_text(encoding="utf-8") == after, capsys.readouterr().out
    assert check("page.md", "--fix") == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("``use_kl`` is set to ``True`` by default to save memory.\n", "purpose"),
        ("``use_kl``: default ``True`` to save memory.\n", "purpose"),
        ("``ratio`` (default: ``1.0`` (disabled)).\n", "explain"),
        ("``api_key`` defaults to ``abc``.\n", "secret"),
        ("``needed`` defaults to ``7``.\n", "no default"),
        ("``timeout_s`` defaults to ``5 GB``.\n", "written anew"),
        ("Defaults:\n\n.. code-block:: yaml\n\n   seed: 42\n   modes:\n   - test\n   name: adam\n", "(1 and 2)"),
        (
            "Defaults:\n\n.. code-block:: yaml\n\n   seed: 42\n   modes: [test,\n     all, x]\n   name: adam\n",
            "(3 and 2)",
        ),
        (
            "Defaults:\n\n.. code-block:: yaml\n\n   seed: 42\n   extra: {deep: [1, 2],\n     off: 1}\n   name: adam\n",
            "other keys",
        ),
        (
            "Defaults:\n\n.. code-block:: yaml\n\n   seed: 42\n   extra: {deep: 1,\n     on: false}\n   name: adam\n",
            "built otherwise",
        ),
        (
            "+----------+---------+\n| key      | default |\n+==========+=========+\n| ``name`` | ``x``   |\n"
            "+----------+---------+\n| ``seed`` | ``1``   |\n+----------+---------+\n",
            "too narrow",
        ),
    ],
)
def test_left_alone(project: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str) -> None:
    if reason == "too narrow":
        (project / "conf.yaml").write_text("name: adamax_with_decay\nseed: 1\n", encoding="utf-8")
    file = page(project, text)
    status = check("page.rst", "--fix")
    out = capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == text
    assert status == 1, "it still disagrees"
    line = {"too narrow": 4, "purpose": 1, "explain": 1}.get(reason, 6 if "yaml" in text else 1)
    assert f"page.rst:{line}:" in out
    assert "left alone" in out
    assert reason in out
    assert "hidden-value" not in out


def test_roots_that_differ_are_not_chosen_from(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "other.yaml").write_text("seed: 43\n", encoding="utf-8")
    file = page(project, "``seed`` defaults to ``7``.\n")
    assert check("page.rst", "--config", "other.yaml", "--fix") == 1
    assert "the configs differ (42, 43): say which is meant" in capsys.readouterr().out
    assert "``7``" in file.read_text(encoding="utf-8")
    page(project, ".. ckpt-defaults: root other\n\n``seed`` defaults to ``7``.\n")
    assert check("page.rst", "--config", "other.yaml", "--fix") == 1
    assert "``43``" in file.read_text(encoding="utf-8")


def test_a_cell_with_several_values(project: Path) -> None:
    text = "| key | default |\n|---|---|\n| `seed` | `7` / `8` |\n| `lr` | 1e-5 |\n"
    file = page(project, text, "page.md")
    assert check("page.md", "--fix") == 1
    assert file.read_text(encoding="utf-8") == text.replace("1e-5", "1e-6")


@pytest.mark.parametrize(
    ("cell", "mended"),
    [
        ("`42` / `8`", "`42` / `43`"),
        ("`8` / `43`", "`42` / `43`"),
        ("`7` / `8`", ""),  # which is whose?
        ("`42` / `43` / `8`", ""),  # one too many
        ("`8`", ""),
    ],
)
def test_a_cell_with_a_value_for_each_config(
    project: Path, capsys: pytest.CaptureFixture[str], cell: str, mended: str
) -> None:
    (project / "other.yaml").write_text("seed: 43\nlr: 1e-6\n", encoding="utf-8")
    text = f"| key | default |\n|---|---|\n| `seed` | {cell} |\n| `lr` | 1e-6 |\n"
    file = page(project, text, "page.md")
    assert check("page.md", "--config", "other.yaml", "--fix") == 1
    out = capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == text.replace(cell, mended or cell), out
    assert ("1 value mended" in out) == bool(mended)
    assert ("left alone" in out) != bool(mended)
    if mended:
        assert ("as other.yaml:1 says" if "`8` /" not in cell else "as conf.yaml:3 says") in out
        assert check("page.md", "--config", "other.yaml") == 0


def test_a_sentence_beside_the_cell_of_a_row(project: Path) -> None:
    text = "| key | default | text |\n|---|---|---|\n| `use_kl` | true | default is true for others |\n"
    file = page(project, text, "page.md")
    check("page.md", "--fix")
    assert file.read_text(encoding="utf-8") == text.replace("| true", "| false")


def test_a_value_in_a_heading_is_a_target(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "``seed`` defaults to 7\n======================\n\n``lr`` defaults to ``1e-5``.\n"
    file = page(project, text)
    check("page.rst", "--fix")
    assert file.read_text(encoding="utf-8") == text.replace("1e-5", "1e-6")
    assert "seed" not in capsys.readouterr().out, "a title is no statement"


def test_diff_is_what_fix_writes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = project / "docs"
    docs.mkdir()
    before = {}
    for number, (text, _) in enumerate(CASES.values()):
        file = page(docs, text, f"p{number}.rst")
        if number % 3 == 1:
            file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
        if number % 3 == 2:
            file.write_bytes(file.read_bytes().rstrip(b"\n"))
        before[file.name] = file.read_bytes()
    assert check("docs", "--diff") == 1
    diff = capsys.readouterr().out
    assert {name: (docs / name).read_bytes() for name in before} == before, "--diff writes nothing"
    assert check("docs", "--fix") == 1
    fixed = {name: (docs / name).read_bytes() for name in before}
    for name, data in before.items():
        (docs / name).write_bytes(data)
    subprocess.run(["git", "apply", "--unsafe-paths", "-"], input=diff.encode(), cwd=project, check=True)
    assert {name: (docs / name).read_bytes() for name in before} == fixed


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_bytes_around_are_kept(project: Path, ending: str, bom: bytes, last: str) -> None:
    text = "``seed`` defaults to ``{}``.\n\nEnde: ä 中 \u00a0 x" + last
    file = project / "page.rst"
    file.write_bytes(bom + text.format(7).replace("\n", ending).encode())
    os.chmod(file, 0o640)
    assert check("page.rst", "--fix") == 1
    assert file.read_bytes() == bom + text.format(42).replace("\n", ending).encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(p.name for p in project.iterdir()) == ["conf.yaml", "page.rst"], "nothing is left behind"


def test_a_link_stays_a_link(project: Path) -> None:
    target = page(project, "``seed`` defaults to ``7``.\n", "real.rst")
    (project / "page.rst").symlink_to("real.rst")
    assert check("page.rst", "--fix") == 1
    assert (project / "page.rst").is_symlink()
    assert "42" in target.read_text(encoding="utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_page(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = page(project, "``seed`` defaults to ``7``.\n")
    os.chmod(file, 0o444)
    assert check("page.rst", "--fix") == 2
    assert "page.rst: is read-only and was left alone" in capsys.readouterr().err
    assert "7" in file.read_text(encoding="utf-8")


def test_an_include_is_mended_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = project / "docs"
    docs.mkdir()
    page(docs, "``seed`` defaults to ``7``.\n", "part.rst")
    page(docs, ".. include:: part.rst\n", "a.rst")
    page(docs, ".. include:: part.rst\n", "b.rst")
    assert check("docs", "--fix") == 1
    assert "1 value mended in 1 file." in capsys.readouterr().out
    assert check("docs", "--fix") == 0


def test_a_config_shown_in_a_page_is_never_touched(project: Path) -> None:
    docs = project / "docs"
    docs.mkdir()
    (docs / "copy.yaml").write_text("seed: 7\nlr: 1e-6\nname: adam\n", encoding="utf-8")
    page(docs, "The defaults:\n\n.. literalinclude:: copy.yaml\n", "a.rst")
    check("docs", "--fix")
    assert (docs / "copy.yaml").read_text(encoding="utf-8") == "seed: 7\nlr: 1e-6\nname: adam\n"


def test_more_disagreements_after_a_fix_are_mended_too(project: Path) -> None:
    """A listing counts as one once most of its values agree: a second run must not find what the first left."""
    (project / "conf.yaml").write_text("".join(f"key_{n}: {n}\n" for n in range(20)), encoding="utf-8")
    rows = [f"   key_{n}: {n if n > 2 else n + 50}" for n in range(20)]
    file = page(project, ".. code-block:: yaml\n\n" + "\n".join(rows) + "\n\n``key_0`` defaults to ``9``.\n")
    check("page.rst", "--fix")
    once = file.read_bytes()
    assert check("page.rst", "--fix") == 0
    assert file.read_bytes() == once


def test_a_text_is_not_quoted_because_it_was_read_before() -> None:
    """What is remembered of a text is equal to it, not the same object."""
    assert display("thr" + "eads"[:]) == "threads"
    again = "".join(["thr", "eads"])
    assert display(again) == "threads"
