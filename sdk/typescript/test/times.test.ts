import assert from "node:assert/strict";
import { test } from "node:test";
import { FencepostError } from "../src/index.js";
import { id, json, setup } from "./support.js";

async function faultsOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FencepostError, String(error));
  assert.equal(error.kind, "validation");
  return error.errors;
}

test("times without an offset are refused before anything is sent", async () => {
  const { client, sent } = setup(() => json({}));
  const message = "has no offset: add Z for UTC or an offset such as +02:00";
  const withZone = `${message}; or send its time zone beside it as timezone, for example Europe/Berlin`;
  const time = "2026-12-01T09:00:00";
  assert.deepEqual(await faultsOf(client.events.list({ from: time }).page()), [{ pointer: "from", message }]);
  assert.deepEqual(await faultsOf(client.webhooks.startReplay(id, { since: time, until: time })), [
    { pointer: "/since", message },
    { pointer: "/until", message },
  ]);
  const posts = [{ schedule: "now" }, { schedule: time }, { schedule: time, timezone: "Europe/Berlin" }];
  assert.deepEqual(await faultsOf(client.posts.createInBulk({ posts })), [
    { pointer: "/posts/1/schedule", message: withZone },
  ]);
  assert.deepEqual(await faultsOf(client.posts.schedule(id, { scheduledAt: "2026-12-01T09:00" })), [
    { pointer: "/scheduledAt", message: "has no seconds: write 09:00:00 instead of 09:00" },
  ]);
  assert.equal(sent.length, 0);
});

test("other texts are left to the service", async () => {
  const { client, sent } = setup(() => json([]));
  await client.posts.create({ schedule: "tomorrow", metadata: { since: "2026-12-01T09:00:00" } });
  await client.posts.create({ schedule: "2026-12-01T09:00:00Z", content: "2026-12-01T09:00:00" });
  await client.posts.edit(id, { scheduledAt: null });
  await client.analytics.getPost(id, { from: "2026-02-01" });
  assert.equal(sent.length, 4);
});
