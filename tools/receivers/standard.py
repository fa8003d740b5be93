"""Tries the reference library of Standard Webhooks on the deliveries of a vector file: python3 standard.py LIBRARY FILE"""

import base64
import datetime
import json
import sys

sys.path.insert(0, sys.argv[1])
from standardwebhooks import webhooks  # noqa: E402


class Clock(datetime.datetime):
    """The time of the vector in place of the machine's."""

    seconds = 0

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(cls.seconds, tz)


webhooks.datetime = Clock
with open(sys.argv[2], encoding="utf-8") as file:
    vectors = json.load(file)["vectors"]
wrong = 0
for v in vectors:
    Clock.seconds = v["now"]
    fault = None
    try:
        webhooks.Webhook(v["secret"]).verify(base64.b64decode(v["bodyBase64"]), v["headers"])
    except Exception as error:  # the library lets its parser's errors through
        fault = error
    if (fault is None) != v["accept"]["standard"]:
        wrong += 1
        print(f"{v['name']}: {fault or 'accepted'}; {v['why']}", file=sys.stderr)
print(f"{len(vectors)} vectors, {wrong} wrong")
sys.exit(1 if wrong else 0)
