"""``config-default``: the default of a setting in a sentence."""

from __future__ import annotations

import re

import pytest
from conftest import Build, Built

CONFIG = """
trainer:
  save_freq: 20
  steps: 52428800
  share: 0.25
  name: verl
  path: ${trainer.name}/ckpt
  at_run: ${oc.env:HOME}
  api_key: sk-hidden
  empty: ''
  none: null
  items: [a, "b c"]
  model: ???
"""


def project(text: str, conf: str = "", **more: str) -> dict[str, str]:
    return {
        "conf.py": "extensions = ['ckpt_defaults', 'myst_parser']\nshow_warning_types = True\n"
        f"ckpt_defaults_config = ['../config']\n{conf}",
        "../config/train.yaml": CONFIG,
        "index.rst": f"Page\n====\n\n{text}\n",
        **more,
    }


def sentence(built: Built, page: str = "index.txt") -> str:
    return " ".join(built.read(page).split("****")[1].split())


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("trainer.save_freq", '"20"'),
        ("save_freq", '"20"'),
        ("every {value} steps <trainer.save_freq>", 'every "20" steps'),
        ("{value} or {value} <trainer.save_freq>", '"20" or "20"'),
        ("{value:,} bytes <trainer.steps>", '"52,428,800" bytes'),
        ("{value:.0%} <trainer.share>", '"25%"'),
        ("trainer.path", '"verl/ckpt"'),
        ("trainer.at_run", '"${oc.env:HOME}"'),
        ("trainer.api_key", "*secret, not shown*"),
        ("trainer.empty", "\"''\""),
        ("trainer.none", '"null"'),
        ("trainer.items", '"[a, b c]"'),
        ("trainer.model", "*required*"),
        ("trainer.save_freq @ other", '"7"'),
        ("{value} <trainer.save_freq @ other>", '"7"'),
    ],
)
def test_the_default_stands_in_the_sentence(build: Build, target: str, text: str) -> None:
    files = project(f"It is :config-default:`{target}` now.", **{"../config/other.yaml": "trainer:\n  save_freq: 7\n"})
    if "other" not in target:
        del files["../config/other.yaml"]
    files["index.md"] = (
        files.pop("index.rst").replace(":config-default:", "{config-default}").replace("Page\n====", "# Page")
    )
    built = build(files, "text", "-W", "-n")
    assert (built.status, built.warnings, sentence(built)) == (0, "", f"It is {text} now.")
    (built.srcdir / "index.md").unlink()
    built = build({"index.rst": project(f"It is :config-default:`{target}` now.")["index.rst"]}, "text", "-W", "-n")
    assert (built.status, built.warnings, sentence(built)) == (0, "", f"It is {text} now.")


def test_where_it_is_set_is_a_tooltip_and_a_link(build: Build) -> None:
    built = build(project("It is :config-default:`save_freq`."), "html", "-W")
    assert 'title="trainer.save_freq: config/train.yaml:2">20</code>' in built.read("index.html")
    built = build(
        project("It is :config-default:`save_freq`.", "ckpt_defaults_source_url = 'https://e.org/{path}#{line}'\n")
    )
    link = re.search(r"<a [^>]*href=\"https://e.org/config/train.yaml#2\"[^>]*>", built.read("index.html"))
    assert link
    assert 'title="trainer.save_freq: config/train.yaml:2"' in link[0]


def test_a_default_in_a_title_and_in_a_table(build: Build) -> None:
    title = f"Every :config-default:`save_freq`\n{'-' * 40}\n\n"
    page = f"{title}.. list-table::\n\n   * - :config-default:`name`\n"
    built = build(project(page + "\n.. contents::\n"), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert built.read("index.html").count(">20</code>") == 2  # the title and the contents
    for builder in ("text", "latex", "man", "epub"):
        built = build({}, builder)
        assert built.status == 0, built.warnings


def test_a_mistake_in_a_title_fails_without_a_traceback(build: Build) -> None:
    page = "Every :config-default:`nope`\n----------------------------\n\n.. contents::\n"
    for builder in ("html", "text", "latex"):
        built = build(project(page), builder)
        assert built.status == 1
        assert {line.split(": ERROR: ")[1] for line in built.lines} == {
            "no root has the key 'nope'; check how it is spelt [ckpt_defaults.config]"
        }


def test_it_is_no_statement_by_hand(build: Build) -> None:
    """What the role renders is not judged: not even with a rule that would have it wrong."""
    built = build(project("- ``trainer.save_freq``: the default is :config-default:`trainer.steps`.\n"), "html")
    assert (built.status, built.warnings) == (0, "")


def test_a_translated_sentence_keeps_its_default(build: Build) -> None:
    po = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "It is :config-default:`save_freq`."\nmsgstr "Es ist :config-default:`save_freq`."\n'
    )
    files = project("It is :config-default:`save_freq`.", "locale_dirs = ['locale']\n")
    built = build({**files, "locale/de/LC_MESSAGES/index.po": po}, "text", "-W", "-D", "language=de")
    assert (built.status, built.warnings, sentence(built)) == (0, "", 'Es ist "20".')
