import { createHmac, timingSafeEqual } from "node:crypto";

/** The headers of a delivery, with names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

const tolerance = 300; // seconds

/** A time and the signatures beside it, each of `prefix + raw body`, with the key that a secret gives. */
interface Signed {
  time: number;
  prefix: string;
  signatures: Buffer[];
  key(secret: string): Buffer;
}

/**
 * Reports why a delivery is not genuine, or returns undefined (docs/webhooks.md, Verify the signature). One valid signature
 * of either form, by any of the secrets, is enough.
 */
export function refusalOf(headers: Headers, rawBody: Buffer, secrets: string[], now = Date.now()): string | undefined {
  const forms = [own(headers), standard(headers)].filter((form) => form !== undefined);
  if (forms.length === 0) return "the request has no signature";
  const seconds = Math.floor(now / 1000);
  const timely = forms.filter(({ time }) => Math.abs(seconds - time) <= tolerance);
  if (timely.length === 0) return `the signature is more than ${tolerance} s away from now`;
  const genuine = timely.some((form) => secrets.some((secret) => matches(form, rawBody, secret)));
  return genuine ? undefined : "the signature does not match the body";
}

function header(headers: Headers, name: string): string {
  return [headers[name] ?? ""].flat().join(",");
}

/** Reads X-Service-Signature: t=<unix seconds>,v1=<hex>, with a v1 for each secret. */
function own(headers: Headers): Signed | undefined {
  const parts = header(headers, "x-service-signature")
    .split(",")
    .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)] as const);
  const values = (wanted: string) => parts.filter(([name]) => name === wanted).map(([, value]) => value);
  const [time, ...more] = values("t");
  if (time === undefined || more.length > 0 || !isTime(time)) return undefined;
  const signatures = values("v1").filter((value) => /^[0-9a-f]{64}$/.test(value));
  return {
    time: Number(time),
    prefix: `${time}.`,
    signatures: signatures.map((value) => Buffer.from(value, "hex")),
    key: (secret) => Buffer.from(secret),
  };
}

/** Reads the headers of Standard Webhooks: v1,<base64> for each secret, separated by spaces. */
function standard(headers: Headers): Signed | undefined {
  const [id, time] = [header(headers, "webhook-id"), header(headers, "webhook-timestamp")];
  if (id === "" || !isTime(time)) return undefined;
  const values = header(headers, "webhook-signature").split(" ");
  const signatures = values
    .filter((value) => value.startsWith("v1,"))
    .map((value) => Buffer.from(value.slice(3), "base64"));
  return {
    time: Number(time),
    prefix: `${id}.${time}.`,
    signatures,
    key: (secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
  };
}

// All of it digits: parseInt would also read "1772348400x".
function isTime(text: string): boolean {
  return /^[0-9]{1,15}$/.test(text);
}

function matches(form: Signed, rawBody: Buffer, secret: string): boolean {
  const key = form.key(secret);
  if (key.length === 0) return false;
  const expected = createHmac("sha256", key).update(form.prefix).update(rawBody).digest();
  // Without a short cut, so that the duration does not depend on the place of the match.
  let found = false;
  for (const signature of form.signatures) {
    if (signature.length === expected.length && timingSafeEqual(signature, expected)) found = true;
  }
  return found;
}
