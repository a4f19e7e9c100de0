"""What interpolated values mean; and that nothing is read or called but the config."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.interpolation import (
    NEEDS_OMEGACONF,
    NOT_STATIC,
    Fallback,
    Resolution,
    environment_default,
    followed_key,
    is_interpolated,
    resolve_all,
    select_of,
)
from ckpt_defaults.settings import load
from conftest import ROOT, write_files

needs_omegaconf = pytest.mark.skipif(
    "not __import__('importlib').util.find_spec('omegaconf')", reason="the extra 'hydra'"
)
LEAK = "leaked-from-the-environment"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("SOME_SECRET", "FOO", "oc.env", "HOME"):
        monkeypatch.setenv(name, LEAK)
    return tmp_path


def resolved(text: str) -> Mapping[str, Resolution]:
    Path("c.yaml").write_text(text, encoding="utf-8")
    part = load("c.yaml")[0]
    return resolve_all(part.settings, part.value)


def means(text: str, path: str) -> object:
    found = resolved(text)[path]
    assert found.problem == "", found
    return found.value


TREE = "a: {b: 1, t: text, e: '', n: null}\nq:\n  s: 2\n  r: %s\n"


@needs_omegaconf
@pytest.mark.parametrize(
    ("written", "value", "follows"),
    [
        ("${a.b}", 1, "a.b"),
        ("'${ a.b }'", 1, "a.b"),
        ("${.s}", 2, "q.s"),
        ("${..a.b}", 1, "a.b"),
        ("${a.n}", None, "a.n"),
        ("${a.e}", "", "a.e"),
        ("${a}", {"b": 1, "t": "text", "e": "", "n": None}, "a"),
        ("x${a.b}-${.s}", "x1-2", ""),
        ("[1, '${a.b}']", [1, 1], ""),
        ("{x: '${a.t}'}", {"x": "text"}, ""),
        ("'${oc.select:a.b}'", 1, "a.b"),
        ("'${oc.select:a.b,9}'", 1, "a.b"),
        ("'${oc.select:gone,9}'", 9, "gone"),
        ("'${oc.select:gone,1e-6}'", 1e-6, "gone"),
        ("'${oc.select:gone,null}'", None, "gone"),
        ("'${oc.select:gone}'", None, "gone"),
        ("\"${oc.select:gone,''}\"", "", "gone"),
        ("'${oc.select:gone,${a.b}}'", 1, "gone"),
        ("'${oc.select:.s,9}'", 2, "q.s"),
        ("'${oc.select:..a.b,9}'", 1, "a.b"),
        ("'${oc.select:.gone,9}'", 9, "q.gone"),
        ("'${oc.dict.keys:a}'", ["b", "t", "e", "n"], ""),
        ("'${oc.decode:\"[1, 2]\"}'", [1, 2], ""),
    ],
)
def test_interpolations_of_the_config_itself(written: str, value: object, follows: str) -> None:
    found = resolved(TREE % written)["q.r"]
    assert found == Resolution(value, follows)
    assert type(found.value) is type(value)


@needs_omegaconf
@pytest.mark.parametrize(
    "written",
    [
        "${oc.env:SOME_SECRET}",
        "${oc.env:SOME_SECRET,default}",
        "${oc.env:NOT_THERE,default}",
        "x${oc.env:SOME_SECRET}",
        "${env:SOME_SECRET}",
        "${oc.decode:${oc.env:SOME_SECRET}}",
        "${oc.select:gone,${oc.env:SOME_SECRET}}",
        "${oc.${name}:SOME_SECRET}",
        "${${full}:SOME_SECRET}",
        "${oc.decode:${text}}",
        "${oc.decode:${dollar}${rest}}",
        "${user:SOME_SECRET}",
        "${now:%Y}",
        "${hydra:runtime.cwd}",
        "${viaother}",
        "${oc.select:viaother,1}",
        "{x: ['${oc.env:SOME_SECRET}']}",
    ],
)
def test_the_environment_is_never_read_and_no_other_resolver_called(written: str) -> None:
    from omegaconf import OmegaConf

    called: list[str] = []
    OmegaConf.register_new_resolver("user", called.append, replace=True)
    try:
        found = resolved(
            f"v: {written if written[0] == '{' else repr(written)}\n"
            "name: env\nfull: oc.env\nviaother: ${oc.env:SOME_SECRET}\n"
            "text: '\\${oc.env:SOME_SECRET}'\ndollar: '$'\nrest: '{oc.env:SOME_SECRET}'\n"
        )
        assert OmegaConf.has_resolver("user"), "the program's own resolvers are there again"
        assert OmegaConf.has_resolver("oc.env")
    finally:
        OmegaConf.clear_resolver("user")
    assert called == []
    assert found["v"].problem
    assert found["v"].value is None
    assert LEAK not in repr(found)


@needs_omegaconf
def test_what_does_not_resolve_says_so_and_takes_nothing_else_with_it() -> None:
    found = resolved(
        "good: ${a.b}\na: {b: 1}\ngone: ${nope}\nc: ${d}\nd: ${c}\nopen: '${a.b'\nempty: '${}'\nwords: '${a b}'\n"
        "half: '${oc.select:'\nescaped: '\\${a.b}'\nrequired: ???\nneeds: ${required}\nfar: ${.....a}\n"
    )
    assert found["good"] == Resolution(1, "a.b")
    assert "nope" in found["gone"].problem
    for path in ("c", "d", "open", "empty", "words", "half", "needs", "far"):
        assert found[path].problem, path
        assert "\n" not in found[path].problem
    assert found["escaped"].value == "${a.b}"


@needs_omegaconf
@pytest.mark.parametrize(
    "text",
    [
        "a: " + "${oc.select:x," * 500 + "1" + "}" * 500 + "\n",
        "".join(f"k{i}: ${{k{i + 1}}}${{k{i + 1}}}\n" for i in range(80)) + "k80: x\n",
        "".join(f"k{i}: {{a: '${{k{i + 1}}}', b: '${{k{i + 1}}}'}}\n" for i in range(80)) + "k80: x\n",
        "".join(f"k{i}: {{a: '${{.b}}', b: '${{k{i + 1}}}${{.a}}'}}\n" for i in range(30)) + "k30: {}\n",
        "".join(f"k{i}: '${{oc.select:k{i + 1},1}}${{oc.select:k{i + 1},1}}'\n" for i in range(80)),
    ],
    ids=["nested", "texts", "mappings", "circles", "selects"],
)
def test_interpolations_that_multiply_or_nest_without_end_are_not_static(text: str, here: Path) -> None:
    write_files(here, {"c.yaml": text + "\ngood: ${one}\none: 1\n"})
    program = (
        "from ckpt_defaults.settings import load\nfrom ckpt_defaults.interpolation import resolve_all\n"
        "part = load('c.yaml')[0]\nfound = resolve_all(part.settings, part.value)\n"
        "assert found['good'].value == 1\nprint(next(iter(found.values())).problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext")},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.strip()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${FOO:5}", 5),
        ("${FOO:1e-6}", 1e-6),
        ("${FOO:}", ""),
        ("${FOO:true}", True),
        ("${FOO:null}", None),
        ("${FOO:a b}", "a b"),
        ("${FOO:'q'}", "q"),
        ("${FOO:[1, 2]}", [1, 2]),
        ("${FOO:-5}", -5),
        ("${FOO:-x}", "x"),
        ("${FOO:-}", ""),
        ("${FOO:http://h:1/p}", "http://h:1/p"),
        ("${FOO:${BAR:7}}", 7),
        ('${FOO:"x}', '"x'),
    ],
)
def test_a_default_behind_a_variable_is_the_default(written: str, value: object) -> None:
    text = f"v: '{written}'\n" if "'" not in written else f'v: "{written}"\n'
    assert means(text, "v") == value


def test_two_variables_in_a_row_are_no_single_default() -> None:
    assert environment_default("${FOO:1}${BAR:2}") is None
    assert environment_default("${FOO:{a: 1}}") == "{a: 1}"
    assert environment_default("${FOO:}}") is None
    assert environment_default("${foo:1}") is None
    assert environment_default(5) is None


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("{{ a }}", Resolution(1, "a")),
        ("{{a}}", Resolution(1, "a")),
        ("{{ m.x }}", Resolution("deep", "m.x")),
        ("{{ through }}", Resolution(1, "through")),
        ("{{ gone }}", Resolution(problem=NOT_STATIC)),
        ("{{ gone | default(3) }}", Resolution(3)),
        ("{{ gone | default('x', true) }}", Resolution("x")),
        ("{{ gone | default(a) }}", Resolution(1, "a")),
        ("{{ gone | default(true) }}", Resolution(True)),
        ("{{ gone | default(none) }}", Resolution(None)),
        ("{{ gone | default(omit) }}", Resolution(problem=NOT_STATIC)),
        ("{{ a | default(3) }}", Resolution(1, "a")),
        ("{{ v }}", Resolution(None, "v", NOT_STATIC)),
        ("x{{ a }}", Resolution(problem=NOT_STATIC)),
        ("{{ a }}{{ a }}", Resolution(problem=NOT_STATIC)),
        ("{{ a + 1 }}", Resolution(problem=NOT_STATIC)),
        ("{% if a %}{{ a }}{% endif %}", Resolution(problem=NOT_STATIC)),
    ],
)
def test_jinja_in_the_yaml(written: str, wanted: Resolution) -> None:
    text = f'a: 1\nm: {{x: deep}}\nthrough: "{{{{ a }}}}"\nv: "{written}"\n'
    assert resolved(text)["v"] == wanted


def test_what_is_followed() -> None:
    assert followed_key("${a.b}", "x.y") == "a.b"
    assert followed_key("${.b}", "x.y") == "x.b"
    assert followed_key("${..b}", "x.y") == "b"
    assert followed_key("${oc.select:.b,1}", "x.y") == "x.b"
    assert followed_key("a${b}", "x.y") == ""
    assert followed_key("${oc.env:X}", "x.y") == ""
    assert followed_key(1, "x.y") == ""
    assert select_of("${oc.select:a.b, 'x, y' }") == Fallback("a.b", "'x, y'")
    assert select_of("${oc.select:a}") == Fallback("a", None)
    assert select_of("${a}") is None
    assert [is_interpolated(v) for v in ("${a}", "{{ a }}", "a", None, 1)] == [True, True, False, False, False]


WITHOUT = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in ('omegaconf', 'hydra'):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda n, p=None: None if n.partition('.')[0] in ('omegaconf', 'hydra') else real(n, p)
from ckpt_defaults.cli import main
sys.exit(main(sys.argv[1:]))
"""
PAGES = {
    "docs/p.md": """
        # Settings

        | Name | Default |
        |---|---|
        | `a.plain` | 2 |
        | `a.taken` | 7 |
        | `a.variable` | 4 |
        """,
    "c.yaml": "a:\n  plain: 1\n  taken: ${a.plain}\n  other: ${a.taken}\n  variable: ${FOO:3}\n",
}


def run_without(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *args], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext")},
    )  # fmt: skip


def test_without_omegaconf_such_values_are_undecided_and_it_is_told_once(here: Path) -> None:
    write_files(here, PAGES)
    done = run_without("check", "docs", "--config", "c.yaml", "--no-cache", "--all")
    assert done.returncode == 1
    assert done.stderr == f"ckpt-defaults: interpolated values are left undecided: resolving them {NEEDS_OMEGACONF}\n"
    lines = done.stdout.splitlines()
    assert "a.plain is documented as 2; c.yaml:2 says 1" in lines[0]
    assert lines[1].endswith(f"not decided, {NEEDS_OMEGACONF} [undecided]")
    assert "a.variable is documented as 4; c.yaml:5 says 3" in lines[2]


@needs_omegaconf
def test_with_omegaconf_they_are_decided(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(here, PAGES)
    assert main(["check", "docs", "--config", "c.yaml", "--no-cache"]) == 1
    told = capsys.readouterr()
    assert "a.taken is documented as 7; c.yaml:3 says 1" in told.out
    assert told.err == ""


def test_without_hydra_a_tree_is_read_file_by_file_and_it_is_told_once(here: Path) -> None:
    write_files(
        here,
        {
            "conf/main.yaml": "defaults:\n  - db: one\n  - _self_\nx: 1\n",
            "conf/db/one.yaml": "port: 5\n",
            "p.md": "# Settings\n\n- `port`: default 6\n- `x`: default 2\n",
        },
    )
    done = run_without("check", "p.md", "--config", "conf", "--no-cache")
    assert done.stderr == "ckpt-defaults: Hydra configs are not composed: install sphinx-ckpt-defaults[hydra]\n"
    assert "port is documented as 6; conf/db/one.yaml:1 says 5" in done.stdout
    assert "x is documented as 2; conf/main.yaml:4 says 1" in done.stdout
    assert done.returncode == 1
