import { FencepostError } from "./errors.js";
import type { Hooks } from "./hooks.js";
import type { Operation } from "./operation.js";
import { table } from "./operations.gen.js";
import { pathOf, type QueryValue, queryOf } from "./requests.js";
import { checkTimes } from "./times.js";
import { type Outgoing, type Received, send } from "./transport.js";
import type { CallOptions, OperationId, Result } from "./types.js";
import { version } from "./version.js";

/** The arguments of an operation. */
export interface Arguments {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
}

/** The options of a raw request. */
export interface RequestOptions extends CallOptions {
  query?: Record<string, QueryValue> | undefined;
  /** Sent as JSON. */
  body?: unknown;
}

/** A response with its parsed body, which is undefined if there is none. */
export interface Parsed<T> {
  headers: Headers;
  body: T;
}

export interface Settings {
  url: string;
  apiKey: string;
  timeout: number;
  maxAttempts: number;
  headers: Record<string, string>;
  hooks: Hooks;
}

const etags = new WeakMap<object, string>();

/** Returns the version of a resource that a call returned, for the option ifMatch; undefined if it has none. */
export function etagOf(resource: object): string | undefined {
  return etags.get(resource);
}

/** Calls operations of the API. */
export class Api {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  get hooks(): Hooks {
    return this.settings.hooks;
  }

  /** Calls an operation of the OpenAPI document, and returns the body of its response. */
  async call<Id extends OperationId>(id: Id, args: Arguments = {}, options: CallOptions = {}): Promise<Result<Id>> {
    return (await this.exchange(id, args, options)).body;
  }

  /** Calls an operation, and returns its response with the headers. */
  exchange<Id extends OperationId>(id: Id, args: Arguments, options: CallOptions): Promise<Parsed<Result<Id>>> {
    const operation: Operation = table[id];
    const query = args.query as Record<string, QueryValue> | undefined;
    return this.#send(operation, pathOf(operation.path, args.path ?? {}), { ...options, query, body: args.body });
  }

  /** Sends a request to any path, with the tries and errors of the other methods. */
  async request<T = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const name = method.toUpperCase();
    return (await this.#send<T>({ method: name, path, reads: name === "GET" || name === "HEAD" }, path, options)).body;
  }

  async #send<T>(operation: Operation, path: string, options: RequestOptions): Promise<Parsed<T>> {
    const query = options.query ?? {};
    checkTimes(query, operation.times ?? [], options.body);
    const response = parsed<T>(await send(this.hooks, this.#outgoing(operation, path + queryOf(query), options)));
    const etag = response.headers.get("ETag");
    if (etag && typeof response.body === "object" && response.body !== null) etags.set(response.body, etag);
    return response;
  }

  #outgoing({ method, keyed, reads }: Operation, target: string, options: RequestOptions): Outgoing {
    const key = options.idempotencyKey ?? (keyed ? globalThis.crypto.randomUUID() : undefined);
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers = {
      Accept: "application/json",
      Authorization: `Bearer ${this.settings.apiKey}`,
      "User-Agent": `fencepost-typescript/${version}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(key !== undefined && { "Idempotency-Key": key }),
      ...(options.ifMatch !== undefined && { "If-Match": options.ifMatch }),
      ...this.settings.headers,
      ...options.headers,
    };
    return {
      method,
      url: this.settings.url + target,
      headers,
      body,
      repeatable: reads === true || key !== undefined || method === "PUT" || method === "DELETE",
      timeout: options.timeout ?? this.settings.timeout,
      maxAttempts: options.maxAttempts ?? this.settings.maxAttempts,
      signal: options.signal,
    };
  }
}

function parsed<T>({ status, headers, text }: Received): Parsed<T> {
  try {
    return { headers, body: (text === "" ? undefined : JSON.parse(text)) as T };
  } catch (cause) {
    const requestId = headers.get("X-Request-Id") ?? undefined;
    throw new FencepostError("decode", { status, detail: "the response is not JSON", requestId, cause });
  }
}
