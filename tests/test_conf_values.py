"""Values of conf.py of another kind: one line, a build that fails, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Build

LISTS, TEXTS, DICTS, FLAGS = "a list of", "a text", "a dict of texts to texts", "True or False"
WRONG = {
    LISTS: ["3", "True", "{1: 2}", "{'x'}", "[3]", "[None]", "[['a']]", "b'x'", "['\\0']", "None"],
    TEXTS: ["3", "[]", "b'x'", "{}", "'\\0'", "None"],
    DICTS: ["3", "['a']", "{'a': 3}", "{1: 'a'}", "{None: 'a'}", "'a'", "None"],
    FLAGS: ["'x'", "[]", "{}", "None"],
}
VALUES = {
    "config": LISTS, "code": LISTS, "ignore": LISTS, "baseline": TEXTS, "fail_on": TEXTS, "source_url": TEXTS,
    "pages": DICTS, "prefer_live": FLAGS, "code_every_place": FLAGS, "config_copies": FLAGS,
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_of_another_kind_is_one_line(tmp_path: Path, build: Build, name: str) -> None:
    (tmp_path / "c.yaml").write_text("retries: 5\n")
    for value in WRONG[VALUES[name]]:
        conf = f"extensions = ['ckpt_defaults']\nckpt_defaults_config = [{str(tmp_path / 'c.yaml')!r}]\n"
        built = build({
            "conf.py": conf + f"ckpt_defaults_{name} = {value}\n",
            "index.rst": "A\n=\n\n``retries`` defaults to 5.\n",
        }, "dummy", "-E")  # fmt: skip
        assert built.status == 1, value
        told = [line for line in built.warnings.splitlines() if f"ckpt_defaults_{name} is " in line]
        assert [VALUES[name] in line for line in told[:1]] == [True], (value, built.warnings)
        assert "Traceback" not in built.warnings
        assert "threw an exception" not in built.warnings
