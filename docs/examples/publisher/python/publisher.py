"""Publish a picture with a text of its own on each channel, and wait for the webhooks. A second run publishes nothing.

API_URL=… API_KEY=svc_live_… WEBHOOK=127.0.0.1:8098 python3 publisher.py sunrise.jpg spring-1 "TWITTER=Hello" "THREADS=Hi"
"""
import hashlib
import hmac
import http.server
import json
import os
import queue
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid


def send(method, url, body, headers):
    """Repeat a request until its response is final. The key makes a repeated change take effect once."""
    request = urllib.request.Request(url, body, {**headers, "Idempotency-Key": str(uuid.uuid4())}, method=method)
    for tries in range(7, -1, -1):
        wait = 1
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            error.problem = json.load(error)
            if not tries or error.code not in (429, 503) and error.problem["code"] != "IDEMPOTENCY_IN_PROGRESS":
                raise
            reason, wait = error.problem["code"], int(error.headers.get("Retry-After", 1))
        except (OSError, http.client.HTTPException) as error:  # the request may have taken effect
            reason = error
            if not tries:
                raise
        print("again:", reason, file=sys.stderr)
        time.sleep(wait)


def call(method, path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["API_KEY"]} | ({"Content-Type": "application/json"} if body else {})
    return json.loads(send(method, os.environ["API_URL"] + path, body and json.dumps(body).encode(), headers) or "null")


def genuine(header, body, secret):
    """Report whether a body is signed with the secret at a time near now."""
    sent, *signatures = header.removeprefix("t=").split(",")
    want = "v1=" + hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()
    return sent.isdecimal() and abs(time.time() - int(sent)) < 300 and any(
        hmac.compare_digest(signature.encode(), want.encode()) for signature in signatures)


def receive(address, secret):
    """Serve the webhook. Return a queue with its genuine events, which may come twice and in any order."""
    events = queue.Queue()
    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if known := genuine(self.headers.get("X-Service-Signature", ""), body, secret):
                events.put(json.loads(body))
            self.send_response(204 if known else 401)
            self.end_headers()
    host, port = address.split(":")
    threading.Thread(target=http.server.HTTPServer((host, int(port)), Receiver).serve_forever, daemon=True).start()
    return events


def main(picture, name, *texts):
    with open(picture, "rb") as file:
        content = file.read()
    file = {"fileName": "picture.jpg", "contentType": "image/jpeg", "sizeBytes": len(content)}
    upload = call("POST", "/v1/media/uploads", file)
    send("PUT", upload["uploadUrl"], content, upload["headers"])
    call("POST", f"/v1/media/uploads/{upload['mediaId']}/complete")
    channels = {channel["type"]: channel["id"] for channel in call("GET", "/v1/channels")}
    variants = [{"channelId": channels[text.split("=")[0]], "content": text.split("=", 1)[1]} for text in texts]
    address = os.environ["WEBHOOK"]
    hook = call("POST", "/v1/webhooks", {"url": f"http://{address}/", "events": ["post.published", "post.failed"]})
    events = receive(address, hook["secret"])
    try:
        created = {"externalId": name, "mediaIds": [upload["mediaId"]], "variants": variants, "schedule": "now"}
        posts = call("POST", "/v1/posts", created)
        pending = {post["id"] for post in posts}
        while pending:
            pending.discard(events.get(timeout=60)["data"]["postId"])
        cursor = ""
        while cursor is not None:  # the posts of the set, page by page
            page = call("GET", f"/v1/posts?limit=1&groupId={posts[0]['groupId']}" + (cursor and "&cursor=" + cursor))
            print(page["data"][0]["status"], page["data"][0]["postUrl"])
            cursor = page["nextCursor"]
    except urllib.error.HTTPError as error:
        if error.problem["code"] != "EXTERNAL_ID_IN_USE":  # 422 has every fault with its location
            faults = [f"{fault['pointer']} {fault['message']}" for fault in error.problem.get("errors", [])]
            sys.exit("\n".join([f"{error.problem['code']}: {error.problem['detail']}"] + faults))
        print("already posted:", error.problem["postId"])  # 409: an earlier run
    finally:
        call("DELETE", f"/v1/webhooks/{hook['id']}")


main(*sys.argv[1:])
