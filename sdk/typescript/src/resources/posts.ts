import type { Pages } from "../paging.js";
import type { Body, CallOptions, Query, Result, Schema } from "../types.js";
import { type WaitOptions, waitUntilDone } from "../wait.js";
import { Resource } from "./resource.js";

type Post = Schema<"Post">;

/** Posts: creating, changing, approving, scheduling and publishing them. */
export class Posts extends Resource {
  /** Returns the posts that match all filters, newest first unless `sort` says otherwise. */
  list(query?: Query<"list-posts">, options?: CallOptions): Pages<Post> {
    return this.pages("list-posts", { query }, options);
  }

  get(id: string, options?: CallOptions): Promise<Post> {
    return this.api.call("get-post", { path: { id } }, options);
  }

  /** Creates one post for each channel, all or none. */
  create(body: Body<"create-posts">, options?: CallOptions): Promise<Post[]> {
    return this.api.call("create-posts", { body }, options);
  }

  /** Creates up to 50 sets of posts. A failed item does not stop the others. */
  createInBulk(body: Body<"create-posts-in-bulk">, options?: CallOptions): Promise<Result<"create-posts-in-bulk">> {
    return this.api.call("create-posts-in-bulk", { body }, options);
  }

  /** Changes or deletes up to 50 posts. A failed item does not stop the others. */
  updateInBulk(body: Body<"update-posts-in-bulk">, options?: CallOptions): Promise<Result<"update-posts-in-bulk">> {
    return this.api.call("update-posts-in-bulk", { body }, options);
  }

  createLinkedIn(body: Body<"create-linkedin-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("create-linkedin-post", { body }, options);
  }

  createPinterest(body: Body<"create-pinterest-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("create-pinterest-post", { body }, options);
  }

  createTikTok(body: Body<"create-tiktok-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("create-tiktok-post", { body }, options);
  }

  createYouTube(body: Body<"create-youtube-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("create-youtube-post", { body }, options);
  }

  /** Returns the errors and warnings of each channel, and creates nothing. */
  validate(body: Body<"validate-posts">, options?: CallOptions): Promise<Result<"validate-posts">> {
    return this.api.call("validate-posts", { body }, options);
  }

  /** Returns what would happen to posts, and changes nothing. */
  simulate(body: Body<"simulate-posts">, options?: CallOptions): Promise<Result<"simulate-posts">> {
    return this.api.call("simulate-posts", { body }, options);
  }

  /** Changes the members that are sent; null clears a value. */
  edit(id: string, body: Body<"edit-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("edit-post", { path: { id }, body }, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.api.call("delete-post", { path: { id } }, options);
  }

  /** Schedules a post at a time, or in the next free slot of its channel. */
  schedule(id: string, body: Body<"schedule-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("schedule-post", { path: { id }, body }, options);
  }

  /** Makes a SCHEDULED post a DRAFT without a time. */
  unschedule(id: string, options?: CallOptions): Promise<Post> {
    return this.api.call("unschedule-post", { path: { id } }, options);
  }

  /** Queues a post for publishing at once, also one that FAILED. */
  publish(id: string, options?: CallOptions): Promise<Post> {
    return this.api.call("publish-post", { path: { id } }, options);
  }

  /** Publishes the parts of a post from the first that is not published, or gives them up (`end`). */
  continueParts(id: string, body?: Body<"continue-parts">, options?: CallOptions): Promise<Post> {
    return this.api.call("continue-parts", { path: { id }, body }, options);
  }

  requestApproval(id: string, options?: CallOptions): Promise<Post> {
    return this.api.call("request-post-approval", { path: { id } }, options);
  }

  approve(id: string, body?: Body<"approve-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("approve-post", { path: { id }, body }, options);
  }

  reject(id: string, body?: Body<"reject-post">, options?: CallOptions): Promise<Post> {
    return this.api.call("reject-post", { path: { id }, body }, options);
  }

  /** Returns what happened to a post, oldest first. */
  getTimeline(id: string, options?: CallOptions): Promise<Schema<"Timeline">> {
    return this.api.call("get-post-timeline", { path: { id } }, options);
  }

  /** Reads a post until it is no longer SCHEDULED, such as PUBLISHED or FAILED, and returns it. */
  waitUntilDone(id: string, options?: WaitOptions): Promise<Post> {
    return waitUntilDone(this.api, id, options);
  }
}
