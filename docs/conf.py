"""Configuration of the documentation of sphinx-ckpt-defaults, which documents the extension with the extension."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "sphinx_ext"), str(ROOT / "docs" / "_ext")]

from ckpt_defaults import __version__  # noqa: E402

project = "sphinx-ckpt-defaults"
author = "the sphinx-ckpt-defaults contributors"
copyright = f"2026, {author}"
release = version = __version__

extensions = ["ckpt_defaults", "myst_parser"]
# What these pages are made with, and nothing that the extension has: see docs/_ext.
extensions += ["agreement_chart", "command_reference", "conf_values", "example_project", "example_tree"]
extensions += ["measured_table", "phrase_words"]
ckpt_defaults_config = ["../verl/trainer/config"]
ckpt_defaults_code = [".."]

# Where a rendered default links to: known on Read the Docs and in GitHub's CI, nowhere else.
_repository = os.environ.get("READTHEDOCS_GIT_CLONE_URL", "").removesuffix(".git")
if not _repository and os.environ.get("GITHUB_REPOSITORY"):
    _repository = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
if _repository.startswith("https://"):
    _commit = os.environ.get("READTHEDOCS_GIT_COMMIT_HASH") or os.environ.get("GITHUB_SHA") or "main"
    ckpt_defaults_source_url = f"{_repository}/blob/{_commit}/{{path}}#L{{line}}"

exclude_patterns = ["_build"]
numfig = True
nitpicky = True
suppress_warnings = ["epub.unknown_project_files"]

html_theme = "sphinx_rtd_theme"
html_title = f"sphinx-ckpt-defaults {release}"
html_theme_options = {"navigation_depth": 3}
html_static_path = ["_static"]
html_css_files = ["docs.css"]

latex_engine = "xelatex"  # pages show Chinese and Japanese sentences
latex_use_xindy = False
_cjk = (
    r"\IfFileExists{xeCJK.sty}{\IfFontExistsTF{Noto Serif CJK SC}{"
    r"\usepackage{xeCJK}\setCJKmainfont{Noto Serif CJK SC}\setCJKmonofont{Noto Sans Mono CJK SC}"
    r"\xeCJKDeclareCharClass{Default}{`‘,`’,`“,`”,`–,`—,`…}"
    r"}{}}{}"
)
latex_elements = {"preamble": _cjk, "extraclassoptions": "openany"}
latex_documents = [("index", "sphinx-ckpt-defaults.tex", project, author, "manual")]
man_pages = [("index", "sphinx-ckpt-defaults", "documented defaults, checked against the config", [author], 7)]
