import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";

import { keyOf, request } from "./api";
import { Builder } from "./body";
import { ApiFailure } from "./failure";
import { listSearch, loadOptions, resourceMapping } from "./lookup";
import { calls, properties } from "./operations.gen";
import type { Call, Page } from "./types";
import { importFile, upload } from "./upload";

const longestPage = 100;

export class Fencepost implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Fencepost",
    name: "fencepost",
    icon: { light: "file:fencepost.svg", dark: "file:fencepost.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Creates, schedules and reads posts for social networks",
    defaults: { name: "Fencepost" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      { name: "fencepostApi", required: true, displayOptions: { show: { authentication: ["apiKey"] } } },
      { name: "fencepostOAuth2Api", required: true, displayOptions: { show: { authentication: ["oAuth2"] } } },
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
      ...properties,
    ],
  };

  methods = { listSearch, loadOptions, resourceMapping };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        const found = await perform(this, item);
        results.push(...found.map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw shown(this, error, item);
        const json = error instanceof ApiFailure ? error.toItem() : { error: (error as Error).message };
        results.push({ json, pairedItem: { item } });
      }
    }
    return [results];
  }
}

function shown(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  if (error instanceof ApiFailure) return error.toNodeError(context.getNode(), itemIndex);
  if (error instanceof NodeOperationError) return error;
  return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}

/** Performs the operation for an item, and returns the objects of its response. */
async function perform(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const resource = context.getNodeParameter("resource", itemIndex) as string;
  const operation = context.getNodeParameter("operation", itemIndex) as string;
  const call = calls[resource]?.[operation];
  if (!call)
    throw new NodeOperationError(context.getNode(), `There is no operation ${operation} of ${resource}`, { itemIndex });
  if (call.id === "start-upload") return [await uploadFile(context, itemIndex)];
  const builder = new Builder(context, itemIndex, call);
  const path = builder.path();
  if (call.list !== undefined) return list(context, itemIndex, call, path, await builder.query());
  const query = await builder.query();
  const body = await builder.body();
  const key = call.keyed ? keyOf(context, itemIndex, call.id) : undefined;
  if (call.id === "import-media") return [await importFile(context, itemIndex, body ?? {}, undefined, "media")];
  const { method, reads } = call;
  const result = await request<IDataObject | IDataObject[] | undefined>(context, {
    method,
    path,
    query,
    body,
    key,
    reads,
  });
  if (result === undefined) return [{ deleted: true }];
  return Array.isArray(result) ? result : [result];
}

function uploadFile(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const property = context.getNodeParameter("binaryPropertyName", itemIndex) as string;
  const more = context.getNodeParameter("additionalFields", itemIndex, {}) as IDataObject;
  return upload(context, itemIndex, { property, ...more }, "media");
}

/** Reads a list up to the limit, page by page. */
async function list(
  context: IExecuteFunctions,
  itemIndex: number,
  call: Call,
  path: string,
  query: IDataObject,
): Promise<IDataObject[]> {
  const all = context.getNodeParameter("returnAll", itemIndex) as boolean;
  const limit = all ? Number.POSITIVE_INFINITY : (context.getNodeParameter("limit", itemIndex) as number);
  const found: IDataObject[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = call.pages ? { limit: Math.min(longestPage, limit - found.length), ...(cursor && { cursor }) } : {};
    const body = await request<IDataObject>(context, { method: "GET", path, query: { ...query, ...page } });
    found.push(...((call.list === "" ? body : body[call.list as string]) as unknown as IDataObject[]));
    const { nextCursor, hasMore } = body as unknown as Page<IDataObject>;
    if (found.length >= limit || !nextCursor || hasMore === false) break;
    cursor = nextCursor;
  }
  return found.slice(0, limit);
}
