/** An operation of the API, as the table in operations.gen.ts lists it. */
export interface Operation {
  readonly method: string;
  /** The path with its parameters in braces. */
  readonly path: string;
  /** Takes an Idempotency-Key: every try of a call sends the same one. */
  readonly keyed?: boolean;
  /** Changes nothing, so that it may be sent again. */
  readonly reads?: boolean;
  /** The parameters of the query that are times. */
  readonly times?: readonly string[];
}
