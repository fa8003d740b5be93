/** A page of a list. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
  /** Only in the event log, where every page with events has a cursor. */
  hasMore?: boolean;
}

/**
 * A list that pages. It is read page by page while it is iterated:
 *
 *     for await (const post of client.posts.list({ status: ["FAILED"] })) …
 */
export class Pages<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<P>;
  readonly #start: string | undefined;

  constructor(read: (cursor: string | undefined) => Promise<P>, start?: string) {
    this.#read = read;
    this.#start = start;
  }

  /** Returns one page: the first, or the one of the cursor that the list was called with. */
  page(): Promise<P> {
    return this.#read(this.#start);
  }

  /** Reads all pages. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor = this.#start;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = page.hasMore === false ? undefined : (page.nextCursor ?? undefined);
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Reads the whole list into memory. */
  async toArray(): Promise<T[]> {
    const all: T[] = [];
    for await (const one of this) all.push(one);
    return all;
  }
}
