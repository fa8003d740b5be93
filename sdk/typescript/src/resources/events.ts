import { type Followed, type FollowOptions, follow } from "../follow.js";
import type { Pages } from "../paging.js";
import type { CallOptions, Query, Schema } from "../types.js";
import { Resource } from "./resource.js";

/** Events: the log of the last 30 days. */
export class Events extends Resource {
  /** Returns the events in the log, oldest first, up to its present end. */
  list(query?: Query<"list-events">, options?: CallOptions): Pages<Schema<"LoggedEvent">> {
    return this.pages("list-events", { query }, options);
  }

  get(id: string, options?: CallOptions): Promise<Schema<"LoggedEvent">> {
    return this.api.call("get-event", { path: { id } }, options);
  }

  /**
   * Returns every event after a cursor, also those to come; it ends only with an error or the signal. Failed connections
   * and restarts of the service are waited out.
   *
   * Store the cursor after the work for its event: the next program continues there. Until the end of a page it is the
   * cursor of the page's start, so that a crash repeats events rather than skips them.
   */
  follow(cursor?: string | null, options?: FollowOptions): AsyncGenerator<Followed, void, undefined> {
    return follow(this.api, cursor, options);
  }
}
