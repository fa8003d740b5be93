import { FencepostError } from "./errors.js";
import type { Schema } from "./types.js";

/** The headers of a request in any form that a runtime has. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;

/** The options of verifyWebhook. */
export interface VerifyOptions {
  /** The seconds by which the time of a delivery may differ from now; by default 300. */
  tolerance?: number;
  /** Returns the time in milliseconds since 1970. */
  now?: () => number;
}

/** A time and the signatures beside it, each of `prefix + raw body`, with the key that a secret gives. */
interface Signed {
  time: number;
  prefix: string;
  signatures: Uint8Array<ArrayBuffer>[];
  key(secret: string): Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Verifies a delivery and returns its event (docs/webhooks.md, Verify the signature). One valid signature of either form,
 * by any of the secrets, is enough. The body must have the raw bytes of the request. A delivery that is not genuine, or
 * too old, throws an error of the kind signature.
 */
export async function verifyWebhook(
  headers: HeadersLike,
  rawBody: string | ArrayBuffer | Uint8Array,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Schema<"WebhookEvent">> {
  const { tolerance = 300, now = Date.now } = options;
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody);
  const seconds = Math.floor(now() / 1000);
  const all = typeof secrets === "string" ? [secrets] : secrets;
  const forms = [own(headers), standard(headers)].filter((form) => form !== undefined);
  if (forms.length === 0) throw invalid("the request has no signature");
  const timely = forms.filter(({ time }) => Math.abs(seconds - time) <= tolerance);
  if (timely.length === 0) throw invalid(`the signature is more than ${tolerance} s away from now`);
  for (const form of timely) {
    for (const secret of all) {
      if (await matches(form, body, secret)) return JSON.parse(new TextDecoder().decode(body));
    }
  }
  throw invalid("the signature does not match the body");
}

function invalid(detail: string): FencepostError {
  return new FencepostError("signature", { detail });
}

function header(headers: HeadersLike, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1] === undefined ? "" : [found[1]].flat().join(",");
}

/** Reads X-Service-Signature: t=<unix seconds>,v1=<hex>, with a v1 for each secret. */
function own(headers: HeadersLike): Signed | undefined {
  const parts = header(headers, "x-service-signature")
    .split(",")
    .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)] as const);
  const values = (wanted: string) => parts.filter(([name]) => name === wanted).map(([, value]) => value);
  const [time, ...more] = values("t");
  if (time === undefined || more.length > 0 || !isTime(time)) return undefined;
  const signatures = values("v1").flatMap(fromHex);
  return { time: Number(time), prefix: `${time}.`, signatures, key: (secret) => new TextEncoder().encode(secret) };
}

/** Reads the headers of Standard Webhooks: v1,<base64> for each secret, separated by spaces. */
function standard(headers: HeadersLike): Signed | undefined {
  const [id, time] = [header(headers, "webhook-id"), header(headers, "webhook-timestamp")];
  if (id === "" || !isTime(time)) return undefined;
  const values = header(headers, "webhook-signature").split(" ");
  const signatures = values.filter((value) => value.startsWith("v1,")).flatMap((value) => fromBase64(value.slice(3)));
  const key = (secret: string) => fromBase64(secret.replace(/^whsec_/, ""))[0];
  return { time: Number(time), prefix: `${id}.${time}.`, signatures, key };
}

// All of it digits: parseInt would also read "1772348400x".
function isTime(text: string): boolean {
  return /^[0-9]{1,15}$/.test(text);
}

async function matches(form: Signed, body: Uint8Array, secret: string): Promise<boolean> {
  const raw = form.key(secret);
  if (!raw?.length) return false;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const prefix = new TextEncoder().encode(form.prefix);
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);
  // Web Crypto compares in constant time.
  const verdicts = await Promise.all(
    form.signatures.map((signature) => subtle.verify("HMAC", key, signature, content)),
  );
  return verdicts.includes(true);
}

/** Returns the bytes of a hexadecimal SHA-256; no entry for another text. */
function fromHex(text: string): Uint8Array<ArrayBuffer>[] {
  if (!/^[0-9a-f]{64}$/.test(text)) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))];
}

/** Returns the bytes of a base64 text; no entry for another text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer>[] {
  try {
    return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}
