// A webhook endpoint to learn from and to try the service with. It needs nothing but Node.js 18:
//
//     npm ci
//     WEBHOOK_SECRET=whsec_... npm start [-- port]
//
// The secret is the one in the answer to POST /v1/webhooks.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { verify } from "./verify.js";

/** The body of every delivery. The data differs from event to event; unknown members are to be expected. */
interface Envelope {
  id: string;
  type: string;
  createdAt: string;
  workspaceId: string;
  data: unknown;
}

const maxBody = 1 << 20; // above the largest envelope the service sends, 64 KiB
const secret = process.env["WEBHOOK_SECRET"] ?? "";
const port = Number(process.argv[2] ?? 8099);

// A real receiver keeps the ids in its database, in the same transaction as what the event makes it do.
const seen = new Set<string>();

/** Remembers an event by its id: deliveries may come more than once. */
function isNew(id: string): boolean {
  if (seen.has(id)) return false;
  if (seen.size >= 10_000) seen.clear();
  seen.add(id);
  return true;
}

/** Reads the raw bytes: a body that was parsed and written again has another signature. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(405, { Allow: "POST" }).end();
    return;
  }
  const body = await read(request);
  if (body === undefined) {
    response.writeHead(413, { Connection: "close" }).end();
    return;
  }
  const header = request.headers["x-service-signature"];
  if (typeof header !== "string" || !verify(header, body, secret)) {
    console.log("refused: the signature does not match");
    response.writeHead(401).end();
    return;
  }
  // Acknowledge at once; whatever takes longer than a moment belongs into a queue.
  response.writeHead(204).end();
  const event = JSON.parse(body.toString()) as Envelope;
  if (isNew(event.id)) {
    console.log(event.type, event.id, JSON.stringify(event.data));
  } else {
    console.log(event.type, event.id, "again; nothing is done twice");
  }
}

if (!secret.startsWith("whsec_") || !Number.isInteger(port)) {
  console.error("usage: WEBHOOK_SECRET=whsec_... npm start [-- port]");
  process.exit(2);
}
const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
  receive(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(port, "127.0.0.1", () => console.log(`waiting for events on http://127.0.0.1:${port}/`));
