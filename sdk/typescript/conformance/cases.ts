/** The members of sdk/conformance/cases.json that concern the runner; sdk/conformance/README.md explains them. */
export interface Table {
  clock: string;
  cases: Case[];
}

export interface Case {
  name: string;
  clock?: string;
  client?: { timeoutSeconds?: number; maxAttempts?: number; apiKey?: null; url?: null };
  call: {
    method: string;
    arguments: Record<string, unknown>;
    options?: { idempotencyKey?: string; ifMatch?: string };
    take?: number;
    cancel?: { afterSeconds?: number; onWait?: number };
  };
  expect: Expectation;
}

export interface Span {
  least: number;
  most: number;
}

export interface Expectation {
  values?: Record<string, unknown>;
  count?: number;
  error?: Record<string, unknown>;
  waits?: Span[];
  waitsSum?: Span;
  progress?: { sent: number; total: number };
}

/** What a call did. */
export interface Outcome {
  value: unknown;
  error?: unknown;
  cancelled: boolean;
  waits: number[];
  progress?: { sent: number; total: number };
}
