"""A server of which each connection follows a script."""
from __future__ import annotations

import socket
import ssl
import threading
from types import TracebackType
from typing import Callable, List, Optional, Type

Script = Callable[[socket.socket, bytes], None]


def respond(body: bytes, status: str = "200 OK", *headers: str) -> Script:
    """Return a script that responds to the request."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return lambda connection, request: connection.sendall("\r\n".join(lines).encode() + body)


class Server:
    """Serves its scripts, one for each connection. requests has what it received."""

    def __init__(self, *scripts: Script, tls: Optional[ssl.SSLContext] = None, read_body: bool = True) -> None:
        self.requests: List[bytes] = []
        self._scripts = list(scripts)
        self._tls = tls
        self._read_body = read_body
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if tls else 'http'}://localhost:{self._listener.getsockname()[1]}"
        self._threads: List[threading.Thread] = [threading.Thread(target=self._accept)]

    def __enter__(self) -> Server:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def _accept(self) -> None:
        for script in self._scripts:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection, script))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket, script: Script) -> None:
        connection.settimeout(10)
        try:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                request = self._request(connection)
                self.requests.append(request)
                script(connection, request)
        except OSError:
            pass  # the client went: its own test says whether it should have

    def _request(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            block = connection.recv(65536)
            if not block:
                return data
            data += block
        head, _, body = data.partition(b"\r\n\r\n")
        lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        while self._read_body and lengths and len(body) < lengths[0]:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body
