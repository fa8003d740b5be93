// Looks at the tool server with the command line of the MCP Inspector, with API keys and as a person lets it in: node inspector.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { listen, Person } from "./lib/person.mjs";
import { channel, stack, workspace } from "./lib/stack.mjs";
import { tools } from "./lib/tools.mjs";
import { run, Wire } from "./lib/wire.mjs";

const inspector = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));
// BROWSER is the command that opens pages. It does nothing, because the person has a browser.
const env = { ...process.env, BROWSER: "true", MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "memory" };

// start runs it; heard is called with all that it has said so far beside its result, and with what ends it.
function start(args, heard = () => {}) {
  const running = spawn(process.execPath, [inspector, "--cli", stack.mcpUrl, "--transport", "http", "--format", "json", ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  let result = "";
  let said = "";
  running.stdout.on("data", (text) => (result += text));
  running.stderr.on("data", (text) => heard((said += text), () => running.kill()));
  return new Promise((resolve) => running.on("close", (code) => resolve({ code, result, said })));
}

async function ask(...args) {
  const { code, result, said } = await start(args);
  assert.equal(code, 0, said + result);
  return JSON.parse(result).result;
}

const withKey = (key) => ["--stored-auth-only", "--header", `Authorization: Bearer ${key}`];
const calls = (name, args) => ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)];
const names = (listed) => listed.tools.map(({ name }) => name).toSorted();

// withKeys: what the key of a program may do, and what another may not, in both eras of the protocol.
async function withKeys(era) {
  const everything = ["--protocol-era", era, ...withKey(workspace.apiKey)];
  assert.deepEqual(names(await ask(...everything, "--method", "tools/list", "--strict")), tools.toSorted()); // schemas without an error
  const made = await ask(...everything, ...calls("create_post", { channelIds: [channel("THREADS").id], content: `Drafted by the Inspector, ${era}` }));
  const [{ id }] = made.structuredContent.posts;
  const found = await ask(...everything, ...calls("get_post", { postId: id }));
  assert.deepEqual([found.structuredContent.post], made.structuredContent.posts);

  const refused = await start(["--protocol-era", era, ...withKey(workspace.readOnlyApiKey), ...calls("publish_post", { postId: id })]);
  assert.notEqual(refused.code, 0, refused.result);
  assert.ok(/insufficient.?scope/i.test(refused.said) && refused.said.includes("posts:publish"), refused.said);
  const unknown = await start(["--protocol-era", era, ...withKey(`${workspace.apiKey.slice(0, -1)}!`), "--method", "tools/list"]);
  assert.notEqual(unknown.code, 0, unknown.result);
  assert.ok(unknown.said.includes("auth_required"), unknown.said);
}

// asPerson lets the Inspector find its own way in; it prints where the person has to go.
async function asPerson() {
  const { redirect, close } = await listen(); // a port that is free
  close();
  const person = await Person.withBrowser();
  let decided;
  const { code, result, said } = await start(["--callback-url", redirect, "--method", "tools/list"], (text, end) => {
    const [, address] = /navigate to: (\S+)\n/.exec(text) ?? [];
    decided ??= address && person.decide(address).catch((error) => (end(), error));
  });
  const fault = await decided;
  assert.ok(!(fault instanceof Error), fault);
  await person.close();
  assert.equal(code, 0, said + result);
  assert.deepEqual(names(JSON.parse(result).result), tools.toSorted());
}

await run(new Wire(), async () => {
  await Promise.all([withKeys("legacy"), withKeys("modern"), asPerson()]);
  return `${tools.length} tools, by key in both eras and by OAuth`;
});
