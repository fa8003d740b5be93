import type { Api } from "./api.js";
import { FencepostError } from "./errors.js";
import { secondsOf } from "./retry.js";
import type { CallOptions, Schema } from "./types.js";

/** The options of posts.waitUntilDone. */
export interface WaitOptions extends Pick<CallOptions, "signal" | "headers"> {
  /** The milliseconds to wait in all; by default 10 minutes. */
  timeout?: number | undefined;
}

const shortest = 1000;
const longest = 10_000;

/** Reads a post, at longer and longer intervals, until it is no longer SCHEDULED. */
export async function waitUntilDone(api: Api, id: string, options: WaitOptions = {}): Promise<Schema<"Post">> {
  const { timeout = 600_000, ...call } = options;
  const { now, sleep } = api.hooks;
  const end = now() + timeout;
  for (let interval = shortest; ; interval = Math.min(interval * 1.5, longest)) {
    const { headers, body: post } = await api.exchange("get-post", { path: { id } }, call);
    if (post.status !== "SCHEDULED") return post;
    const left = end - now();
    if (left <= 0) {
      throw new FencepostError("timeout", { detail: `the post is still SCHEDULED after ${timeout / 1000} s` });
    }
    await sleep(Math.min(Math.max(interval, untilReset(headers, now())), left), call.signal);
  }
}

/** Returns the milliseconds until the credential may send requests again, if none is left. */
function untilReset(headers: Headers, now: number): number {
  if (headers.get("RateLimit-Remaining") !== "0") return 0;
  return (secondsOf(headers.get("RateLimit-Reset"), now) ?? 0) * 1000;
}
