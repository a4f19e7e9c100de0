"""Builders that put all pages into one tree: what a directive leaves on a page below the index is fitted there too."""

from __future__ import annotations

import pytest
from conftest import ROOT, Build

CONF = f"""
extensions = ["ckpt_defaults"]
ckpt_defaults_config = [{str(ROOT / "verl/trainer/config")!r}]
copyright = "2026"
version = "1"
man_pages = [("index", "page", "Page", [""], 1)]
"""
PAGES = {
    "index.rst": "Index\n=====\n\n.. toctree::\n\n   settings\n   formats\n",
    "settings.rst": """
        Settings
        ========

        .. config-table:: actor_rollout_ref.actor.megatron

        .. config-listing:: actor_rollout_ref.actor.checkpoint
           :linenos:

        The role: :config-default:`actor_rollout_ref.actor.megatron.sequence_parallel`.
        """,
    "formats.rst": """
        Formats
        =======

        .. ckpt-defaults::

        .. ckpt-memory::
           :models: qwen3-30b-a3b
           :layouts: gpus=8 ep=8
        """,
}


@pytest.mark.parametrize("builder", ["latex", "man", "singlehtml", "texinfo", "text", "epub"])
def test_pages_below_the_index(build: Build, builder: str) -> None:
    built = build({"conf.py": CONF, **PAGES}, builder, "-W", "--keep-going")
    assert built.lines == []
    assert built.status == 0
    texts = [path.read_text("utf-8", errors="replace") for path in built.outdir.rglob("*") if path.is_file()]
    told = "\n".join(texts).replace("\\_", "_").replace("\\allowbreak{}", "").replace("<wbr />", "").replace("\\", "")
    assert "dist_ckpt_optim_fully_reshardable" in told
    assert "1,192" in told
