"""Shapes of models: the catalogue (``models.yaml``) and Hugging Face ``config.json`` files.

A shape is what is needed to count parameters, no more. Nothing is downloaded, imported or executed.
"""

from __future__ import annotations

import difflib
import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..files import open_regular
from ..settings import ConfigError, load

CATALOGUE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.yaml")

MAX_CONFIG_BYTES = 1024 * 1024
"""Largest ``config.json`` that is read, in bytes; real ones have a few thousand."""

MAX_SIZE = 10**8
"""Largest single dimension (hidden size, vocabulary, layers …) that is believed."""

MAX_LAYERS = 10_000
"""Largest number of layers that is believed."""


class EstimateError(ValueError):
    """Input from which no estimate can be made: one line that says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Sizes of multi-head latent attention (MLA). ``query_rank`` is ``None`` where the query is not compressed."""

    kv_rank: int
    query_rank: int | None
    nope_dim: int
    rope_dim: int
    value_dim: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A decoder-only transformer with gated MLPs and RMS norms, as sizes (elements, not bytes).

    ``ffn`` is the width of a dense MLP, ``expert_ffn`` of one routed expert, ``shared_ffn`` of all shared experts of
    a layer together. A layer has experts when ``experts`` is not zero, its index (from 0) is at least
    ``first_dense_layers`` and ``index + 1`` is a multiple of ``expert_layer_step``. ``source`` says where the numbers
    come from; ``published`` and ``published_non_embedding`` are the parameter counts that the model's card states, as
    written there (``"7.61B"``).
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_groups: int
    head_dim: int
    ffn: int
    vocabulary: int
    tied_embeddings: bool = False
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: bool = False
    latent: LatentAttention | None = None
    experts: int = 0
    expert_ffn: int = 0
    shared_ffn: int = 0
    shared_gate: bool = False
    first_dense_layers: int = 0
    expert_layer_step: int = 1
    source: str = ""
    published: str = ""
    published_non_embedding: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse sizes that are no sizes, with the name of the field. Raises :class:`EstimateError`."""
        for name in ("layers", "hidden", "heads", "kv_groups", "head_dim", "ffn", "vocabulary", "expert_layer_step"):
            check_count(getattr(self, name), name, maximum=MAX_LAYERS if name == "layers" else MAX_SIZE)
        for name in ("experts", "expert_ffn", "shared_ffn", "first_dense_layers"):
            check_count(getattr(self, name), name, minimum=0)
        if self.latent is not None:
            for field in fields(self.latent):
                value = getattr(self.latent, field.name)
                if value is not None:
                    check_count(value, field.name)
        if self.heads % self.kv_groups:
            raise EstimateError(f"{self.heads} attention heads do not divide into {self.kv_groups} KV groups")
        if self.experts and not self.expert_ffn:
            raise EstimateError(f"{self.experts} experts without a width; give the size of an expert's MLP")

    def has_experts(self, layer: int) -> bool:
        """Whether the layer with this index (from 0) is a mixture of experts."""
        return self.experts > 0 and layer >= self.first_dense_layers and (layer + 1) % self.expert_layer_step == 0


def check_count(value: object, name: str, *, minimum: int = 1, maximum: int = MAX_SIZE) -> int:
    """``value`` as a count. Raises :class:`EstimateError` unless it is an integer from ``minimum`` to ``maximum``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise EstimateError(f"{name} is {_shown(value)}; give a whole number")
    if value < minimum:
        raise EstimateError(f"{name} is {_shown(value)}; give at least {minimum}")
    if value > maximum:
        raise EstimateError(f"{name} is {_shown(value)}; more than {maximum} is not believed")
    return value


def _shown(value: object) -> str:
    """A value for a message: short, on one line."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."


# -- the catalogue -------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def _entries() -> Mapping[str, Mapping[str, Any]]:
    entries: Mapping[str, Mapping[str, Any]] = load(CATALOGUE)[0].value["models"]
    return entries


@functools.lru_cache(maxsize=1)
def catalogue() -> Mapping[str, ModelShape]:
    """All shapes of ``models.yaml`` by their short name, in the file's order."""
    return {name: _catalogue_shape(name, entry) for name, entry in _entries().items()}


@functools.lru_cache(maxsize=1)
def _aliases() -> Mapping[str, str]:
    return {alias: name for name, entry in _entries().items() for alias in entry.get("aliases", ())}


def _catalogue_shape(name: str, entry: Mapping[str, Any]) -> ModelShape:
    values = dict(entry)
    latent = values.pop("latent", None)
    values.pop("aliases", None)
    try:
        return ModelShape(
            name=values.pop("title"), latent=LatentAttention(**latent) if latent is not None else None, **values
        )
    except (TypeError, KeyError, EstimateError) as error:
        raise ConfigError(f"the model {name!r} is not described right: {error}", CATALOGUE) from None


def find_model(name: str) -> ModelShape:
    """The shape that ``name`` means: a short name, or a repository name such as ``Qwen/Qwen3-8B``, in any case.

    Raises :class:`EstimateError` for a name that the catalogue does not have, with the nearest ones.
    """
    known = catalogue()
    wanted = re.sub(r"(?:-(?:base|instruct|chat|hf))+$", "", name.strip().lower().rsplit("/", 1)[-1])
    wanted = wanted.removeprefix("meta-")
    wanted = _aliases().get(wanted, wanted)
    if wanted in known:
        return known[wanted]
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the catalogue has {', '.join(known)}."
    raise EstimateError(f"there is no model {_shown(name)}; {hint} Any other: --config path/to/config.json")


_SCALE = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


def published_count(text: str) -> tuple[float, float]:
    """A published parameter count and half a unit of its last digit: ``"7.61B"`` gives ``(7.61e9, 5e6)``.

    Raises :class:`EstimateError` when ``text`` is no such count.
    """
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?([KMBT])", text)
    if found is None:
        raise EstimateError(f"{_shown(text)} is no parameter count such as 7.61B")
    scale = _SCALE[found.group(3)]
    decimals = found.group(2) or ""
    return float(f"{found.group(1)}.{decimals or 0}") * scale, 0.5 * 10.0 ** -len(decimals) * scale


# -- config.json of Hugging Face ---------------------------------------------------------------------------------


def read_config(file: str) -> ModelShape:
    """The shape that a Hugging Face ``config.json`` describes; ``file`` is its path.

    Raises :class:`ckpt_defaults.settings.ConfigError` (``file: what is wrong; what to do``) for a file that cannot
    be read, is too large, is no JSON object, lacks a field, or describes layers whose parameters are not counted here.
    """
    try:
        if os.path.isdir(file):
            raise ConfigError("is a folder; name the config.json in it", file)
        size = os.path.getsize(file)
        if size > MAX_CONFIG_BYTES:
            raise ConfigError(
                f"is {size / 1e6:.0f} MB; a model's config.json has a few KB, is this the right file?", file
            )
        with open_regular(file) as stream:
            data = stream.read(MAX_CONFIG_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be read ({reason}); check the path and its permissions", file) from None
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ConfigError(f"is no JSON ({error.msg}); give the model's config.json", file, error.lineno) from None
    except RecursionError:
        raise ConfigError("is nested too deeply; give the model's config.json", file) from None
    except (UnicodeDecodeError, ValueError):
        raise ConfigError("is no JSON in UTF-8; give the model's config.json", file) from None
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        raise ConfigError(f"holds {kind}, not an object of fields; give the model's config.json", file)
    try:
        return shape_of_config(value, name=os.path.basename(os.path.dirname(os.path.abspath(file))) or "model")
    except EstimateError as error:
        raise ConfigError(str(error), file) from None


_UNCOUNTED = (
    "ssm_state_size",
    "mamba_d_state",
    "linear_num_key_heads",
    "linear_conv_kernel_dim",
    "hybrid_override_pattern",
)
_QKV_BIAS = ("qwen2", "qwen2_moe")
_QK_NORM = ("qwen3", "qwen3_moe")


def shape_of_config(config: Mapping[str, Any], name: str = "model") -> ModelShape:
    """The shape that the fields of a Hugging Face config describe.

    The text part of a multimodal config is taken. Raises :class:`EstimateError` for a field that is missing or is no
    size, and for layers that are not attention plus MLP.
    """
    notes: list[str] = []
    if isinstance(config.get("text_config"), Mapping):
        config = {"tie_word_embeddings": config.get("tie_word_embeddings"), **config["text_config"]}
        notes.append("only the text part (text_config) is counted")
    family = config.get("model_type")
    kinds = config.get("layer_types")
    uncounted = [key for key in _UNCOUNTED if config.get(key)]
    if isinstance(kinds, list):
        uncounted += [str(kind) for kind in kinds if "attention" not in str(kind) or "linear" in str(kind)][:1]
    if uncounted:
        raise EstimateError(f"has layers that are not counted here ({uncounted[0]}); attention and MLP layers are")
    hidden, heads = _field(config, "hidden_size"), _field(config, "num_attention_heads")
    latent = _latent(config)
    tied = config.get("tie_word_embeddings")
    if tied is None:
        notes.append("tie_word_embeddings is not given; Transformers then ties them, and so does this estimate")
        tied = True
    experts = _optional(config, 0, "num_experts", "n_routed_experts", "num_local_experts")
    bias = bool(config.get("attention_bias"))
    return ModelShape(
        name=name,
        layers=_field(config, "num_hidden_layers"),
        hidden=hidden,
        heads=heads,
        kv_groups=heads if latent else _optional(config, heads, "num_key_value_heads"),
        head_dim=_optional(config, max(hidden // heads, 1), "head_dim"),
        ffn=_field(config, "intermediate_size"),
        vocabulary=_field(config, "vocab_size"),
        tied_embeddings=bool(tied),
        qkv_bias=bias or family in _QKV_BIAS,
        output_bias=bias and family == "llama",
        qk_norm=family in _QK_NORM or bool(config.get("use_qk_norm")),
        latent=latent,
        source="config.json",
        notes=tuple(notes),
        **(_experts(config, experts) if experts else {}),
    )


def _experts(config: Mapping[str, Any], experts: int) -> dict[str, Any]:
    """The fields of a mixture of experts, as keyword arguments of :class:`ModelShape`."""
    if config.get("mlp_only_layers"):
        raise EstimateError("names single dense layers (mlp_only_layers), which are not counted; remove the field")
    # Mixtral has no width of its own for experts: its experts are as wide as intermediate_size says.
    width = _optional(config, None, "moe_intermediate_size") or _field(config, "intermediate_size")
    shared = _optional(config, 0, "shared_expert_intermediate_size")
    return {
        "experts": experts,
        "expert_ffn": width,
        "shared_ffn": shared or _optional(config, 0, "n_shared_experts") * width,
        "shared_gate": bool(shared),
        "first_dense_layers": _optional(config, _leading_dense(config), "first_k_dense_replace"),
        "expert_layer_step": _optional(config, 1, "decoder_sparse_step", "moe_layer_freq"),
    }


def _leading_dense(config: Mapping[str, Any]) -> int:
    """How many layers of ``mlp_layer_types`` are dense before the first mixture of experts."""
    kinds = config.get("mlp_layer_types")
    return kinds.index("sparse") if isinstance(kinds, list) and "sparse" in kinds else 0


def _latent(config: Mapping[str, Any]) -> LatentAttention | None:
    if config.get("kv_lora_rank") is None:
        return None
    return LatentAttention(
        kv_rank=_field(config, "kv_lora_rank"),
        query_rank=_optional(config, None, "q_lora_rank"),
        nope_dim=_field(config, "qk_nope_head_dim"),
        rope_dim=_field(config, "qk_rope_head_dim"),
        value_dim=_field(config, "v_head_dim"),
    )


def _field(config: Mapping[str, Any], key: str) -> int:
    if config.get(key) is None:
        raise EstimateError(f"has no {key}; give the config.json of the model itself")
    return check_count(config[key], key)


def _optional(config: Mapping[str, Any], default: Any, *keys: str) -> Any:
    """The first of ``keys`` that is given (a count of at least 0), else ``default``."""
    for key in keys:
        if config.get(key) is not None:
            return check_count(config[key], key, minimum=0)
    return default
