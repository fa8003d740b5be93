import assert from "node:assert/strict";
import { test } from "node:test";
import { FencepostError } from "../src/index.js";
import { secondsOf } from "../src/retry.js";
import { failing, id, json, setup } from "./support.js";

function withCode(code: string, message = "failed"): Error {
  return Object.assign(new Error(message), { code });
}

// The errors of runtimes for a refused connection.
const refusals = [
  new TypeError("fetch failed", { cause: withCode("ECONNREFUSED") }), // Node.js
  new TypeError("fetch failed", { cause: new AggregateError([withCode("ECONNREFUSED"), withCode("ENETUNREACH")]) }),
  withCode("ConnectionRefused", "Unable to connect. Is the computer able to access the url?"), // Bun
  new TypeError("error sending request", { cause: new Error("tcp connect error: Connection refused (os error 111)") }), // Deno
];

test("a change without a key is sent again only if no connection was made", async () => {
  for (const refusal of refusals) {
    const { client, sent } = setup(failing([refusal], () => json({ ok: true })));
    assert.deepEqual(await client.request("POST", "/v1/things", { body: {} }), { ok: true });
    assert.equal(sent.length, 2, String(refusal));
  }
  const half = new TypeError("fetch failed", {
    cause: new AggregateError([withCode("ECONNREFUSED"), withCode("ECONNRESET")]),
  });
  for (const lost of [
    half,
    new TypeError("fetch failed", { cause: withCode("ECONNRESET") }),
    new TypeError("network error"),
  ]) {
    const { client, sent } = setup(failing([lost], () => json({})));
    await assert.rejects(client.request("PATCH", "/v1/things", { body: {} }), { kind: "connection", cause: lost });
    assert.equal(sent.length, 1, String(lost));
  }
});

test("waits double up to 30 seconds, and are random", async () => {
  const { client, waits } = setup(() => json({ code: "UNAVAILABLE", detail: "" }, 503), { maxAttempts: 9 });
  await assert.rejects(client.posts.get(id), { kind: "api", status: 503, code: "UNAVAILABLE" });
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
});

test("the options of a call replace those of the client", async () => {
  const { client, sent } = setup(() => json({}, 503));
  await assert.rejects(client.posts.get(id, { maxAttempts: 2, headers: { "X-Request-Id": "r1" } }), { status: 503 });
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("X-Request-Id")),
    ["r1", "r1"],
  );
});

test("Retry-After has seconds or a date", () => {
  const now = Date.parse("2026-03-01T07:00:00Z");
  assert.equal(secondsOf("7", now), 7);
  assert.equal(secondsOf("0", now), 0);
  assert.equal(secondsOf("Sun, 01 Mar 2026 07:00:09 GMT", now), 9);
  assert.equal(secondsOf("Sun, 01 Mar 2026 06:00:00 GMT", now), 0);
  for (const wrong of [null, "", "soon", "-1"]) assert.equal(secondsOf(wrong, now), undefined, String(wrong));
});

test("a time-out includes the body", async () => {
  const slow = (_: unknown, { signal }: RequestInit) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return new Response(body);
  };
  const { client } = setup(slow, { timeout: 20, maxAttempts: 1 });
  await assert.rejects(client.posts.get(id), { kind: "timeout", status: undefined });
});

test("a cancelled call rejects with the reason of its signal, and leaves no listener", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  for (const [name, step] of [
    ["addEventListener", 1],
    ["removeEventListener", -1],
  ] as const) {
    const original = signal[name].bind(signal) as (...args: unknown[]) => void;
    signal[name] = (...args: unknown[]) => {
      listeners += step;
      original(...args);
    };
  }
  const { client, sent } = setup(failing([new TypeError("network error")], () => json({})));
  await client.posts.get(id, { signal });
  assert.equal(listeners, 0);
  const reason = new Error("the program ends");
  controller.abort(reason);
  await assert.rejects(client.posts.get(id, { signal }), (error) => error === reason);
  assert.equal(sent.length, 2);
});

test("a problem has all its members", async () => {
  const problem = {
    code: "EXTERNAL_ID_IN_USE",
    detail: "in use",
    postId: id,
    requestId: "r1",
    errors: [{ pointer: "/externalId", message: "is in use" }],
  };
  const { client } = setup(() => json(problem, 409));
  const error = await client.posts.create({}).catch((reason: unknown) => reason);
  assert.ok(error instanceof FencepostError);
  assert.equal(error.postId, id);
  assert.equal(error.requestId, "r1");
  assert.equal(error.message, "EXTERNAL_ID_IN_USE: in use\n/externalId is in use");
  assert.deepEqual(error.references, []);
});

test("a redirect is an error", async () => {
  const modes: unknown[] = [];
  const { client } = setup((_, { redirect }) => {
    modes.push(redirect);
    return json({}, 302, { Location: "https://other.example.com/" });
  });
  await assert.rejects(client.posts.get(id), { kind: "api", status: 302 });
  assert.deepEqual(modes, ["manual"]);
});
