import type { Schema } from "./types.js";

/**
 * The kinds of errors:
 *
 * - api: the service refused the request; `status` and, with a problem document, `code` (docs/contract.md, Error codes)
 * - connection: no connection, or one that ended before the whole response; `cause` has the reason
 * - timeout: no response in time, or no outcome of a post
 * - decode: a success that is not JSON, such as a page of a proxy
 * - validation: arguments that cannot be sent; `errors` has every fault
 * - configuration: an option of the client is missing
 * - signature: a delivery that is not genuine
 */
export type ErrorKind = "api" | "connection" | "timeout" | "decode" | "validation" | "configuration" | "signature";

type Problem = Partial<Schema<"Problem">>;

/** What an error consists of. */
export interface ErrorParts {
  detail: string;
  status?: number | undefined;
  problem?: Problem | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The error of every call. A cancelled call rejects with the reason of its signal instead. */
export class FencepostError extends Error {
  readonly kind: ErrorKind;
  /** The status of the response; undefined if there is none. */
  readonly status: number | undefined;
  /** The code of the problem. Codes are added without notice: treat an unknown one by its status. */
  readonly code: Schema<"ProblemCode"> | undefined;
  /** The explanation of this occurrence. Do not parse it. */
  readonly detail: string;
  /** Every fault of the request, with its place in the body or the name of a parameter. */
  readonly errors: readonly Schema<"Fault">[];
  /** INVALID_STATE: the status of the resource. */
  readonly currentStatus: string | undefined;
  /** MEDIA_IN_USE: the uses of the asset. */
  readonly references: readonly Schema<"Reference">[];
  /** EXTERNAL_ID_IN_USE: the post that has the external ID. */
  readonly postId: string | undefined;
  /** The ID of the request, for support. */
  readonly requestId: string | undefined;
  /** The seconds to wait before the request is sent again, if the service states them. */
  readonly retryAfter: number | undefined;

  constructor(kind: ErrorKind, parts: ErrorParts) {
    const problem = parts.problem ?? {};
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    const faults = errors.map(({ pointer, message }) => `${pointer} ${message}`);
    super([`${problem.code ?? kind}: ${parts.detail}`, ...faults].join("\n"), { cause: parts.cause });
    this.name = "FencepostError";
    this.kind = kind;
    this.status = parts.status;
    this.code = problem.code;
    this.detail = parts.detail;
    this.errors = errors;
    this.currentStatus = problem.currentStatus;
    this.references = Array.isArray(problem.references) ? problem.references : [];
    this.postId = problem.postId;
    this.requestId = parts.requestId;
    this.retryAfter = parts.retryAfter;
  }
}

/** Returns the error of arguments that the service would refuse. */
export function refused(errors: Schema<"Fault">[]): FencepostError {
  const detail = errors.length === 1 ? "the request has a fault" : `the request has ${errors.length} faults`;
  return new FencepostError("validation", { detail, problem: { code: "VALIDATION_FAILED", errors } });
}

/** Returns the error of a response, with its problem document if it has one. */
export function errorOf(response: Response, text: string, retryAfter: number | undefined): FencepostError {
  const { status } = response;
  const problem = problemOf(text);
  const detail = problem?.detail ?? problem?.title ?? `the response has the status ${status}, and no problem document`;
  const requestId = problem?.requestId ?? response.headers.get("X-Request-Id") ?? undefined;
  return new FencepostError("api", { status, detail, problem, requestId, retryAfter });
}

function problemOf(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "code" in value && typeof value.code === "string") {
      return value as Problem;
    }
  } catch {
    // Not JSON: a page of a proxy.
  }
  return undefined;
}
