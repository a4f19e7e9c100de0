"""Python's garbage collector kept from looking again and again at trees and configs that grow."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """While it lasts, nothing is collected by itself: for steps that end soon and leave few circles of objects."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
