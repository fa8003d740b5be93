"""A webhook endpoint to learn from and to try the service with, with the standard library alone.

    WEBHOOK_SECRET=whsec_... python3 server.py [port]

The secret is the one in the answer to POST /v1/webhooks.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from verify import verify

MAX_BODY = 1 << 20  # above the largest envelope the service sends, 64 KiB
SECRET = os.environ.get("WEBHOOK_SECRET", "")

# A real receiver keeps the ids in its database, in the same transaction as what the event makes it do.
seen: set[str] = set()
lock = Lock()


def is_new(event_id: str) -> bool:
    """Remember an event by its id: deliveries may come more than once."""
    with lock:
        if event_id in seen:
            return False
        if len(seen) >= 10_000:
            seen.clear()
        seen.add(event_id)
        return True


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds without a byte

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.answer(413)
            return
        # The raw bytes: a body that was parsed and written again has another signature.
        body = self.rfile.read(int(length))
        if not verify(self.headers.get("X-Service-Signature", ""), body, SECRET):
            print("refused: the signature does not match", flush=True)
            self.answer(401)
            return
        event = json.loads(body)
        # Acknowledge at once; whatever takes longer than a moment belongs into a queue.
        self.answer(204)
        if is_new(event["id"]):
            print(event["type"], event["id"], json.dumps(event.get("data"), ensure_ascii=False), flush=True)
        else:
            print(event["type"], event["id"], "again; nothing is done twice", flush=True)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print events alone."""


if __name__ == "__main__":
    if not SECRET.startswith("whsec_"):
        sys.exit("usage: WEBHOOK_SECRET=whsec_... python3 server.py [port]")
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8099
    print(f"waiting for events on http://127.0.0.1:{port}/", flush=True)
    try:
        ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
    except KeyboardInterrupt:
        pass
