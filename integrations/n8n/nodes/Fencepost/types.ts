import type { FieldType, INodePropertyOptions } from "n8n-workflow";

/** How a parameter becomes a member of a request. */
export type Kind =
  | "text" // unchanged
  | "id" // the value of a resource locator
  | "list" // a list, or texts separated by commas
  | "time" // a time with an offset
  | "date" // the day of a time
  | "json" // JSON, as text or parsed
  | "pairs" // names and values
  | "media" // files, whose IDs are sent
  | "file" // one file
  | "options" // the options of a network
  | { members: Record<string, Kind> };

/** An operation of the API. */
export interface Call {
  /** Its ID in the OpenAPI document. */
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** The parameters of the path, and the parameters of the node that have their values. */
  ids: Record<string, string>;
  /** Takes an Idempotency-Key. */
  keyed?: boolean;
  /** Changes nothing although it is a POST. */
  reads?: boolean;
  /** The member of the response that has the list; "" if the response is the list. */
  list?: string;
  /** The list has pages. */
  pages?: boolean;
  /** The parameters of the query, in the collection Filters. */
  query?: Record<string, Kind>;
  /** The members of the body that are parameters of their own. */
  top?: Record<string, Kind>;
  /** The members of the body in the collection of further fields. */
  more?: Record<string, Kind>;
  /** Takes channels with values of their own. */
  channels?: boolean;
  /** Takes the parameters When and Time. */
  schedules?: boolean;
  /** Takes alternative texts by ID. */
  altTexts?: boolean;
  /** The members that an empty text clears. */
  nulls?: string[];
}

/** An option of posts, for some types of channels. */
export interface NetworkOption {
  id: string;
  displayName: string;
  description: string;
  type: FieldType;
  channels: string[];
  options?: INodePropertyOptions[];
}

/** The members of a channel that the node reads. */
export interface Channel {
  id: string;
  name: string;
  username: string;
  type: string;
}

/** A file whose upload was started (docs/media.md, Upload). */
export interface Upload {
  mediaId: string;
  uploadUrl: string;
  method: "PUT";
  headers: Record<string, string>;
  parts?: { url: string; offset: number; sizeBytes: number }[];
}

/** An event of the log (docs/events.md). */
export interface LoggedEvent {
  id: string;
  type: string;
  createdAt: string;
  sequence: number | null;
  data: { channelId?: string };
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
  /** Only in the event log. */
  hasMore?: boolean;
}

/** A problem document (docs/contract.md, Problem details). */
export interface Problem {
  code: string;
  detail: string;
  status: number;
  errors?: { pointer: string; message: string }[];
  currentStatus?: string;
  references?: { type: string; id: string; name: string }[];
  postId?: string;
  requestId?: string;
}
