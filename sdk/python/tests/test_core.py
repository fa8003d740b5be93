from __future__ import annotations

import json
import unittest
from typing import Any, Dict, List, Optional

from fencepost import FencepostError
from fencepost._calls import Call, path
from fencepost._core import Failure, Item, Response, Send, Settings, Sleep, Steps, pages, value
from fencepost._events import follow
from fencepost._polling import wait_until_done

LOST = Failure(ConnectionResetError("reset"))


class Script:
    """Performs steps with the given outcomes."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.sent: List[Any] = []
        self.waits: List[float] = []
        self.items: List[Any] = []
        self.seconds = 1000.0
        self.settings = Settings(
            "https://api.example.com/base", "svc_test_x", 30, 5, now=self.now, monotonic=self.now, random=lambda: 1.0
        )

    def now(self) -> float:
        return self.seconds

    def run(self, steps: Steps, items: Optional[int] = None) -> Any:
        outcome = None
        while items is None or len(self.items) < items:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            outcome = None
            if isinstance(step, Send):
                self.sent.append(step.request)
                outcome = self.outcomes.pop(0)
            elif isinstance(step, Sleep):
                self.waits.append(step.seconds)
                self.seconds += step.seconds
            else:
                self.items.append(step.value)


def ok(data: Any, **headers: str) -> Response:
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(200, names, json.dumps(data).encode())


def problem(status: int, code: str, **more: Any) -> Response:
    body = {"status": status, "code": code, "detail": "No.", **more}
    return Response(status, {"content-type": "application/problem+json"}, json.dumps(body).encode())


READ = Call("GET", "/v1/x")
CREATE = Call("POST", "/v1/x", body={"a": 1}, keyed=True)
RAW = Call("POST", "/v1/x", body={"a": 1})


class TestAttempts(unittest.TestCase):
    def test_address_and_headers(self) -> None:
        script = Script(ok(1))
        call = Call("GET", "/v1/ä b", query={"q": "a+b", "unused": True, "none": None, "type": ["X", "Y"]}, timeout=3)
        script.run(value(script.settings, call))
        request = script.sent[0]
        self.assertEqual(request.url, "https://api.example.com/base/v1/%C3%A4%20b?q=a%2Bb&unused=true&type=X&type=Y")
        self.assertEqual(request.headers["Authorization"], "Bearer svc_test_x")
        self.assertEqual(request.timeout, 3)

    def test_one_key_for_all_tries(self) -> None:
        script = Script(LOST, problem(503, "UNAVAILABLE"), problem(409, "IDEMPOTENCY_IN_PROGRESS"), ok(1))
        script.run(value(script.settings, CREATE))
        self.assertEqual(len({request.headers["Idempotency-Key"] for request in script.sent}), 1)
        self.assertEqual(script.waits, [0.5, 1, 2])
        again = Script(ok(1))
        again.run(value(again.settings, CREATE))
        self.assertNotEqual(again.sent[0].headers["Idempotency-Key"], script.sent[0].headers["Idempotency-Key"])

    def test_which_tries_are_repeated(self) -> None:
        unsent = Failure(ConnectionRefusedError(), unsent=True)
        for call, outcome, repeated in (
            (READ, LOST, True),
            (RAW, LOST, False),
            (RAW, unsent, True),
            (RAW, problem(429, "RATE_LIMITED"), False),
            (RAW, problem(409, "IDEMPOTENCY_IN_PROGRESS"), False),
            (CREATE, problem(408, ""), True),
            (CREATE, problem(500, "INTERNAL"), False),
            (CREATE, problem(409, "INVALID_STATE"), False),
            (Call("POST", "/v1/posts/validate", body={}, reads=True), LOST, True),
            (Call("DELETE", "/v1/x"), LOST, True),
            (Call("PATCH", "/v1/x", body={}), LOST, False),
        ):
            with self.subTest(call=call, outcome=outcome):
                script = Script(outcome, ok(1))
                try:
                    script.run(value(script.settings, call))
                except FencepostError:
                    pass
                self.assertEqual(len(script.sent), 2 if repeated else 1)

    def test_causes_are_kept(self) -> None:
        script = Script(*[LOST] * 4, Failure(TimeoutError("late"), timed_out=True))
        with self.assertRaises(FencepostError) as raised:
            script.run(value(script.settings, READ))
        error = raised.exception
        self.assertEqual((error.kind, error.tries, error.timed_out, error.status), ("timeout", 5, True, None))
        self.assertIsInstance(error.__cause__, TimeoutError)

    def test_retry_after(self) -> None:
        for text, wait in (("3", 3), ("0", 0), ("-3", 0.5), ("soon", 0.5), ("", 0.5), ("Thu, 01 Jan 1970 00:17:00 GMT", 20),
                           ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("³", 0.5)):
            with self.subTest(text=text):
                script = Script(Response(503, {"retry-after": text}), ok(1))
                script.run(value(script.settings, READ))
                self.assertEqual(script.waits, [wait])

    def test_waits_end_at_half_a_minute(self) -> None:
        settings = Script().settings
        self.assertEqual([settings.backoff(n) for n in (0, 1, 5, 6, 10000)], [0.5, 1, 16, 30, 30])

    def test_deletion(self) -> None:
        call = Call("DELETE", "/v1/x")
        script = Script(problem(503, "UNAVAILABLE"), problem(404, "NOT_FOUND"))
        with self.assertRaises(FencepostError):
            script.run(value(script.settings, call))
        script = Script(LOST, problem(503, "UNAVAILABLE"), problem(404, "NOT_FOUND"))
        self.assertIsNone(script.run(value(script.settings, call)))

    def test_not_modified(self) -> None:
        script = Script(Response(304, {}))
        self.assertIsNone(script.run(value(script.settings, READ)))


class TestErrors(unittest.TestCase):
    def raised(self, response: Response) -> FencepostError:
        script = Script(response)
        with self.assertRaises(FencepostError) as raised:
            script.run(value(script.settings, READ))
        return raised.exception

    def test_text(self) -> None:
        fault = {"pointer": "/content", "message": "is required"}
        error = self.raised(problem(422, "VALIDATION_FAILED", errors=[fault, "?"], requestId="r1"))
        self.assertEqual(str(error), "VALIDATION_FAILED: No.\n  /content is required\n  request r1")
        self.assertEqual(error.errors, [fault])

    def test_bodies_that_are_no_problem(self) -> None:
        for body in (b"", b"<html>", b"[]", b"\xff", b"null"):
            error = self.raised(Response(500, {"x-request-id": "r2"}, body))
            self.assertEqual((error.kind, error.code, error.request_id), ("api", None, "r2"))
            self.assertEqual(error.detail, "Internal Server Error")


class TestCalls(unittest.TestCase):
    def test_path(self) -> None:
        self.assertEqual(path("/v1/posts/{id}/x/{other}", id="a/b ?", other="é"), "/v1/posts/a%2Fb%20%3F/x/%C3%A9")
        for wrong in ("", ".", ".."):
            with self.assertRaises(FencepostError):
                path("/v1/posts/{id}", id=wrong)

    def test_keys(self) -> None:
        for wrong in ("", "a b", "ä", "x" * 256, "a\nb"):
            with self.subTest(key=wrong), self.assertRaises(FencepostError) as raised:
                Call("POST", "/v1/x", keyed=True, key=wrong).request("https://x", "k", 1)
            self.assertEqual(raised.exception.kind, "validation")


class TestPages(unittest.TestCase):
    def test_cursor_and_filters(self) -> None:
        script = Script(ok({"data": [1, 2], "nextCursor": "c 1"}), ok({"data": [3], "nextCursor": None}))
        script.run(pages(script.settings, Call("GET", "/v1/x", query={"limit": 2, "cursor": "c0"})))
        self.assertEqual(script.items, [1, 2, 3])
        self.assertTrue(script.sent[0].url.endswith("?limit=2&cursor=c0"))
        self.assertTrue(script.sent[1].url.endswith("?limit=2&cursor=c%201"))


class TestFollow(unittest.TestCase):
    def test_cursors_never_skip(self) -> None:
        script = Script(
            ok({"data": ["a", "b"], "nextCursor": "c1", "hasMore": True}),
            ok({"data": [], "nextCursor": None, "hasMore": False}),
            *[LOST] * 5,
            ok({"data": ["c"], "nextCursor": "c2", "hasMore": False}),
        )
        script.run(follow(script.settings, "c0", None, None, 2, 7), items=3)
        self.assertEqual(script.items, [("a", "c0"), ("b", "c1"), ("c", "c2")])
        self.assertEqual(script.waits, [7, 0.5, 1, 2, 4, 7])
        self.assertTrue(script.sent[-1].url.endswith("?limit=2&cursor=c1"))

    def test_invalid_cursor_ends(self) -> None:
        script = Script(problem(422, "INVALID_CURSOR"))
        with self.assertRaises(FencepostError):
            script.run(follow(script.settings, "c0", None, None, None, 5))


class TestWaiting(unittest.TestCase):
    def post(self, status: str, **headers: str) -> Response:
        return ok({"status": status}, **headers)

    def test_waits(self) -> None:
        queued = [self.post("SCHEDULED")] * 8
        script = Script(*queued, self.post("FAILED"))
        self.assertEqual(script.run(wait_until_done(script.settings, "p", 900)), {"status": "FAILED"})
        self.assertEqual(script.waits, [1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 10, 10])

    def test_rate_limit(self) -> None:
        limited = self.post("SCHEDULED", ratelimit_remaining="0", ratelimit_reset="40")
        script = Script(limited, self.post("PUBLISHED"))
        script.run(wait_until_done(script.settings, "p", 900))
        self.assertEqual(script.waits, [40])

    def test_timeout_looks_once_more(self) -> None:
        script = Script(self.post("SCHEDULED"), self.post("SCHEDULED"))
        with self.assertRaises(FencepostError) as raised:
            script.run(wait_until_done(script.settings, "p", 0.5))
        self.assertEqual((raised.exception.kind, raised.exception.current_status), ("timeout", "SCHEDULED"))
        self.assertEqual(script.waits, [0.5])


if __name__ == "__main__":
    unittest.main()
