import type { Api } from "./api.js";
import { FencepostError } from "./errors.js";
import { isTransient } from "./retry.js";
import type { CallOptions, Query, Schema } from "./types.js";

/** An event, and the cursor with which another call of follow continues after it. */
export interface Followed {
  event: Schema<"LoggedEvent">;
  /** Null until the end of the first page of a log that is read from its beginning. */
  cursor: string | null;
}

/** The options of events.follow. A cursor belongs to its filters: send the same ones with it. */
export interface FollowOptions
  extends Omit<Query<"list-events">, "cursor" | "sort" | "to">,
    Omit<CallOptions, "ifMatch"> {
  /** The milliseconds between two requests at the end of the log; by default 5 seconds. */
  interval?: number;
}

/** Reads the event log without an end. */
export async function* follow(
  api: Api,
  start: string | null = null,
  options: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const { type, from, limit, interval = 5000, ...call } = options;
  for (let cursor = start; ; ) {
    const page = await read(api, { type, from, limit, cursor }, interval, call);
    const next = page.nextCursor ?? cursor; // a page without events has none
    for (const [i, event] of page.data.entries()) yield { event, cursor: i === page.data.length - 1 ? next : cursor };
    cursor = next;
    if (!page.hasMore) await api.hooks.sleep(interval, call.signal);
  }
}

/** Reads a page, and waits for the service as long as it cannot be reached. */
async function read(api: Api, query: object, interval: number, call: CallOptions): Promise<Schema<"EventPage">> {
  for (;;) {
    try {
      return await api.call("list-events", { query }, call);
    } catch (error) {
      if (!(error instanceof FencepostError) || !isTransient(error)) throw error;
      await api.hooks.sleep(Math.max(interval, (error.retryAfter ?? 0) * 1000), call.signal);
    }
  }
}
