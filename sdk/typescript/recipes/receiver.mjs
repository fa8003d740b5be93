// Sends deliveries to the receiver of a recipe, as the service does.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

// The secret in the response of the case.
const secret = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=";
const body = JSON.stringify({ id: "evt_1", type: "post.published", data: { postUrl: "https://t.me/acme_news/42" } });

/** Returns the variables of the receiver, with a free port. */
export async function receiverVariables() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { PORT: String(port) };
}

/** Sends a forged delivery, which must be refused, and a genuine one. */
export async function deliver({ PORT }) {
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  assert.equal(await post(PORT, `t=${time},v1=${"0".repeat(64)}`), 401);
  assert.equal(await post(PORT, `t=${time},v1=${signature}`), 204);
}

async function post(port, signature) {
  for (let tries = 100; ; tries--) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body,
        headers: { "X-Service-Signature": signature },
      });
      return response.status;
    } catch (error) {
      // the receiver is starting
      if (tries === 0) throw error;
      await sleep(100);
    }
  }
}
