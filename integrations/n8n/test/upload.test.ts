import assert from "node:assert/strict";
import { test } from "node:test";
import type { IBinaryData, IDataObject } from "n8n-workflow";

import { Fencepost } from "../nodes/Fencepost/Fencepost.node";
import { contextOf, type Settings } from "./context";
import { type Received, type Reply, type Responder, serve } from "./server";

const node = new Fencepost();
const asset = { id: "0190a3c7-2c13-7e7a-9b55-6a2e3d4c5b61", name: "sunrise.jpg" };
const bytes = Buffer.from("hello world!");
const small: IBinaryData = { data: bytes.toString("base64"), mimeType: "image/jpeg", fileName: "sunrise.jpg" };
const stored: IBinaryData = { id: "filesystem:1", data: "filesystem", mimeType: "video/mp4", fileName: "film.mp4" };
const headers = { "Content-Type": "image/jpeg", "X-Store": "1" };

/** A service whose store accepts bytes, and what it received. */
async function service(
  respond: (received: Received, url: string) => Reply | undefined = () => undefined,
  parts?: (url: string) => unknown[],
) {
  let url = "";
  const responder: Responder = (received) => {
    const special = respond(received, url);
    if (special) return special;
    if (received.path === "/v1/media/uploads") {
      const body = {
        mediaId: asset.id,
        uploadUrl: `${url}/store`,
        method: "PUT",
        headers,
        expiresInSeconds: 3600,
        ...(parts && { parts: parts(url) }),
      };
      return { status: 201, body };
    }
    if (received.method === "PUT") return { status: 200, body: {} };
    if (received.path.endsWith("/complete")) return { body: asset };
    if (received.method === "PATCH") return { body: { ...asset, ...received.json() } };
    if (received.path === "/v1/posts") return { status: 201, body: [{ id: "p" }] };
    if (received.path === "/v1/media") return { status: 201, body: asset };
    return undefined;
  };
  const started = await serve(responder);
  url = started.url;
  const execute = async (parameters: IDataObject, more: Partial<Settings> = {}) => {
    const items = [{ json: {}, binary: { data: small } }];
    const { context } = contextOf(node, { url, parameters, items, ...more });
    return (await node.execute.call(context))[0]?.map(({ json }) => json);
  };
  return { received: started.received, execute };
}

const upload = { resource: "media", operation: "upload" };
const summary = (received: Received[]) => received.map(({ method, path }) => `${method} ${path}`);

test("a file is announced, sent with the headers of the store and without the key, and completed", async () => {
  const { received, execute } = await service();
  const result = await execute({ ...upload, additionalFields: { altText: "Blue tiles", fileName: "tiles.jpg" } });
  assert.deepEqual(result, [{ ...asset, altText: "Blue tiles" }]);
  const complete = `POST /v1/media/uploads/${asset.id}/complete`;
  assert.deepEqual(summary(received), [
    "POST /v1/media/uploads",
    "PUT /store",
    complete,
    `PATCH /v1/media/${asset.id}`,
  ]);
  assert.deepEqual(received[0]?.json(), { fileName: "tiles.jpg", contentType: "image/jpeg", sizeBytes: 12 });
  assert.equal(received[1]?.headers["x-store"], "1");
  assert.equal(received[1]?.headers.authorization, undefined);
  assert.deepEqual(received[1]?.body, bytes);
});

test("a large file is sent in parts, and a part that fails is sent again alone", async () => {
  const parts = (url: string) => [
    { number: 2, offset: 5, sizeBytes: 5, url: `${url}/part2` },
    { number: 1, offset: 0, sizeBytes: 5, url: `${url}/part1` },
    { number: 3, offset: 10, sizeBytes: 2, url: `${url}/part3` },
  ];
  let failed = false;
  const fails = ({ path }: Received): Reply | undefined => {
    if (path !== "/part2" || failed) return undefined;
    failed = true;
    return { status: 503, headers: { "Retry-After": "0" } };
  };
  const { received, execute } = await service(fails, parts);
  const files = { "filesystem:1": bytes };
  assert.deepEqual(await execute(upload, { files, items: [{ json: {}, binary: { data: stored } }] }), [asset]);
  assert.equal(received[0]?.json()["sizeBytes"], 12);
  const sent = received.filter(({ method }) => method === "PUT").map(({ path, body }) => `${path} ${body}`);
  assert.deepEqual(sent, ["/part1 hello", "/part2  worl", "/part2  worl", "/part3 d!"]);
});

test("a file in memory is sent in the same parts", async () => {
  const parts = (url: string) => [
    { number: 1, offset: 0, sizeBytes: 7, url: `${url}/part1` },
    { number: 2, offset: 7, sizeBytes: 5, url: `${url}/part2` },
  ];
  const { received, execute } = await service(() => undefined, parts);
  await execute(upload);
  const sent = received.filter(({ method }) => method === "PUT").map(({ path, body }) => `${path} ${body}`);
  assert.deepEqual(sent, ["/part1 hello w", "/part2 orld!"]);
});

test("bytes that the service lacks are sent once more", async () => {
  let completed = 0;
  const lacks = ({ path }: Received): Reply | undefined => {
    if (!path.endsWith("/complete") || ++completed > 1) return undefined;
    return { status: 409, body: { code: "UPLOAD_NOT_RECEIVED", detail: "Missing." } };
  };
  const { received, execute } = await service(lacks);
  assert.deepEqual(await execute(upload), [asset]);
  assert.equal(received.filter(({ method }) => method === "PUT").length, 2);
});

test("bytes that never arrive are an error", async () => {
  const { received, execute } = await service(({ path }) =>
    path.endsWith("/complete") ? { status: 409, body: { code: "UPLOAD_NOT_RECEIVED", detail: "Missing." } } : undefined,
  );
  await assert.rejects(execute(upload), /Missing/);
  assert.equal(received.filter(({ method }) => method === "PUT").length, 2);
});

test("a retry of an execution does not send bytes that have arrived", async () => {
  const replayed = ({ path }: Received, url: string): Reply | undefined =>
    path === "/v1/media/uploads"
      ? {
          status: 201,
          headers: { "Idempotent-Replayed": "true" },
          body: { mediaId: asset.id, uploadUrl: `${url}/store`, method: "PUT", headers },
        }
      : undefined;
  const { received, execute } = await service(replayed);
  assert.deepEqual(await execute(upload), [asset]);
  assert.equal(received.filter(({ method }) => method === "PUT").length, 0);
});

test("a retry after the upload has expired uploads again with another key", async () => {
  let started = 0;
  const expired = ({ path }: Received, url: string): Reply | undefined => {
    if (path === "/v1/media/uploads" && ++started === 1) {
      const body = {
        mediaId: "0190a3c7-0000-7e7a-9b55-6a2e3d4c5b61",
        uploadUrl: `${url}/store`,
        method: "PUT",
        headers,
      };
      return { status: 201, headers: { "Idempotent-Replayed": "true" }, body };
    }
    if (path === "/v1/media/uploads/0190a3c7-0000-7e7a-9b55-6a2e3d4c5b61/complete")
      return { status: 404, body: { code: "NOT_FOUND", detail: "Unknown." } };
    return undefined;
  };
  const { received, execute } = await service(expired);
  assert.deepEqual(await execute(upload), [asset]);
  const keys = received
    .filter(({ path }) => path === "/v1/media/uploads")
    .map(({ headers: sent }) => sent["idempotency-key"]);
  assert.equal(new Set(keys).size, 2);
});

test("an input field without a file is an error that names it", async () => {
  const { received, execute } = await service();
  await assert.rejects(execute({ ...upload, binaryPropertyName: "picture" }), /picture/);
  assert.equal(received.length, 0);
});

test("a post uploads and imports its files, in their order", async () => {
  const { received, execute } = await service();
  const channel = { __rl: true, mode: "id", value: "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" };
  await execute({
    resource: "post",
    operation: "create",
    content: "Spring",
    channels: { values: [{ channel }] },
    mediaIds: {
      files: [
        { source: "binary", binaryPropertyName: "data", altText: "Blue tiles" },
        { source: "url", url: "https://example.com/sunrise.jpg" },
        { source: "asset", media: { __rl: true, mode: "id", value: "0190a3c7-2c13-7e7a-9b55-6a2e3d4c5b99" } },
      ],
    },
  });
  const imported = received.find(({ path }) => path === "/v1/media");
  assert.deepEqual(imported?.json(), { url: "https://example.com/sunrise.jpg" });
  const body = received.at(-1)?.json();
  assert.deepEqual(body?.["mediaIds"], [asset.id, asset.id, "0190a3c7-2c13-7e7a-9b55-6a2e3d4c5b99"]);
  assert.deepEqual(body?.["mediaAltTexts"], { [asset.id]: "Blue tiles" });
  const keys = received.filter(({ method }) => method === "POST").map(({ headers: sent }) => sent["idempotency-key"]);
  assert.equal(new Set(keys).size, keys.length, "each step has its own key");
});

test("an import takes its fields", async () => {
  const { received, execute } = await service();
  const result = await execute({
    resource: "media",
    operation: "import",
    url: "https://example.com/a.jpg",
    additionalFields: { name: "a.jpg" },
  });
  assert.deepEqual(result, [asset]);
  assert.deepEqual(received[0]?.json(), { url: "https://example.com/a.jpg", name: "a.jpg" });
});
