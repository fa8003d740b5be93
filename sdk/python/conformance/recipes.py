"""Runs the recipes of README.md against the player: python3 recipes.py PLAYER RECIPES"""
from __future__ import annotations

import contextlib
import hashlib
import hmac
import io
import json
import re
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, List

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from fencepost import Fencepost
from player import Player

CHANNEL, OTHER = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59", "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a60"
POST = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"


class Stop(Exception):
    """Ends the recipe that follows events without end."""


def code() -> Dict[str, Any]:
    """Return the names that the blocks of README.md define, but without the program that needs an API."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: Dict[str, Any] = {}
    for block in blocks:
        exec(block.split("\nwith Fencepost()")[0], names)
    return names


def equal(got: Any, want: Any) -> None:
    if got != want:
        raise AssertionError(f"{got!r} instead of {want!r}")


def picture(recipes: Dict[str, Any], client: Fencepost) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sunrise.jpg"
        path.write_bytes(b"hello world!")
        equal(recipes["publish_picture"](client, CHANNEL, str(path))["status"], "PUBLISHED")


def receiver(recipes: Dict[str, Any], client: Fencepost) -> None:
    secret = recipes["register"](client)
    events: List[Any] = []
    server = recipes["receiver"](("127.0.0.1", 0), secret, events.append)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        for key, status in ((secret, 204), ("whsec_b3RoZXI=", 401)):
            body, sent = b'{"id": "evt_1", "type": "post.published"}', str(int(time.time()))
            signature = hmac.new(key.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers = {"X-Service-Signature": f"t={sent},v1={signature}"}
            request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/", body, headers)
            try:
                with urllib.request.urlopen(request, timeout=10) as response:
                    equal(response.status, status)
            except urllib.error.HTTPError as error:
                with error:
                    equal(error.code, status)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
    equal(events, [json.loads(body)])


def follow(recipes: Dict[str, Any], client: Fencepost) -> None:
    stored: List[Any] = []

    def store(cursor: Any) -> None:
        stored.append(cursor)
        if len(stored) == 3:
            raise Stop

    try:
        recipes["follow"](client, "e1", store)
    except Stop:
        equal(stored, ["e1", "e3", "e4"])


RECIPES: Dict[str, Callable[[Dict[str, Any], Fencepost], None]] = {
    "schedule": lambda recipes, client: equal(recipes["schedule"](client, CHANNEL)["id"], POST),
    "picture": picture,
    "variants": lambda recipes, client: equal(len(recipes["schedule_variants"](client, CHANNEL, OTHER)), 2),
    "next-slot": lambda recipes, client: equal(recipes["next_slot"](client, CHANNEL)[0]["id"], POST),
    "approval": lambda recipes, client: equal(recipes["approve"](client, CHANNEL)["id"], POST),
    "failed": lambda recipes, client: equal(recipes["retry_failed"](client), [POST]),
    "move": lambda recipes, client: equal(recipes["move"](client, POST)["id"], POST),
    "receiver": receiver,
    "follow": follow,
    "figures": lambda recipes, client: equal(recipes["figures"](client, POST)["likes"], 48),
}


def main(program: str, path: str) -> int:
    cases = [case["name"] for case in json.loads(Path(path).read_text(encoding="utf-8"))["cases"]]
    recipes, wrong = code(), sorted(set(cases) ^ set(RECIPES))
    if wrong:
        print(f"only the table or only README.md has {', '.join(wrong)}", file=sys.stderr)
    with Player(program, path) as player:
        for name, recipe in RECIPES.items():
            armed = player.arm(name)
            failures = []
            with Fencepost(armed["baseUrl"], "svc_test_conformance", sleep=lambda seconds: player.waits(armed["run"])) as client:
                try:
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                        recipe(recipes, client)
                except Exception as error:  # every fault of a recipe is a result
                    failures.append(f"{type(error).__name__}: {error}")
            failures += player.report(armed["run"])["failures"]
            wrong += failures
            for failure in failures:
                print(f"{name}: {failure}", file=sys.stderr)
    print(f"{len(RECIPES)} recipes, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
