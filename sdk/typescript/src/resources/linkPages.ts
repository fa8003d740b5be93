import type { Pages } from "../paging.js";
import type { Body, CallOptions, Query, Schema } from "../types.js";
import { Resource } from "./resource.js";

type LinkPage = Schema<"LinkPage">;
type Block = Schema<"LinkPageBlock">;

/** Link pages: drafts, their blocks, and published versions. */
export class LinkPages extends Resource {
  list(options?: CallOptions): Pages<Schema<"LinkPageSummary">> {
    return this.pages("list-link-pages", {}, options);
  }

  get(id: string, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("get-link-page", { path: { id } }, options);
  }

  create(body: Body<"create-link-page">, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("create-link-page", { body }, options);
  }

  update(id: string, body: Body<"update-link-page">, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("update-link-page", { path: { id }, body }, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.api.call("delete-link-page", { path: { id } }, options);
  }

  publish(id: string, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("publish-link-page", { path: { id } }, options);
  }

  unpublish(id: string, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("unpublish-link-page", { path: { id } }, options);
  }

  addBlock(id: string, body: Body<"add-link-block">, options?: CallOptions): Promise<Block> {
    return this.api.call("add-link-block", { path: { id }, body }, options);
  }

  updateBlock(id: string, blockId: string, body: Body<"update-link-block">, options?: CallOptions): Promise<Block> {
    return this.api.call("update-link-block", { path: { id, blockId }, body }, options);
  }

  deleteBlock(id: string, blockId: string, options?: CallOptions): Promise<void> {
    return this.api.call("delete-link-block", { path: { id, blockId } }, options);
  }

  orderBlocks(id: string, body: Body<"order-link-blocks">, options?: CallOptions): Promise<LinkPage> {
    return this.api.call("order-link-blocks", { path: { id }, body }, options);
  }

  getAnalytics(
    id: string,
    query?: Query<"get-link-page-analytics">,
    options?: CallOptions,
  ): Promise<Schema<"LinkPageAnalytics">> {
    return this.api.call("get-link-page-analytics", { path: { id }, query }, options);
  }
}
