from __future__ import annotations

import http.client
import io
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Optional

from fencepost._bodies import Slice
from fencepost._calls import Request
from fencepost._core import Failure, Response
from fencepost._transport import Exchange
from server import Server, respond


def sent(
    url: str, timeout: float = 10, method: str = "GET", body: Any = None, context: Optional[ssl.SSLContext] = None
) -> Any:
    headers = {"Content-Length": str(body.size)} if isinstance(body, Slice) else {}
    return Exchange(Request(method, url, headers, body, timeout, True), context).run()


class TestExchange(unittest.TestCase):
    def test_response(self) -> None:
        with Server(respond(b"[1]", "201 Created", "X-One: a", "x-one: b")) as server:
            response = sent(server.url + "/v1/x?a=1")
        self.assertEqual((response.status, response.body, response.headers["x-one"]), (201, b"[1]", "a"))
        self.assertTrue(server.requests[0].startswith(b"GET /v1/x?a=1 HTTP/1.1\r\n"))

    def test_refused(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        failure = sent(f"http://127.0.0.1:{port}/")
        self.assertIsInstance(failure.cause, ConnectionRefusedError)
        self.assertTrue(failure.unsent)

    def test_cut_is_not_unsent(self) -> None:
        def cut(connection: socket.socket, request: bytes) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")

        with Server(cut) as server:
            failure = sent(server.url)
        self.assertIsInstance(failure.cause, http.client.IncompleteRead)
        self.assertFalse(failure.unsent or failure.timed_out)

    def test_bytes_that_drip_do_not_extend_the_timeout(self) -> None:
        for head in (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX-Drip: "):

            def drip(connection: socket.socket, request: bytes, head: bytes = head) -> None:
                connection.sendall(head)
                for _ in range(100):
                    connection.sendall(b"1")
                    time.sleep(0.05)

            with self.subTest(head=head), Server(drip) as server:
                started = time.monotonic()
                failure = sent(server.url, timeout=0.5)
                self.assertTrue(failure.timed_out and not failure.unsent)
                self.assertLess(time.monotonic() - started, 2)

    def test_refusal_before_the_body_is_read(self) -> None:
        with Server(respond(b"{}", "413 Too Large"), read_body=False) as server:
            size = 64 << 20
            outcome = sent(server.url, method="PUT", body=Slice(io.BytesIO(bytes(size)), 0, size))
        # The kernel may have dropped the response together with the unread body.
        self.assertTrue(isinstance(outcome, Failure) or outcome.status == 413)

    def test_slice(self) -> None:
        reports = []
        with Server(respond(b"{}")) as server:
            outcome = sent(server.url, method="PUT", body=Slice(io.BytesIO(b"0123456789"), 2, 5, reports.append))
        self.assertEqual(outcome.status, 200)
        self.assertTrue(server.requests[0].endswith(b"\r\n\r\n23456"))
        self.assertEqual(reports, [5])

    def test_abort(self) -> None:
        entered, released = threading.Event(), threading.Event()

        def hang(connection: socket.socket, request: bytes) -> None:
            entered.set()
            released.wait(10)

        with Server(hang) as server:
            exchange = Exchange(Request("GET", server.url, {}, None, 10, True), None)
            outcomes = []
            thread = threading.Thread(target=lambda: outcomes.append(exchange.run()))
            thread.start()
            entered.wait(10)
            exchange.abort()
            thread.join(5)
            released.set()
        self.assertIsInstance(outcomes[0], Failure)

    def test_abort_before_the_start_sends_nothing(self) -> None:
        with Server(respond(b"{}")) as server:
            exchange = Exchange(Request("GET", server.url, {}, None, 10, True), None)
            exchange.abort()
            self.assertTrue(exchange.run().unsent)
        self.assertEqual(server.requests, [b""])


class TestTLS(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.certificate = str(cls.folder / "cert.pem")
        cls.key = str(cls.folder / "key.pem")
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", cls.key, "-out", cls.certificate]
        subprocess.run(command.split() + names, check=True, capture_output=True)
        cls.server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.server_context.load_cert_chain(cls.certificate, cls.key)

    def test_certificate_of_an_own_authority(self) -> None:
        with Server(respond(b"[1]"), tls=self.server_context) as server:
            response = sent(server.url, context=ssl.create_default_context(cafile=self.certificate))
        self.assertIsInstance(response, Response)
        self.assertEqual(response.body, b"[1]")

    def test_unknown_authority(self) -> None:
        with Server(respond(b"[1]"), tls=self.server_context) as server:
            failure = sent(server.url, context=ssl.create_default_context())
        self.assertIsInstance(failure.cause, ssl.SSLCertVerificationError)
        self.assertTrue(failure.unsent)
        self.assertEqual(server.requests, [])

    def test_timeout(self) -> None:
        def hang(connection: socket.socket, request: bytes) -> None:
            connection.recv(1)

        with Server(hang, tls=self.server_context) as server:
            failure = sent(server.url, timeout=0.5, context=ssl.create_default_context(cafile=self.certificate))
        self.assertTrue(failure.timed_out)


if __name__ == "__main__":
    unittest.main()
