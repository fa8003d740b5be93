import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Fencepost, version } from "../src/index.js";
import type { Operation } from "../src/operation.js";
import { table } from "../src/operations.gen.js";
import { json, setup } from "./support.js";

const helpers = ["upload", "waitUntilDone", "verify", "follow", "listCards"];
const ids = ["id-0", "id-1"];

/** Calls a method with as many ids as it may take, and returns what it sent. */
async function call(method: (...args: unknown[]) => unknown, count: number): Promise<void> {
  const result = await method(...ids.slice(0, count), {});
  if (typeof result === "object" && result !== null && "toArray" in result)
    await (result.toArray as () => Promise<unknown>)();
}

test("each operation of the document is one method", async () => {
  const reached: string[] = [];
  const templates = Object.entries(table as Record<string, Operation>);
  const { client, sent } = setup(() => json({ data: [], nextCursor: null }));
  for (const [resource, methods] of Object.entries(client)) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(methods))) {
      if (name === "constructor" || helpers.includes(name)) continue;
      const method = (methods as Record<string, (...args: unknown[]) => unknown>)[name];
      assert.ok(method);
      const parameters = /^\w*\s*\w+\(([^)]*)\)/.exec(method.toString())?.[1]?.split(", ") ?? [];
      await call(method.bind(methods), parameters.filter((parameter) => /id$/i.test(parameter)).length);
      const request = sent.pop();
      assert.ok(request, `${resource}.${name} sends a request`);
      const path = request.url.pathname;
      const found = templates.find(([, operation]) => {
        const pattern = operation.path.replaceAll(/\{\w+\}/g, "id-\\d");
        return operation.method === request.method && new RegExp(`^${pattern}$`).test(path);
      });
      assert.ok(found, `${resource}.${name}: ${request.method} ${path} is an operation`);
      assert.equal(request.headers.has("Idempotency-Key"), found[1].keyed === true, found[0]);
      reached.push(found[0]);
    }
  }
  await client.getWorkspace();
  await client.getOpenapi();
  reached.push("get-workspace", "get-openapi");
  assert.deepEqual(reached.sort(), Object.keys(table).sort());
});

test("ids of a path are in their order", async () => {
  const { client, sent } = setup(() => json({}));
  await client.webhooks.getDelivery("hook", "delivery");
  await client.linkPages.updateBlock("page", "block", {});
  assert.deepEqual(
    sent.map(({ url }) => url.pathname),
    ["/v1/webhooks/hook/deliveries/delivery", "/v1/link-pages/page/blocks/block"],
  );
});

test("the options of the client replace the environment", async () => {
  const { client, sent } = setup(() => json({}), {
    url: "https://api.example.com/base//",
    headers: { "X-Proxy": "1" },
  });
  await client.getWorkspace();
  assert.equal(sent[0]?.url.href, "https://api.example.com/base/v1/workspace");
  assert.equal(sent[0]?.headers.get("Authorization"), "Bearer svc_test_x");
  assert.equal(sent[0]?.headers.get("X-Proxy"), "1");
  delete process.env["FENCEPOST_API_KEY"];
  process.env["FENCEPOST_URL"] = "https://env.example.com";
  assert.throws(() => new Fencepost(), { kind: "configuration", message: /FENCEPOST_API_KEY/ });
  process.env["FENCEPOST_API_KEY"] = "svc_test_env";
  assert.ok(new Fencepost());
});

test("the version is that of the package", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  assert.equal(version, JSON.parse(text).version);
});
