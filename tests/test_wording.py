"""The catalogue of the command is complete, and compiled from its source."""

from __future__ import annotations

import ast
import html
import io
import re
from collections.abc import Iterator
from pathlib import Path

import ckpt_defaults
import pytest
from ckpt_defaults import wording
from ckpt_defaults.cli import main
from ckpt_defaults.wording import DOMAIN
from conftest import write_files

babel = pytest.importorskip("babel")

from babel.messages.catalog import Catalog  # noqa: E402
from babel.messages.extract import extract_from_file  # noqa: E402
from babel.messages.mofile import read_mo, write_mo  # noqa: E402
from babel.messages.pofile import read_po  # noqa: E402

PACKAGE = Path(next(iter(ckpt_defaults.__path__)))
CATALOGUES = sorted((PACKAGE / "locale").glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def said() -> set[object]:
    """Every message that the command says, plural ones as pairs."""
    found: set[object] = set()
    for file in PACKAGE.rglob("*.py"):
        extracted = extract_from_file("python", str(file), keywords={"say": None, "later": None, "counted": (1, 2)})
        found |= {message for _line, message, _comments, _context in extracted}
    assert len(found) > 40
    return found


def test_there_is_simplified_chinese() -> None:
    assert [file.parts[-3] for file in CATALOGUES] == ["zh_CN"]


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_complete_compiled_and_with_the_same_fields(file: Path) -> None:
    """To mend: ``pybabel extract --no-default-keywords -k say -k later -k counted:1,2``, then update and compile."""
    with file.open("rb") as stream:
        catalogue = read_po(stream, locale=file.parts[-3])
    messages = {tuple(m.id) if isinstance(m.id, list) else m.id: m for m in catalogue if m.id}
    assert said() ^ set(messages) == set(), "not translated, or no longer said"
    for message in messages.values():
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        wanted = message.id[1] if isinstance(message.id, tuple) else message.id
        for text in texts:
            assert text
            assert sorted(re.findall(r"\{.*?\}", text)) == sorted(re.findall(r"\{.*?\}", wanted)), wanted
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    buffer.seek(0)
    with file.with_suffix(".mo").open("rb") as stream:
        assert texts_of(read_mo(stream)) == texts_of(read_mo(buffer))


def texts_of(catalogue: Catalog) -> list[tuple[str, str]]:
    return sorted((str(message.id), str(message.string)) for message in catalogue if message.id)


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "zh_CN")
    wording._translation.cache_clear()
    yield
    wording._translation.cache_clear()


UNDECIDED_PAGE = """
    ``size`` defaults to ``3``.

    ``a.lr`` defaults to whatever is best.

    ``open.thing`` defaults to ``3``.

    .. ckpt-defaults: root nowhere

    ``a.lr`` defaults to ``3``.
    """
UNDECIDED_CONFIG = "a: {size: 1, lr: 2}\nb: {size: 2}\nopen: {}\nhome: ${oc.env:HOME,/root}\n"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("form", ["text", "junit", "json"])
def test_reasons_are_told_in_the_language_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"conf.yaml": UNDECIDED_CONFIG, "page.rst": UNDECIDED_PAGE})
    for _ in range(2):  # judged, and remembered
        main(
            ["check", "page.rst", "--config", "conf.yaml", "--all", "--statistics", "--config-copies", "--format", form]
        )
        told = capsys.readouterr().out
        for words in ("有 2 个设置都叫 size", "open 会原样传给别处", "没有名为 'nowhere' 的配置根", "由环境变量决定"):
            assert html.escape(words, quote=False) in told, words
        assert "settings are called" not in told


@pytest.mark.usefixtures("chinese")
def test_every_reason_is_found_again_in_the_words_it_was_made_of() -> None:
    """Whatever it was filled with, also with what other messages consist of."""
    import ckpt_defaults.judging.code_statements  # noqa: F401  all readers of code and their reasons

    templates = [message for message in said() if isinstance(message, str) and message in wording._TEMPLATES]
    assert len(templates) > 15
    for message in templates:
        names = dict.fromkeys(re.findall(r"\{(\w+)\}", message))
        values = {name: f"x.{name} {{y}} (1)" for name in names}
        assert wording.in_words(message.format(**values)) == wording.say(message, **values)
    assert wording.in_words("it is computed") == "它是计算出来的"
    assert wording.in_words("something else") == "something else"


def test_in_english_a_reason_stays_as_it_is() -> None:
    wording._translation.cache_clear()
    assert wording.in_words("it is computed") == "it is computed"


def test_no_reason_is_written_without_a_mark() -> None:
    """What is given as the reason of a verdict is a message of ``later``, not a text of its own."""
    bare = []
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [k.value for k in node.keywords if k.arg in ("reason", "problem")]
            given += node.args[:1] if name in ("unsure", "NotStatic") else []
            given += node.args[3:4] if name == "_verdict" else []
            texts = [value for value in given if isinstance(value, (ast.Constant, ast.JoinedStr))]
            bare += [f"{file.name}:{value.lineno}" for value in texts if getattr(value, "value", "f") != ""]
    assert bare == []
