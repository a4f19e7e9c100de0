"""Hydra's config sources for a composition that reads YAML and nothing else. Needs hydra-core (extra ``hydra``).

A config source is Hydra's own interface for where configs come from. Three are registered while a composition runs:
one serves the files of a folder, read by ``settings`` (one parse a file, errors with file and line); one serves their
defaults lists only, which is all that the order of the files depends on; and one stands in for the configs of Hydra
itself (logging, launchers, sweepers), which no value of a composed tree depends on, so that no plug-in has to be
imported for them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra._internal.core_plugins.structured_config_source import StructuredConfigSource
from hydra._internal.sources_registry import SourcesRegistry
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult, ConfigSource
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from .defaults_lists import ENDING
from .settings import ConfigError, ConfigFile, read_text

FILES, LISTS, OWN = "ckpt-defaults-files", "ckpt-defaults-lists", "ckpt-defaults-hydra"
"""The schemes of the sources, for a search path: whole files, defaults lists alone, Hydra's own configs."""

_HEADER_LENGTH = 512  # Hydra looks for `# @package` in so many characters


def layer_file(folder: str, config_path: str) -> str:
    """The absolute file behind Hydra's path of a config (``actor/../optim/megatron``)."""
    name = config_path if config_path.endswith(ENDING) else config_path + ENDING
    plain = os.path.normpath(os.path.join(folder, name))
    # ".." behind a linked folder leads elsewhere than the text says; Hydra follows the link.
    return plain if os.path.exists(plain) else os.path.realpath(os.path.join(folder, name))


@contextlib.contextmanager
def registered(read: Callable[[str], ConfigFile]) -> Iterator[None]:
    """Makes the sources known to Hydra for the length of the block; ``read`` gives the config of an absolute file."""

    class Files(FileConfigSource):
        @staticmethod
        def scheme() -> str:
            return FILES

        def load_config(self, config_path: str) -> ConfigResult:
            file = layer_file(self.path, config_path)
            config = _created(self.served(read(file)), read(file))
            return ConfigResult(
                config=config, path=f"{self.scheme()}://{self.path}", provider=self.provider, header=_header(file)
            )

        @staticmethod
        def served(part: ConfigFile) -> dict[str, Any]:
            return dict(part.value)

    class Lists(Files):
        @staticmethod
        def scheme() -> str:
            return LISTS

        @staticmethod
        def served(part: ConfigFile) -> dict[str, Any]:
            return {key: value for key, value in part.value.items() if key == "defaults"}

    registry = SourcesRegistry.instance()
    before = dict(registry.types)
    registry.types.update({FILES: Files, LISTS: Lists, OWN: _HydrasOwn})
    registry.types.setdefault(StructuredConfigSource.scheme(), StructuredConfigSource)
    try:
        yield
    finally:
        registry.types.clear()
        registry.types.update(before)


class _HydrasOwn(ConfigSource):
    """Serves an empty config for every option of Hydra's own groups, but for ``hydra/config``, their schema."""

    @staticmethod
    def scheme() -> str:
        return OWN

    def load_config(self, config_path: str) -> ConfigResult:
        return ConfigResult(
            config=OmegaConf.create({}), path=f"{OWN}://", provider=self.provider, header={"package": None}
        )

    def available(self) -> bool:
        return True

    def is_group(self, config_path: str) -> bool:
        return config_path == "hydra" or config_path.startswith("hydra/")

    def is_config(self, config_path: str) -> bool:
        return config_path.startswith("hydra/") and config_path.removesuffix(ENDING) != "hydra/config"

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        return []


def _created(value: dict[str, Any], part: ConfigFile) -> Any:
    try:
        return OmegaConf.create(value)
    except OmegaConfBaseException as error:
        setting = part.settings.get(str(error.full_key))
        problem = str(error).splitlines()[0]
        raise ConfigError(
            f"OmegaConf cannot read this value: {problem}; mend it", part.file, setting.line if setting else None
        ) from None


def _header(file: str) -> dict[str, Any]:
    try:
        return dict(ConfigSource._get_header_dict(read_text(file)[:_HEADER_LENGTH]))
    except ValueError as error:
        raise ConfigError(f"its package header is not understood: {error}", file, 1) from None
