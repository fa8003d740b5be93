import type { CallOptions, Query, Schema } from "../types.js";
import { Resource } from "./resource.js";

/** Analytics: figures by day. A figure that the network does not report is null. */
export class Analytics extends Resource {
  getPost(id: string, query?: Query<"get-post-analytics">, options?: CallOptions): Promise<Schema<"PostAnalytics">> {
    return this.api.call("get-post-analytics", { path: { id }, query }, options);
  }

  getChannel(
    id: string,
    query?: Query<"get-channel-analytics">,
    options?: CallOptions,
  ): Promise<Schema<"ChannelAnalytics">> {
    return this.api.call("get-channel-analytics", { path: { id }, query }, options);
  }

  getWorkspace(query?: Query<"get-workspace-analytics">, options?: CallOptions): Promise<Schema<"WorkspaceAnalytics">> {
    return this.api.call("get-workspace-analytics", { query }, options);
  }
}
