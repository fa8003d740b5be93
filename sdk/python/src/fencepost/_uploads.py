"""Uploading files."""
from __future__ import annotations

import io
import os
import re
from typing import Any, BinaryIO, Callable, Mapping, Optional, Sequence, Tuple, Union, cast

from ._bodies import Slice
from ._calls import Call, Request, path
from ._core import Settings, Steps, attempts, value
from ._errors import FencepostError, refusal

Source = Union[str, "os.PathLike[str]", bytes, bytearray, BinaryIO]
Progress = Callable[[int, int], None]

# The types that the service accepts (docs/media.md, Types, names, addresses), by the ending of the name.
_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    ".3gp": "video/3gpp",
    ".avif": "image/avif",
    ".doc": "application/msword",
    ".docx": _OFFICE + "wordprocessingml.document",
    ".gif": "image/gif",
    ".heic": "image/heic",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".mov": "video/quicktime",
    ".mp4": "video/mp4",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".ppt": "application/vnd.ms-powerpoint",
    ".pptx": _OFFICE + "presentationml.presentation",
    ".webm": "video/webm",
    ".webp": "image/webp",
}
# The least time for a part. A part of many megabytes needs longer than a call.
_PART_TIMEOUT = 300.0


def upload(
    settings: Settings,
    source: Source,
    name: Optional[str],
    content_type: Optional[str],
    alt: Optional[str],
    on_progress: Optional[Progress],
    key: Optional[str],
) -> Steps:
    """Send a file in the parts that the service wants, and return the asset."""
    file, owned = _opened(source)
    try:
        size = file.seek(0, os.SEEK_END)
        name = name or _name(source, file)
        body = {"fileName": name, "contentType": content_type or _type(name), "sizeBytes": size}
        started = yield from value(settings, Call("POST", "/v1/media/uploads", body=body, keyed=True, key=key))
        asset = yield from _sent(settings, _Transfer(settings, file, size, started, on_progress))
    finally:
        if owned:
            file.close()
    if alt is None or asset.get("altText") == alt:
        return asset
    call = Call("PATCH", path("/v1/media/{id}", id=asset["id"]), body={"altText": alt}, keyed=True)
    return (yield from value(settings, call))


def _sent(settings: Settings, transfer: _Transfer) -> Steps:
    """Send the parts and complete the upload. Parts that the service lacks are sent once more."""
    parts = transfer.parts
    complete = Call("POST", path("/v1/media/uploads/{id}/complete", id=transfer.started["mediaId"]), keyed=True)
    for again in (False, True):
        for part in parts:
            yield from attempts(settings, transfer.request(part))
        try:
            return (yield from value(settings, complete))
        except FencepostError as error:
            if again or error.code != "UPLOAD_NOT_RECEIVED":
                raise
            missing = {int(number) for number in re.findall(r"\d+", error.detail)}
            parts = [part for part in transfer.parts if part["number"] in missing] or transfer.parts
    raise AssertionError("unreachable: the second round returns or raises")


class _Transfer:
    """The bytes of an upload, in parts. A file without parts is one part."""

    def __init__(
        self, settings: Settings, file: BinaryIO, size: int, started: Mapping[str, Any], on_progress: Optional[Progress]
    ) -> None:
        self.started = started
        self.parts: Sequence[Mapping[str, Any]] = started.get("parts") or [
            {"number": 1, "offset": 0, "sizeBytes": size, "url": started["uploadUrl"]}
        ]
        self._settings = settings
        self._file = file
        self._size = size
        self._on_progress = on_progress
        self._done = 0

    def request(self, part: Mapping[str, Any]) -> Request:
        """Return the request of a part. It has the headers of the response alone: the address is the credential."""
        body = Slice(self._file, part["offset"], part["sizeBytes"], lambda sent: self._report(part["offset"] + sent))
        headers = {**self.started["headers"], "Content-Length": str(part["sizeBytes"])}
        limit = max(self._settings.timeout, _PART_TIMEOUT)
        return Request(self.started.get("method", "PUT"), part["url"], headers, body, limit, True)

    def _report(self, sent: int) -> None:
        if self._on_progress and sent > self._done:
            self._done = sent
            self._on_progress(sent, self._size)


def _opened(source: Source) -> Tuple[BinaryIO, bool]:
    if isinstance(source, (bytes, bytearray)):
        return io.BytesIO(source), True
    if isinstance(source, (str, os.PathLike)):
        return open(source, "rb"), True
    file = cast(BinaryIO, source)
    return (file, False) if file.seekable() else (io.BytesIO(file.read()), True)


def _name(source: Source, file: BinaryIO) -> str:
    known = source if isinstance(source, (str, os.PathLike)) else getattr(file, "name", None)
    name = os.path.basename(known) if isinstance(known, (str, os.PathLike)) else ""
    if not name:
        raise refusal(("name", "is required beside bytes, for example sunrise.jpg"))
    return name


def _type(name: str) -> str:
    known = _TYPES.get(os.path.splitext(name)[1].lower())
    if not known:
        raise refusal(("content_type", f"is required: the name {name} shows no type that the service accepts"))
    return known
