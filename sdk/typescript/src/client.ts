import { Api, type RequestOptions } from "./api.js";
import { setting } from "./environment.js";
import { type Hooks, runtime } from "./hooks.js";
import { Analytics } from "./resources/analytics.js";
import { Channels } from "./resources/channels.js";
import { Events } from "./resources/events.js";
import { Ideas } from "./resources/ideas.js";
import { LinkPages } from "./resources/linkPages.js";
import { Media } from "./resources/media.js";
import { Posts } from "./resources/posts.js";
import { Webhooks } from "./resources/webhooks.js";
import type { CallOptions, Result, Schema } from "./types.js";

/** The options of a client. */
export interface ClientOptions {
  /** The address of the API, without /v1; by default the variable FENCEPOST_URL. */
  url?: string | undefined;
  /** The API key; by default the variable FENCEPOST_API_KEY. */
  apiKey?: string | undefined;
  /** The milliseconds that one try may take; by default 30 seconds. */
  timeout?: number | undefined;
  /** The number of tries of a call in all; by default 5. */
  maxAttempts?: number | undefined;
  /** Headers of every request, such as those of a proxy. */
  headers?: Record<string, string> | undefined;
  /** Replacements for parts of the runtime, such as fetch. */
  hooks?: Partial<Hooks> | undefined;
}

/** A client of the Fencepost API. It has no state and may be shared. */
export class Fencepost {
  readonly posts: Posts;
  readonly channels: Channels;
  readonly media: Media;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly analytics: Analytics;
  readonly linkPages: LinkPages;
  readonly ideas: Ideas;
  readonly #api: Api;

  constructor(options: ClientOptions = {}) {
    const api = new Api({
      url: setting(options.url, "url", "FENCEPOST_URL").replace(/\/+$/, ""),
      apiKey: setting(options.apiKey, "apiKey", "FENCEPOST_API_KEY"),
      timeout: options.timeout ?? 30_000,
      maxAttempts: options.maxAttempts ?? 5,
      headers: options.headers ?? {},
      hooks: { ...runtime, ...options.hooks },
    });
    this.#api = api;
    this.posts = new Posts(api);
    this.channels = new Channels(api);
    this.media = new Media(api);
    this.webhooks = new Webhooks(api);
    this.events = new Events(api);
    this.analytics = new Analytics(api);
    this.linkPages = new LinkPages(api);
    this.ideas = new Ideas(api);
  }

  /** Returns the workspace of the key, with its plan, its usage and the scopes of the key. */
  getWorkspace(options?: CallOptions): Promise<Schema<"Workspace">> {
    return this.#api.call("get-workspace", {}, options);
  }

  /** Returns the OpenAPI document of the installation. */
  getOpenapi(options?: CallOptions): Promise<Result<"get-openapi">> {
    return this.#api.call("get-openapi", {}, options);
  }

  /**
   * Sends a request to any path of the API and returns the parsed body, with the tries and errors of the other methods. A
   * POST or PATCH is repeated only with an idempotencyKey, or if no connection was made.
   */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T> {
    return this.#api.request<T>(method, path, options);
  }
}
