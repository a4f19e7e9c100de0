"""Files of a project, opened so that nothing waits for ever: a named pipe or a device is refused, not read."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(file: str) -> BinaryIO:
    """A regular file, opened to read its bytes. Raises ``OSError``, also for a folder, a pipe and a device."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        check_regular(os.fstat(handle), file)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def check_regular(status: os.stat_result, file: str) -> None:
    """Raises ``OSError`` where ``status`` is not that of a regular file."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device", file)


def fault_of(place: str, otherwise: str) -> str:
    """What is wrong with a place that is neither file nor folder: it is something else, or ``otherwise``."""
    return "is a pipe or a device; name a file or a folder" if os.path.exists(place) else otherwise
