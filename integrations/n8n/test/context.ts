// The parts of n8n that the nodes use, with the parameters that n8n-workflow computes and requests by HTTP.
// n8n/run.mjs runs the nodes in n8n itself.
import {
  type IBinaryData,
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type INode,
  type INodeParameterResourceLocator,
  type INodeParameters,
  type INodeProperties,
  type INodeType,
  type IPollFunctions,
  type IWebhookFunctions,
  NodeHelpers,
} from "n8n-workflow";

export interface Settings {
  url: string;
  parameters: IDataObject;
  items?: { json: IDataObject; binary?: Record<string, IBinaryData> }[];
  files?: Record<string, Buffer>;
  execution?: string;
  run?: number;
  /** What n8n keeps with an execution, also for its retries. */
  memory?: IDataObject;
  continueOnFail?: boolean;
  mode?: string;
  staticData?: IDataObject;
  path?: string;
  headers?: Record<string, string>;
  rawBody?: Buffer;
  zone?: string;
}

export const key = "svc_test_n8n";

function member(value: unknown, path: string): unknown {
  const names = path.replace(/\[(\d+)\]/g, ".$1").split(".");
  return names.reduce<unknown>((found, name) => (found as IDataObject | undefined)?.[name], value);
}

async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
  const url = new URL(options.url);
  for (const [name, value] of Object.entries(options.qs ?? {})) {
    for (const one of [value].flat()) url.searchParams.append(name, String(one));
  }
  const isBytes = Buffer.isBuffer(options.body);
  const body =
    options.body === undefined ? null : isBytes ? new Uint8Array(options.body as Buffer) : JSON.stringify(options.body);
  const headers = {
    ...(options.body !== undefined && !isBytes && { "Content-Type": "application/json" }),
    ...options.headers,
  };
  const response = await fetch(url, {
    method: options.method ?? "GET",
    headers: headers as Record<string, string>,
    body,
  });
  const text = await response.text();
  const isJSON = /json/.test(response.headers.get("Content-Type") ?? "");
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers.entries()),
    body: isJSON && text !== "" ? JSON.parse(text) : text,
  };
}

/** What a response of a webhook was. */
export interface Responded {
  status?: number;
  body?: unknown;
}

/** Returns a context of n8n for a node. */
export function contextOf(type: INodeType, settings: Settings) {
  const node: INode = {
    id: "node-1",
    name: type.description.displayName,
    type: `n8n-nodes-fencepost.${type.description.name}`,
    typeVersion: 1,
    position: [0, 0],
    parameters: settings.parameters as INodeParameters,
  };
  const parameters = NodeHelpers.getNodeParameters(
    type.description.properties,
    node.parameters,
    true,
    false,
    node,
    type.description,
  );
  const items = settings.items ?? [{ json: {} }];
  const memory = settings.memory ?? {};
  const staticData = settings.staticData ?? {};
  const responded: Responded = {};
  const response = {
    status(status: number) {
      responded.status = status;
      return response;
    },
    json(body: unknown) {
      responded.body = body;
      return response;
    },
  };
  const withItems = settings.mode === undefined;
  const read = (name: string, fallback: unknown, options?: { extractValue?: boolean }) => {
    const value = member(parameters, name) ?? fallback;
    if (value === undefined) throw new Error(`Could not get parameter "${name}"`);
    if (!options?.extractValue) return value;
    const shown = NodeHelpers.findDisplayedProperty(
      name,
      type.description.properties,
      parameters ?? {},
      node,
      type.description,
    ) as INodeProperties | undefined;
    if (!shown) throw new Error("Could not find property");
    if (shown.type !== "resourceLocator") return value;
    const { mode, value: located } = value as INodeParameterResourceLocator;
    const regex = shown.modes?.find((one) => one.name === mode)?.extractValue?.regex;
    if (!regex) return located;
    const found = new RegExp(regex).exec(String(located));
    if (!found) throw new Error(`ERROR: ${shown.displayName} parameter's value is invalid`);
    return found[1];
  };
  const binaryOf = (item: number, property: string) => {
    const binary = items[item]?.binary?.[property];
    if (!binary) throw new Error(`This operation expects the node's input data to contain a binary file '${property}'`);
    return binary;
  };
  const context = {
    ...(withItems && { getInputData: () => items }),
    getNode: () => node,
    getMode: () => settings.mode ?? "trigger",
    getTimezone: () => settings.zone ?? "Europe/Berlin",
    getExecutionId: () => settings.execution ?? "execution-1",
    getContext: () => memory,
    evaluateExpression: () => settings.run ?? 0,
    continueOnFail: () => settings.continueOnFail ?? false,
    getWorkflow: () => ({ id: "workflow-1", name: "Spring" }),
    getWorkflowStaticData: () => staticData,
    getCredentials: async () => ({ url: settings.url, apiKey: key }),
    getNodeParameter: withItems
      ? (name: string, _item: number, fallback?: unknown, options?: { extractValue?: boolean }) =>
          read(name, fallback, options)
      : (name: string, fallback?: unknown) => read(name, fallback),
    getCurrentNodeParameter: (name: string) => {
      const path = name.startsWith("&")
        ? `${(settings.path ?? "").split(".").slice(1, -1).join(".")}.${name.slice(1)}`
        : name;
      return member(settings.parameters, path);
    },
    getNodeWebhookUrl: () => "https://n8n.example.com/webhook/1",
    getHeaderData: () => settings.headers ?? {},
    getRequestObject: () => ({ rawBody: settings.rawBody }),
    getResponseObject: () => response,
    logger: { warn: () => undefined, debug: () => undefined, error: () => undefined, info: () => undefined },
    helpers: {
      httpRequest,
      async httpRequestWithAuthentication(this: unknown, _type: string, options: IHttpRequestOptions) {
        return httpRequest({ ...options, headers: { ...options.headers, Authorization: `Bearer ${key}` } });
      },
      assertBinaryData: binaryOf,
      getBinaryDataBuffer: async (item: number, property: string) => {
        const binary = binaryOf(item, property);
        return binary.id ? (settings.files?.[binary.id] as Buffer) : Buffer.from(binary.data, "base64");
      },
      getBinaryMetadata: async (id: string) => ({ fileSize: settings.files?.[id]?.length ?? 0 }),
      getBinaryStream: async (id: string) => {
        const bytes = settings.files?.[id] as Buffer;
        // Pieces that do not end where the parts end.
        return (async function* () {
          for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
        })();
      },
    },
  };
  return {
    context: context as unknown as IExecuteFunctions &
      IHookFunctions &
      IPollFunctions &
      IWebhookFunctions &
      ILoadOptionsFunctions,
    responded,
  };
}
