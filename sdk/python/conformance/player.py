"""The player of the conformance cases, as a process."""
from __future__ import annotations

import json
import subprocess
import urllib.request
from types import TracebackType
from typing import Any, Optional, Type


class Player:
    """Starts the player, and ends it with the block."""

    def __init__(self, program: str, cases: str) -> None:
        self._process = subprocess.Popen(
            [program, "-cases", cases], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        address = self._process.stdout.readline().strip()
        self._url = address if "://" in address else "http://" + address

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def arm(self, name: str) -> Any:
        return self._call("POST", "/_case/" + name)

    def waits(self, run: str) -> None:
        self._call("POST", f"/_run/{run}/wait")

    def report(self, run: str) -> Any:
        return self._call("GET", f"/_run/{run}/report")

    def _call(self, method: str, path: str) -> Any:
        request = urllib.request.Request(self._url + path, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.loads(response.read() or b"null")
