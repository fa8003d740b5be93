"""One try of a request with http.client, over a connection of its own."""
from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from typing import Any, Optional, Union
from urllib.parse import urlsplit

from ._bodies import Slice
from ._calls import Request
from ._core import Failure, Response

_BLOCK = 1 << 18


class Exchange:
    """A try. It may be aborted from another thread."""

    def __init__(self, request: Request, context: Optional[ssl.SSLContext]) -> None:
        self._request = request
        self._address = urlsplit(request.url)
        host, port, limit = self._address.hostname or "", self._address.port, request.timeout
        self._connection: http.client.HTTPConnection
        if self._address.scheme == "https":
            self._connection = http.client.HTTPSConnection(host, port, timeout=limit, blocksize=_BLOCK, context=context)
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=limit, blocksize=_BLOCK)
        self._socket: Optional[socket.socket] = None
        self._aborted = False

    def run(self) -> Union[Response, Failure]:
        """Send the request and return the response, or the reason why there is none."""
        deadline = time.monotonic() + self._request.timeout
        try:
            self._connection.connect()
        except OSError as error:
            return Failure(error, timed_out=_timed_out(error), unsent=True)
        connected: socket.socket = self._connection.sock
        self._socket = connected
        try:
            if self._aborted:
                return Failure(ConnectionAbortedError("the call was cancelled"), unsent=True)
            self._connection.sock = _Timed(connected, deadline)
            return self._exchange()
        except (OSError, http.client.HTTPException) as error:
            return Failure(error, timed_out=_timed_out(error))
        finally:
            self._connection.close()
            connected.close()

    def abort(self) -> None:
        """End the try. Its thread returns at once, unless it is still connecting."""
        self._aborted = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def _exchange(self) -> Response:
        body = self._request.body
        if isinstance(body, Slice):
            body.rewind()
        target = (self._address.path or "/") + ("?" + self._address.query if self._address.query else "")
        try:
            self._connection.request(self._request.method, target, body=body, headers=dict(self._request.headers))
        except OSError as error:
            # A server may refuse a body before all of it is sent. Its response is the reason.
            try:
                return self._response()
            except (OSError, http.client.HTTPException):
                raise error from None
        return self._response()

    def _response(self) -> Response:
        response = self._connection.getresponse()
        headers = {name.lower(): text for name, text in reversed(response.getheaders())}
        return Response(response.status, headers, response.read())


def _timed_out(error: Exception) -> bool:
    return isinstance(error, (socket.timeout, TimeoutError))  # two classes before Python 3.10


class _Timed:
    """A socket of which all reads and writes share one deadline."""

    def __init__(self, inner: socket.socket, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def makefile(self, mode: str) -> Any:
        return io.BufferedReader(_Reader(self))

    def sendall(self, data: Any) -> None:
        self._in_time().sendall(data)

    def recv_into(self, buffer: Any) -> int:
        return self._in_time().recv_into(buffer)

    def close(self) -> None:
        """Leave the closing to the exchange: http.client closes before the body is read."""

    def _in_time(self) -> socket.socket:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._inner.settimeout(left)
        return self._inner


class _Reader(io.RawIOBase):
    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.recv_into(buffer)
