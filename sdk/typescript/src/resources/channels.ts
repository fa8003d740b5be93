import type { CallOptions, Query, Result, Schema } from "../types.js";
import { Resource } from "./resource.js";

/** Channels: the connected accounts. People connect them in the application. */
export class Channels extends Resource {
  /** Returns all channels that match the filters, in one array. */
  list(query?: Query<"list-channels">, options?: CallOptions): Promise<Schema<"Channel">[]> {
    return this.api.call("list-channels", { query }, options);
  }

  get(id: string, options?: CallOptions): Promise<Schema<"Channel">> {
    return this.api.call("get-channel", { path: { id } }, options);
  }

  /** Returns how many posts the network still accepts now. */
  getQuota(id: string, options?: CallOptions): Promise<Schema<"Quota">> {
    return this.api.call("get-channel-quota", { path: { id } }, options);
  }

  /** Returns the posting schedule with the next free slots. */
  getSchedule(id: string, options?: CallOptions): Promise<Schema<"ChannelSchedule">> {
    return this.api.call("get-channel-schedule", { path: { id } }, options);
  }

  listPinterestBoards(id: string, options?: CallOptions): Promise<Result<"list-pinterest-boards">> {
    return this.api.call("list-pinterest-boards", { path: { id } }, options);
  }

  /** Returns what a TikTok account allows. */
  getTikTokCreatorInfo(id: string, options?: CallOptions): Promise<Schema<"CreatorInfo">> {
    return this.api.call("get-tiktok-creator-info", { path: { id } }, options);
  }
}
