import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { IDataObject } from "n8n-workflow";

import { refusalOf } from "../nodes/Fencepost/verify";
import { FencepostTrigger } from "../nodes/FencepostTrigger/FencepostTrigger.node";
import { contextOf, type Settings } from "./context";
import { type Reply, type Responder, serve } from "./server";

const node = new FencepostTrigger();
const { checkExists, create, delete: remove } = node.webhookMethods.default;
const address = "https://n8n.example.com/webhook/1";
const secret = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=";

interface Vector {
  name: string;
  secret: string;
  now: number;
  bodyBase64: string;
  headers: Record<string, string>;
  accept: { service: boolean; standard: boolean };
}

async function setup(respond: Responder, parameters: IDataObject = {}, more: Partial<Settings> = {}) {
  const { url, received } = await serve(respond);
  const { context, responded } = contextOf(node, { url, parameters, mode: "trigger", ...more });
  return { context, received, responded };
}

/** A service with webhooks, as much as the trigger uses. */
function webhooks(list: IDataObject[]): Responder {
  return ({ method, path, json }): Reply | undefined => {
    if (path === "/v1/webhooks") {
      if (method === "GET") return { body: { data: list, nextCursor: null } };
      const webhook = { id: `w${list.length + 1}`, isActive: true, secret: `whsec_${list.length + 1}`, ...json() };
      list.push(webhook);
      return { status: 201, body: webhook };
    }
    const [, , , id, action] = path.split("/");
    const webhook = list.find((one) => one["id"] === id);
    if (!webhook) return { status: 404, body: { code: "NOT_FOUND", detail: "Unknown." } };
    if (method === "DELETE") list.splice(list.indexOf(webhook), 1);
    if (method === "DELETE") return { status: 204 };
    if (action === "rotate-secret") webhook["secret"] = "whsec_rotated";
    if (method === "PATCH") Object.assign(webhook, json());
    return { body: webhook };
  };
}

test("activation registers the webhook and keeps its secret; deactivation deletes it", async () => {
  const list: IDataObject[] = [];
  const staticData: IDataObject = {};
  const parameters = { events: ["post.published", "post.failed"], options: { channelIds: ["c1"] } };
  const { context, received } = await setup(webhooks(list), parameters, { staticData });
  assert.equal(await checkExists.call(context), false);
  assert.equal(received.length, 0);
  assert.equal(await create.call(context), true);
  assert.deepEqual(staticData, { webhookId: "w1", secret: "whsec_1" });
  const { url, events, channelIds, description } = list[0] ?? {};
  assert.deepEqual(
    { url, events, channelIds, description },
    {
      url: address,
      events: ["post.published", "post.failed"],
      channelIds: ["c1"],
      description: "n8n: Spring",
    },
  );
  assert.ok(received.at(-1)?.headers["idempotency-key"]);
  assert.equal(await checkExists.call(context), true);
  assert.equal(await remove.call(context), true);
  assert.deepEqual([list, staticData], [[], {}]);
});

test("a webhook that differs or was disabled is changed", async () => {
  const list: IDataObject[] = [{ id: "w1", url: address, events: ["post.failed"], channelIds: null, isActive: false }];
  const staticData = { webhookId: "w1", secret };
  const { context, received } = await setup(webhooks(list), { events: ["post.published"] }, { staticData });
  assert.equal(await checkExists.call(context), true);
  assert.deepEqual(list[0], { id: "w1", url: address, events: ["post.published"], channelIds: null, isActive: true });
  assert.equal(await checkExists.call(context), true);
  assert.equal(received.filter(({ method }) => method === "PATCH").length, 1, "a webhook as wanted is not changed");
});

test("a webhook that was deleted outside of n8n is registered again", async () => {
  const list: IDataObject[] = [];
  const staticData: IDataObject = { webhookId: "w9", secret };
  const { context } = await setup(webhooks(list), {}, { staticData });
  assert.equal(await checkExists.call(context), false);
  assert.equal(await create.call(context), true);
  assert.equal(staticData["webhookId"], "w1");
});

test("a webhook of which n8n has lost the secret gets another one instead of a second webhook", async () => {
  const list: IDataObject[] = [{ id: "w1", url: address, events: ["*"], channelIds: null, isActive: false }];
  const staticData: IDataObject = {};
  const { context, received } = await setup(webhooks(list), {}, { staticData });
  assert.equal(await create.call(context), true);
  assert.equal(list.length, 1);
  assert.deepEqual(staticData, { webhookId: "w1", secret: "whsec_rotated" });
  assert.deepEqual(received.at(-1)?.json(), { overlapHours: 0, force: true });
});

test("a webhook that is already deleted ends the registration; another failure keeps it", async () => {
  const staticData: IDataObject = { webhookId: "w1", secret };
  const gone = await setup(webhooks([]), {}, { staticData });
  assert.equal(await remove.call(gone.context), true);
  assert.deepEqual(staticData, {});
  const kept: IDataObject = { webhookId: "w1", secret };
  const refused = await setup(
    () => ({ status: 403, body: { code: "INSUFFICIENT_SCOPE", detail: "No scope." } }),
    {},
    { staticData: kept },
  );
  await assert.rejects(remove.call(refused.context), /No scope/);
  assert.equal(kept["webhookId"], "w1");
});

function signed(body: string, secrets: string[], time = Math.floor(Date.now() / 1000)): Record<string, string> {
  const signatures = secrets.map((one) => `v1=${createHmac("sha256", one).update(`${time}.${body}`).digest("hex")}`);
  return { "x-service-signature": [`t=${time}`, ...signatures].join(",") };
}

const body = JSON.stringify({
  id: "evt_1",
  type: "post.published",
  data: { postId: "p", postUrl: "https://t.me/a/1" },
});

async function deliver(
  headers: Record<string, string>,
  staticData: IDataObject,
  parameters: IDataObject = {},
  raw = body,
) {
  const { context, responded } = await setup(() => undefined, parameters, {
    staticData,
    headers,
    rawBody: Buffer.from(raw),
  });
  return { result: await node.webhook.call(context), responded };
}

test("a genuine delivery starts the workflow with the event, once", async () => {
  const staticData = { secret };
  const first = await deliver(signed(body, [secret]), staticData);
  assert.deepEqual(first.result.workflowData, [[{ json: JSON.parse(body) }]]);
  assert.equal(first.result.noWebhookResponse, true, "n8n then saves the event as seen");
  assert.equal(first.responded.status, 200);
  const second = await deliver(signed(body, [secret]), staticData);
  assert.equal(second.result.workflowData, undefined);
  assert.notEqual(second.result.noWebhookResponse, true, "a repeated delivery is acknowledged");
});

test("a delivery with a false, old or missing signature gets 401 and does not start the workflow", async () => {
  const old = Math.floor(Date.now() / 1000) - 301;
  const cases = [signed(body, ["whsec_other"]), signed(body, [secret], old), {}, signed(`${body} `, [secret])];
  for (const headers of cases) {
    const { result, responded } = await deliver(headers, { secret });
    assert.deepEqual(result, { noWebhookResponse: true });
    assert.equal(responded.status, 401);
  }
  const unknown = await deliver(signed(body, [""]), {});
  assert.equal(unknown.responded.status, 401, "without a secret nothing is genuine");
});

test("a delivery by a further secret, or with the signatures of two secrets, is genuine", async () => {
  const further = await deliver(
    signed(body, ["whsec_new"]),
    { secret },
    { options: { secrets: "whsec_older, whsec_new" } },
  );
  assert.ok(further.result.workflowData);
  const rotated = await deliver(signed(body, ["whsec_new", secret]), { secret });
  assert.ok(rotated.result.workflowData);
});

test("the signatures of docs/examples/receiver/vectors.json have the expected verdicts", () => {
  const { vectors } = JSON.parse(readFileSync("../../docs/examples/receiver/vectors.json", "utf8")) as {
    vectors: Vector[];
  };
  assert.ok(vectors.length > 10);
  const of = (headers: Record<string, string>, keep: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(headers)
        .map(([name, value]) => [name.toLowerCase(), value])
        .filter(([name]) => keep(String(name))),
    );
  for (const { name, headers, bodyBase64, now, accept, ...vector } of vectors) {
    const raw = Buffer.from(bodyBase64, "base64");
    const verdict = (keep: (name: string) => boolean) =>
      refusalOf(of(headers, keep), raw, [vector.secret], now * 1000) === undefined;
    assert.equal(
      verdict((header) => !header.startsWith("webhook-")),
      accept.service,
      `${name}, X-Service-Signature`,
    );
    assert.equal(
      verdict((header) => header !== "x-service-signature"),
      accept.standard,
      `${name}, Standard Webhooks`,
    );
  }
});

const event = (sequence: number, type = "post.published", channelId = "c1") => ({
  id: `evt_${sequence}`,
  type,
  sequence,
  createdAt: "2026-03-01T07:00:00.000Z",
  data: { channelId },
});

/** An event log, whose cursors are numbers of events. */
function log(events: ReturnType<typeof event>[]): Responder {
  return ({ query }) => {
    const limit = Number(query.get("limit"));
    if (query.get("sort") === "-seq")
      return { body: { data: [...events].reverse().slice(0, limit), nextCursor: null, hasMore: false } };
    const start = Number(query.get("cursor") ?? 0);
    const data = events.slice(start, start + limit);
    const nextCursor = data.length > 0 ? String(start + data.length) : null;
    return { body: { data, nextCursor, hasMore: start + data.length < events.length } };
  };
}

test("polling begins at the end of the log, and returns each selected event once", async () => {
  const events = [event(1), event(2)];
  const staticData: IDataObject = {};
  const parameters = { receive: "poll", events: ["post.published"], options: { channelIds: ["c1"] } };
  const { context, received } = await setup(log(events), parameters, { staticData });
  const poll = async () => (await node.poll.call(context))?.[0]?.map(({ json }) => json["id"]) ?? null;
  assert.equal(await poll(), null);
  assert.equal(await poll(), null, "events from before the activation");
  events.push(event(3), event(4, "post.failed"), event(5, "post.published", "c2"), event(6));
  assert.deepEqual(await poll(), ["evt_3", "evt_6"]);
  assert.equal(await poll(), null);
  events.push(...Array.from({ length: 150 }, (_, i) => event(7 + i)));
  assert.equal((await poll())?.length, 150, "all pages");
  const from = received.slice(1).map(({ query }) => query.get("from"));
  assert.deepEqual([...new Set(from)], ["2026-03-01T06:00:00.000Z"], "the cursor belongs to its filters");
});

test("polling reads a log from its beginning that was empty", async () => {
  const events: ReturnType<typeof event>[] = [];
  const { context } = await setup(log(events), { receive: "poll" }, { staticData: {} });
  assert.equal(await node.poll.call(context), null);
  events.push(event(1));
  assert.equal((await node.poll.call(context))?.[0]?.length, 1);
});

test("a poll that fails keeps its place", async () => {
  const events = [event(1)];
  let down = false;
  const staticData: IDataObject = {};
  const respond: Responder = (received, count) =>
    down ? { status: 401, body: { code: "UNAUTHENTICATED", detail: "Unknown key." } } : log(events)(received, count);
  const { context } = await setup(respond, { receive: "poll" }, { staticData });
  await node.poll.call(context);
  events.push(event(2));
  down = true;
  await assert.rejects(node.poll.call(context), /Unknown key/);
  down = false;
  assert.equal((await node.poll.call(context))?.[0]?.[0]?.json["id"], "evt_2");
});

test("a trigger with a webhook does not poll, and one that polls shows the last event by hand", async () => {
  const events = [event(1), event(2), event(3, "post.failed")];
  const webhook = await setup(log(events), { receive: "webhook" });
  assert.equal(await node.poll.call(webhook.context), null);
  assert.equal(webhook.received.length, 0);
  const manual = await setup(log(events), { receive: "poll" }, { mode: "manual" });
  assert.equal((await node.poll.call(manual.context))?.[0]?.[0]?.json["id"], "evt_2");
});

test("an execution passes the event on that has started it", async () => {
  const items = [{ json: { id: "evt_1" } }];
  const { context } = contextOf(node, { url: "http://localhost", parameters: { receive: "webhook" }, items });
  assert.deepEqual(await node.execute.call(context), [items]);
});
