from __future__ import annotations

import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional
from unittest import mock

from fencepost import FencepostError
from fencepost._bodies import Slice
from fencepost._core import Response, Send
from fencepost._uploads import upload
from test_core import Script, ok, problem

ASSET = {"id": "m1", "altText": ""}


def started(parts: Optional[List[Dict[str, Any]]] = None) -> Response:
    data: Dict[str, Any] = {"mediaId": "m1", "uploadUrl": "https://store/whole", "method": "PUT", "headers": {"X-Keep": "1"}}
    return ok({**data, "parts": parts} if parts else data)


def part(number: int, offset: int, size: int) -> Dict[str, Any]:
    return {"number": number, "offset": offset, "sizeBytes": size, "url": f"https://store/{number}"}


class Pipe(io.RawIOBase):
    """A stream that cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._inner.readinto(buffer)


def sent(body: Any) -> Any:
    if not isinstance(body, Slice):
        return body
    body.rewind()
    return b"".join(iter(lambda: body.read(3), b""))


class Store(Script):
    """Reads the bodies as they are sent."""

    def __init__(self, *outcomes: Any) -> None:
        super().__init__(*outcomes)
        self.bodies: List[Any] = []

    def upload(self, source: Any, name: Optional[str] = None, alt: Optional[str] = None, progress: Any = None) -> Any:
        steps = upload(self.settings, source, name, None, alt, progress, None)
        outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            outcome = None
            if isinstance(step, Send):
                self.sent.append(step.request)
                self.bodies.append(sent(step.request.body))
                outcome = self.outcomes.pop(0)


class TestSlice(unittest.TestCase):
    def test_a_file_that_became_shorter(self) -> None:
        body = Slice(io.BytesIO(b"123"), 0, 4)
        self.assertEqual(body.read(10), b"123")
        with self.assertRaises(FencepostError):
            body.read(10)


class TestUpload(unittest.TestCase):
    def test_sources(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "Sunrise.JPG"
            path.write_bytes(b"0123456789")
            with open(path, "rb") as file:
                file.read(4)  # the whole file is sent, wherever it is
                for source, name in (
                    (path, None), (str(path), None), (file, None), (b"0123456789", "a.jpg"), (bytearray(b"0123456789"), "a.jpg"),
                    (io.BytesIO(b"0123456789"), "a.jpg"), (Pipe(b"0123456789"), "a.jpg"),
                ):
                    with self.subTest(source=source):
                        store = Store(started(), ok(None), ok(ASSET))
                        self.assertEqual(store.upload(source, name), ASSET)
                        declared = {"fileName": name or "Sunrise.JPG", "contentType": "image/jpeg", "sizeBytes": 10}
                        self.assertEqual(json.loads(store.bodies[0]), declared)
                        self.assertEqual(store.bodies[1], b"0123456789")
                        self.assertEqual(dict(store.sent[1].headers), {"X-Keep": "1", "Content-Length": "10"})
                self.assertFalse(file.closed)

    def test_parts_and_progress(self) -> None:
        reports: List[Any] = []
        parts = [part(1, 0, 4), part(2, 4, 4), part(3, 8, 2)]
        store = Store(started(parts), ok(None), problem(503, ""), ok(None), ok(None), ok(ASSET))
        store.upload(b"0123456789", "a.png", progress=lambda sent, total: reports.append((sent, total)))
        self.assertEqual(store.bodies[1:5], [b"0123", b"4567", b"4567", b"89"])
        self.assertEqual(reports, [(3, 10), (4, 10), (7, 10), (8, 10), (10, 10)])

    def test_missing_parts_alone_are_sent_again(self) -> None:
        parts = [part(1, 0, 4), part(2, 4, 4), part(3, 8, 2)]
        missing = problem(409, "UPLOAD_NOT_RECEIVED", detail="Parts 1 and 3 have not arrived.")
        store = Store(started(parts), *[ok(None)] * 3, missing, *[ok(None)] * 2, ok(ASSET))
        store.upload(b"0123456789", "a.png")
        self.assertEqual(store.bodies[5:7], [b"0123", b"89"])

    def test_alternative_text(self) -> None:
        store = Store(started(), ok(None), ok(ASSET), ok({"id": "m1", "altText": "Blue"}))
        self.assertEqual(store.upload(b"1", "a.png", alt="Blue")["altText"], "Blue")
        self.assertEqual((store.sent[3].method, store.bodies[3]), ("PATCH", b'{"altText": "Blue"}'))

    def test_refusals_before_anything_is_sent(self) -> None:
        for source, name in ((b"1", None), (b"1", "a.svg"), (b"1", "jpg")):
            store = Store()
            with self.assertRaises(FencepostError) as raised:
                store.upload(source, name)
            self.assertEqual((raised.exception.kind, store.sent), ("validation", []))

    def test_the_own_file_is_closed_after_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            Path(path).write_bytes(b"1")
            opened: List[Any] = []
            real = open
            with mock.patch("builtins.open", lambda *a: opened.append(real(*a)) or opened[-1]):
                with self.assertRaises(FencepostError):
                    Store(problem(403, "QUOTA_EXCEEDED")).upload(path)
            self.assertTrue(opened[0].closed)


if __name__ == "__main__":
    unittest.main()
