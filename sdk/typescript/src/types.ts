import type { components, operations } from "./api.gen.js";
import type { table } from "./operations.gen.js";

/** A type of the OpenAPI document by its name, such as Schema<"Post">. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The ID of an operation of the OpenAPI document. */
export type OperationId = keyof typeof table;

type Json<Responses, Status> = Status extends keyof Responses
  ? Responses[Status] extends { content: { "application/json": infer Body } }
    ? Body
    : undefined
  : never;

/** The parameters of the query of an operation. */
export type Query<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["query"]>;

/** The body of the request of an operation. */
export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Sent } };
}
  ? Sent
  : undefined;

/** The body of the successful response of an operation. */
export type Result<Id extends OperationId> = Json<operations[Id]["responses"], 200 | 201 | 202 | 204>;

/** The options of one call. */
export interface CallOptions {
  /** Ends the call, including its waits. The call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** The key with which a repeated call takes effect once; by default a new UUID for each call. */
  idempotencyKey?: string | undefined;
  /** The version that the resource must have, from etagOf. */
  ifMatch?: string | undefined;
  /** The milliseconds that one try may take. */
  timeout?: number | undefined;
  /** The number of tries in all. */
  maxAttempts?: number | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}
