"""The catalogue against published parameter counts, and config.json files of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ckpt_defaults.memory.layout import embedding_count, parameter_count
from ckpt_defaults.memory.models import (
    EstimateError,
    catalogue,
    find_model,
    published_count,
    read_config,
    shape_of_config,
)
from ckpt_defaults.settings import ConfigError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Properties hold on a busy machine too."""

QWEN3_8B = {
    "model_type": "qwen3",
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 12288,
    "vocab_size": 151936,
    "tie_word_embeddings": False,
    "attention_bias": False,
}
QWEN3_30B = {
    **QWEN3_8B,
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_key_value_heads": 4,
    "intermediate_size": 6144,
    "num_experts": 128,
    "moe_intermediate_size": 768,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
}
QWEN25_05B = {
    "model_type": "qwen2",
    "hidden_size": 896,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "intermediate_size": 4864,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "intermediate_size": 18432,
    "vocab_size": 129280,
    "tie_word_embeddings": False,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "moe_intermediate_size": 2048,
    "moe_layer_freq": 1,
    "first_k_dense_replace": 3,
    "num_nextn_predict_layers": 1,
}
GLM_FLASH = {
    **DEEPSEEK_V3,
    "model_type": "glm4_moe_lite",
    "hidden_size": 2048,
    "num_hidden_layers": 47,
    "num_attention_heads": 20,
    "num_key_value_heads": 20,
    "head_dim": 64,
    "intermediate_size": 10240,
    "vocab_size": 154880,
    "q_lora_rank": 768,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
    "n_routed_experts": 64,
    "moe_intermediate_size": 1536,
    "first_k_dense_replace": 1,
}
MIXTRAL = {
    "model_type": "mixtral",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
    "num_local_experts": 8,
}


@pytest.mark.parametrize("name", list(catalogue()))
def test_catalogue_has_the_published_parameters(name: str) -> None:
    shape = catalogue()[name]
    for counted, text in (
        (parameter_count(shape), shape.published),
        (parameter_count(shape) - embedding_count(shape), shape.published_non_embedding),
    ):
        if text:
            value, rounding = published_count(text)
            assert abs(counted - value) <= max(0.01 * value, rounding), (counted, text)


def test_catalogue_names_its_sources_and_covers_the_families() -> None:
    shapes = catalogue()
    assert all(shape.source.startswith("https://") and shape.published for shape in shapes.values())
    for name in ("qwen2.5-0.5b", "qwen2.5-72b", "qwen3-235b-a22b", "deepseek-v3", "glm-4.7-flash"):
        assert name in shapes
    for name in ("moonlight-16b-a3b", "llama-3-8b", "llama-3-70b", "qwen3-30b-a3b", "qwen3-32b"):
        assert name in shapes


def test_exact_counts() -> None:
    # Counts of the published weights, to the last parameter (DeepSeek-V3 without its 58 x 256 router biases).
    assert parameter_count(find_model("qwen2.5-7b")) == 7_615_616_512
    assert parameter_count(find_model("qwen3-30b-a3b")) == 30_532_122_624
    assert parameter_count(find_model("llama-3-8b")) == 8_030_261_248
    assert parameter_count(find_model("deepseek-v3")) == 671_026_419_200 - 58 * 256


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("qwen2.5-7b-instruct", "Qwen2.5-7B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("meta-llama/Llama-3.1-70B", "Llama-3-70B"),
        ("deepseek-ai/DeepSeek-R1", "DeepSeek-V3"),
    ],
)
def test_models_are_found_by_their_repository(wanted: str, title: str) -> None:
    assert find_model(wanted).name == title


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(EstimateError, match=r"no model 'qwen3-8'.*did you mean.*qwen3-8b"):
        find_model("qwen3-8")
    with pytest.raises(EstimateError, match=r"the catalogue has qwen2\.5-0\.5b"):
        find_model("zzzz")


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (QWEN3_8B, "qwen3-8b"),
        (QWEN3_30B, "qwen3-30b-a3b"),
        (QWEN25_05B, "qwen2.5-0.5b"),
        (DEEPSEEK_V3, "deepseek-v3"),
        (GLM_FLASH, "glm-4.7-flash"),
    ],
)
def test_a_config_gives_the_shape_of_the_catalogue(config: dict[str, object], name: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    assert parameter_count(read_config(str(file))) == parameter_count(catalogue()[name])


def test_mixtral_has_experts_as_wide_as_its_mlp() -> None:
    assert parameter_count(shape_of_config(MIXTRAL)) == 46_702_792_704


def test_the_text_part_of_a_multimodal_config_is_counted() -> None:
    shape = shape_of_config({"model_type": "qwen3_vl", "text_config": QWEN3_8B, "vision_config": {}})
    assert parameter_count(shape) == parameter_count(find_model("qwen3-8b"))
    assert "text part" in shape.notes[0]


def test_tied_is_assumed_where_the_config_does_not_say_and_noted() -> None:
    shape = shape_of_config({key: value for key, value in QWEN25_05B.items() if key != "tie_word_embeddings"})
    assert shape.tied_embeddings
    assert "tie_word_embeddings" in shape.notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_size": None}, "has no hidden_size"),
        ({"hidden_size": 0}, "hidden_size is 0; give at least 1"),
        ({"hidden_size": -4096}, "hidden_size is -4096"),
        ({"num_hidden_layers": 10**30}, "not believed"),
        ({"num_hidden_layers": 20_000}, "more than 10000 is not believed"),
        ({"vocab_size": "many"}, "vocab_size is 'many'; give a whole number"),
        ({"vocab_size": 1.5}, "vocab_size is 1.5"),
        ({"vocab_size": True}, "vocab_size is True"),
        ({"num_attention_heads": 31}, "do not divide into 8 KV groups"),
        ({"num_experts": 8, "moe_intermediate_size": 0, "intermediate_size": None}, "has no intermediate_size"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "not counted here"),
        ({"ssm_state_size": 128}, "not counted here"),
        ({"num_experts": 8, "mlp_only_layers": [1]}, "mlp_only_layers"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**QWEN3_8B, **change}), encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        read_config(str(file))
    assert "config.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "holds a list"),
        (b"3", "holds a single value"),
        (b"{", "is no JSON"),
        (b"", "is no JSON"),
        (b"\xff\xfe\x00", "is no JSON in UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"hidden_size": ' + b"9" * 6000 + b"}", "is no JSON in UTF-8|not believed"),
        (b"{}", "has no hidden_size"),
    ],
)
def test_a_file_that_is_no_config_is_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message) as caught:
        read_config(str(file))
    assert "\n" not in str(caught.value)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    with file.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(ConfigError, match="is 100 MB"):
        read_config(str(file))


@pytest.mark.parametrize("name", ["missing.json", "", "a\0b"])
def test_a_missing_file_is_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read|is a folder"):
        read_config(str(tmp_path / name))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-10, 10**9)
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "8", "many"])
)


@UNTIMED
@given(st.dictionaries(st.sampled_from([*DEEPSEEK_V3, "num_experts", "layer_types"]), scalars | st.lists(scalars)))
def test_any_config_gives_a_shape_or_a_line(changes: dict[str, object]) -> None:
    lines: list[str] = []
    try:
        lines += [shape_of_config({**DEEPSEEK_V3, **changes}).name]
    except EstimateError as error:
        lines += str(error).splitlines()
    assert len(lines) == 1


@pytest.mark.parametrize("text", ["", "7.61", "B", "-1B", "7,6B"])
def test_a_count_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(EstimateError):
        published_count(text)


def test_a_published_count_knows_its_rounding() -> None:
    assert published_count("7.61B") == pytest.approx((7.61e9, 5e6))
    assert published_count("16B") == pytest.approx((16e9, 5e8))
