import { createHash, randomUUID } from "node:crypto";
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type IN8nHttpFullResponse,
  type IPollFunctions,
  type IWebhookFunctions,
  sleep,
} from "n8n-workflow";

import { ApiFailure } from "./failure";

/** Whatever n8n calls a node with. */
export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/** A request to the API. */
export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: IDataObject | undefined;
  body?: IDataObject | undefined;
  /** The Idempotency-Key, with which a repeated request takes effect once (docs/contract.md, Idempotency). */
  key?: string | undefined;
  /** Changes nothing, so that it may be sent again. */
  reads?: boolean | undefined;
  /** The milliseconds that one try may take. */
  timeout?: number | undefined;
}

/** A response with a status of success. */
export interface ApiResponse<T> {
  body: T;
  headers: IDataObject;
}

const maxAttempts = 5;
const firstWait = 500; // milliseconds
const longestWait = 30_000;
const longestRetryAfter = 300; // seconds; the workflow decides on more
const usualTimeout = 60_000;
const transient = new Set([408, 429, 502, 503, 504]);

/** Sends a request to the API, and returns the body of its response. */
export async function request<T>(context: Context, outgoing: ApiRequest): Promise<T> {
  return (await exchange<T>(context, outgoing)).body;
}

/** Sends a request to the API, with the tries that docs/contract.md (Idempotency) permits. */
export async function exchange<T>(context: Context, outgoing: ApiRequest): Promise<ApiResponse<T>> {
  const { method, path, query, body, key, reads, timeout = usualTimeout } = outgoing;
  const credential = credentialOf(context);
  const { url } = await context.getCredentials<{ url: string }>(credential);
  const options: IHttpRequestOptions = {
    method,
    url: `${url.replace(/\/+$/, "")}${path}`,
    qs: query ?? {},
    arrayFormat: "repeat",
    headers: { Accept: "application/json", ...(key && { "Idempotency-Key": key }) },
    timeout,
    json: true,
    returnFullResponse: true,
    disableFollowRedirect: true,
    // The OAuth2 credential renews its token when a request fails with 401.
    ignoreHttpStatusErrors: credential === "fencepostOAuth2Api" ? { ignore: true, except: [401] } : true,
    ...(body !== undefined && { body }),
  };
  const repeatable = method === "GET" || method === "PUT" || method === "DELETE" || reads === true || key !== undefined;
  const call = () => context.helpers.httpRequestWithAuthentication.call(context, credential, { ...options });
  return (await send(call, { repeatable, deletes: method === "DELETE" })) as ApiResponse<T>;
}

/** Sends bytes to the store, which must not get the credential. */
export async function put(
  context: Context,
  options: Pick<IHttpRequestOptions, "url" | "headers" | "body">,
): Promise<void> {
  const call = () =>
    context.helpers.httpRequest({
      ...options,
      method: "PUT",
      timeout: 300_000,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
    });
  await send(call, { repeatable: true, deletes: false });
}

async function send(
  call: () => Promise<IN8nHttpFullResponse>,
  { repeatable, deletes }: { repeatable: boolean; deletes: boolean },
): Promise<ApiResponse<unknown>> {
  let lost = false;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOf(call);
    if (!(outcome instanceof ApiFailure)) return outcome;
    // The response to an earlier try was lost, and that try has deleted it.
    if (lost && deletes && outcome.status === 404) return { body: undefined, headers: {} };
    if (attempt === maxAttempts || !repeatable || !isTransient(outcome)) throw outcome;
    lost ||= outcome.status === undefined;
    await sleep(backOff(outcome, attempt - 1));
  }
}

async function attemptOf(call: () => Promise<IN8nHttpFullResponse>): Promise<ApiResponse<unknown> | ApiFailure> {
  try {
    const { statusCode, headers, body } = await call();
    if (statusCode >= 200 && statusCode < 300)
      return { body: body === "" ? undefined : body, headers: headers as IDataObject };
    return ApiFailure.ofResponse(statusCode, headers as IDataObject, body);
  } catch (error) {
    return ApiFailure.ofError(error);
  }
}

function isTransient({ status, code, retryAfter }: ApiFailure): boolean {
  if ((retryAfter ?? 0) > longestRetryAfter) return false;
  return status === undefined || transient.has(status) || code === "IDEMPOTENCY_IN_PROGRESS";
}

function backOff({ retryAfter }: ApiFailure, retries: number): number {
  if (retryAfter !== undefined) return retryAfter * 1000;
  return Math.random() * Math.min(longestWait, firstWait * 2 ** retries);
}

/** Returns the type of the credential that the node uses. */
export function credentialOf(context: Context): "fencepostApi" | "fencepostOAuth2Api" {
  return parameterOf<string>(context, "authentication", "apiKey") === "oAuth2" ? "fencepostOAuth2Api" : "fencepostApi";
}

/** Returns a parameter of a context with items, that of the first one, or of a context without items. */
export function parameterOf<T>(context: Context, name: string, fallback: T): T {
  if ("getInputData" in context) return context.getNodeParameter(name, 0, fallback) as T;
  return context.getNodeParameter(name, fallback as never) as T;
}

/** Returns a key for a request that nothing repeats later. */
export function newKey(): string {
  return `n8n-${randomUUID()}`;
}

/**
 * Returns the key of an item's request: the same in every retry of the execution, and another one for another execution,
 * run of the node or item. The context of the node is part of the data with which n8n retries an execution under a new ID.
 */
export function keyOf(context: IExecuteFunctions, itemIndex: number, step = ""): string {
  const memory = context.getContext("node") as { fencepostExecution?: string };
  memory.fencepostExecution ??= context.getExecutionId() || randomUUID();
  const run = context.evaluateExpression("{{ $runIndex }}", itemIndex);
  const parts = [memory.fencepostExecution, context.getNode().id, run, itemIndex, step];
  return `n8n-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}
