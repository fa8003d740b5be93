// Uses the client that openapi-typescript makes of docs/openapi.yaml, so that tsc finds types that are missing or wrong.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8080", headers: { Authorization: "Bearer key" } });

// Members with a default are optional in requests.
const { data, error } = await client.POST("/v1/posts", {
  params: { header: { "Idempotency-Key": "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10" } },
  body: { channelIds: ["0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"], content: "Our spring collection is here." },
});
if (error !== undefined) {
  const code: components["schemas"]["ProblemCode"] = error.code;
  console.error(code, error.errors?.map((fault) => fault.pointer));
}
const waiting: components["schemas"]["WaitingReason"] | undefined = data?.[0]?.waiting?.reason;
console.log(waiting);

// null and a member that is left out are not the same.
await client.PATCH("/v1/posts/{id}", { params: { path: { id: "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" } }, body: { title: null } });

// The type distinguishes events and blocks.
export function published(event: components["schemas"]["WebhookEvent"]): string | null {
  return event.type === "post.published" ? event.data.postUrl : null;
}
export function title(block: components["schemas"]["LinkPageBlock"]): string | null {
  return block.type === "LINK" ? block.settings.title : null;
}
