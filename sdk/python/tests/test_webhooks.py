from __future__ import annotations

import base64
import json
import unittest
from email.message import Message
from pathlib import Path
from typing import Any, Dict

from fencepost import FencepostError, verify_webhook

VECTORS = Path(__file__).resolve().parents[3] / "docs" / "examples" / "receiver" / "vectors.json"
SERVICE = ("X-Service-Signature",)
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")


def accepted(vector: Dict[str, Any], *names: str) -> bool:
    headers = {name: text for name, text in vector["headers"].items() if name in names}
    try:
        verify_webhook(headers, base64.b64decode(vector["bodyBase64"]), vector["secret"], now=vector["now"])
    except FencepostError as error:
        # A body that is no JSON is genuine, although it has no event.
        return error.kind == "decode"
    return True


class TestVerify(unittest.TestCase):
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]

    def test_vectors(self) -> None:
        self.assertGreater(len(self.vectors), 30)
        for vector in self.vectors:
            service, standard = vector["accept"]["service"], vector["accept"]["standard"]
            with self.subTest(vector["name"]):
                self.assertEqual(accepted(vector, *SERVICE), service)
                self.assertEqual(accepted(vector, *STANDARD), standard)
                self.assertEqual(accepted(vector, *SERVICE, *STANDARD), service or standard)

    def test_arguments(self) -> None:
        vector = self.vectors[0]
        body = base64.b64decode(vector["bodyBase64"])
        message = Message()
        for name, text in vector["headers"].items():
            message[name.upper()] = text
        bytes_of = {name.encode().decode(): text.encode() for name, text in vector["headers"].items()}
        for headers in (message, bytes_of, {name: [text] for name, text in vector["headers"].items()}):
            event = verify_webhook(headers, body, ["whsec_b3RoZXI=", vector["secret"]], now=vector["now"])
            self.assertEqual(event, json.loads(body))
        for secrets in ("", [], ["", vector["secret"]]):
            with self.assertRaises(FencepostError) as raised:
                verify_webhook(vector["headers"], body, secrets, now=vector["now"])
            self.assertEqual(raised.exception.kind, "configuration")

    def test_tolerance(self) -> None:
        vector = self.vectors[0]
        body = base64.b64decode(vector["bodyBase64"])
        verify_webhook(vector["headers"], body, vector["secret"], now=vector["now"] + 3600, tolerance=7200)
        with self.assertRaises(FencepostError):
            verify_webhook(vector["headers"], body, vector["secret"], now=vector["now"] + 11, tolerance=10)


if __name__ == "__main__":
    unittest.main()
