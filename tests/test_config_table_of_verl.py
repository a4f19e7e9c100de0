"""Large tables: all keys of verl under every builder, on paper and on a screen."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from config_pages import project, rows
from conftest import ROOT, Build, write_files

# -- large -----------------------------------------------------------------------------------------------------------
BUILDERS = ["html", "text", "man", "epub", "latex"]


@pytest.mark.parametrize("builder", BUILDERS)
def test_all_keys_of_verl(build: Build, shared: Path, builder: str) -> None:
    """A page with every key of the FSDP and of the Megatron root is clean under each builder."""
    config = shared / "corpus/verl/verl/trainer/config"
    if not config.is_dir():
        pytest.skip("the corpus has no verl")
    pytest.importorskip("hydra")
    conf = (
        "extensions = ['ckpt_defaults']\n"
        f"ckpt_defaults_config = [{str(config)!r}]\n"
        "copyright = 'x'\nversion = '1'\nsuppress_warnings = ['epub.unknown_project_files']\n"
        "man_pages = [('index', 'page', 'x', [], 1)]\nlatex_engine = 'xelatex'\n"
    )
    roots = ("ppo_trainer[model_engine=dp]", "ppo_megatron_trainer")
    page = "".join(f"{r}\n{'=' * 40}\n\n.. config-table::\n   :root: {r}\n\n" for r in roots)
    built = build({"conf.py": conf, "index.rst": "Keys\n####\n\n" + page}, builder, "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    if builder == "html":
        assert len(re.findall(r'<tr id="', built.read("index.html"))) > 1900


def test_long_names_break_on_paper(build: Build) -> None:
    config = "a:\n  # See actor_rollout_ref.actor.ppo_max_token_len_per_gpu.\n  some_very_long_name_of_a_setting: 1\n"
    built = build(project(".. config-table:: a\n", **{"../config/train.yaml": config}), "latex", "-W")
    tex = next(built.outdir.glob("*.tex")).read_text("utf-8")
    assert r"See actor\_\allowbreak{}rollout\_\allowbreak{}ref.\allowbreak{}actor." in tex
    assert r"some\_\allowbreak{}very\_\allowbreak{}long" in tex
    # in the index too, which has two columns: what is shown, not what it is sorted by
    entry = r"\index{some\_very\_long\_name\_of\_a\_setting@\spxentry{some\_\allowbreak{}very\_\allowbreak{}"
    assert entry in tex
    assert r"!a.some\_very\_long\_name\_of\_a\_setting@\spxentry{a.\allowbreak{}some\_\allowbreak{}" in tex


def test_long_names_break_on_a_screen(build: Build) -> None:
    config = "a:\n  _target_: pkg.mod_ule.SomeHTMLReader2Config\n"
    html = build(project(".. config-table:: a\n", **{"../config/train.yaml": config}), "html", "-W").read("index.html")
    assert "pkg.<wbr />mod_<wbr />ule.<wbr />SomeHTMLReader2<wbr />Config</code>" in html


@pytest.mark.slow
def test_latex_becomes_a_pdf(build: Build) -> None:
    if not (shutil.which("latexmk") and shutil.which("xelatex")):
        pytest.skip("latexmk and xelatex are not installed")
    files = project(
        ".. config-table:: trainer\n\n.. config-listing:: optim\n   :linenos:\n   :no-comments:\n\n:confval:`lr`\n"
    )
    files["conf.py"] += "latex_engine = 'xelatex'\nlatex_use_xindy = False\nlatex_elements = {'fontpkg': ''}\n"
    files["conf.py"] += "latex_documents = [('index', 'page.tex', 'T', 'A', 'howto')]\n"
    built = build(files, "latex", "-W")
    done = subprocess.run(["make", "-C", str(built.outdir)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (built.outdir / "page.pdf").stat().st_size > 10_000


def test_our_own_reference_page_shows_our_config(build: Build, tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/megatron-engine.rst").read_text("utf-8")
    conf = f"extensions = ['ckpt_defaults']\nckpt_defaults_config = [{str(ROOT / 'verl/trainer/config')!r}]\n"
    built = build(write_files(tmp_path / "own/docs", {"conf.py": conf, "index.rst": page}), "html")
    assert built.status == 0, built.warnings
    assert "dist_ckpt_optim_fully_reshardable" in rows(built)
