import { type ClientOptions, Fencepost, type Hooks } from "../src/index.js";

/** A request that a client sent. */
export interface Sent {
  method: string;
  url: URL;
  headers: Headers;
  body: unknown;
}

export type Responder = (sent: Sent, init: RequestInit) => Response | Promise<Response>;

export const id = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60";

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

/** Returns a client whose requests get the responses of respond, with a clock that only waits move. */
export function setup(respond: Responder, options: ClientOptions = {}) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  let now = Date.parse("2026-03-01T07:00:00Z");
  const hooks: Hooks = {
    fetch: async (url, init = {}) => {
      const headers = new Headers(init.headers);
      const one = { method: init.method ?? "GET", url: new URL(String(url)), headers, body: init.body };
      sent.push(one);
      return respond(one, init);
    },
    sleep: async (milliseconds, signal) => {
      waits.push(milliseconds);
      now += milliseconds;
      signal?.throwIfAborted();
    },
    now: () => now,
    random: () => 0.5,
  };
  const client = new Fencepost({ url: "https://api.example.com", apiKey: "svc_test_x", hooks, ...options });
  return { client, sent, waits };
}

/** Returns a responder that fails with each error before it responds. */
export function failing(errors: unknown[], then: Responder): Responder {
  const left = [...errors];
  return (sent, init) => {
    if (left.length > 0) throw left.shift();
    return then(sent, init);
  };
}
