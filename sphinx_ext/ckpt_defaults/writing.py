"""Files read and written whole: an edit keeps mode, line endings, encoding and byte order mark, or does not happen."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from .files import check_regular, open_regular
from .settings import ConfigError

_BOM = b"\xef\xbb\xbf"
_ENDING = re.compile(r"(\r\n|\r|\n)")


@dataclass(frozen=True)
class Source:
    """A text file as it was read: its ``lines``, the ``endings`` between them, and its bytes as ``data``."""

    file: str
    lines: tuple[str, ...]
    endings: tuple[str, ...]
    data: bytes

    @property
    def text(self) -> str:
        """The text with ``\\n`` as each ending, without byte order mark: as pages are read."""
        return "\n".join(self.lines)

    def encoded(self, lines: Sequence[str]) -> bytes:
        """The bytes of the file with other ``lines``, as many as before."""
        parts = [part for pair in zip(lines, (*self.endings, ""), strict=True) for part in pair]
        return (_BOM if self.data.startswith(_BOM) else b"") + "".join(parts).encode("utf-8")


def read_source(file: str) -> Source:
    """A file as text. Raises :class:`ConfigError` when it cannot be read or is no UTF-8."""
    try:
        with open_regular(file) as stream:
            data = stream.read()
        text = data.removeprefix(_BOM).decode("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", file) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8; save it as UTF-8", file) from None
    parts = _ENDING.split(text)
    return Source(file, tuple(parts[::2]), tuple(parts[1::2]), data)


def write_source(source: Source, lines: Sequence[str]) -> None:
    """Puts ``lines`` into the file that ``source`` was read from; whoever looks sees the old file or the new one.

    Raises :class:`ConfigError`, with nothing written, when the file is read-only, was changed meanwhile, or cannot be
    replaced.
    """
    try:
        target = os.path.realpath(source.file)  # a link stays one
        with open_regular(target) as stream:
            if stream.read() != source.data:
                raise ConfigError("was changed meanwhile and was left alone; run again", source.file)
        if not os.access(target, os.W_OK):
            raise ConfigError("is read-only and was left alone", source.file)
        replace_file(target, source.encoded(lines))
    except OSError as error:
        raise ConfigError(f"cannot be written ({error.strerror})", source.file) from None


def replace_file(target: str, data: bytes) -> None:
    """Gives a file the content ``data`` in one step; it keeps its mode, or gets the usual one.

    Raises ``OSError``, also where the target is no regular file.
    """
    try:
        status = os.stat(target)
        check_regular(status, target)  # the new file would take the place of a device
        mode = stat.S_IMODE(status.st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    folder, name = os.path.split(os.path.abspath(target))
    handle, temporary = tempfile.mkstemp(".tmp", f".{name[:80]}.", folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
