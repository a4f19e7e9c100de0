"""Python's garbage collector kept from its work while trees and configs grow, which it would look at again and again."""

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


@contextlib.contextmanager
def set_aside() -> Iterator[None]:
    """While it lasts, ``gc.collect()`` does not look at what is there now."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
