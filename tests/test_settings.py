"""YAML as settings: what is read as OmegaConf reads it, and what is refused with one line that says where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ckpt_defaults.settings import (
    MAX_ALIASED,
    MAX_BYTES,
    MAX_DEPTH,
    ConfigError,
    ConfigFile,
    Setting,
    load,
    parse_value,
    read_text,
    shown_path,
    yaml_files,
)
from ckpt_defaults.yaml_scalars import parse_scalar
from conftest import ROOT, write_files


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of each test: messages name files relative to it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text: str | bytes, name: str = "c.yaml") -> ConfigFile:
    documents = read_all(text, name)
    assert len(documents) == 1
    return documents[0]


def read_all(text: str | bytes, name: str = "c.yaml") -> tuple[ConfigFile, ...]:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(name)


def values(text: str | bytes) -> dict[str, object]:
    return {path: setting.value for path, setting in read(text).settings.items()}


def refused(text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        read_all(text)
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 200
    assert ";" in told, "a message says what to do"
    return told


# -- what is refused: one line with file and line -----------------------------------------------------------------
NINES = "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20))
NINE_MAPS = "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} {{{','.join(f'k{j}: *{chr(97 + i)}' for j in range(9))}}}\n" for i in range(20)
)
REFUSED = {
    "a key twice": ("a: 1\nb: 2\na: 3\n", "c.yaml:3: the key 'a' stands twice (first on line 1)"),
    "a nested key twice": ("x:\n  a: 1\n  a: 3\n", "c.yaml:3: the key 'a' stands twice (first on line 2)"),
    "a key twice in a list's item": ("x:\n- a: 1\n  a: 2\n", "c.yaml:3: the key 'a' stands twice"),
    "a key twice, quoted once": ("a: 1\n'a': 2\n", "c.yaml:2: the key 'a' stands twice"),
    "a key twice in the second document": ("a: 1\n---\na: 1\na: 2\n", "c.yaml:4: the key 'a' stands twice"),
    "a tab as indentation": ("a:\n\tb: 1\n", "c.yaml:2: a tab indents this line"),
    "a tab among spaces": ("a:\n  b: 1\n\tc: 2\n", "c.yaml:3: a tab indents this line"),
    "another encoding": (b"a: 1\nb: \xff\xe9\n", "c.yaml:2: is not UTF-8"),
    "half a UTF-16 character": (b"\xff\xfea\x00:", "c.yaml:1: is not UTF-8"),
    "a NUL": ("a: 1\nb: \0\n", "c.yaml:2: holds a character that YAML forbids"),
    "a control character": ("a: 1\n\nb: \x07\n", "c.yaml:3: holds a character that YAML forbids"),
    "a bomb of lists": ("a: &a [x]\n" + NINES, f"its aliases expand to more than {MAX_ALIASED}"),
    "a bomb of mappings": ("a: &a {x: 1}\n" + NINE_MAPS, f"its aliases expand to more than {MAX_ALIASED}"),
    "an alias in itself": ("a: &a\n  b: *a\n", "c.yaml:1: an alias contains itself"),
    "a list in itself": ("a: 1\nb: &b [*b]\n", "c.yaml:2: an alias contains itself"),
    "a merge of itself": ("a: &a\n  <<: *a\n", "c.yaml:2: an alias contains itself"),
    "an anchor that is not there": ("a: 1\nb: *b\n", "c.yaml:2: is not valid YAML: found undefined alias"),
    "a merge of a scalar": ("a:\n  <<: 1\n", "c.yaml:2: '<<' merges mappings only"),
    "a list at the top": ("# head\n- 1\n", "c.yaml:2: holds a list at its top"),
    "a scalar at the top": ("hello\n", "c.yaml:1: holds a scalar at its top"),
    "a list at the top of the second": ("a: 1\n---\n- b\n", "c.yaml:3: holds a list at its top"),
    "a list as a key": ("? [a, b]\n: 1\n", "c.yaml:1: a list or mapping as a key is not read"),
    "a mapping as a key": ("a: 1\n{a: 1}: 1\n", "c.yaml:2: "),
    "a tag of an application": ("a: 1\nb: !vault x\n", "c.yaml:2: the tag !vault is refused"),
    "a tag on a mapping": ("b: !Thing\n  x: 1\n", "c.yaml:1: the tag !Thing is refused"),
    "a tag on a key": ("!Thing a: 1\n", "c.yaml:1: the tag !Thing is refused"),
    "a set": ("a: !!set {x}\n", "c.yaml:1: the tag !!set is refused"),
    "binary": ("a: !!binary aGVsbG8=\n", "c.yaml:1: the tag !!binary is refused"),
    "a long tag": ("a: " + "!" * 100_000 + "\n", "c.yaml:1: the tag !!!"),
    "a word as a number": ("a: !!int foo\n", "c.yaml:1: 'foo' is no int"),
    "a word as a float": ("a: !!float foo\n", "c.yaml:1: 'foo' is no float"),
    "a word as a bool": ("a: !!bool foo\n", "c.yaml:1: 'foo' is no bool"),
    "a number that nobody can write": ("a: 0x" + "f" * 5000 + "\n", "c.yaml:1: '0xfff"),
    "a number too long": ("a: " + "9" * 5000 + "\n", "c.yaml:1: '999"),
    "an open list": ("a: [1, 2\nb: 3\n", "c.yaml:2: is not valid YAML"),
    "an open quote": ('a: "x\nb: 3\n', "c.yaml:3: is not valid YAML"),
    "a wrong indentation": ("a: 1\n  b: 2\n", "c.yaml:2: is not valid YAML"),
    "an escape that is no character": ('a: "\\ud800"\n', "c.yaml:1: is not valid YAML"),
    "another version of YAML": ("%YAML 9.9\n---\na: 1\n", "c.yaml:1: "),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_one_line_that_says_where(case: str) -> None:
    text, wanted = REFUSED[case]
    assert wanted in refused(text)


@pytest.mark.parametrize(
    "tag", ["python/object/apply:os.system", "python/object/new:os.system", "python/name:os.system"]
)
def test_python_tags_build_nothing(tag: str, here: Path) -> None:
    told = refused(f"a: 1\nb: !!{tag} [touch built]\n")
    assert told.startswith(f"c.yaml:2: the tag !!{tag} is refused")
    assert os.listdir(here) == ["c.yaml"]


def test_what_is_nested_too_deep_is_refused_and_what_is_not_is_read() -> None:
    def deep(levels: int) -> str:
        return "".join(" " * i + "a:\n" for i in range(levels)) + " " * levels + "b: 1\n"

    for levels in (MAX_DEPTH + 5, 3000):
        assert "nest" in refused(deep(levels))
    assert "nest" in refused("a: " + "[" * 100_000)
    path = "a." * (MAX_DEPTH - 5) + "b"
    assert values(deep(MAX_DEPTH - 5))[path] == 1


def test_merges_that_multiply_are_read_once_each() -> None:
    """Every level merges the one above nine times: 9**20 visits for whoever follows each."""
    text = "a: &a {x: 1}\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} {{<<: [{','.join(['*' + chr(97 + i)] * 9)}]}}\n" for i in range(20)
    )
    assert values(text)["u"] == {"x": 1}


def test_merges_of_large_mappings_are_counted() -> None:
    big = "a: &a {" + ", ".join(f"k{i}: {i}" for i in range(2000)) + "}\n"
    assert "its aliases expand" in refused(big + "".join(f"b{i}: {{<<: *a}}\n" for i in range(100)))


def test_a_large_file_is_refused_unread(here: Path) -> None:
    with open("big.yaml", "wb") as stream:
        stream.truncate(50_000_000)
    with pytest.raises(ConfigError, match=r"^big\.yaml: is 50 MB; a file of defaults of more than 17 MB is not read$"):
        load("big.yaml")
    with open("big.yaml", "wb") as stream:
        stream.truncate(MAX_BYTES)
    with pytest.raises(ConfigError, match="forbids"):
        load("big.yaml")


def test_missing_unreadable_and_folders(here: Path) -> None:
    with pytest.raises(ConfigError, match=r"^none\.yaml: cannot be read \(No such file or directory\); check the path"):
        load("none.yaml")
    (here / "folder.yaml").mkdir()
    with pytest.raises(ConfigError, match=r"^folder\.yaml: is a folder; name a YAML file$"):
        load("folder.yaml")
    (here / "loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(ConfigError, match=r"^loop\.yaml: cannot be read"):
        load("loop.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_without_permission(here: Path) -> None:
    write_files(here, {"shut.yaml": "a: 1\n"})
    (here / "shut.yaml").chmod(0)
    with pytest.raises(ConfigError, match=r"^shut\.yaml: cannot be read \(Permission denied\)"):
        load("shut.yaml")


def test_places_without_yaml(here: Path) -> None:
    (here / "empty").mkdir()
    write_files(here, {"some/b.yml": "a: 1", "some/a.yaml": "a: 1", "some/deep/c.yaml": "a: 1", "some/.x.yaml": "a: 1"})
    with pytest.raises(ConfigError, match=r"^empty: holds no \.yaml or \.yml file; "):
        yaml_files("empty")
    with pytest.raises(ConfigError, match=r"^gone: does not exist; "):
        yaml_files("gone")
    assert yaml_files("some") == ("some/a.yaml", "some/b.yml", "some/deep/c.yaml")
    assert yaml_files("some/b.yml") == ("some/b.yml",)


# -- what is read ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa: \xc3\xa9\n",
        "a: é\n".encode("utf-16"),
        b"\xfe\xff" + "a: é\n".encode("utf-16-be"),
        "a: é\n".encode("utf-32"),
        "a: é\r\n".encode(),
    ],
    ids=["BOM", "UTF-16", "UTF-16 big", "UTF-32", "CRLF"],
)
def test_encodings(data: bytes) -> None:
    setting = read(data).settings["a"]
    assert (setting.value, setting.line, setting.column) == ("é", 1, 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n...\n", "null\n", "~"])
def test_nothing_is_a_document_without_settings(text: str) -> None:
    assert values(text) == {}


def test_keys_that_are_no_texts_go_by_what_is_written() -> None:
    assert values("1: a\ntrue: b\nnull: c\n1.50: d\n=: e\n") == {
        "1": "a", "true": "b", "null": "c", "1.50": "d", "=": "e",
    }  # fmt: skip


def test_documents_of_one_file() -> None:
    first, second, third = read_all("# head\na: 1\n---\n# second\na: 2\nb: 3\n---\n")
    assert (first.settings["a"].value, second.settings["a"].value, third.settings) == (1, 2, {})
    assert [d.document for d in (first, second, third)] == [0, 1, 2]
    assert second.settings["b"].line == 6
    assert first.header == ("head",)
    assert second.header == ()


def test_merge_keys_lie_below_what_stands_beside_them() -> None:
    part = read(
        "base: &base\n  x: 1\n  y: 2\nmore: &more {y: 7, z: 8}\na:\n  y: 3\n  <<: *base\nb:\n  <<: [*base, *more]\n"
    )
    assert part.value["a"] == {"x": 1, "y": 3}
    assert part.value["b"] == {"x": 1, "y": 2, "z": 8}
    assert part.settings["a.x"].line == 2, "a merged key is set where the anchor sets it"
    assert part.settings["a.y"].line == 6


def test_aliases_are_the_values_they_name() -> None:
    part = read("a: &a {x: [1, 2]}\nb: *a\nc: &c 5\nd: *c\n")
    assert part.value == {"a": {"x": [1, 2]}, "b": {"x": [1, 2]}, "c": 5, "d": 5}
    assert part.settings["b.x"].value == [1, 2]
    assert part.settings["d"].line == 4


def test_lists_of_mappings_are_settings_by_their_index() -> None:
    found = values("a:\n- x: 1\n- y: 2\n- 3\nb: [1, 2]\n")
    assert found["a.0.x"] == 1
    assert found["a.1.y"] == 2
    assert "b.0" not in found


def place(setting: Setting) -> tuple[int, int, int]:
    return setting.line, setting.column, setting.value_line


def test_lines_columns_comments_and_remarks() -> None:
    part = read(
        "\n".join(
            [
                "# head",  # 1
                "",
                "# above",
                "#   more",
                "a: 1  # beside",  # 5
                "# of nothing",
                "",
                "b:   # of the mapping",
                "  # of c",
                "  c: 'x # no comment'",  # 10
                "  d:",
                "    - 1  # in the list",
                "  e: >-",
                "    folded # text",
                "    text",  # 15
                "# after the block",
                "f: [1,",
                "  2]  # behind",
                "g: x#y",
                "'h':",  # 20
                "  5",
                "",
            ]
        )
    )
    s = part.settings
    assert place(s["a"]) == (5, 1, 5)
    assert (s["a"].comment, s["a"].remark) == ("above\nmore", "beside")
    assert (s["b"].comment, s["b"].remark) == ("", "of the mapping")
    assert place(s["b.c"]) == (10, 3, 10)
    assert (s["b.c"].comment, s["b.c"].remark, s["b.c"].style) == ("of c", "", "'")
    assert s["b.d"].remark == ""
    assert (s["b.e"].value, s["b.e"].remark) == ("folded # text text", "")
    assert place(s["f"]) == (17, 1, 17)
    assert (s["f"].comment, s["f"].remark) == ("after the block", "behind")
    assert (s["g"].value, s["g"].remark) == ("x#y", "")
    assert place(s["h"]) == (20, 1, 21)
    assert part.header == ("head", "above", "more")
    assert s["b.c"].name == "c"
    assert s["b.c"].place == "c.yaml:10"


def test_places_are_told_from_where_the_user_stands(here: Path) -> None:
    (here / "in").mkdir()
    assert shown_path(str(here / "in" / "c.yaml")) == "in/c.yaml"
    assert shown_path(str(here.parent / "c.yaml")) == str(here.parent / "c.yaml")
    assert str(ConfigError("is\n  wrong; mend it", str(here / "c.yaml"), 3)) == "c.yaml:3: is wrong; mend it"
    assert str(ConfigError("is wrong")) == "is wrong"


SCALARS = """
    1 +1 -1 0 -0 007 017 0o17 0x1F 0b11 1_000 1__0 _1 1_ 12:30 12:30:45 1:2.5 190:20:30
    1.0 1. .5 -.5 +.5 . .. 1e6 1E6 1e-6 1.e6 1.5e+3 .5e3 .5e-3 1e 1e+ e5 1e5x 1_0.5 -1e-6 +1e6 6e-7 1.0e-05 3e-4
    .inf -.inf +.inf .Inf .INF .nan .NaN inf nan Infinity 1e999
    true false True False TRUE FALSE yes no on off Yes NO On y n Y N tRue
    null Null NULL ~ none None nil
    2024-01-01 2024-01-01T00:00:00Z 12-30 1.2.3 v1 1/2 50% $x a=b == = << 10s 1,000 0.1f 0x 0b 0xg 08 09 0_ -- - -x
    123456789012345678901234567890 1.7976931348623157e308 5e-324 !x
"""


@pytest.mark.parametrize("text", SCALARS.split())
def test_plain_scalars_are_typed_as_omegaconf_types_them(text: str) -> None:
    pytest.importorskip("omegaconf", reason="compared with the extra 'hydra'")
    from omegaconf._utils import get_yaml_loader

    try:
        theirs = yaml.load(f"a: {text}\n", Loader=get_yaml_loader())["a"]
    except yaml.YAMLError:
        if text in ("=", "<<"):  # PyYAML has no value for them: a text here
            assert values(f"a: {text}\n") == {"a": text}
        else:
            refused(f"a: {text}\n")
        return
    except ValueError:  # PyYAML's own traceback: 0x, 0b, 190:…
        refused(f"a: {text}\n")
        return
    for ours in (values(f"a: {text}\n")["a"], parse_scalar(text)):
        assert type(ours) is type(theirs)
        assert repr(ours) == repr(theirs)


def test_scalars_stay_texts_where_they_are_quoted() -> None:
    assert values("a: '1e-6'\nb: \"true\"\nc: ''\nd: |\n  1\ne: !!str 1\nf:\n") == {
        "a": "1e-6", "b": "true", "c": "", "d": "1\n", "e": "1", "f": None,
    }  # fmt: skip


def test_a_text_that_ansible_is_not_to_expand_is_a_text() -> None:
    assert values("a: !unsafe '{{ x }}'\nb: [!unsafe 1]\n") == {"a": "{{ x }}", "b": ["1"]}


def test_a_fragment_is_a_value_or_a_value_error() -> None:
    assert parse_value("[1e-6, a, {b: null}]") == [1e-6, "a", {"b": None}]
    assert parse_value("") is None
    assert parse_value("'x'") == "x"
    for text in ("[1", "{a: 1, a: 2}", "a: b: c", "\x07", "!!python/name:os.system x", "*a", "[" * 5000, "!x y"):
        with pytest.raises(ValueError, match=r"\S"):
            parse_value(text)


def test_read_text_drops_the_mark(here: Path) -> None:
    (here / "c.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_text("c.yaml") == "a: 1\n"


def test_the_loader_in_python_reads_the_same(here: Path) -> None:
    """PyYAML without libyaml: same values, lines and refusals."""
    write_files(here, {"c.yaml": "# c\na: &a {x: 1e-6}  # r\nb:\n  <<: *a\n  y: [1, 2]\nd: 2024-01-01\n"})
    bad = {
        "dup.yaml": "a: 1\na: 2\n",
        "tab.yaml": "a:\n\tb: 1\n",
        "ctl.yaml": "a: 1\nb: \x07\n",
        "deep.yaml": "[" * 3000,
    }
    write_files(here, bad)
    program = (
        "import yaml, sys\n"
        "if sys.argv[1] == 'python': del yaml.CSafeLoader\n"
        "from ckpt_defaults.settings import load, ConfigError\nfrom ckpt_defaults.yaml_scalars import loader_class\n"
        "assert issubclass(loader_class(), yaml.SafeLoader) == (sys.argv[1] == 'python')\n"
        "print(load('c.yaml'))\n"
        "for name in sys.argv[2:]:\n"
        "    try: print(load(name))\n"
        "    except ConfigError as error: print(error.file, error.line, str(error)[:40])\n"
    )
    told = []
    for loader in ("python", "c") if hasattr(yaml, "CSafeLoader") else ("python",):
        done = subprocess.run(
            [sys.executable, "-c", program, loader, *bad],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext")},
        )  # fmt: skip
        assert done.stderr == ""
        told.append(done.stdout)
    assert "dup.yaml 2" in told[0]
    assert "tab.yaml 2" in told[0]
    assert "ctl.yaml 2" in told[0]
    assert told[0].split("deep.yaml")[0] == told[-1].split("deep.yaml")[0]
