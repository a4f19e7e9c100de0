"""The command ``ckpt-defaults memory``: what it prints, and one clear line for what it cannot do."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.memory import report as memory_report
from ckpt_defaults.memory.flags import flags_from_files
from ckpt_defaults.settings import ConfigError

EXAMPLE = ["--model", "qwen3-30b-a3b", "--tp", "1", "--ep", "8", "--gpus", "8", "--gpus-per-host", "8"]

YAML = """\
tensor_model_parallel_size: 2
pipeline_model_parallel_size: 1
virtual_pipeline_model_parallel_size: null
expert_tensor_parallel_size: null
optimizer_offload: True
dist_ckpt_optim_fully_reshardable: {gather}
distrib_optim_fully_reshardable_mem_efficient: {lean}
"""


def call(*words: str) -> int:
    parser = argparse.ArgumentParser(prog="ckpt-defaults memory")
    memory_report.add_arguments(parser)
    return memory_report.run(parser.parse_args(words))


def data(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(capsys.readouterr().out)
    return loaded


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "other.yaml").write_text("a: [unclosed\n", encoding="utf-8")  # does not name the setting: not parsed
    (folder / "engine.yaml").write_text(YAML.format(gather=True, lean=False), encoding="utf-8")
    return folder


def test_the_example_of_the_manual(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*EXAMPLE, "--host-memory", "1929GB") == 0
    out = capsys.readouterr().out
    assert "Qwen3-30B-A3B, 30.53 B parameters, on 8 GPUs" in out
    row = next(line for line in out.splitlines() if line.startswith("fully-reshardable "))
    assert row.split() == ["fully-reshardable", "149", "GB", "same", "62.0", "GB", "1,192", "GB", "886", "GB", "yes"]
    assert not any(line != line.rstrip() for line in out.splitlines())


def test_json_has_bytes_and_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*EXAMPLE, "--host-memory", "1TB", "--format", "json") == 0
    answer = data(capsys)
    assert answer["version"] == 1
    assert answer["layout"]["expert_dp"] == 1
    sharded, full, lean = answer["formats"]
    assert sharded["format"] == "dp-reshardable"
    assert full["worst_host"]["save"]["bytes"] == 8 * full["rank_0"]["save_peak"]
    assert full["fits"] == {"save": False, "load": True}
    assert sharded["fits"] == {"save": True, "load": True}
    assert full["rank_0"]["save_peak"] == max(full["rank_0"]["gather_peak"], full["rank_0"]["write_peak"])
    assert lean["distrib_optim_fully_reshardable_mem_efficient"] is True
    assert answer["default"] is None


def test_advice_is_computed(capsys: pytest.CaptureFixture[str]) -> None:
    call(*EXAMPLE, "--host-memory", "1TB", "--format", "json")
    first = data(capsys)["advice"]
    line = next(line for line in first if "16 GPUs" in line)
    assert line == "fully-reshardable-mem-efficient: 16 GPUs would need 888 GB on the worst host"
    call(*EXAMPLE[:-4], "--gpus", "16", "--format", "json")
    lean = data(capsys)["formats"][2]
    assert lean["worst_host"]["save"]["bytes"] == pytest.approx(888e9, rel=0.001)


def test_the_config_gives_layout_offloading_and_format(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--model", "qwen2.5-7b", "--config-dir", str(config), "--format", "json") == 0
    answer = data(capsys)
    assert answer["layout"]["tp"] == 2
    assert answer["default"]["format"] == "fully-reshardable"
    assert answer["default"]["config"].endswith("engine.yaml:6")
    assert [one["default"] for one in answer["formats"]] == [False, True, False]
    assert answer["formats"][0]["worst_host"]["save"]["held"] > 0  # the optimizer's state is offloaded


def test_the_option_wins_over_the_config(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--model", "qwen2.5-7b", "--config-dir", str(config), "--tp", "4", "--format", "json") == 0
    assert data(capsys)["layout"]["tp"] == 4


def test_a_default_that_does_not_fit_is_status_1(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--model", "qwen2.5-7b", "--config-dir", str(config), "--host-memory", "500GB")
    assert call(*words) == 1
    out = capsys.readouterr().out
    assert "fully-reshardable *" in out
    assert "distrib_optim_fully_reshardable_mem_efficient: True keeps the copies" in out
    assert "dist_ckpt_optim_fully_reshardable: False needs" in out
    (config / "engine.yaml").write_text(YAML.format(gather=False, lean=False), encoding="utf-8")
    assert call(*words) == 0


def test_the_setting_nearest_to_the_root_is_taken(config: Path) -> None:
    nested = "a:\n  b:\n    dist_ckpt_optim_fully_reshardable: False\n"
    (config / "above.yaml").write_text(nested, encoding="utf-8")
    flags = flags_from_files([str(config)])
    assert flags.place.endswith("engine.yaml:6")
    assert flags.optimizer_offload


def test_bucketing_of_the_config_counts(config: Path) -> None:
    engine = config / "engine.yaml"
    engine.write_text(
        engine.read_text(encoding="utf-8") + "override_ddp_config: {overlap_grad_reduce: True}\n", encoding="utf-8"
    )
    assert flags_from_files([str(config)]).bucket_numel == 40_000_000


def test_verl_own_config(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "corpus" / "verl" / "verl" / "trainer" / "config"
    assert call("--model", "qwen3-8b", "--config-dir", str(folder), "--format", "json") == 0
    default = data(capsys)["default"]
    assert default["format"] == "dp-reshardable"
    assert "engine/megatron.yaml:" in default["config"]


def test_the_catalogue_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--models") == 0
    out = capsys.readouterr().out
    assert "qwen3-30b-a3b" in out
    assert "671.03 B" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one of --model NAME"),
        (["--model", "qwen3-8b", "--config", "x.json"], "give one of --model NAME"),
        (["--model", "nothing-like-it"], "there is no model"),
        (["--model", "qwen3-8b", "--tp", "0"], "TP is 0; give at least 1"),
        (["--model", "qwen3-8b", "--tp=-2"], "TP is -2"),
        (["--model", "qwen3-8b", "--tp", "two"], "tp is 'two'; give a whole number"),
        (["--model", "qwen3-8b", "--tp", str(10**30)], "TP is 1000000000000000000000000000000; more than"),
        (["--model", "qwen3-8b", "--tp", "9" * 5000], "tp is '99999"),
        (["--model", "qwen3-8b", "--gpus", str(10**30)], "not believed"),
        (["--model", "qwen3-8b", "--gpus", "12", "--tp", "8"], "no multiple of TP x PP x CP"),
        (["--model", "qwen3-30b-a3b", "--ep", "3"], "does not divide the 8 GPUs"),
        (["--model", "qwen3-8b", "--host-memory", "lots"], "--host-memory is 'lots'"),
        (["--model", "qwen3-8b", "--host-memory", "0GB"], "above zero"),
        (["--model", "qwen3-8b", "--host-memory", "-1GB"], "give a size such as"),
        (["--model", "qwen3-8b", "--host-memory", "9000TB"], "not believed"),
        (["--model", "qwen3-8b", "--state-bytes", "4"], "--state-bytes is '4'"),
        (["--model", "qwen3-8b", "--state-bytes", "4,3,4"], "--state-bytes is '4,3,4'"),
        (["--model", "qwen3-8b", "--bucket-size", "0"], "the bucket size is 0"),
        (["--config", "no/such/config.json"], "cannot be read"),
        (["--model", "qwen3-8b", "--config-dir", "no/such/folder"], "does not exist"),
    ],
)
def test_bad_input_is_one_line_and_status_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if any(word.startswith("-1") for word in words):
        words = [*words[:-2], f"{words[-2]}={words[-1]}"]
    assert call(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("ckpt-defaults memory: ")
    assert captured.err.count("\n") == 1
    assert len(captured.err) < 600


@pytest.mark.parametrize("value", ["${oc.env:TP}", "[1]", "1.5", "true"])
def test_a_size_that_is_none_is_named_with_its_line(
    value: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = YAML.format(gather=True, lean=False).replace(
        "tensor_model_parallel_size: 2", f"tensor_model_parallel_size: {value}"
    )
    (config / "engine.yaml").write_text(text, encoding="utf-8")
    assert call("--model", "qwen3-8b", "--config-dir", str(config)) == 2
    assert "engine.yaml:1: tensor_model_parallel_size is" in capsys.readouterr().err


def test_a_config_without_the_setting_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no file sets dist_ckpt_optim_fully_reshardable"):
        flags_from_files([str(tmp_path)])
