// Goes from nothing but an address to a published post with an official MCP SDK: node sdk.mjs REVISION
import assert from "node:assert/strict";

import { listen, Person } from "./lib/person.mjs";
import { Provider } from "./lib/provider.mjs";
import { sdks } from "./lib/sdks.mjs";
import { channel, stack, workspace } from "./lib/stack.mjs";
import { tools } from "./lib/tools.mjs";
import { run, Wire } from "./lib/wire.mjs";

const [revision] = process.argv.slice(2);
const sdk = await sdks[revision]();
const wire = new Wire();
const person = await Person.withBrowser();
const { redirect, close } = await listen();
const provider = new Provider(`SDK ${revision}`, redirect);
const transport = () => new sdk.Transport(new URL(stack.mcpUrl), { authProvider: provider, fetch: wire.fetch });

// since are the exchanges from a mark on, which are not those of the stream that an SDK opens beside its requests.
const since = (mark) => wire.exchanges.slice(mark).filter(({ method, url }) => !(method === "GET" && url === stack.mcpUrl));

// connect finds out everything, and is let in by the person, who does not allow publishing yet.
async function connect() {
  let way = transport();
  await assert.rejects(sdk.client().connect(way), sdk.UnauthorizedError);
  const found = since(0).map(wire.line);
  const path = new URL(stack.mcpUrl).pathname;
  assert.deepEqual(found, [
    `POST ${path} 401`,
    `GET /.well-known/oauth-protected-resource${path} 200`,
    "GET /.well-known/oauth-authorization-server 200",
    "POST /oauth/register 201",
  ]);
  const challenge = wire.exchanges[0].headers.get("www-authenticate");
  assert.match(challenge, /^Bearer /);
  assert.ok(challenge.includes(`resource_metadata="${new URL(stack.mcpUrl).origin}/.well-known/oauth-protected-resource${path}"`), challenge);
  assert.ok(!challenge.includes("error="), challenge); // RFC 6750, section 3: no credential, no error
  assert.equal(provider.address.searchParams.get("resource"), stack.mcpUrl);

  const { parameters, asked } = await provider.decided(person, { without: ["posts:publish"] });
  await sdk.finish(way, parameters);
  assert.deepEqual(provider.given.scope.split(" ").toSorted(), asked.filter((scope) => scope !== "posts:publish").toSorted());
  const client = sdk.client();
  way = transport();
  await client.connect(way);
  return { client, way };
}

async function allTools({ client }) {
  const listed = await client.listTools();
  assert.deepEqual(listed.tools.map(({ name }) => name).toSorted(), tools.toSorted());
  for (const { name, title, description, inputSchema, outputSchema, annotations } of listed.tools) {
    assert.ok(title && description && inputSchema.type === "object" && outputSchema.type === "object", name);
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) assert.equal(typeof annotations[hint], "boolean", `${name} ${hint}`);
  }
}

// call calls a tool that must do what it is asked, and returns its data, which the SDK has held against the published schema.
async function call({ client }, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, name);
  return result.structuredContent;
}

async function refused({ client }, name, args, code) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, `${name}: ${JSON.stringify(result)}`);
  assert.equal(JSON.parse(result.content[0].text).code, code, name);
}

// draft makes a post, and asks twice for it.
async function draft(connection, content) {
  const args = { channelIds: [channel("THREADS").id], content, idempotencyKey: crypto.randomUUID() };
  const made = await call(connection, "create_post", args);
  const again = await call(connection, "create_post", args);
  assert.equal(made.posts.length, 1);
  assert.deepEqual([made.posts[0].status, made.replayed, again.replayed], ["DRAFT", false, true]);
  assert.deepEqual(again.posts, made.posts);
  return made.posts[0].id;
}

// stepUp calls a tool that the token is not good for: the person is asked once more, and then it is.
async function stepUp(connection, postId) {
  const mark = wire.exchanges.length;
  const registered = provider.client.client_id;
  const publish = () => connection.client.callTool({ name: "publish_post", arguments: { postId } });
  if (sdk.stepsUp) {
    await assert.rejects(publish(), sdk.UnauthorizedError);
  } else {
    // This client tries a refreshed token and gives up. A new connection needs consent again.
    await assert.rejects(publish(), { code: 403 });
    provider.saveTokens(undefined);
    await assert.rejects(publish(), sdk.UnauthorizedError);
  }
  const [refusal] = since(mark);
  assert.equal(refusal.status, 403);
  const challenge = refusal.headers.get("www-authenticate");
  for (const part of ['error="insufficient_scope"', "posts:publish", "resource_metadata="]) assert.ok(challenge.includes(part), challenge);
  assert.equal(provider.address.searchParams.get("client_id"), registered); // the same client may ask for more
  const { parameters, asked } = await provider.decided(person);
  await sdk.finish(connection.way, parameters);
  assert.ok(asked.includes("posts:publish") && asked.includes("posts:write"), asked.join(" "));
  assert.deepEqual(provider.given.scope.split(" ").toSorted(), asked.toSorted());
  await call(connection, "publish_post", { postId });
}

async function untilPublished(connection, postId) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { post } = await call(connection, "get_post", { postId });
    if (post.status === "PUBLISHED") {
      assert.ok(post.postUrl.startsWith(stack.sandboxUrl), post.postUrl);
      return;
    }
    assert.equal(post.status, "SCHEDULED", JSON.stringify(post));
    assert.ok(Date.now() < deadline, "not published in time");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

// editorial goes through every state that a post has before it is out.
async function editorial(connection, postId) {
  const status = async (name, args = {}) => (await call(connection, name, { postId, ...args })).post.status;
  const later = new Date(Date.now() + 3_600_000).toISOString();
  assert.equal(await status("schedule_post", { scheduledAt: later }), "SCHEDULED");
  await refused(connection, "request_approval", { postId }, "INVALID_STATE");
  assert.equal(await status("unschedule_post"), "DRAFT");
  assert.equal(await status("request_approval"), "PENDING_APPROVAL");
  assert.equal(await status("approve_post", { comment: "Good." }), "DRAFT");
  await status("publish_post");
}

await run(wire, async () => {
  const connection = await connect();
  await allTools(connection);
  const first = await draft(connection, `Published by ${revision}`);
  await stepUp(connection, first);
  const second = await draft(connection, `Approved and published by ${revision}`); // what was allowed before still is
  await editorial(connection, second);
  await untilPublished(connection, first);
  await untilPublished(connection, second);
  const { data: channels } = await call(connection, "list_channels", {});
  assert.deepEqual(channels.map(({ id }) => id).toSorted(), workspace.channels.map(({ id }) => id).toSorted());
  const { workspace: figures } = await call(connection, "get_analytics", {});
  assert.deepEqual(figures.channels.map(({ channelId }) => channelId).toSorted(), workspace.channels.map(({ id }) => id).toSorted());
  await refused(connection, "create_post", { channelIds: [], content: "" }, "VALIDATION_FAILED");
  await connection.client.close();
  const spoken = new Set(since(0).filter(({ url, status, revision: said }) => url === stack.mcpUrl && status === 200 && said).map((e) => e.revision));
  assert.deepEqual([...spoken], [revision]);
  return `${tools.length} tools, from registration to step-up and two published posts`;
});
await person.close();
close();
