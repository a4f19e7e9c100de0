"""The catalogue of the command is complete, and compiled from its source."""

from __future__ import annotations

import io
import re
from pathlib import Path

import ckpt_defaults
import pytest
from ckpt_defaults.wording import DOMAIN

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
        extracted = extract_from_file("python", str(file), keywords={"say": None, "counted": (1, 2)})
        found |= {message for _line, message, _comments, _context in extracted}
    assert len(found) > 40
    return found


def test_there_is_simplified_chinese() -> None:
    assert [file.parts[-3] for file in CATALOGUES] == ["zh_CN"]


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_complete_compiled_and_with_the_same_fields(file: Path) -> None:
    """To mend: ``pybabel extract --no-default-keywords -k say -k counted:1,2``, then update and compile the domain."""
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
