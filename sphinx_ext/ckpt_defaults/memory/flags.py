"""What a project's config says about the layout and the optimizer checkpoint: the seam to the config's settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..formats import GATHER, LEAN
from ..settings import ConfigError, Setting, load, read_text, yaml_files
from .formula import SaveFormat

_SIZES = {
    "tp": "tensor_model_parallel_size",
    "pp": "pipeline_model_parallel_size",
    "vpp": "virtual_pipeline_model_parallel_size",
    "cp": "context_parallel_size",
    "ep": "expert_model_parallel_size",
    "etp": "expert_tensor_parallel_size",
}


@dataclass(frozen=True, slots=True)
class Flags:
    """The default format and layout of a config. ``None`` is a size that the config leaves open.

    ``place`` is the ``file:line`` of the setting that chooses the format.
    """

    fmt: SaveFormat
    place: str
    tp: int | None = None
    pp: int | None = None
    vpp: int | None = None
    cp: int | None = None
    ep: int | None = None
    etp: int | None = None
    optimizer_offload: bool = False
    param_offload: bool = False
    bucket_numel: int | None = None
    high_bandwidth: bool = False


def flags_from_settings(settings: Mapping[str, Setting]) -> Flags | None:
    """The flags of the mapping that holds ``dist_ckpt_optim_fully_reshardable``; ``None`` where no mapping does.

    Keys are the siblings of that setting, by their last component. Of several such mappings the one nearest to the
    root is taken, then the first whose value is no interpolation. Raises :class:`ConfigError` for a value of another
    type than the key wants.
    """
    found = [path for path in settings if path == GATHER or path.endswith("." + GATHER)]
    if not found:
        return None
    path = min(found, key=lambda path: (path.count("."), _interpolated(settings[path].value)))
    prefix = path[: -len(GATHER)]
    reshardable = _flag(settings, prefix + GATHER)
    sizes = {name: _size(settings, prefix + key) for name, key in _SIZES.items()}
    ddp = settings.get(prefix + "override_ddp_config")
    overrides: Mapping[str, Any] = ddp.value if ddp is not None and isinstance(ddp.value, Mapping) else {}
    bucket = overrides.get("bucket_size") if overrides.get("overlap_grad_reduce") is True else None
    if overrides.get("overlap_grad_reduce") is True and not isinstance(bucket, int):
        bucket = 40_000_000  # what Megatron-Core's DistributedDataParallel takes when no size is given
    return Flags(
        SaveFormat.of_flags(reshardable, _flag(settings, prefix + LEAN)),
        settings[path].place,
        optimizer_offload=_flag(settings, prefix + "optimizer_offload"),
        param_offload=_flag(settings, prefix + "param_offload"),
        bucket_numel=bucket,
        high_bandwidth=overrides.get("pad_buckets_for_high_nccl_busbw") is True,
        **sizes,
    )


def flags_from_files(places: Iterable[str]) -> Flags:
    """The flags of the YAML files that ``places`` (files or folders) name.

    Of several files with such a mapping the one that has it nearest to its root is taken, then the first. Files that
    do not name the setting are not parsed. Raises :class:`ConfigError` where no file has it, and for unreadable YAML.
    """
    best: tuple[int, Flags] | None = None
    listed = list(places)
    for place in listed:
        for file in yaml_files(place):
            if GATHER not in read_text(file):
                continue
            for document in load(file):
                flags = flags_from_settings(document.settings)
                if flags is None:
                    continue
                depth = min(path.count(".") for path in document.settings if path.rsplit(".", 1)[-1] == GATHER)
                if best is None or depth < best[0]:
                    best = (depth, flags)
    if best is None:
        raise ConfigError(f"no file sets {GATHER}; name the folder of the config", listed[0] if listed else None)
    return best[1]


def _interpolated(value: object) -> bool:
    return isinstance(value, str) and "${" in value


def _flag(settings: Mapping[str, Setting], path: str) -> bool:
    setting = settings.get(path)
    if setting is None or setting.value is None:
        return False
    if isinstance(setting.value, bool):
        return setting.value
    raise _wrong(setting, "true or false")


def _size(settings: Mapping[str, Setting], path: str) -> int | None:
    setting = settings.get(path)
    if setting is None or setting.value is None:
        return None
    if isinstance(setting.value, int) and not isinstance(setting.value, bool):
        return setting.value
    raise _wrong(setting, "a whole number or null")


def _wrong(setting: Setting, wanted: str) -> ConfigError:
    return ConfigError(
        f"{setting.name} is {str(setting.value)[:60]!r}; {wanted} is read here, not an interpolation or text",
        setting.file,
        setting.line,
    )
