"""The catalogues are complete, compiled, and used."""

from __future__ import annotations

import io
import re
from pathlib import Path

import ckpt_defaults
import pytest
from conftest import Build
from test_ckpt_defaults_directive import config, default_row, project, warning_of

babel = pytest.importorskip("babel")

from babel.messages.catalog import Catalog  # noqa: E402
from babel.messages.extract import extract_from_file  # noqa: E402
from babel.messages.mofile import read_mo, write_mo  # noqa: E402
from babel.messages.pofile import read_po  # noqa: E402

PACKAGE = Path(next(iter(ckpt_defaults.__path__)))
CATALOGUES = sorted((PACKAGE / "locale").glob("*/LC_MESSAGES/ckpt_defaults.po"))
LITERAL = re.compile(r"``[^`]+``|\*\*|%\(\w+\)[sd]|%+s")


def catalogue(file: Path) -> Catalog:
    with file.open("rb") as stream:
        return read_po(stream, locale=file.parts[-3])


def marked() -> set[str]:
    """Every message of the package that is marked for translation."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        extracted = extract_from_file("python", str(file), keywords={"_": None, "N_": None})
        found |= {message for _line, message, _comments, _context in extracted}
    assert len(found) > 50
    return found


def test_there_is_simplified_chinese() -> None:
    assert [file.parts[-3] for file in CATALOGUES] == ["zh_CN"]


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_complete_and_nothing_left_over(file: Path) -> None:
    messages = {message.id: message for message in catalogue(file) if message.id}
    assert sorted(marked() - set(messages)) == [], "not translated"
    assert sorted(set(messages) - marked()) == [], "no longer used"
    assert [message.id for message in messages.values() if not message.string or message.fuzzy] == []


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_literals_and_places_are_kept(file: Path) -> None:
    for message in catalogue(file):
        if message.id:
            assert sorted(LITERAL.findall(message.id)) == sorted(LITERAL.findall(message.string)), message.id


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_the_compiled_catalogue_is_that_of_the_source(file: Path) -> None:
    """To mend: ``pybabel compile -D ckpt_defaults -d sphinx_ext/ckpt_defaults/locale``."""
    with file.with_suffix(".mo").open("rb") as stream:
        compiled = {message.id: message.string for message in read_mo(stream) if message.id}
    buffer = io.BytesIO()
    write_mo(buffer, catalogue(file))
    buffer.seek(0)
    assert compiled == {message.id: message.string for message in read_mo(buffer) if message.id}
    assert b"charset=utf-8" in file.with_suffix(".mo").read_bytes()


@pytest.mark.parametrize(("gather", "lean"), [(False, False), (True, False), (True, True), (False, True)])
def test_a_chinese_build_has_no_english_text_left(build: Build, gather: bool, lean: bool) -> None:
    files = {**project(), "../config/engine/megatron.yaml": config(gather, lean)}
    built = build(files, "html", "-W", "-D", "language=zh_CN")
    assert (built.status, built.warnings) == (0, "")
    body = built.read("index.html").split('class="ckpt-defaults', 1)[1].split('class="sphinxsidebar', 1)[0]
    text = " ".join(re.sub(r"<[^>]+>", "", body).split())
    for word in ("默认格式，设置于", "保存时由谁汇集什么", "所有格式", "已发布版本的已知缺陷"):
        assert word in text, word
    for message in catalogue(CATALOGUES[0]):
        first = re.split(r"``|\*\*|%", str(message.id))[0].strip()
        if len(first) > 12 and message.string != message.id:
            assert first not in text, first


def test_other_languages_fall_back_to_english(build: Build) -> None:
    assert build(project(), "html", "-D", "language=zh_CN").status == 0
    built = build({}, "html", "-W", "-D", "language=de")
    assert built.status == 0
    assert default_row(built)[0].startswith("dp-reshardable The default, set in")


def test_a_project_s_own_catalogue_translates_what_ours_does_not(build: Build) -> None:
    po = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "Extra memory"\nmsgstr "Speicher dazu"\n\n'
        'msgid "Nothing is gathered: every process writes its own shard."\nmsgstr "Nichts wird gesammelt."\n'
    )
    files = {**project(), "locale/de/LC_MESSAGES/index.po": po}
    files["conf.py"] += "locale_dirs = ['locale']\n"
    built = build(files, "html", "-W", "-D", "language=de")
    assert (built.status, built.warnings) == (0, "")
    assert any("Nichts wird gesammelt." in cell for cell in default_row(built))
    assert warning_of(built)
    assert any("Speicher dazu" in cell for cell in default_row(built)), "the labels of stacked rows follow the heads"
