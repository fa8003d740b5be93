import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { contentTypeOf } from "./contentTypes.js";

/** Returns a file for media.upload. Its bytes are read part by part while they are sent. */
export async function openFile(path: string): Promise<File> {
  const name = basename(path);
  const type = contentTypeOf(name) ?? "";
  return new File([await openAsBlob(path, { type })], name, { type });
}
