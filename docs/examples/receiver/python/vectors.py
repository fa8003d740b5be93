"""Tries verify() on the deliveries of ../vectors.json: python3 vectors.py"""

import base64
import json
import sys
from pathlib import Path

from verify import verify

path = Path(__file__).resolve().parent.parent / "vectors.json"
vectors = json.loads(path.read_text(encoding="utf-8"))["vectors"]
wrong = 0
for v in vectors:
    accepted = verify(v["headers"].get("X-Service-Signature", ""), base64.b64decode(v["bodyBase64"]), v["secret"], v["now"])
    if accepted != v["accept"]["service"]:
        wrong += 1
        print(f"{v['name']}: accepted is {accepted}; {v['why']}", file=sys.stderr)
print(f"{len(vectors)} vectors, {wrong} wrong")
sys.exit(1 if wrong else 0)
