"""Bodies that are read from files while they are sent."""
from __future__ import annotations

from typing import BinaryIO, Callable, Optional

from ._errors import FencepostError


class Slice:
    """A range of a file. Every try sends it from its start."""

    def __init__(self, file: BinaryIO, offset: int, size: int, on_read: Optional[Callable[[int], None]] = None) -> None:
        self._file = file
        self._offset = offset
        self._on_read = on_read
        self._sent = 0
        self.size = size

    def rewind(self) -> None:
        self._sent = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, which http.client sends at once."""
        self._file.seek(self._offset + self._sent)
        left = self.size - self._sent
        block = self._file.read(left if size < 0 else min(size, left))
        if left and not block:
            raise FencepostError("validation", "the file became shorter while it was sent")
        self._sent += len(block)
        if block and self._on_read:
            self._on_read(self._sent)
        return block
