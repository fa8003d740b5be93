import { type IDataObject, type INode, type JsonObject, NodeApiError } from "n8n-workflow";

import type { Problem } from "./types";

/** A request without success. */
export class ApiFailure extends Error {
  /** The status of the response; undefined if there is none. */
  readonly status: number | undefined;
  /** The problem document of the response (docs/contract.md, Problem details). */
  readonly problem: Partial<Problem>;
  readonly requestId: string | undefined;
  /** The seconds to wait before the request is sent again, if the service states them. */
  readonly retryAfter: number | undefined;

  private constructor(
    message: string,
    status?: number,
    problem: Partial<Problem> = {},
    headers: IDataObject = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.status = status;
    this.problem = problem;
    this.requestId = problem.requestId ?? textOf(headers["x-request-id"]);
    this.retryAfter = secondsOf(textOf(headers["retry-after"]));
  }

  static ofResponse(status: number, headers: IDataObject, body: unknown): ApiFailure {
    const problem = problemOf(body);
    const message = problem.detail ?? `the response has the status ${status}, and no problem document`;
    return new ApiFailure(message, status, problem, headers);
  }

  /** Reads what n8n throws: for a response with 401, and for a connection that failed. */
  static ofError(error: unknown): ApiFailure {
    if (error instanceof ApiFailure) return error;
    const { httpCode, response, context } = error as Thrown;
    const status = response?.status ?? (httpCode ? Number(httpCode) : undefined);
    if (status) return ApiFailure.ofResponse(status, response?.headers ?? {}, response?.data ?? context?.data);
    const { message, description } = error as Error & { description?: string | null };
    return new ApiFailure(description ?? message, undefined, {}, {}, error);
  }

  get code(): string | undefined {
    return this.problem.code;
  }

  /** Returns the item that continues a workflow in place of a result. */
  toItem(): IDataObject {
    const { code, errors, currentStatus, references, postId } = this.problem;
    const item = {
      error: this.message,
      status: this.status ?? null,
      code: code ?? null,
      errors: errors ?? [],
      currentStatus,
      references,
      postId,
      requestId: this.requestId,
      retryAfter: this.retryAfter,
    };
    return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as IDataObject;
  }

  /** Returns the error that n8n shows: the detail of the problem, and every fault with its place. */
  toNodeError(node: INode, itemIndex?: number): NodeApiError {
    const faults = (this.problem.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
    const marks = [this.code, this.requestId && `request ${this.requestId}`].filter(Boolean).join(", ");
    const description = [...faults, marks].filter(Boolean).join("\n");
    return new NodeApiError(node, { ...this.problem, message: this.message } as unknown as JsonObject, {
      message: this.message,
      ...(description && { description }),
      ...(this.status !== undefined && { httpCode: String(this.status) }),
      ...(itemIndex !== undefined && { itemIndex }),
    });
  }
}

interface Thrown {
  httpCode?: string | null;
  context?: { data?: unknown };
  response?: { status?: number; headers?: IDataObject; data?: unknown };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the seconds of a Retry-After header, which has seconds or a date. */
function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function problemOf(body: unknown): Partial<Problem> {
  if (typeof body !== "string")
    return typeof body === "object" && body !== null && "code" in body ? (body as Partial<Problem>) : {};
  try {
    return problemOf(JSON.parse(body));
  } catch {
    return {}; // not JSON: a page of a proxy
  }
}
