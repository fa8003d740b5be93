import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/** A request that the server received. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json(): Record<string, unknown>;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Ends the connection without a response. */
  cut?: boolean;
}

export type Responder = (request: Received, count: number) => Reply | undefined;

/** Starts a server on a free port. A request without a reply gets 418. */
export async function serve(respond: Responder): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
    const one: Received = {
      method: incoming.method ?? "",
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body,
      json: () => JSON.parse(body.toString() || "{}") as Record<string, unknown>,
    };
    received.push(one);
    write(
      outgoing,
      respond(one, received.length) ?? { status: 418, body: { code: "TEST", detail: `${one.method} ${one.path}` } },
    );
  });
  await listening(server);
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
}

function write(outgoing: ServerResponse, { status = 200, headers = {}, body, cut }: Reply): void {
  if (cut) {
    outgoing.destroy();
    return;
  }
  const type = status >= 400 ? "application/problem+json" : "application/json";
  outgoing.writeHead(body === undefined && status === 200 ? 204 : status, { "Content-Type": type, ...headers });
  outgoing.end(body === undefined ? "" : JSON.stringify(body));
}
