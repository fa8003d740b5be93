import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";

import { type Context, newKey, parameterOf, request } from "../Fencepost/api";
import { ApiFailure } from "../Fencepost/failure";
import { loadOptions } from "../Fencepost/lookup";
import { eventTypes } from "../Fencepost/operations.gen";
import type { LoggedEvent, Page } from "../Fencepost/types";
import { type Headers, refusalOf } from "../Fencepost/verify";

/** What a workflow keeps about its webhook. */
interface Registration {
  webhookId?: string;
  secret?: string;
  /** The IDs of the last events, because deliveries may repeat. */
  seen?: string[];
}

/** What a workflow keeps about its place in the event log. */
interface Place {
  /** The time from which the log is read. It is part of the cursor. */
  from?: string;
  /** The sequence of the last event before the workflow was activated. */
  after?: number;
  cursor?: string;
  started?: boolean;
}

interface Webhook {
  id: string;
  url: string;
  events: string[];
  channelIds: string[] | null;
  isActive: boolean;
  secret: string;
}

const remembered = 200; // events
const pagesOfPoll = 20;
const margin = 3_600_000; // milliseconds by which an event of a later sequence may be earlier

const pollUnits = [
  { name: "Minutes", value: "minutes" },
  { name: "Hours", value: "hours" },
];

export class FencepostTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Fencepost Trigger",
    name: "fencepostTrigger",
    icon: { light: "file:../Fencepost/fencepost.svg", dark: "file:../Fencepost/fencepost.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: "Starts the workflow when posts are published, fail or change, and at other events",
    defaults: { name: "Fencepost Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      { name: "fencepostApi", required: true, displayOptions: { show: { authentication: ["apiKey"] } } },
      { name: "fencepostOAuth2Api", required: true, displayOptions: { show: { authentication: ["oAuth2"] } } },
    ],
    webhooks: [
      {
        name: "default",
        httpMethod: "POST",
        responseMode: "onReceived",
        // Without a path n8n registers no webhook.
        path: '={{ $parameter["receive"] === "poll" ? undefined : "webhook" }}',
      },
    ],
    properties: [
      {
        displayName: "Authentication",
        name: "authentication",
        type: "options",
        options: [
          { name: "API Key", value: "apiKey" },
          { name: "OAuth2", value: "oAuth2" },
        ],
        default: "apiKey",
      },
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        required: true,
        options: eventTypes,
        default: ["post.published"],
        description: "The events that start the workflow",
      },
      {
        displayName: "Receive",
        name: "receive",
        type: "options",
        options: [
          {
            name: "By Webhook",
            value: "webhook",
            description: "At once. The installation must reach this n8n by HTTPS.",
          },
          {
            name: "By Polling",
            value: "poll",
            description: "Reads the event log at intervals, also behind a router or a firewall",
          },
        ],
        default: "webhook",
        description: "How n8n gets the events",
      },
      {
        displayName: "Poll Times",
        name: "pollTimes",
        type: "fixedCollection",
        typeOptions: { multipleValues: true, multipleValueButtonText: "Add Poll Time" },
        placeholder: "Add Poll Time",
        default: { item: [{ mode: "everyMinute" }] },
        description: "When n8n reads the event log",
        displayOptions: { show: { receive: ["poll"] } },
        options: [
          {
            displayName: "Item",
            name: "item",
            values: [
              {
                displayName: "Mode",
                name: "mode",
                type: "options",
                options: [
                  { name: "Every Minute", value: "everyMinute" },
                  { name: "Every X", value: "everyX" },
                  { name: "Custom", value: "custom" },
                ],
                default: "everyMinute",
                description: "How often n8n reads the log",
              },
              {
                displayName: "Value",
                name: "value",
                type: "number",
                typeOptions: { minValue: 1 },
                default: 5,
                description: "The number of minutes or hours",
                displayOptions: { show: { mode: ["everyX"] } },
              },
              {
                displayName: "Unit",
                name: "unit",
                type: "options",
                options: pollUnits,
                default: "minutes",
                displayOptions: { show: { mode: ["everyX"] } },
              },
              {
                displayName: "Cron Expression",
                name: "cronExpression",
                type: "string",
                default: "0 */10 * * * *",
                description: "Seconds, minutes, hours, day of the month, month, day of the week",
                displayOptions: { show: { mode: ["custom"] } },
              },
            ],
          },
        ],
      },
      // n8n reads the parameter of every trigger that can poll.
      {
        displayName: "Poll Times",
        name: "pollTimes",
        type: "hidden",
        default: { item: [] },
        displayOptions: { show: { receive: ["webhook"] } },
      },
      {
        displayName: "Options",
        name: "options",
        type: "collection",
        placeholder: "Add Option",
        default: {},
        options: [
          {
            displayName: "Channel Names or IDs",
            name: "channelIds",
            type: "multiOptions",
            typeOptions: { loadOptionsMethod: "getChannels" },
            default: [],
            description:
              'The channels whose events start the workflow, without events that have no channel. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
          },
          {
            displayName: "Further Secrets",
            name: "secrets",
            type: "string",
            typeOptions: { password: true },
            default: "",
            description:
              "Secrets of the webhook that were made outside of n8n, such as after a rotation. Separated by commas.",
          },
        ],
      },
    ],
  };

  methods = { loadOptions };

  webhookMethods = {
    default: {
      /** Reports whether the webhook exists as the node wants it. One that differs is changed. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Registration;
        if (!kept.webhookId || !kept.secret) return false;
        const path = `/v1/webhooks/${kept.webhookId}`;
        try {
          const webhook = await request<Webhook>(this, { method: "GET", path });
          const wanted = wantedBy(this);
          if (!matches(webhook, wanted)) await change(this, path, wanted);
          return true;
        } catch (error) {
          if (!(error instanceof ApiFailure) || error.status !== 404) throw shown(this, error);
          this.logger.warn(`The webhook ${kept.webhookId} was deleted outside of n8n`);
          delete kept.webhookId;
          delete kept.secret;
          return false;
        }
      },

      /** Registers the webhook. One with the same address, of which n8n has lost the secret, gets another secret. */
      async create(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Registration;
        const wanted = wantedBy(this);
        try {
          const { data } = await request<Page<Webhook>>(this, { method: "GET", path: "/v1/webhooks" });
          const lost = data.find(({ url }) => url === wanted["url"]);
          const webhook = lost ? await adopt(this, lost.id, wanted) : await register(this, wanted);
          kept.webhookId = webhook.id;
          kept.secret = webhook.secret;
          return true;
        } catch (error) {
          throw shown(this, error);
        }
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData("node") as Registration;
        if (!kept.webhookId) return true;
        try {
          await request(this, { method: "DELETE", path: `/v1/webhooks/${kept.webhookId}` });
        } catch (error) {
          if (!(error instanceof ApiFailure) || error.status !== 404) throw shown(this, error);
          this.logger.debug(`The webhook ${kept.webhookId} was deleted before`);
        }
        delete kept.webhookId;
        delete kept.secret;
        return true;
      },
    },
  };

  /** Receives a delivery. Only a genuine one starts the workflow, and a repeated one does not start it again. */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const kept = this.getWorkflowStaticData("node") as Registration;
    const { secrets = "" } = this.getNodeParameter("options", {}) as { secrets?: string };
    const known = [kept.secret ?? "", ...secrets.split(",")]
      .map((secret) => secret.trim())
      .filter((secret) => secret !== "");
    const rawBody = await rawBodyOf(this);
    const refusal = refusalOf(this.getHeaderData() as Headers, rawBody, known);
    if (refusal !== undefined) {
      this.getResponseObject().status(401).json({ message: refusal });
      return { noWebhookResponse: true };
    }
    const event = JSON.parse(rawBody.toString("utf8")) as LoggedEvent;
    const seen = kept.seen ?? [];
    if (seen.includes(event.id)) return { webhookResponse: { message: "the event was received before" } };
    kept.seen = [...seen, event.id].slice(-remembered);
    // If n8n responded, it would do so after the start of the execution, which marks what the node keeps as unchanged: the
    // event would not be saved as seen.
    this.getResponseObject().status(200).json({ message: "received" });
    return { noWebhookResponse: true, workflowData: [[{ json: event as unknown as IDataObject }]] };
  }

  /** Reads the events since the last poll. */
  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    if (this.getNodeParameter("receive") !== "poll") return null;
    try {
      const events = this.getMode() === "manual" ? await latest(this) : await following(this);
      return events.length > 0 ? [items(events)] : null;
    } catch (error) {
      throw shown(this, error);
    }
  }

  /**
   * Passes the events on. n8n would otherwise poll again when an event has started the workflow by hand, also one of the
   * webhook.
   */
  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const given = this.getInputData();
    const polls = this.getMode() === "manual" && this.getNodeParameter("receive", 0) === "poll";
    if (!polls) return [given];
    try {
      return [items(await latest(this))];
    } catch (error) {
      throw shown(this, error);
    }
  }
}

function items(events: LoggedEvent[]): INodeExecutionData[] {
  return events.map((event) => ({ json: event as unknown as IDataObject }));
}

function shown(context: Context, error: unknown): Error {
  if (error instanceof ApiFailure) return error.toNodeError(context.getNode());
  return new NodeOperationError(context.getNode(), error as Error);
}

function channelsOf(context: Context): string[] {
  const { channelIds = [] } = parameterOf<{ channelIds?: string[] }>(context, "options", {});
  return channelIds;
}

function wantedBy(context: IHookFunctions): IDataObject {
  const channelIds = channelsOf(context);
  return {
    url: context.getNodeWebhookUrl("default") as string,
    events: parameterOf<string[]>(context, "events", []),
    channelIds: channelIds.length > 0 ? channelIds : null,
  };
}

function matches(webhook: Webhook, wanted: IDataObject): boolean {
  const members = ({ url, events, channelIds }: Partial<Webhook>) =>
    JSON.stringify([url, [...(events ?? [])].sort(), channelIds ? [...channelIds].sort() : null]);
  return webhook.isActive && members(webhook) === members(wanted as Partial<Webhook>);
}

function change(context: IHookFunctions, path: string, wanted: IDataObject): Promise<Webhook> {
  return request<Webhook>(context, { method: "PATCH", path, body: { ...wanted, isActive: true }, key: newKey() });
}

function register(context: IHookFunctions, wanted: IDataObject): Promise<Webhook> {
  const name = context.getWorkflow().name ?? context.getWorkflow().id ?? "";
  const body = { ...wanted, description: `n8n: ${name}`.slice(0, 500) };
  return request<Webhook>(context, { method: "POST", path: "/v1/webhooks", body, key: newKey() });
}

async function adopt(context: IHookFunctions, id: string, wanted: IDataObject): Promise<Webhook> {
  const path = `/v1/webhooks/${id}`;
  await change(context, path, wanted);
  const body = { overlapHours: 0, force: true };
  return request<Webhook>(context, { method: "POST", path: `${path}/rotate-secret`, body, key: newKey() });
}

/** Returns the bytes as they arrived: the signature is that of the raw body. */
async function rawBodyOf(context: IWebhookFunctions): Promise<Buffer> {
  const incoming = context.getRequestObject() as unknown as { rawBody?: Buffer; readRawBody?: () => Promise<void> };
  if (!incoming.rawBody) await incoming.readRawBody?.();
  return incoming.rawBody ?? Buffer.alloc(0);
}

/** Returns the events that the parameters select. */
function selected(context: Context, events: LoggedEvent[]): LoggedEvent[] {
  const types = parameterOf<string[]>(context, "events", []);
  const channelIds = channelsOf(context);
  return events.filter(({ type, data }) => {
    if (!types.includes(type)) return false;
    return channelIds.length === 0 || (data.channelId !== undefined && channelIds.includes(data.channelId));
  });
}

function read(context: Context, query: IDataObject): Promise<Page<LoggedEvent>> {
  return request<Page<LoggedEvent>>(context, { method: "GET", path: "/v1/events", query });
}

/** Returns the last event of those that the parameters select, to try the workflow. */
async function latest(context: Context): Promise<LoggedEvent[]> {
  const { data } = await read(context, { sort: "-seq", limit: 100 });
  return selected(context, data).slice(0, 1);
}

/** Returns the events since the last poll, and keeps the place in the log. The first poll keeps the end of the log. */
async function following(context: IPollFunctions): Promise<LoggedEvent[]> {
  const place = context.getWorkflowStaticData("node") as Place;
  if (!place.started) {
    const { data } = await read(context, { sort: "-seq", limit: 1 });
    const [last] = data;
    if (last) {
      place.from = new Date(Date.parse(last.createdAt) - margin).toISOString();
      place.after = last.sequence ?? 0;
    }
    place.started = true;
    return [];
  }
  const found: LoggedEvent[] = [];
  for (let page = 0; page < pagesOfPoll; page++) {
    const query = {
      limit: 100,
      ...(place.from && { from: place.from }),
      ...(place.cursor && { cursor: place.cursor }),
    };
    const { data, nextCursor, hasMore } = await read(context, query);
    found.push(...data.filter(({ sequence }) => (sequence ?? 0) > (place.after ?? 0)));
    if (nextCursor) place.cursor = nextCursor;
    if (!hasMore) break;
  }
  return selected(context, found);
}
