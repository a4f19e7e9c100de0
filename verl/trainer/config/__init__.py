"""The configs of the trainer (YAML), and the classes of their sections that no worker adds to."""

from .checkpoint import CheckpointConfig

__all__ = ["CheckpointConfig"]
