"""A config and pages that show it: for the tests of config-table."""

from __future__ import annotations

import re
import textwrap
from html import unescape

from conftest import Built

CONFIG = """
# Where training runs.
trainer:
  # Steps between two checkpoints; see `save_path`.
  save_freq: 20
  # Options: auto, disable, resume_path.
  resume_mode: auto
  save_path: ${trainer.root}/ckpt
  root: /data
  hub_token: abc123secret
  url: https://${trainer.hub_token}@host
  nothing: null
  empty: ''
  no_items: []
  no_keys: {}
  # Must be given.
  model: ???
optim:
  # Learning *rate*, a glob *.lr and an undefined name_ are no reason to stop.
  lr: 1e-6  # tuned
  follows: ${optim.lr}
  schedule:
    # -- Shape of the decay:
    # - flat
    # - cosine
    kind: cosine
    _target_: pkg.Schedule
    steps:
      warmup: 10
"""


def project(page: str, **files: str) -> dict[str, str]:
    return {
        "conf.py": "extensions = ['ckpt_defaults', 'myst_parser']\nshow_warning_types = True\n"
        "ckpt_defaults_config = ['../config']\n",
        "../config/train.yaml": CONFIG,
        "index.rst": "Page\n====\n\n" + textwrap.dedent(page).lstrip("\n"),
        **files,
    }


def listed(built: Built, page: str = "index.txt") -> dict[str, str]:
    """The rows of the tables of a page that was written as text: name to all that is told."""
    parts = re.split(r'(?m)^"([^"\n]+)"\n(?=   )', built.read(page))
    told = (" ".join(text.split()) for text in parts[2::2])
    return dict(zip(parts[1::2], told, strict=True))


def rows(built: Built, page: str = "index.html") -> dict[str, list[str]]:
    """The rows of settings of a page that was written as HTML: name to the texts of the cells behind it."""
    found = {}
    for row in re.findall(r"<tr.*?</tr>", built.read(page), re.S):
        if 'scope="row"' not in row:
            continue
        cells = [re.sub(r"<wbr />|</?span[^>]*>", "", part) for part in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        name, *rest = [unescape(" ".join(re.sub(r"<[^>]+>", " ", cell).split())) for cell in cells]
        found[name.split(" ")[0]] = [cell.replace(" ,", ",") for cell in rest]
    return found


def read_again(built: Built) -> set[str]:
    return set(re.findall(r"reading sources\.\.\. \[ *\d+%\] (\S+)", built.stdout))
