import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FencepostError, verifyWebhook } from "../src/index.js";

interface Vector {
  name: string;
  secret: string;
  now: number;
  bodyBase64: string;
  headers: Record<string, string>;
  accept: { service: boolean; standard: boolean };
}

const path = new URL("../../../../docs/examples/receiver/vectors.json", import.meta.url);
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(path, "utf8"));

async function accepts(vector: Vector, headers: Record<string, string>, secrets: string[] = [vector.secret]) {
  try {
    await verifyWebhook(headers, Buffer.from(vector.bodyBase64, "base64"), secrets, { now: () => vector.now * 1000 });
    return true;
  } catch (error) {
    assert.ok(error instanceof FencepostError, String(error));
    assert.equal(error.kind, "signature");
    return false;
  }
}

function only(headers: Record<string, string>, prefix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase().startsWith(prefix)));
}

test("each form of signature has the verdict of the vectors", async () => {
  assert.ok(vectors.length > 30);
  for (const vector of vectors) {
    const { service, standard } = vector.accept;
    assert.equal(await accepts(vector, only(vector.headers, "x-service-")), service, `${vector.name}, service`);
    assert.equal(await accepts(vector, only(vector.headers, "webhook-")), standard, `${vector.name}, standard`);
    assert.equal(await accepts(vector, vector.headers), service || standard, `${vector.name}, both`);
  }
});

test("any of several secrets is enough", async () => {
  const [genuine] = vectors;
  assert.ok(genuine);
  assert.equal(await accepts(genuine, genuine.headers, ["whsec_b2xk", genuine.secret]), true);
  assert.equal(await accepts(genuine, genuine.headers, ["whsec_b2xk"]), false);
  assert.equal(await accepts(genuine, genuine.headers, [""]), false);
  assert.equal(await accepts(genuine, genuine.headers, []), false);
});

test("headers may have any form, the body may be a text", async () => {
  const [genuine] = vectors;
  assert.ok(genuine);
  const body = Buffer.from(genuine.bodyBase64, "base64").toString();
  const now = () => genuine.now * 1000;
  for (const headers of [
    new Headers(genuine.headers),
    { "x-service-signature": [genuine.headers["X-Service-Signature"] ?? ""] },
  ]) {
    const event = await verifyWebhook(headers, body, genuine.secret, { now });
    assert.equal(event.type, "webhook.test");
  }
});

test("the tolerance may be changed", async () => {
  const [genuine] = vectors;
  assert.ok(genuine);
  const late = { now: () => (genuine.now + 900) * 1000 };
  const body = Buffer.from(genuine.bodyBase64, "base64");
  await assert.rejects(verifyWebhook(genuine.headers, body, genuine.secret, late), { kind: "signature" });
  await verifyWebhook(genuine.headers, body, genuine.secret, { ...late, tolerance: 900 });
});
