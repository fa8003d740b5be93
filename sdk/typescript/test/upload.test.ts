import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Source } from "../src/index.js";
import { openFile } from "../src/node.js";
import { json, type Responder, type Sent, setup } from "./support.js";

const store = "https://store.example.com";

/** Responds as the API and the store; a part is refused by refuse. */
function service(parts: number, refuse: (sent: Sent) => Response | undefined = () => undefined): Responder {
  return (sent) => {
    if (sent.url.origin === store) return refuse(sent) ?? new Response(null, { status: 200 });
    if (sent.url.pathname.endsWith("/complete")) return json({ id: "m1" });
    const { sizeBytes } = JSON.parse(String(sent.body));
    const length = Math.ceil(sizeBytes / parts);
    const pieces = Array.from({ length: parts }, (_, i) => ({
      number: i + 1,
      offset: i * length,
      sizeBytes: Math.min(length, sizeBytes - i * length),
      url: `${store}/part${i}`,
    }));
    return json(
      { mediaId: "m1", uploadUrl: `${store}/whole`, method: "PUT", headers: {}, ...(parts > 1 && { parts: pieces }) },
      201,
    );
  };
}

async function textsOf(sent: Sent[]): Promise<string[]> {
  const toStore = sent.filter(({ url }) => url.origin === store).sort((a, b) => (a.url.href < b.url.href ? -1 : 1));
  return Promise.all(toStore.map(({ body }) => (body as Blob).text()));
}

test("a file of the disk has its name and its type, and is sent in parts", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "upload-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "Über uns.PDF"), "0123456789");
  const progress: number[] = [];
  const { client, sent } = setup(service(4));
  const file = await openFile(join(folder, "Über uns.PDF"));
  await client.media.upload(file, { onProgress: (bytes, total) => progress.push(bytes / total) });
  assert.deepEqual(JSON.parse(String(sent[0]?.body)), {
    fileName: "Über uns.PDF",
    contentType: "application/pdf",
    sizeBytes: 10,
  });
  assert.deepEqual(await textsOf(sent), ["012", "345", "678", "9"]);
  assert.equal(progress.length, 4);
  assert.equal(progress.at(-1), 1);
});

test("bytes have many forms", async () => {
  const bytes = new TextEncoder().encode("xhellox");
  const sources: Source[] = [bytes.slice(1, 6), bytes.slice(1, 6).buffer, new Blob(["hello"]), bytes.subarray(1, 6)];
  for (const source of sources) {
    const { client, sent } = setup(service(1));
    await client.media.upload(source, { name: "a.png" });
    assert.deepEqual(await textsOf(sent), ["hello"]);
  }
});

test("a type that is given comes first", async () => {
  const { client, sent } = setup(service(1));
  await client.media.upload(new Blob(["x"], { type: "image/webp" }), { name: "a.png" });
  await client.media.upload(new Blob(["x"], { type: "image/webp" }), { name: "a.png", contentType: "image/gif" });
  const types = sent
    .filter(({ method }) => method === "POST" && method)
    .flatMap(({ body }) => (body ? [JSON.parse(String(body)).contentType] : []));
  assert.deepEqual(types, ["image/webp", "image/gif"]);
});

test("a name and a type are required", async () => {
  const { client, sent } = setup(service(1));
  await assert.rejects(client.media.upload(new Blob(["x"])), { kind: "validation", message: /\/fileName is required/ });
  for (const name of ["png", "a.xyz", "a.constructor", "png."]) {
    await assert.rejects(
      client.media.upload(new Blob(["x"]), { name }),
      { kind: "validation", message: /\/contentType/ },
      name,
    );
  }
  assert.equal(sent.length, 0);
});

test("a part that is refused ends the upload", async () => {
  const { client, sent } = setup(
    service(9, ({ url }) => (url.pathname === "/part1" ? new Response("", { status: 403 }) : undefined)),
  );
  await assert.rejects(client.media.upload(new Blob(["123456789"]), { name: "a.png" }), {
    kind: "api",
    status: 403,
    code: undefined,
  });
  await setTimeout(20); // the other parts would be sent meanwhile
  assert.ok(sent.length < 9, `${sent.length} requests`);
  assert.ok(!sent.some(({ url }) => url.pathname.endsWith("/complete")));
});

test("a cancelled upload ends between parts", async () => {
  const controller = new AbortController();
  const reason = new Error("no longer needed");
  const { client, sent } = setup(service(9));
  const upload = client.media.upload(new Blob(["123456789"]), {
    name: "a.png",
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });
  await assert.rejects(upload, (error) => error === reason);
  assert.ok(sent.length < 9, `${sent.length} requests`);
});
