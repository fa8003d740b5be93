import { errorOf, FencepostError } from "./errors.js";
import type { Hooks } from "./hooks.js";
import { backOff, isLost, mayRepeat, secondsOf } from "./retry.js";

/** One request, with all that its tries have in common. */
export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Blob | undefined;
  /** Whether a second request has no further effect. */
  repeatable: boolean;
  timeout: number;
  maxAttempts: number;
  signal?: AbortSignal | undefined;
}

/** A response with its whole body. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request until it has a final response. */
export async function send(hooks: Hooks, request: Outgoing): Promise<Received> {
  let lost = false;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(hooks, request);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!(error instanceof FencepostError)) throw error;
      if (lost && request.method === "DELETE" && error.status === 404) return deleted();
      if (tries >= request.maxAttempts || !mayRepeat(error, request.repeatable)) throw error;
      lost ||= isLost(error);
      await hooks.sleep(backOff(error, tries - 1, hooks.random), request.signal);
    }
  }
}

/** Returns the response that was lost: an earlier try of the deletion has succeeded. */
function deleted(): Received {
  return { status: 204, headers: new Headers(), text: "" };
}

async function attempt(hooks: Hooks, request: Outgoing): Promise<Received> {
  request.signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort();
  request.signal?.addEventListener("abort", cancel, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, request.timeout);
  try {
    return await exchange(hooks, request, controller.signal);
  } catch (cause) {
    if (cause instanceof FencepostError) throw cause;
    if (late) throw new FencepostError("timeout", { detail: `no response within ${request.timeout / 1000} s`, cause });
    throw new FencepostError("connection", { detail: reasonOf(cause), cause });
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", cancel);
  }
}

async function exchange(hooks: Hooks, request: Outgoing, signal: AbortSignal): Promise<Received> {
  const { method, headers, body } = request;
  // A redirect would lose the body or the key; the API has none.
  const init: RequestInit = { method, headers, signal, redirect: "manual", ...(body !== undefined && { body }) };
  const response = await hooks.fetch(request.url, init);
  const text = await response.text();
  if (response.ok) return { status: response.status, headers: response.headers, text };
  throw errorOf(response, text, secondsOf(response.headers.get("Retry-After"), hooks.now()));
}

/** Returns the message of the first cause, which fetch hides behind "fetch failed". */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined ? cause.message || cause.name : reasonOf(cause.cause);
}
