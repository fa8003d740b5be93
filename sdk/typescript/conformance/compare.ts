import { isDeepStrictEqual } from "node:util";
import { FencepostError } from "../src/index.js";
import type { Expectation, Outcome, Span } from "./cases.js";

/** Returns how an outcome differs from the expected one. */
export function differences(expect: Expectation, outcome: Outcome): string[] {
  const found: string[] = [];
  const equal = (about: string, got: unknown, want: unknown) => {
    if (!isDeepStrictEqual(plain(got), plain(want))) found.push(`${about} is ${shown(got)} instead of ${shown(want)}`);
  };
  const within = (about: string, got: number, { least, most }: Span) => {
    if (got < least - 1e-9 || got > most + 1e-9) found.push(`${about} is ${got} s instead of ${least} to ${most} s`);
  };
  for (const [pointer, want] of Object.entries(expect.values ?? {}))
    equal(pointer || "the result", at(outcome.value, pointer), want);
  if (expect.count !== undefined) equal("the number of items", (outcome.value as unknown[]).length, expect.count);
  if (expect.progress) equal("the progress", outcome.progress, expect.progress);
  if (expect.waitsSum)
    within(
      "the sum of the waits",
      outcome.waits.reduce((a, b) => a + b, 0),
      expect.waitsSum,
    );
  if (expect.waits) {
    equal("the number of waits", outcome.waits.length, expect.waits.length);
    for (const [i, span] of expect.waits.entries()) within(`wait ${i}`, outcome.waits[i] ?? Number.NaN, span);
  }
  const { detailContains, ...error } = expect.error ?? {};
  if (!expect.error) equal("the error", outcome.error, undefined);
  for (const [name, want] of Object.entries(error)) equal(`${name} of the error`, memberOf(outcome, name), want);
  if (detailContains && !String(outcome.error).includes(String(detailContains))) {
    found.push(`the error ${shown(outcome.error)} does not contain ${detailContains}`);
  }
  return found;
}

function memberOf({ error, cancelled }: Outcome, name: string): unknown {
  if (name === "kind" && cancelled) return "cancelled";
  if (!(error instanceof FencepostError)) return `no FencepostError: ${error}`;
  return error[name as keyof FencepostError];
}

/** Returns the value as JSON has it: null for undefined. */
function plain(value: unknown): unknown {
  return value instanceof Error ? String(value) : JSON.parse(JSON.stringify(value ?? null));
}

function shown(value: unknown): string {
  return value instanceof Error ? (value.stack ?? String(value)) : JSON.stringify(value ?? null);
}

function at(value: unknown, pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  return names.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], plain(value) as unknown);
}
