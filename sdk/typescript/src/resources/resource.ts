import type { Api, Arguments } from "../api.js";
import { type Page, Pages } from "../paging.js";
import type { CallOptions, OperationId, Result } from "../types.js";

/** The entry of a page of an operation that lists. */
export type Entry<Id extends OperationId> = Result<Id> extends { data: (infer T)[] } ? T : never;

/** The operations of one kind of resource. */
export abstract class Resource {
  protected readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  /** Returns the list of an operation, which is read when it is iterated. */
  protected pages<Id extends OperationId>(
    id: Id,
    args: Arguments & { query?: { cursor?: string } | undefined },
    options?: CallOptions,
  ): Pages<Entry<Id>> {
    const read = (cursor: string | undefined) =>
      this.api.call(id, { ...args, query: { ...args.query, cursor } }, options);
    return new Pages<Entry<Id>>(read as (cursor: string | undefined) => Promise<Page<Entry<Id>>>, args.query?.cursor);
  }
}
