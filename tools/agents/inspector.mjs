// Looks at the tool server with the command line of the MCP Inspector, with an API key and as a person lets it in:
// node inspector.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { channel, stack, workspace } from "./lib/stack.mjs";
import { listen, Person } from "./lib/person.mjs";
import { tools } from "./lib/tools.mjs";
import { run, Wire } from "./lib/wire.mjs";

const launcher = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));

// start runs the Inspector's command line; told is called with everything it says beside its result.
function start(args, told = () => {}) {
  const inspector = spawn(process.execPath, [launcher, "--cli", stack.mcpUrl, "--transport", "http", "--format", "json", ...args], {
    stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, BROWSER: "true" },
  });
  let result = "", said = "";
  inspector.stdout.on("data", (text) => (result += text));
  inspector.stderr.on("data", (text) => told((said += text)));
  return new Promise((resolve) => inspector.on("close", (code) => resolve({ code, result, said })));
}

async function ask(...args) {
  const { code, result, said } = await start(args);
  assert.equal(code, 0, said + result);
  return JSON.parse(result);
}

const withKey = (key) => ["--stored-auth-only", "--header", `Authorization: Bearer ${key}`];
