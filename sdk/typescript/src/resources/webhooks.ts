import type { Pages } from "../paging.js";
import type { Body, CallOptions, Query, Schema } from "../types.js";
import { type HeadersLike, type VerifyOptions, verifyWebhook } from "../verify.js";
import { Resource } from "./resource.js";

type Webhook = Schema<"Webhook">;
type Created = Schema<"CreatedWebhook">;

/** Webhooks: the addresses that receive events, and their deliveries. */
export class Webhooks extends Resource {
  list(options?: CallOptions): Pages<Webhook> {
    return this.pages("list-webhooks", {}, options);
  }

  get(id: string, options?: CallOptions): Promise<Webhook> {
    return this.api.call("get-webhook", { path: { id } }, options);
  }

  /** Registers an address. The response has the signing secret, once. */
  create(body: Body<"create-webhook">, options?: CallOptions): Promise<Created> {
    return this.api.call("create-webhook", { body }, options);
  }

  update(id: string, body: Body<"update-webhook">, options?: CallOptions): Promise<Webhook> {
    return this.api.call("update-webhook", { path: { id }, body }, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.api.call("delete-webhook", { path: { id } }, options);
  }

  /** Replaces the signing secret. The response has the new one, once. */
  rotateSecret(id: string, body?: Body<"rotate-webhook-secret">, options?: CallOptions): Promise<Created> {
    return this.api.call("rotate-webhook-secret", { path: { id }, body }, options);
  }

  /** Sends the event webhook.test to the address. */
  test(id: string, options?: CallOptions): Promise<Schema<"WebhookTest">> {
    return this.api.call("test-webhook", { path: { id } }, options);
  }

  /** Returns the deliveries of the last 30 days, newest first. */
  listDeliveries(
    id: string,
    query?: Query<"list-webhook-deliveries">,
    options?: CallOptions,
  ): Pages<Schema<"WebhookDelivery">> {
    return this.pages("list-webhook-deliveries", { path: { id }, query }, options);
  }

  /** Returns a delivery with its attempts. */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<Schema<"WebhookDeliveryLog">> {
    return this.api.call("get-webhook-delivery", { path: { id, deliveryId } }, options);
  }

  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Schema<"WebhookDelivery">> {
    return this.api.call("redeliver-webhook-delivery", { path: { id, deliveryId } }, options);
  }

  /** Delivers the events of a range of time again. */
  startReplay(id: string, body: Body<"start-webhook-replay">, options?: CallOptions): Promise<Schema<"WebhookReplay">> {
    return this.api.call("start-webhook-replay", { path: { id }, body }, options);
  }

  getReplay(id: string, replayId: string, options?: CallOptions): Promise<Schema<"WebhookReplay">> {
    return this.api.call("get-webhook-replay", { path: { id, replayId } }, options);
  }

  /** Verifies a delivery and returns its event. The function verifyWebhook does the same without a client. */
  verify(
    headers: HeadersLike,
    rawBody: string | ArrayBuffer | Uint8Array,
    secrets: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<Schema<"WebhookEvent">> {
    return verifyWebhook(headers, rawBody, secrets, { now: this.api.hooks.now, ...options });
  }
}
