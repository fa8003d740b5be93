import { createHmac, timingSafeEqual } from "node:crypto";

const tolerance = 300; // seconds

/**
 * Reports whether a delivery is genuine: its body is signed with the secret, at a time near now.
 *
 * The header is X-Service-Signature, t=<unix seconds>,v1=<hex>. While a secret is being replaced there are several v1
 * values, of which one must match. The body must be the raw bytes of the request, before anything parses them.
 */
export function verify(header: string, body: Uint8Array, secret: string, now = Math.floor(Date.now() / 1000)): boolean {
  const times: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(",")) {
    const [name, ...rest] = part.split("=");
    if (name === "t") times.push(rest.join("="));
    if (name === "v1") signatures.push(rest.join("="));
  }
  const [time] = times;
  // All of it digits: parseInt would also read "1772348400x".
  if (time === undefined || times.length !== 1 || !/^[0-9]{1,15}$/.test(time)) return false;
  if (Math.abs(now - Number(time)) > tolerance) return false;
  const expected = Buffer.from(createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex"));
  return signatures.some((signature) => {
    const given = Buffer.from(signature);
    // In constant time; timingSafeEqual throws when the lengths differ.
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
