import type { Api } from "./api.js";
import { contentTypeOf } from "./contentTypes.js";
import { FencepostError, refused } from "./errors.js";
import { send } from "./transport.js";
import type { CallOptions, Schema } from "./types.js";

/** The content of a file. */
export type Source = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** The options of media.upload. The idempotency key is that of the start of the upload. */
export interface UploadOptions extends Omit<CallOptions, "ifMatch"> {
  /** The name of the file; by default that of the File. */
  name?: string | undefined;
  /** The alternative text, for people who cannot see the file. */
  alt?: string | undefined;
  /** The MIME type; by default that of the Blob, or the one of the name's ending. */
  contentType?: string | undefined;
  /** Called after each part with the number of bytes that the store has, and of all. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
}

/** A piece of the file, and its address in the store. */
interface Piece {
  url: string;
  content: Blob;
}

const parallel = 3; // parts at the same time
const leastTimeout = 300_000; // milliseconds for a piece, which has up to 64 MiB

/** Uploads a file in all steps of docs/media.md: start, send the bytes, complete, set the alternative text. */
export async function upload(api: Api, source: Source, options: UploadOptions = {}): Promise<Schema<"Media">> {
  const { name, alt, contentType, onProgress, ...call } = options;
  const { idempotencyKey: _, ...later } = call;
  const content = source instanceof Blob ? source : new Blob([source]);
  const body = described(content, name, contentType);
  const started = await api.call("start-upload", { body }, call);
  const sendBytes = () => sendPieces(api, started, content, options);
  await sendBytes();
  const asset = await complete(api, started.mediaId, sendBytes, later);
  if (alt === undefined) return asset;
  return api.call("edit-media", { path: { id: asset.id }, body: { altText: alt } }, later);
}

function described(content: Blob, name: string | undefined, contentType: string | undefined) {
  const fileName = name ?? (content as Partial<File>).name;
  if (!fileName) throw refused([{ pointer: "/fileName", message: "is required: pass name, because bytes have none" }]);
  const type = contentType ?? (content.type || contentTypeOf(fileName));
  if (!type) throw refused([{ pointer: "/contentType", message: "is required: no type has the ending of the name" }]);
  return { fileName, contentType: type, sizeBytes: content.size };
}

/** Completes an upload. If the service lacks bytes, all of them are sent once more. */
async function complete(api: Api, id: string, again: () => Promise<void>, call: CallOptions): Promise<Schema<"Media">> {
  try {
    return await api.call("complete-upload", { path: { id } }, call);
  } catch (error) {
    if (!(error instanceof FencepostError) || error.code !== "UPLOAD_NOT_RECEIVED") throw error;
    await again();
    return api.call("complete-upload", { path: { id } }, call);
  }
}

/** Sends all pieces, several at the same time. A piece that fails is sent again alone; one that fails for good ends all. */
async function sendPieces(
  api: Api,
  started: Schema<"MediaUpload">,
  content: Blob,
  options: UploadOptions,
): Promise<void> {
  const pieces = piecesOf(started, content);
  const failed = new AbortController();
  const cancel = () => failed.abort(options.signal?.reason);
  if (options.signal?.aborted) cancel();
  options.signal?.addEventListener("abort", cancel, { once: true });
  let sent = 0;
  const worker = async () => {
    for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
      await put(api, started, piece, options, failed.signal);
      sent += piece.content.size;
      options.onProgress?.(sent, content.size);
    }
  };
  try {
    await Promise.all(Array.from({ length: parallel }, worker));
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", cancel);
  }
}

function piecesOf({ parts, uploadUrl }: Schema<"MediaUpload">, content: Blob): Piece[] {
  if (!parts?.length) return [{ url: uploadUrl, content }];
  return parts.map(({ url, offset, sizeBytes }) => ({ url, content: content.slice(offset, offset + sizeBytes) }));
}

/** Sends a piece to the store, which must not get the API key. */
async function put(
  api: Api,
  { method, headers }: Schema<"MediaUpload">,
  { url, content }: Piece,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<void> {
  const { timeout, maxAttempts } = api.settings;
  await send(api.hooks, {
    method,
    url,
    headers,
    body: content,
    repeatable: true,
    timeout: options.timeout ?? Math.max(timeout, leastTimeout),
    maxAttempts: options.maxAttempts ?? maxAttempts,
    signal,
  });
}
