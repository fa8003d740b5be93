import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type IDataObject, type INodeProperties, NodeApiError, NodeHelpers } from "n8n-workflow";

import { Fencepost } from "../nodes/Fencepost/Fencepost.node";
import { calls, properties } from "../nodes/Fencepost/operations.gen";
import { contextOf, key, type Settings } from "./context";
import { type Responder, serve } from "./server";

const node = new Fencepost();
const channel = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59";
const second = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a60";
const post = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60";
const media = "0190a3c7-2c13-7e7a-9b55-6a2e3d4c5b61";
const created = { status: 201, body: [{ id: post }] };
const inList = (value: string) => ({ __rl: true, mode: "list", value });

async function run(respond: Responder, parameters: IDataObject, more: Partial<Settings> = {}) {
  const { url, received } = await serve(respond);
  const { context } = contextOf(node, { url, parameters, ...more });
  const results = async () => (await node.execute.call(context))[0] ?? [];
  return { received, results, url };
}

test("every operation of the API document has an action and a call", () => {
  const document = readFileSync("../../docs/openapi.yaml", "utf8");
  const documented = new Set([...document.matchAll(/operationId: ([\w-]+)/g)].map(([, id]) => id ?? ""));
  const built = Object.values(calls).flatMap((operations) => Object.values(operations).map(({ id }) => id));
  for (const id of [...built, "complete-upload", "get-openapi"]) assert.ok(documented.delete(id), id);
  assert.deepEqual(
    [...documented].filter((id) => !id.startsWith("receive-")),
    [],
    "operations of the API without those of receivers",
  );
  const listed = properties.filter(({ name }) => name === "operation").flatMap(({ options }) => options ?? []);
  assert.equal(listed.length, built.length);
  for (const option of listed) assert.ok("action" in option && option.action, option.name);
});

test("n8n activates a workflow with any operation, as the editor saves it", () => {
  // What a person enters into an empty field.
  const entered = ({ type, default: preset }: INodeProperties) => {
    if (type === "resourceLocator") return { __rl: true, mode: "id", value: channel };
    if (type === "multiOptions") return ["*"];
    return preset || "2026-12-01T09:00:00";
  };
  for (const [resource, operations] of Object.entries(calls)) {
    for (const operation of Object.keys(operations)) {
      const chosen = { resource, operation, authentication: "apiKey", schedule: "time" };
      const shown = properties.filter((one) =>
        NodeHelpers.displayParameter(chosen, one, { typeVersion: 1 }, node.description),
      );
      const values = Object.fromEntries(
        shown.filter(({ required }) => required).map((one) => [one.name, entered(one)]),
      ) as IDataObject;
      const lists = {
        channels: { values: [{ channel: inList(channel) }] },
        mediaIds: { files: [{ source: "binary", binaryPropertyName: "data" }] },
      };
      for (const [name, list] of Object.entries(lists)) if (shown.some((one) => one.name === name)) values[name] = list;
      const filled = contextOf(node, { url: "", parameters: { ...chosen, ...values } }).context.getNode();
      const saved = NodeHelpers.getNodeParameters(
        node.description.properties,
        filled.parameters,
        false,
        false,
        filled,
        node.description,
      );
      // n8n validates the parameters that were saved, and knows only these to be shown.
      const stored = { ...filled, parameters: { ...saved, resource, operation } };
      const issues = NodeHelpers.getNodeParametersIssues(node.description.properties, stored, node.description);
      assert.equal(issues, null, `${resource} ${operation}: ${JSON.stringify(issues)}`);
    }
  }
});

test("a post that waits for that of another channel names the channel", async () => {
  const { received, results } = await run(() => created, {
    resource: "post",
    operation: "create",
    content: "Link to it",
    channels: { values: [{ channel: inList(channel) }, { channel: inList(second) }] },
    additionalFields: { publishAfter: { channel: inList(second), delaySeconds: 60 } },
  });
  await results();
  assert.deepEqual(received[0]?.json()["publishAfter"], { channelId: second, delaySeconds: 60 });
});

test("a post is created in several channels, with own texts, options and times", async () => {
  const { received, results } = await run(() => created, {
    resource: "post",
    operation: "create",
    content: "Spring",
    channels: {
      values: [
        { channel: inList(channel), content: "", own: {} },
        {
          channel: {
            __rl: true,
            mode: "url",
            value: `https://app.example.com/w/${media}/channels/${second}?tab=queue`,
          },
          content: "Short",
          options: { mappingMode: "defineBelow", value: { visibility: "unlisted", madeForKids: false, category: "" } },
          own: { title: "Own title", mediaIds: ` ${media} , ` },
        },
      ],
    },
    schedule: "time",
    scheduledAt: "2026-12-01T09:00:00",
    additionalFields: { labels: "spring, tiles", metadata: { values: [{ name: "cms", value: "4711" }] }, title: "" },
  });
  assert.deepEqual(await results(), [{ json: { id: post }, pairedItem: { item: 0 } }]);
  const [request] = received;
  assert.equal(request?.headers.authorization, `Bearer ${key}`);
  assert.match(String(request?.headers["idempotency-key"]), /^n8n-[0-9a-f]{64}$/);
  assert.deepEqual(request?.json(), {
    content: "Spring",
    labels: ["spring", "tiles"],
    metadata: { cms: "4711" },
    channelIds: [channel, second],
    variants: [
      {
        channelId: second,
        title: "Own title",
        content: "Short",
        mediaIds: [media],
        options: { visibility: "unlisted", madeForKids: false },
      },
    ],
    timezone: "Europe/Berlin",
    schedule: "2026-12-01T09:00:00",
  });
});

test("a time with an offset and another time zone are sent as they are", async () => {
  const parameters = {
    resource: "post",
    operation: "create",
    content: "A",
    channels: { values: [{ channel: inList(channel) }] },
    schedule: "time",
  };
  const offset = await run(() => created, { ...parameters, scheduledAt: "2026-12-01T09:00:00+02:00" });
  await offset.results();
  assert.equal(offset.received[0]?.json()["schedule"], "2026-12-01T09:00:00+02:00");
  assert.equal(offset.received[0]?.json()["timezone"], undefined);
  const zone = await run(() => created, {
    ...parameters,
    scheduledAt: "2026-12-01 09:00",
    additionalFields: { timezone: "Asia/Tokyo" },
  });
  await zone.results();
  assert.deepEqual(
    [zone.received[0]?.json()["schedule"], zone.received[0]?.json()["timezone"]],
    ["2026-12-01T09:00:00", "Asia/Tokyo"],
  );
});

test("a filter with a wall-clock time is one of the workflow's time zone", async () => {
  const { received, results } = await run(() => ({ body: { data: [], nextCursor: null } }), {
    resource: "post",
    operation: "getAll",
    filters: { scheduledFrom: "2026-07-01T00:00:00", status: ["DRAFT", "FAILED"], channelId: [channel] },
  });
  await results();
  assert.equal(received[0]?.query.get("scheduledFrom"), "2026-06-30T22:00:00.000Z");
  assert.deepEqual(received[0]?.query.getAll("status"), ["DRAFT", "FAILED"]);
});

test("a list is read page by page, up to the limit or to its end", async () => {
  const all = Array.from({ length: 230 }, (_, i) => ({ id: String(i) }));
  const pages: Responder = ({ query }) => {
    const start = Number(query.get("cursor") ?? 0);
    const end = start + Number(query.get("limit"));
    return { body: { data: all.slice(start, end), nextCursor: end < all.length ? String(end) : null } };
  };
  const everything = await run(pages, { resource: "post", operation: "getAll", returnAll: true });
  assert.equal((await everything.results()).length, 230);
  assert.deepEqual(
    everything.received.map(({ query }) => query.get("cursor")),
    [null, "100", "200"],
  );
  const some = await run(pages, { resource: "media", operation: "getAll", limit: 120 });
  assert.equal((await some.results()).length, 120);
  assert.deepEqual(
    some.received.map(({ query }) => query.get("limit")),
    ["100", "20"],
  );
});

test("the event log ends where it has no more, although the page has a cursor", async () => {
  const { received, results } = await run(
    () => ({ body: { data: [{ id: "evt_1" }], nextCursor: "c", hasMore: false } }),
    {
      resource: "event",
      operation: "getAll",
      returnAll: true,
    },
  );
  assert.equal((await results()).length, 1);
  assert.equal(received.length, 1);
});

test("lists without pages obey the limit", async () => {
  const channels = [{ id: "a" }, { id: "b" }, { id: "c" }];
  const { received, results } = await run(() => ({ body: channels }), {
    resource: "channel",
    operation: "getAll",
    limit: 2,
  });
  assert.deepEqual(
    (await results()).map(({ json }) => json["id"]),
    ["a", "b"],
  );
  assert.equal(received[0]?.query.size, 0);
});

test("a limit, a lost response and a request in progress are repeated with the same key", async () => {
  const { received, results } = await run(
    (_, count) => {
      if (count === 1)
        return { status: 429, headers: { "Retry-After": "0" }, body: { code: "RATE_LIMITED", detail: "Too many." } };
      if (count === 2) return { cut: true };
      if (count === 3)
        return {
          status: 409,
          headers: { "Retry-After": "0" },
          body: { code: "IDEMPOTENCY_IN_PROGRESS", detail: "Runs." },
        };
      return created;
    },
    { resource: "post", operation: "create", content: "A", channels: { values: [{ channel: inList(channel) }] } },
  );
  assert.equal((await results()).length, 1);
  assert.equal(received.length, 4);
  assert.equal(new Set(received.map(({ headers }) => headers["idempotency-key"])).size, 1);
});

test("a failure for good is not repeated, and a service that stays down is tried five times", async () => {
  const refused = await run(
    () => ({ status: 409, body: { code: "INVALID_STATE", detail: "No.", currentStatus: "PUBLISHED" } }),
    {
      resource: "post",
      operation: "publish",
      post: inList(post),
    },
  );
  await assert.rejects(refused.results());
  assert.equal(refused.received.length, 1);
  const down = await run(() => ({ status: 503, headers: { "Retry-After": "0" } }), {
    resource: "workspace",
    operation: "get",
  });
  await assert.rejects(down.results(), /503/);
  assert.equal(down.received.length, 5);
  const long = await run(() => ({ status: 429, headers: { "Retry-After": "301" } }), {
    resource: "workspace",
    operation: "get",
  });
  await assert.rejects(long.results());
  assert.equal(long.received.length, 1);
});

test("a deletion whose response was lost has succeeded; another missing resource has not", async () => {
  const problem = { status: 404, body: { code: "NOT_FOUND", detail: "Unknown." } };
  const lost = await run((_, count) => (count === 1 ? { cut: true } : problem), {
    resource: "post",
    operation: "delete",
    post: inList(post),
  });
  assert.deepEqual(await lost.results(), [{ json: { deleted: true }, pairedItem: { item: 0 } }]);
  const unknown = await run(() => problem, { resource: "post", operation: "delete", post: inList(post) });
  await assert.rejects(unknown.results(), /Unknown/);
});

test("a retry of an execution sends the keys of the first one; other executions, runs and items have their own", async () => {
  const parameters = {
    resource: "post",
    operation: "create",
    content: "A",
    channels: { values: [{ channel: inList(channel) }] },
  };
  const items = [{ json: {} }, { json: {} }];
  const keys = async (more: Partial<Settings>) => {
    const { received, results } = await run(() => created, parameters, { items, ...more });
    await results();
    return received.map(({ headers }) => String(headers["idempotency-key"]));
  };
  const memory = {};
  const first = await keys({ execution: "1", memory });
  const retried = await keys({ execution: "2", memory });
  const run2 = await keys({ execution: "1", memory, run: 1 });
  const other = await keys({ execution: "3" });
  assert.deepEqual(retried, first);
  assert.equal(new Set([...first, ...run2, ...other]).size, 6);
});

test("an error has the detail of the problem, every fault and the code", async () => {
  const body = {
    code: "VALIDATION_FAILED",
    detail: "The request has 2 faults.",
    errors: [
      { pointer: "/variants/0/content", message: "is too long" },
      { pointer: "/labels", message: "has too many" },
    ],
    requestId: "req-1",
  };
  const parameters = {
    resource: "post",
    operation: "create",
    content: "A",
    channels: { values: [{ channel: inList(channel) }] },
  };
  const { results } = await run(() => ({ status: 422, body }), parameters);
  await assert.rejects(results(), (error) => {
    assert.ok(error instanceof NodeApiError);
    assert.equal(error.message, "The request has 2 faults.");
    assert.equal(error.httpCode, "422");
    assert.equal(error.context["itemIndex"], 0);
    for (const part of ["/variants/0/content is too long", "/labels has too many", "VALIDATION_FAILED", "req-1"]) {
      assert.ok(error.description?.includes(part), part);
    }
    return true;
  });
});

test("a workflow that continues gets the codes in the item of the error, and the results of other items", async () => {
  const problem = { code: "MEDIA_IN_USE", detail: "In use.", references: [{ type: "post", id: post, name: "Spring" }] };
  const { results } = await run(
    (_, count) => (count === 1 ? { status: 409, body: problem } : { status: 204 }),
    { resource: "media", operation: "delete", media: inList(media) },
    { continueOnFail: true, items: [{ json: {} }, { json: {} }] },
  );
  const [failed, deleted] = await results();
  assert.deepEqual(failed, {
    json: { error: "In use.", status: 409, code: "MEDIA_IN_USE", errors: [], references: problem.references },
    pairedItem: { item: 0 },
  });
  assert.deepEqual(deleted, { json: { deleted: true }, pairedItem: { item: 1 } });
});

test("an ID that is empty or leaves the path is refused before a request", async () => {
  for (const value of ["", ".", ".."]) {
    const { received, results } = await run(() => created, {
      resource: "post",
      operation: "get",
      post: { __rl: true, mode: "id", value },
    });
    await assert.rejects(results(), /has no ID/);
    assert.equal(received.length, 0);
  }
  const strange = await run(() => ({ body: {} }), { resource: "event", operation: "get", eventId: "evt_1/../x" });
  await strange.results();
  assert.equal(strange.received[0]?.path, "/v1/events/evt_1%2F..%2Fx");
});

test("an update sends only what is set; an empty text clears a value", async () => {
  const { received, results } = await run(() => ({ body: { id: post } }), {
    resource: "post",
    operation: "update",
    post: inList(post),
    options: { mappingMode: "defineBelow", value: { link: "https://example.com" } },
    updateFields: { externalId: "", labels: "new", content: "Changed" },
  });
  await results();
  assert.equal(received[0]?.method, "PATCH");
  assert.deepEqual(received[0]?.json(), {
    content: "Changed",
    labels: ["new"],
    externalId: null,
    options: { link: "https://example.com" },
  });
});

test("the creation for a network sends its own fields", async () => {
  const { received, results } = await run(() => ({ status: 201, body: { id: post } }), {
    resource: "post",
    operation: "createPinterest",
    channel: inList(channel),
    board: inList("549755885175"),
    mediaIds: { files: [{ source: "asset", media: inList(media), altText: "Blue tiles" }] },
    schedule: "now",
    additionalFields: { link: "https://example.com/tiles" },
  });
  await results();
  assert.equal(received[0]?.path, "/v1/posts/pinterest");
  assert.deepEqual(received[0]?.json(), {
    channelId: channel,
    boardId: "549755885175",
    mediaIds: [media],
    mediaAltTexts: { [media]: "Blue tiles" },
    link: "https://example.com/tiles",
    schedule: "now",
  });
});

test("scheduling takes a time or the next free slot", async () => {
  const parameters = { resource: "post", operation: "schedule", post: inList(post) };
  const slot = await run(() => ({ body: {} }), { ...parameters, schedule: "next_slot", force: true });
  await slot.results();
  assert.deepEqual(slot.received[0]?.json(), { schedule: "next_slot", force: true });
  const time = await run(() => ({ body: {} }), { ...parameters, schedule: "time", scheduledAt: "2026-12-01T09:00:00" });
  await time.results();
  assert.deepEqual(time.received[0]?.json(), { scheduledAt: "2026-12-01T09:00:00", timezone: "Europe/Berlin" });
});

test("a simulation of posts that exist sends their IDs alone", async () => {
  const { received, results } = await run(() => ({ body: {} }), {
    resource: "post",
    operation: "simulate",
    additionalFields: { postIds: `${post}` },
  });
  await results();
  assert.deepEqual(received[0]?.json(), { postIds: [post] });
  assert.equal(received[0]?.headers["idempotency-key"], undefined);
});

test("a block has its settings as JSON, and a fault of the JSON names the parameter", async () => {
  const parameters = { resource: "linkPage", operation: "addBlock", linkPage: inList(post), type: "LINK" };
  const good = await run(() => ({ status: 201, body: {} }), {
    ...parameters,
    settings: '{"url": "https://example.com"}',
  });
  await good.results();
  assert.deepEqual(good.received[0]?.json(), { type: "LINK", settings: { url: "https://example.com" } });
  const bad = await run(() => ({ status: 201, body: {} }), { ...parameters, settings: "{" });
  await assert.rejects(bad.results(), /settings is not JSON/);
});

test("a link page has its design in fields", async () => {
  const { received, results } = await run(() => ({ status: 201, body: {} }), {
    resource: "linkPage",
    operation: "create",
    handle: "acme",
    title: "Acme",
    additionalFields: { theme: { name: "OCEAN", accentColor: "" }, seo: { noIndex: true } },
  });
  await results();
  assert.deepEqual(received[0]?.json(), {
    handle: "acme",
    title: "Acme",
    theme: { name: "OCEAN" },
    seo: { noIndex: true },
  });
});
