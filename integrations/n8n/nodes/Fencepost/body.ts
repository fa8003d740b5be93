import { type IDataObject, type IExecuteFunctions, NodeOperationError } from "n8n-workflow";

import { instant, textOf, wallClock } from "./times";
import type { Call, Kind } from "./types";
import { type File, importFile, upload } from "./upload";

/** A file of the list of a post's files. */
interface Attachment {
  source: "asset" | "binary" | "url";
  media?: unknown;
  binaryPropertyName?: string;
  url?: string;
  altText?: string;
}

/** A channel of the list of a post's channels. */
interface Selected {
  channel: unknown;
  content?: string;
  options?: unknown;
  own?: IDataObject;
}

/** Builds the query and the body of an operation from the parameters of an item. */
export class Builder {
  constructor(
    private readonly context: IExecuteFunctions,
    private readonly itemIndex: number,
    private readonly call: Call,
  ) {}

  /** Returns the path with its IDs. A value is always one segment. */
  path(): string {
    return this.call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = this.call.ids[name] ?? name;
      const id = this.selected(parameter);
      // Programs on the way would remove these segments and so reach another path.
      if (id === "" || id === "." || id === "..") throw this.refused(`The parameter ${parameter} has no ID`);
      return encodeURIComponent(id);
    });
  }

  async query(): Promise<IDataObject> {
    return this.members(this.call.query ?? {}, this.parameter("filters", {}) as IDataObject);
  }

  /** Returns the body; undefined if the operation has none. Files of the item are uploaded before. */
  async body(): Promise<IDataObject | undefined> {
    const { top, more, nulls, channels, schedules } = this.call;
    if (!top || !more) return undefined;
    const given: IDataObject = Object.fromEntries(
      Object.entries(top).map(([member, kind]) => {
        const name = nameOf(member, kind);
        return [name, kind === "id" ? this.selected(name) : (this.parameter(name, null) as IDataObject[string])];
      }),
    );
    const collection = this.call.method === "PATCH" ? "updateFields" : "additionalFields";
    const fields = this.parameter(collection, {}) as IDataObject;
    const body = { ...(await this.members(top, given)), ...(await this.members(more, fields)) };
    for (const name of nulls ?? []) if (fields[name] === "") body[name] = null;
    if (channels) Object.assign(body, this.channels());
    if (schedules) this.schedule(body);
    if (this.call.id === "schedule-post") this.reschedule(body);
    if (body["postIds"]) return { postIds: body["postIds"] }; // simulates posts instead of new content
    return body;
  }

  private parameter(name: string, fallback: unknown): unknown {
    return this.context.getNodeParameter(name, this.itemIndex, fallback);
  }

  /** Returns the ID of a resource. n8n refuses a wrong address, and a parameter that the operation does not have. */
  private selected(name: string): string {
    return idOf(this.context.getNodeParameter(name, this.itemIndex, "", { extractValue: true }));
  }

  /** Converts the values that are set. An empty text is not set. */
  private async members(kinds: Record<string, Kind>, values: IDataObject): Promise<IDataObject> {
    const result: IDataObject = {};
    for (const [name, kind] of Object.entries(kinds)) {
      const value = values[nameOf(name, kind)];
      if (value === undefined || value === null || value === "") continue;
      Object.assign(result, await this.member(name, kind, value));
    }
    return result;
  }

  private async member(name: string, kind: Kind, value: unknown): Promise<IDataObject> {
    if (typeof kind === "object") {
      const members = await this.members(kind.members, value as IDataObject);
      return Object.keys(members).length > 0 ? { [name]: members } : {};
    }
    switch (kind) {
      case "text":
        return { [name]: value as string };
      case "id":
        return { [name]: idOf(value) };
      case "list": {
        const list = listOf(value);
        return list.length > 0 ? { [name]: list } : {};
      }
      case "time":
        return { [name]: instant(textOf(value), this.context.getTimezone()) };
      case "date":
        return { [name]: textOf(value).slice(0, 10) };
      case "json":
        return { [name]: this.json(name, value) };
      case "pairs":
        return pairsOf(name, value);
      case "options":
        return optionsOf(value);
      case "media":
      case "file":
        return this.media(name, kind, value);
    }
  }

  private json(name: string, value: unknown): IDataObject {
    if (typeof value !== "string") return value as IDataObject;
    try {
      return JSON.parse(value);
    } catch {
      throw this.refused(`The parameter ${name} is not JSON`);
    }
  }

  /** Returns the IDs of files. Those of the item and of addresses become assets first. */
  private async media(name: string, kind: "media" | "file", value: unknown): Promise<IDataObject> {
    const { files } = value as { files?: Attachment | Attachment[] };
    const attachments = [files ?? []].flat();
    if (attachments.length === 0) return {};
    const ids: string[] = [];
    const texts: IDataObject = {};
    for (const [i, attachment] of attachments.entries()) {
      const id = await this.asset(attachment, `media ${i}`);
      ids.push(id);
      if (attachment.altText) texts[id] = attachment.altText;
    }
    const alt = this.call.altTexts && Object.keys(texts).length > 0 ? { mediaAltTexts: texts } : {};
    return { [name]: kind === "file" ? (ids[0] as string) : ids, ...alt };
  }

  private async asset(attachment: Attachment, step: string): Promise<string> {
    if (attachment.source === "asset") return idOf(attachment.media);
    if (attachment.source === "url") {
      const asset = await importFile(this.context, this.itemIndex, { url: attachment.url ?? "" }, undefined, step);
      return String(asset["id"]);
    }
    const file: File = { property: attachment.binaryPropertyName || "data" };
    return String((await upload(this.context, this.itemIndex, file, step))["id"]);
  }

  /** Returns the channels, and as variants what the posts of single channels have of their own. */
  private channels(): IDataObject {
    const { values = [] } = this.parameter("channels", {}) as { values?: Selected[] };
    const variants: IDataObject[] = [];
    const channelIds = values.map(({ channel, content, options, own = {} }) => {
      const channelId = idOf(channel);
      const { mediaIds, ...rest } = own;
      const members = {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")),
        ...(content && { content }),
        ...(mediaIds !== undefined && mediaIds !== "" && { mediaIds: listOf(mediaIds) }),
        ...optionsOf(options),
      };
      if (Object.keys(members).length > 0) variants.push({ channelId, ...members });
      return channelId;
    });
    return { ...(channelIds.length > 0 && { channelIds }), ...(variants.length > 0 && { variants }) };
  }

  private schedule(body: IDataObject): void {
    const when = this.parameter("schedule", "draft");
    if (when !== "time") {
      body["schedule"] = when as string;
      delete body["timezone"];
      return;
    }
    Object.assign(body, { schedule: this.time(this.parameter("scheduledAt", ""), body) });
  }

  private reschedule(body: IDataObject): void {
    if (body["schedule"] === "next_slot") {
      delete body["scheduledAt"];
      delete body["timezone"];
      return;
    }
    delete body["schedule"];
    delete body["force"];
    body["scheduledAt"] = this.time(this.parameter("scheduledAt", ""), body);
  }

  /** Returns a time of publishing. One without an offset is sent with a time zone, so that the service converts it. */
  private time(value: unknown, body: IDataObject): string {
    const text = textOf(value);
    const wall = wallClock(text);
    if (wall === undefined) return text;
    body["timezone"] ??= this.context.getTimezone();
    return wall;
  }

  private refused(message: string): NodeOperationError {
    return new NodeOperationError(this.context.getNode(), message, { itemIndex: this.itemIndex });
  }
}

/** Returns the parameter of a member. That of one ID has another name. */
function nameOf(member: string, kind: Kind): string {
  return kind === "id" ? member.replace(/Id$/, "") : member;
}

// An address of a page has the workspace before it.
const inAddress =
  /\/(?:channels|posts|media|webhooks|link-pages|idea-boards|ideas)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=[/?#]|$)/;

/** Returns the ID of a resource locator, also of one within a list, from which n8n does not extract it. */
export function idOf(value: unknown): string {
  const given = typeof value === "object" && value !== null && "value" in value ? value.value : value;
  const text = String(given ?? "").trim();
  return (/^https?:/.test(text) && inAddress.exec(text)?.[1]) || text;
}

function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : String(value).split(",");
  return list.map((one) => String(one).trim()).filter((one) => one !== "");
}

function pairsOf(name: string, value: unknown): IDataObject {
  const { values = [] } = value as { values?: { name: string; value: string }[] };
  if (values.length === 0) return {};
  return { [name]: Object.fromEntries(values.map((pair) => [pair.name, pair.value])) };
}

function optionsOf(value: unknown): IDataObject {
  const options = (value as { value?: IDataObject | null } | undefined)?.value ?? {};
  const set = Object.entries(options).filter(([, one]) => one !== null && one !== "");
  return set.length > 0 ? { options: Object.fromEntries(set) } : {};
}
