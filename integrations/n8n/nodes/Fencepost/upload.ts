import type { IBinaryData, IDataObject, IExecuteFunctions } from "n8n-workflow";

import { type ApiResponse, exchange, keyOf, put, request } from "./api";
import { ApiFailure } from "./failure";
import type { Upload } from "./types";

/** A file of an item, and what replaces its own name and type. */
export interface File {
  property: string;
  fileName?: string;
  contentType?: string;
  altText?: string;
}

const importTimeout = 330_000; // the service downloads for up to five minutes

/** Uploads a file of an item in all steps of docs/media.md (Upload), and returns the asset. */
export async function upload(
  context: IExecuteFunctions,
  itemIndex: number,
  file: File,
  step: string,
): Promise<IDataObject> {
  const binary = context.helpers.assertBinaryData(itemIndex, file.property);
  const body = {
    fileName: file.fileName || binary.fileName || `file.${binary.fileExtension ?? "bin"}`,
    contentType: file.contentType || binary.mimeType,
    sizeBytes: await sizeOf(context, itemIndex, file.property, binary),
  };
  let asset = await uploadOnce(context, itemIndex, file, body, keyOf(context, itemIndex, `${step}:upload`));
  // The upload of an earlier try has expired.
  asset ??= await uploadOnce(context, itemIndex, file, body, keyOf(context, itemIndex, `${step}:upload again`));
  if (asset === undefined) throw new Error("the upload has expired twice");
  return file.altText ? describe(context, itemIndex, asset, file.altText, step) : asset;
}

/** Imports a file from a public address, and returns the asset. */
export async function importFile(
  context: IExecuteFunctions,
  itemIndex: number,
  body: IDataObject,
  altText: string | undefined,
  step: string,
): Promise<IDataObject> {
  const key = keyOf(context, itemIndex, `${step}:import`);
  const asset = await request<IDataObject>(context, {
    method: "POST",
    path: "/v1/media",
    body,
    key,
    timeout: importTimeout,
  });
  return altText ? describe(context, itemIndex, asset, altText, step) : asset;
}

function describe(context: IExecuteFunctions, itemIndex: number, asset: IDataObject, altText: string, step: string) {
  const key = keyOf(context, itemIndex, `${step}:alt`);
  return request<IDataObject>(context, { method: "PATCH", path: `/v1/media/${asset["id"]}`, body: { altText }, key });
}

async function sizeOf(context: IExecuteFunctions, itemIndex: number, property: string, binary: IBinaryData) {
  if (binary.id) return (await context.helpers.getBinaryMetadata(binary.id)).fileSize;
  return (await context.helpers.getBinaryDataBuffer(itemIndex, property)).length;
}

/** Uploads a file with a key. Returns undefined if the upload of the key has expired. */
async function uploadOnce(
  context: IExecuteFunctions,
  itemIndex: number,
  file: File,
  body: IDataObject,
  key: string,
): Promise<IDataObject | undefined> {
  const started: ApiResponse<Upload> = await exchange(context, {
    method: "POST",
    path: "/v1/media/uploads",
    body,
    key,
  });
  const complete = () =>
    request<IDataObject>(context, {
      method: "POST",
      path: `/v1/media/uploads/${started.body.mediaId}/complete`,
      key: `${key}-complete`,
    });
  // The retry of an execution may find that the bytes have arrived before.
  const replayed = started.headers["idempotent-replayed"] === "true";
  for (let sent = replayed ? 0 : await sendBytes(context, itemIndex, file.property, started.body); ; sent++) {
    const outcome = await complete().catch((error: Error) => error);
    if (!(outcome instanceof Error)) return outcome;
    const { status, code } = outcome instanceof ApiFailure ? outcome : {};
    if (replayed && status === 404) return undefined;
    if (code !== "UPLOAD_NOT_RECEIVED" || sent > 1) throw outcome;
    await sendBytes(context, itemIndex, file.property, started.body);
  }
}

/** Sends the bytes of a file, a large one in its parts, of which one at a time is in memory. Returns 1. */
async function sendBytes(
  context: IExecuteFunctions,
  itemIndex: number,
  property: string,
  started: Upload,
): Promise<number> {
  const { uploadUrl, headers, parts } = started;
  const binary = context.helpers.assertBinaryData(itemIndex, property);
  if (!parts?.length || !binary.id) {
    const content = await context.helpers.getBinaryDataBuffer(itemIndex, property);
    const pieces = parts?.length ? parts : [{ url: uploadUrl, offset: 0, sizeBytes: content.length }];
    for (const { url, offset, sizeBytes } of pieces) {
      await put(context, { url, headers, body: content.subarray(offset, offset + sizeBytes) });
    }
    return 1;
  }
  const queue = [...parts].sort((a, b) => a.offset - b.offset);
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await context.helpers.getBinaryStream(binary.id)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    for (let part = queue[0]; part && size >= part.sizeBytes; part = queue[0]) {
      const joined = Buffer.concat(chunks);
      await put(context, { url: part.url, headers, body: joined.subarray(0, part.sizeBytes) });
      chunks = [joined.subarray(part.sizeBytes)];
      size -= part.sizeBytes;
      queue.shift();
    }
  }
  return 1;
}
