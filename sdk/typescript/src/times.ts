import { refused } from "./errors.js";
import type { Schema } from "./types.js";

const noSeconds = "has no seconds: write 09:00:00 instead of 09:00";
const noOffset = "has no offset: add Z for UTC or an offset such as +02:00";
const noZone = `${noOffset}; or send its time zone beside it as timezone, for example Europe/Berlin`;
const naive = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(?:\.\d+)?)?$/i;

// Members that are publish times, which may have a time zone beside them, and the other times of bodies.
const zoned = new Set(["schedule", "scheduledAt"]);
const plain = new Set(["since", "until", "showFrom", "showUntil", "endsAt", "expiresAt"]);
// Members with names of the client's own.
const foreign = new Set(["metadata", "mediaAltTexts"]);

/** Throws the error that the service returns for times without an offset, before anything is sent. */
export function checkTimes(query: Record<string, unknown>, times: readonly string[], body: unknown): void {
  const errors: Schema<"Fault">[] = [];
  for (const name of times) {
    const message = fault(query[name], noOffset);
    if (message) errors.push({ pointer: name, message });
  }
  walk(body, "", errors);
  if (errors.length > 0) throw refused(errors);
}

function walk(value: unknown, pointer: string, errors: Schema<"Fault">[]): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  const zone = "timezone" in value && value.timezone;
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${name}`;
    const message =
      zoned.has(name) && !zone ? fault(member, noZone) : plain.has(name) ? fault(member, noOffset) : undefined;
    if (message) errors.push({ pointer: at, message });
    if (!foreign.has(name)) walk(member, at, errors);
  }
}

function fault(value: unknown, message: string): string | undefined {
  const found = typeof value === "string" ? naive.exec(value) : null;
  if (!found) return undefined;
  return found[1] ? message : noSeconds;
}
