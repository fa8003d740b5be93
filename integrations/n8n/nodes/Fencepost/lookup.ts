import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  INodePropertyOptions,
  ResourceMapperField,
  ResourceMapperFields,
} from "n8n-workflow";

import { request } from "./api";
import { idOf } from "./body";
import { ApiFailure } from "./failure";
import { networkOptions } from "./operations.gen";
import type { Channel, NetworkOption, Page } from "./types";

type Search = (this: ILoadOptionsFunctions, filter?: string, cursor?: string) => Promise<INodeListSearchResult>;

// The types of channels that the creation endpoints of networks take.
const endpointChannels: Record<string, string> = {
  createLinkedIn: "LINKEDIN_",
  createPinterest: "PINTEREST",
  createTikTok: "TIKTOK_",
  createYouTube: "YOUTUBE",
  getBoards: "PINTEREST",
  getCreatorInfo: "TIKTOK_",
};

/** Returns the body of a read, or throws the error that n8n shows in a list. */
async function read<T>(context: ILoadOptionsFunctions, path: string, query?: IDataObject): Promise<T> {
  try {
    return await request<T>(context, { method: "GET", path, query });
  } catch (error) {
    throw error instanceof ApiFailure ? error.toNodeError(context.getNode()) : error;
  }
}

/** Returns the items whose name or value has the text of the filter. */
function matching(items: INodeListSearchItems[], filter = ""): INodeListSearchResult {
  const wanted = filter.toLowerCase();
  return { results: items.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted)) };
}

const titleOf = (channel: Channel) => `${channel.name} (${channel.type})`;

function short(text: unknown, otherwise: string): string {
  const line = String(text ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? otherwise : line.slice(0, 80);
}

/** Returns a search in a list that has no pages. */
function inList(
  path: (context: ILoadOptionsFunctions) => string,
  list: string,
  name: (item: IDataObject) => string,
): Search {
  return async function (filter) {
    const body = await read<IDataObject>(this, path(this));
    const items = (list === "" ? body : body[list]) as unknown as IDataObject[];
    return matching(
      items.map((item) => ({ name: name(item), value: String(item["id"]) })),
      filter,
    );
  };
}

/** Returns a search that the service performs, page by page. */
function inPages(
  path: (context: ILoadOptionsFunctions) => string,
  searches: boolean,
  name: (item: IDataObject) => string,
): Search {
  return async function (filter, cursor) {
    const query = { limit: 50, ...(searches && filter && { q: filter }), ...(cursor && { cursor }) };
    const { data, nextCursor } = await read<Page<IDataObject>>(this, path(this), query);
    const results = data.map((item) => ({ name: name(item), value: String(item["id"]) }));
    return { results, ...(nextCursor && { paginationToken: nextCursor }) };
  };
}

function selected(context: ILoadOptionsFunctions, parameter: string): string {
  return encodeURIComponent(idOf(context.getCurrentNodeParameter(parameter)));
}

const searchChannels: Search = async function (filter) {
  const channels = await read<Channel[]>(this, "/v1/channels");
  const wanted = endpointChannels[String(this.getCurrentNodeParameter("operation"))] ?? "";
  const fitting = channels.filter(({ type }) => type.startsWith(wanted));
  return matching(
    fitting.map((channel) => ({ name: titleOf(channel), value: channel.id })),
    filter,
  );
};

export const listSearch = {
  searchChannels,
  searchPosts: inPages(
    () => "/v1/posts",
    true,
    (post) => `${short(post["content"], "No text")} (${post["status"]})`,
  ),
  searchMedia: inPages(
    () => "/v1/media",
    true,
    (asset) => short(asset["name"], "No name"),
  ),
  searchWebhooks: inList(
    () => "/v1/webhooks",
    "data",
    (webhook) => String(webhook["url"]),
  ),
  searchLinkPages: inList(
    () => "/v1/link-pages",
    "data",
    (page) => `${page["title"]} (${page["handle"]})`,
  ),
  searchIdeaBoards: inList(
    () => "/v1/idea-boards",
    "data",
    (board) => String(board["name"]),
  ),
  searchBoards: inList(
    (context) => `/v1/channels/${selected(context, "channel")}/pinterest/boards`,
    "",
    (board) => String(board["name"]),
  ),
  searchBlocks: inList(
    (context) => `/v1/link-pages/${selected(context, "linkPage")}`,
    "blocks",
    (block) => `${block["type"]} ${block["position"] ?? ""}`.trim(),
  ),
  searchDeliveries: inPages(
    (context) => `/v1/webhooks/${selected(context, "webhook")}/deliveries`,
    false,
    (delivery) => `${delivery["eventType"]} ${delivery["createdAt"]} (${delivery["status"]})`,
  ),
};

export const loadOptions = {
  async getChannels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
    const channels = await read<Channel[]>(this, "/v1/channels");
    return channels.map((channel) => ({ name: titleOf(channel), value: channel.id }));
  },
};

/** Returns the channel of the list's entry, or that of the post. */
async function channelOf(context: ILoadOptionsFunctions): Promise<Channel | undefined> {
  const own = idOf(context.getCurrentNodeParameter("&channel"));
  if (own !== "") return read<Channel>(context, `/v1/channels/${encodeURIComponent(own)}`);
  const post = idOf(context.getCurrentNodeParameter("post"));
  if (post === "") return undefined;
  const { channelId } = await read<{ channelId: string }>(context, `/v1/posts/${encodeURIComponent(post)}`);
  return read<Channel>(context, `/v1/channels/${encodeURIComponent(channelId)}`);
}

/** Returns the values that only the account knows: its boards, and who may watch its videos. */
async function valuesOf(
  context: ILoadOptionsFunctions,
  channel: Channel,
  id: string,
): Promise<INodePropertyOptions[] | undefined> {
  const path = `/v1/channels/${encodeURIComponent(channel.id)}`;
  if (id === "boardId") {
    const boards = await read<{ id: string; name: string }[]>(context, `${path}/pinterest/boards`);
    return boards.map((board) => ({ name: board.name, value: board.id }));
  }
  if (id === "privacy") {
    const info = await read<{ privacyLevelOptions: string[] }>(context, `${path}/tiktok/creator-info`);
    return info.privacyLevelOptions.map((value) => ({ name: value, value }));
  }
  return undefined;
}

async function fieldOf(
  context: ILoadOptionsFunctions,
  channel: Channel,
  option: NetworkOption,
): Promise<ResourceMapperField> {
  const options = option.options ?? (await valuesOf(context, channel, option.id));
  return {
    id: option.id,
    displayName: option.displayName,
    required: false,
    defaultMatch: false,
    display: true,
    removed: true,
    type: options ? "options" : option.type,
    ...(options && { options }),
  };
}

export const resourceMapping = {
  /** Returns the options that the network of the selected channel takes. */
  async getNetworkOptions(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
    const channel = await channelOf(this);
    if (channel === undefined) return { fields: [], emptyFieldsNotice: "Select a channel first" };
    const taken = networkOptions.filter(({ channels }) => channels.includes(channel.type));
    return { fields: await Promise.all(taken.map((option) => fieldOf(this, channel, option))) };
  },
};
