from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
import unittest
from typing import Any
from unittest import mock

from fencepost import AsyncFencepost, Fencepost, FencepostError
from server import Server, respond

KEY = "svc_test_x"


def hang(connection: socket.socket, request: bytes) -> None:
    connection.recv(1)


class TestSettings(unittest.TestCase):
    def test_environment(self) -> None:
        with mock.patch.dict(os.environ, {"FENCEPOST_URL": "https://api.example.com/", "FENCEPOST_API_KEY": " k\n"}):
            with Fencepost() as client:
                self.assertEqual((client.settings.url, client.settings.api_key), ("https://api.example.com", "k"))
            with Fencepost("http://other", "own") as client:
                self.assertEqual((client.settings.url, client.settings.api_key), ("http://other", "own"))

    def test_refused(self) -> None:
        with mock.patch.dict(os.environ, {}, clear=True):
            for arguments, text in (
                ({}, "FENCEPOST_URL"),
                ({"url": "https://x"}, "FENCEPOST_API_KEY"),
                ({"url": "api.example.com", "api_key": "k"}, "https://"),
                ({"url": "https://", "api_key": "k"}, "https://"),
                ({"url": "https://x", "api_key": "k", "max_attempts": 0}, "max_attempts"),
                ({"url": "https://x", "api_key": "k", "timeout": 0}, "timeout"),
            ):
                for client in (Fencepost, AsyncFencepost):
                    with self.subTest(arguments=arguments), self.assertRaises(FencepostError) as raised:
                        client(**arguments)
                    self.assertEqual(raised.exception.kind, "configuration")
                    self.assertIn(text, str(raised.exception))


class TestSynchronous(unittest.TestCase):
    def test_close_ends_a_request(self) -> None:
        with Server(hang) as server:
            client = Fencepost(server.url, KEY)
            threading.Timer(0.2, client.close).start()
            started = time.monotonic()
            with self.assertRaises(FencepostError) as raised:
                client.workspace.get()
        self.assertEqual(raised.exception.kind, "cancelled")
        self.assertLess(time.monotonic() - started, 5)

    def test_close_ends_a_wait(self) -> None:
        with Server(respond(b"{}", "503 Unavailable", "Retry-After: 60")) as server:
            client = Fencepost(server.url, KEY)
            threading.Timer(0.5, client.close).start()
            started = time.monotonic()
            with self.assertRaises(FencepostError):
                client.workspace.get()
        self.assertLess(time.monotonic() - started, 5)

    def test_a_response_that_arrived_before_close_is_returned(self) -> None:
        with Server(respond(b'{"name": "Acme"}')) as server:
            client = Fencepost(server.url, KEY)
            real = client._exchange

            def exchange(one: Any) -> Any:
                outcome = real(one)
                client.close()
                return outcome

            with mock.patch.object(client, "_exchange", exchange):
                self.assertEqual(client.workspace.get()["name"], "Acme")

    def test_threads(self) -> None:
        with Server(*[respond(b'{"name": "Acme"}')] * 20) as server, Fencepost(server.url, KEY) as client:
            names = []
            threads = [threading.Thread(target=lambda: names.append(client.workspace.get()["name"])) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(10)
        self.assertEqual(names, ["Acme"] * 20)

    def test_response(self) -> None:
        with Server(respond(b"[]", "200 OK", 'ETag: "7"')) as server, Fencepost(server.url, KEY) as client:
            response = client.request("GET", "/v1/channels", headers={"X-Request-Id": "mine"})
        self.assertEqual((response.status, response.headers["etag"], response.data), (200, '"7"', []))
        self.assertIn(b"X-Request-Id: mine", server.requests[0])


class TestAsynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_cancel_ends_the_request(self) -> None:
        closed = threading.Event()

        def watch(connection: socket.socket, request: bytes) -> None:
            if connection.recv(1) == b"":
                closed.set()

        with Server(watch) as server:
            async with AsyncFencepost(server.url, KEY) as client:
                task = asyncio.create_task(client.workspace.get())
                while not server.requests:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertTrue(await asyncio.get_running_loop().run_in_executor(None, closed.wait, 5))

    async def test_timeout_of_the_caller(self) -> None:
        with Server(hang) as server:
            async with AsyncFencepost(server.url, KEY) as client:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.workspace.get(), 0.3)

    async def test_concurrent_calls(self) -> None:
        barrier = threading.Barrier(20)

        def together(connection: socket.socket, request: bytes) -> None:
            barrier.wait(10)  # responds only if all 20 requests run at the same time
            respond(b'{"name": "Acme"}')(connection, request)

        with Server(*[together] * 20) as server:
            async with AsyncFencepost(server.url, KEY, max_attempts=1) as client:
                found = await asyncio.gather(*[client.workspace.get() for _ in range(20)])
        self.assertEqual([workspace["name"] for workspace in found], ["Acme"] * 20)

    async def test_iteration(self) -> None:
        first, last = b'{"data": [{"id": "a"}], "nextCursor": "c"}', b'{"data": [{"id": "b"}], "nextCursor": null}'
        with Server(respond(first), respond(last)) as server:
            async with AsyncFencepost(server.url, KEY) as client:
                self.assertEqual([post["id"] async for post in client.posts.list()], ["a", "b"])

    async def test_progress_is_reported_in_the_loop(self) -> None:
        threads: Any = []
        started = b'{"mediaId": "m", "method": "PUT", "headers": {}, "uploadUrl": "%s"}'

        def start(connection: socket.socket, request: bytes) -> None:
            respond(started % (server.url + "/store").encode())(connection, request)

        with Server(start, respond(b""), respond(b'{"id": "m", "altText": ""}')) as server:
            async with AsyncFencepost(server.url, KEY) as client:
                report = lambda sent, total: threads.append((threading.current_thread(), sent, total))
                await client.media.upload(b"12345", name="a.png", on_progress=report)
        self.assertEqual(threads, [(threading.main_thread(), 5, 5)])

    async def test_closed(self) -> None:
        client = AsyncFencepost("http://127.0.0.1:1", KEY)
        await client.close()
        with self.assertRaises(FencepostError) as raised:
            await client.workspace.get()
        self.assertEqual(raised.exception.kind, "cancelled")


if __name__ == "__main__":
    unittest.main()
