// Publishes a picture with a text of its own on each channel, and waits for the webhooks with the outcome. A second
// run with the same name publishes nothing. It uses only the standard library (Node.js 18.17 or newer):
//
//   API_URL=… API_KEY=svc_live_… WEBHOOK=127.0.0.1:8098 \
//     node dist/publisher.js sunrise.jpg spring-1 "TWITTER=Hello" "THREADS=Hello, all of you"
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { on } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";

interface Problem { code: string; detail: string; postId?: string; errors?: { pointer: string; message: string }[] }
interface Post { id: string; groupId: string; status: string; postUrl: string | null }
class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    const faults = (problem.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
    super([`${problem.code}: ${problem.detail}`, ...faults].join("\n"));
    this.problem = problem;
  }
}

// Repeats a request until it has a final response. The key makes a repeated change take effect once.
async function send(method: string, url: string, headers: Record<string, string>, body: string | Blob | null) {
  const request = { method, body, headers: { ...headers, "Idempotency-Key": randomUUID() } };
  for (let tries = 7; ; tries--) {
    let reason = "", wait = 1;
    try {
      const response = await fetch(url, request);
      if (response.ok) return new Response(response.status === 204 ? null : await response.arrayBuffer());
      const problem = await response.json() as Problem;
      // 409 with this code: the first request still runs.
      const busy = [429, 503].includes(response.status) || problem.code === "IDEMPOTENCY_IN_PROGRESS";
      if (!busy || tries === 0) throw new Refused(problem);
      reason = problem.code;
      wait = Number(response.headers.get("Retry-After") ?? 1);
    } catch (error) { // The connection was cut: the request may have taken effect.
      if (error instanceof Refused || tries === 0) throw error;
      reason = String(error);
    }
    console.error("again:", reason);
    await setTimeout(1000 * wait);
  }
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { Authorization: `Bearer ${process.env.API_KEY}`, ...(body && { "Content-Type": "application/json" }) };
  const response = await send(method, process.env.API_URL + path, headers, body ? JSON.stringify(body) : null);
  return JSON.parse(await response.text() || "null") as T;
}

// Reports whether a body is signed with the secret at a time near now.
function genuine(header: string, body: Buffer, secret: string): boolean {
  const [time = "", ...signatures] = header.split(",");
  const sent = time.replace(/^t=/, "");
  const want = Buffer.from(`v1=${createHmac("sha256", secret).update(`${sent}.`).update(body).digest("hex")}`);
  const equal = (given: Buffer) => given.length === want.length && timingSafeEqual(given, want);
  return Math.abs(Date.now() / 1000 - Number(sent)) < 300 && signatures.some((one) => equal(Buffer.from(one)));
}

const [picture = "", name = "", ...texts] = process.argv.slice(2);
const content = new Uint8Array(await readFile(picture));
const file = { fileName: "picture.jpg", contentType: "image/jpeg", sizeBytes: content.length };
const upload = await call<{ mediaId: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/v1/media/uploads", file);
await send("PUT", upload.uploadUrl, upload.headers, new Blob([content]));
await call("POST", `/v1/media/uploads/${upload.mediaId}/complete`, {});
const channels = await call<{ id: string; type: string }[]>("GET", "/v1/channels");
const variants = texts.map((text) => ({
  channelId: channels.find(({ type }) => type === text.split("=")[0])?.id, content: text.slice(text.indexOf("=") + 1),
}));

const address = process.env.WEBHOOK ?? "";
const hook = await call<{ id: string; secret: string }>("POST", "/v1/webhooks",
  { url: `http://${address}/`, events: ["post.published", "post.failed"] });
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const known = genuine(String(request.headers["x-service-signature"]), body, hook.secret);
  if (known) server.emit("genuine", JSON.parse(body.toString()));
  response.writeHead(known ? 204 : 401).end();
}).listen(Number(address.split(":")[1]), address.split(":")[0]);
const events = on(server, "genuine"); // may come twice and in any order
try {
  const set = { externalId: name, mediaIds: [upload.mediaId], variants, schedule: "now" };
  const posts = await call<Post[]>("POST", "/v1/posts", set);
  const pending = new Set(posts.map(({ id }) => id));
  for (let last; pending.size > 0; last = await events.next(), pending.delete(last.value[0].data.postId));
  for (let cursor: string | null = ""; cursor !== null;) { // the posts of the set, page by page
    const query: string = `?limit=1&groupId=${posts[0]?.groupId}` + (cursor && `&cursor=${cursor}`);
    const page: { data: Post[]; nextCursor: string | null } = await call("GET", "/v1/posts" + query);
    for (const post of page.data) console.log(post.status, post.postUrl);
    cursor = page.nextCursor;
  }
} catch (error) {
  if (!(error instanceof Refused) || error.problem.code !== "EXTERNAL_ID_IN_USE") throw error; // 422 has every fault
  console.log("already posted:", error.problem.postId); // 409: an earlier run
} finally {
  await call("DELETE", `/v1/webhooks/${hook.id}`);
  server.close();
}
