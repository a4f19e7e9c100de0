"""What every engine's checkpoints have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

CONTENTS = ("model", "optimizer", "extra")


@dataclass(kw_only=True)
class CheckpointConfig:
    """What is saved and loaded, and how.

    Args:
        save_contents: The parts that are written.
        load_contents: The parts that are read on a resume; as a rule those that were written.
        async_save: Write while the next step runs. Default False.
        strict: Refuse weights whose names or shapes do not fit. Default True.
    """

    save_contents: list[str] = field(default_factory=lambda: list(CONTENTS))
    load_contents: list[str] = field(default_factory=lambda: list(CONTENTS))
    async_save: bool = False
    strict: bool = True
