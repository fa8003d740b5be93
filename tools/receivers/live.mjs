// Runs a receiver and delivers to it, genuinely and not, as the service would: node live.mjs PORT COMMAND…
// The receiver must listen on 127.0.0.1:PORT and take its secret from WEBHOOK_SECRET.
import { spawn } from "node:child_process";
import { createHmac, randomBytes, randomUUID } from "node:crypto";

const [port, command, ...args] = process.argv.slice(2);
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const receiver = spawn(command, args, { env: { ...process.env, WEBHOOK_SECRET: secret }, stdio: ["ignore", "pipe", "pipe"] });
let printed = "";
receiver.stdout.on("data", (text) => (printed += text));
receiver.stderr.on("data", (text) => (printed += text));
let ended = false;
receiver.on("exit", () => (ended = true));

const deadline = Date.now() + 30_000;
const pause = () => new Promise((wake) => setTimeout(wake, 50));

async function listening() {
  while (!ended && Date.now() < deadline) {
    try {
      return await send(Buffer.from("{}"), {});
    } catch {
      await pause();
    }
  }
  throw new Error("it does not listen");
}

async function send(body, headers, method = "POST") {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method, headers, body: method === "POST" ? body : undefined, redirect: "error" });
  await response.arrayBuffer();
  return response.status;
}

const signed = (body, key = secret, t = Math.floor(Date.now() / 1000)) => ({
  "Content-Type": "application/json",
  "X-Service-Signature": `t=${t},v1=${createHmac("sha256", key).update(`${t}.`).update(body).digest("hex")}`,
});

async function expect(what, status, wanted) {
  if ((await status) !== wanted) throw new Error(`${what}: status ${await status}, not ${wanted}`);
}

async function said(text, times) {
  while (printed.split(text).length - 1 !== times && Date.now() < deadline) await pause();
  if (printed.split(text).length - 1 !== times) throw new Error(`it did not print ${text} ${times} times`);
}

const id = `evt_${randomUUID()}`;
const body = Buffer.from(`{"id":"${id}","type":"post.published","createdAt":"2026-03-01T07:00:00.412Z","data":{"n":9007199254740993,"text":"ü🎈</script>"}}\n`);
const large = Buffer.alloc((1 << 20) + 1, "x");
let fault;
try {
  await expect("without a signature", listening(), 401);
  await expect("genuine", send(body, signed(body)), 204);
  await expect("genuine, again", send(body, signed(body)), 204);
  await expect("other secret", send(body, signed(body, "whsec_AAAA")), 401);
  await expect("stale", send(body, signed(body, secret, Math.floor(Date.now() / 1000) - 302)), 401);
  await expect("other body", send(Buffer.from("{}"), signed(body)), 401);
  const refused = await send(large, signed(large)).catch(() => 413); // some hang up while it is sent
  if (refused < 400) throw new Error(`a body of more than 1 MiB: status ${refused}`);
  if ((await send(undefined, {}, "GET")) < 400) throw new Error("GET was accepted");
  await said(id, 2);
  await said("again", 1);
  if (printed.includes(secret)) throw new Error("it printed the secret");
  console.log("8 requests got the expected status");
} catch (error) {
  fault = error;
  console.error(`${error.message}\n${printed}`);
}
if (!ended) receiver.kill("SIGTERM");
process.exitCode = fault === undefined ? 0 : 1;
