import assert from "node:assert/strict";
import { test } from "node:test";
import type { IDataObject } from "n8n-workflow";

import { Fencepost } from "../nodes/Fencepost/Fencepost.node";
import { networkOptions } from "../nodes/Fencepost/operations.gen";
import { contextOf } from "./context";
import { type Responder, serve } from "./server";

const node = new Fencepost();
const { listSearch, loadOptions, resourceMapping } = node.methods;
const channels = [
  { id: "c1", name: "Acme", username: "acme", type: "YOUTUBE" },
  { id: "c2", name: "Acme News", username: "news", type: "PINTEREST" },
  { id: "c3", name: "Clips", username: "clips", type: "TIKTOK_BUSINESS" },
  { id: "c4", name: "Team", username: "team", type: "BLUESKY" },
];

const service: Responder = ({ path, query }) => {
  if (path === "/v1/channels") return { body: channels };
  if (path === "/v1/channels/c2/pinterest/boards") return { body: [{ id: "549755885175", name: "Tiles" }] };
  if (path === "/v1/channels/c3/tiktok/creator-info") return { body: { privacyLevelOptions: ["SELF_ONLY"] } };
  const channel = channels.find(({ id }) => path === `/v1/channels/${id}`);
  if (channel) return { body: channel };
  if (path === "/v1/posts/p1") return { body: { id: "p1", channelId: "c1" } };
  if (path === "/v1/posts") {
    const all = ["Spring\ncollection", "", "Summer"].map((content, i) => ({ id: `p${i}`, content, status: "DRAFT" }));
    const found = all.filter(({ content }) => content.includes(query.get("q") ?? ""));
    return {
      body: query.get("cursor")
        ? { data: found.slice(1), nextCursor: null }
        : { data: found.slice(0, 1), nextCursor: "next" },
    };
  }
  if (path === "/v1/link-pages/l1") return { body: { blocks: [{ id: "b1", type: "LINK", position: 0 }] } };
  return undefined;
};

async function context(parameters: IDataObject, path?: string) {
  const { url } = await serve(service);
  return contextOf(node, { url, parameters, mode: "internal", ...(path && { path }) }).context;
}

const names = (results: { name: string }[]) => results.map(({ name }) => name);

test("channels are found by name, and only those that the operation takes", async () => {
  const all = await context({ operation: "create" });
  assert.deepEqual(names((await listSearch.searchChannels.call(all, "acme")).results), [
    "Acme (YOUTUBE)",
    "Acme News (PINTEREST)",
  ]);
  const tiktok = await context({ operation: "createTikTok" });
  assert.deepEqual(names((await listSearch.searchChannels.call(tiktok)).results), ["Clips (TIKTOK_BUSINESS)"]);
  assert.equal((await loadOptions.getChannels.call(all)).length, 4);
});

test("posts are searched by the service, page by page", async () => {
  const found = await context({});
  const first = await listSearch.searchPosts.call(found);
  assert.deepEqual(first, { results: [{ name: "Spring collection (DRAFT)", value: "p0" }], paginationToken: "next" });
  const second = await listSearch.searchPosts.call(found, undefined, first.paginationToken as string);
  assert.deepEqual(names(second.results), ["No text (DRAFT)", "Summer (DRAFT)"]);
  assert.deepEqual(names((await listSearch.searchPosts.call(found, "Summer")).results), ["Summer (DRAFT)"]);
});

test("boards and blocks are those of the selected channel and page", async () => {
  const pinterest = await context({ channel: { mode: "list", value: "c2" } });
  assert.deepEqual((await listSearch.searchBoards.call(pinterest)).results, [{ name: "Tiles", value: "549755885175" }]);
  const page = await context({ linkPage: { mode: "list", value: "l1" } });
  assert.deepEqual((await listSearch.searchBlocks.call(page)).results, [{ name: "LINK 0", value: "b1" }]);
});

const entry = (id: string) =>
  context({ channels: { values: [{ channel: { value: id } }] } }, "parameters.channels.values[0].options");

test("the options are those of the network of the entry's channel", async () => {
  const youtube = await resourceMapping.getNetworkOptions.call(await entry("c1"));
  const visibility = youtube.fields.find(({ id }) => id === "visibility");
  assert.deepEqual(
    visibility?.options?.map(({ value }) => value),
    ["public", "unlisted", "private"],
  );
  assert.equal(youtube.fields.find(({ id }) => id === "madeForKids")?.type, "boolean");
  assert.ok(!youtube.fields.some(({ id }) => id === "boardId"));
  assert.deepEqual((await resourceMapping.getNetworkOptions.call(await entry("c4"))).fields, []);
});

test("boards and visibilities are those of the account", async () => {
  const pinterest = await resourceMapping.getNetworkOptions.call(await entry("c2"));
  assert.deepEqual(pinterest.fields.find(({ id }) => id === "boardId")?.options, [
    { name: "Tiles", value: "549755885175" },
  ]);
  const tiktok = await resourceMapping.getNetworkOptions.call(await entry("c3"));
  assert.deepEqual(tiktok.fields.find(({ id }) => id === "privacy")?.options, [
    { name: "SELF_ONLY", value: "SELF_ONLY" },
  ]);
});

test("an update has the options of the post's channel", async () => {
  const { fields } = await resourceMapping.getNetworkOptions.call(
    await context({ post: { value: "p1" } }, "parameters.options"),
  );
  assert.ok(fields.some(({ id }) => id === "license"));
  const none = await resourceMapping.getNetworkOptions.call(await context({}, "parameters.options"));
  assert.deepEqual(none.fields, []);
});

test("the values of options are those that the API document states", () => {
  const values = (id: string, channel: string) =>
    networkOptions
      .find((option) => option.id === id && option.channels.includes(channel))
      ?.options?.map(({ value }) => value);
  assert.deepEqual(values("visibility", "LINKEDIN_PAGE"), ["PUBLIC", "CONNECTIONS"]);
  assert.deepEqual(values("topicType", "GOOGLE_BUSINESS"), ["STANDARD", "EVENT", "OFFER"]);
  assert.deepEqual(values("callToAction", "GOOGLE_BUSINESS"), [
    "BOOK",
    "ORDER",
    "SHOP",
    "LEARN_MORE",
    "SIGN_UP",
    "CALL",
  ]);
  assert.deepEqual(values("videoType", "YOUTUBE"), ["video", "short"]);
  assert.equal(values("boardId", "PINTEREST"), undefined);
  const longText = networkOptions.filter(({ id }) => id === "longText").flatMap(({ channels }) => channels);
  assert.deepEqual(longText, ["TWITTER", "THREADS", "TELEGRAM_CHANNEL", "TELEGRAM_BUSINESS"]);
  assert.deepEqual(values("replies", "BLUESKY"), ["everyone", "following", "followers", "mentioned", "none"]);
  for (const option of networkOptions) assert.ok(option.channels.length > 0, option.id);
});
