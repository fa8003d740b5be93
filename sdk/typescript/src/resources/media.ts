import type { Pages } from "../paging.js";
import type { Body, CallOptions, Query, Schema } from "../types.js";
import { type Source, type UploadOptions, upload } from "../upload.js";
import { Resource } from "./resource.js";

type Asset = Schema<"Media">;

/** Media: the files of posts. */
export class Media extends Resource {
  /** Returns the assets that match all filters, newest first. */
  list(query?: Query<"list-media">, options?: CallOptions): Pages<Asset> {
    return this.pages("list-media", { query }, options);
  }

  get(id: string, options?: CallOptions): Promise<Asset> {
    return this.api.call("get-media", { path: { id } }, options);
  }

  /** Uploads a file: a File, a Blob or bytes. Large files are sent in parts, and a part that fails is sent again alone. */
  upload(source: Source, options?: UploadOptions): Promise<Asset> {
    return upload(this.api, source, options);
  }

  /** Imports a file from a public address. The response may take five minutes. */
  import(body: Body<"import-media">, options?: CallOptions): Promise<Asset> {
    return this.api.call("import-media", { body }, { timeout: 330_000, ...options });
  }

  /** Changes the name and the alternative text. */
  edit(id: string, body: Body<"edit-media">, options?: CallOptions): Promise<Asset> {
    return this.api.call("edit-media", { path: { id }, body }, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.api.call("delete-media", { path: { id } }, options);
  }

  /** Starts an upload whose bytes the caller sends. `upload` does all steps. */
  startUpload(body: Body<"start-upload">, options?: CallOptions): Promise<Schema<"MediaUpload">> {
    return this.api.call("start-upload", { body }, options);
  }

  completeUpload(id: string, options?: CallOptions): Promise<Asset> {
    return this.api.call("complete-upload", { path: { id } }, options);
  }
}
