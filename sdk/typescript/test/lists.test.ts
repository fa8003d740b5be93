import assert from "node:assert/strict";
import { test } from "node:test";
import { etagOf } from "../src/index.js";
import { id, json, type Responder, setup } from "./support.js";

const numbered: Responder = ({ url }) => {
  const n = Number(url.searchParams.get("cursor") ?? 0);
  return json({ data: [{ id: `p${n}` }], nextCursor: n < 2 ? String(n + 1) : null });
};

test("a list is read page by page, as often as it is iterated", async () => {
  const { client, sent } = setup(numbered);
  const list = client.posts.list({ limit: 1 });
  assert.equal(sent.length, 0);
  assert.equal((await list.page()).nextCursor, "1");
  for (let i = 0; i < 2; i++)
    assert.deepEqual(
      (await list.toArray()).map((post) => post.id),
      ["p0", "p1", "p2"],
    );
  assert.equal(sent.length, 7);
  assert.ok(sent.every(({ url }) => url.searchParams.get("limit") === "1"));
});

test("a list begins at the cursor that it is called with", async () => {
  const { client } = setup(numbered);
  const pages = [];
  for await (const page of client.posts.list({ cursor: "1" }).pages()) pages.push(page.nextCursor);
  assert.deepEqual(pages, ["2", null]);
});

test("cards of a board are a list", async () => {
  const { client, sent } = setup(({ url }) =>
    json({
      cards: [{ title: url.searchParams.get("cursor") ?? "first" }],
      nextCursor: url.searchParams.has("cursor") ? null : "c1",
    }),
  );
  const titles = (await client.ideas.listCards(id, { limit: 1 }).toArray()).map(({ title }) => title);
  assert.deepEqual(titles, ["first", "c1"]);
  assert.equal(sent[1]?.url.search, "?limit=1&cursor=c1");
});

test("parameters that are undefined or null are not sent, dates are", async () => {
  const { client, sent } = setup(() => json({}));
  await client.request("GET", "/v1/x", { query: { a: undefined, b: null, c: false, d: [1, "2"], e: new Date(0) } });
  assert.equal(sent[0]?.url.search, "?c=false&d=1&d=2&e=1970-01-01T00%3A00%3A00.000Z");
});

test("a resource has its version", async () => {
  const { client, sent } = setup(() => json({ id }, 200, { ETag: '"7"' }));
  const post = await client.posts.get(id);
  assert.equal(etagOf(post), '"7"');
  assert.equal(etagOf({}), undefined);
  await client.posts.edit(id, {}, { ifMatch: etagOf(post) });
  assert.equal(sent[1]?.headers.get("If-Match"), '"7"');
});

test("following waits at the end, and ends with its signal", async () => {
  const controller = new AbortController();
  const { client, sent, waits } = setup(({ url }) =>
    json({ data: url.searchParams.has("cursor") ? [] : [{ sequence: 1 }], nextCursor: null, hasMore: false }),
  );
  const seen: unknown[] = [];
  const follow = async () => {
    const options = { type: "post.failed", limit: 10, interval: 1000, signal: controller.signal } as const;
    for await (const one of client.events.follow(null, options)) {
      seen.push(one);
      if (seen.length === 3) controller.abort(new Error("enough"));
    }
  };
  await assert.rejects(follow(), /enough/);
  assert.deepEqual(seen[0], { event: { sequence: 1 }, cursor: null });
  assert.equal(sent[0]?.url.search, "?type=post.failed&limit=10");
  assert.deepEqual(waits, [1000, 1000, 1000]);
});

test("following waits as long as a limited service says", async () => {
  let requests = 0;
  const { client, waits } = setup(() => {
    requests++;
    if (requests === 1) return json({ code: "RATE_LIMITED" }, 429, { "Retry-After": "400" });
    return json({ data: [{ sequence: 1 }], nextCursor: "e1", hasMore: false });
  });
  for await (const { cursor } of client.events.follow("e0")) {
    assert.equal(cursor, "e1");
    break;
  }
  assert.deepEqual(waits, [400_000]);
});
