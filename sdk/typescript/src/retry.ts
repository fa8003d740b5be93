import type { FencepostError } from "./errors.js";

const first = 500;
const longest = 30_000;
const longestRetryAfter = 300; // seconds; the caller decides on more
const transient = new Set<number | undefined>([408, 429, 502, 503, 504]);

/** Reports whether the failure may end by itself. */
export function isTransient({ kind, status, code }: FencepostError): boolean {
  if (kind === "api") return transient.has(status) || code === "IDEMPOTENCY_IN_PROGRESS";
  return kind === "connection" || kind === "timeout";
}

/** Reports whether the request may have been performed although its response did not arrive. */
export function isLost({ kind, cause }: FencepostError): boolean {
  return (kind === "connection" || kind === "timeout") && !isUnsent(cause);
}

/** Reports whether another try is due: the failure may end soon, and a second request has no further effect. */
export function mayRepeat(error: FencepostError, repeatable: boolean): boolean {
  if (!isTransient(error) || (error.retryAfter ?? 0) > longestRetryAfter) return false;
  return repeatable || (error.kind === "connection" && isUnsent(error.cause));
}

/** Returns the milliseconds before another try: those of the service, or at random up to 0.5 s · 2^retries, at most 30 s. */
export function backOff(error: FencepostError, retries: number, random: () => number): number {
  if (error.retryAfter !== undefined) return error.retryAfter * 1000;
  return random() * Math.min(longest, first * 2 ** retries);
}

/** Returns the seconds of a Retry-After header, which has seconds or a date. */
export function secondsOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  // Date.parse also reads "-1".
  const date = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

// The codes of Node.js and Bun, and the texts of Deno, for connections that were never opened.
const unopened =
  /ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|connection refused|dns error/i;

/** Reports whether the service has certainly received no byte of a request. */
function isUnsent(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code } = cause as Error & { code?: unknown };
  // One error for each address of a name: all of them must be certain.
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.every(isUnsent);
  return unopened.test(`${String(code)} ${cause.message}`) || isUnsent(cause.cause);
}
