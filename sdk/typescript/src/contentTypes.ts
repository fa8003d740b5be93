const office = "application/vnd.openxmlformats-officedocument";

/** The types of docs/media.md by the ending of the name. */
const types = new Map(
  Object.entries({
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    png: "image/png",
    webp: "image/webp",
    gif: "image/gif",
    heic: "image/heic",
    heif: "image/heic",
    avif: "image/avif",
    mp4: "video/mp4",
    m4v: "video/mp4",
    "3gp": "video/mp4",
    mov: "video/quicktime",
    webm: "video/webm",
    pdf: "application/pdf",
    doc: "application/msword",
    docx: `${office}.wordprocessingml.document`,
    ppt: "application/vnd.ms-powerpoint",
    pptx: `${office}.presentationml.presentation`,
  }),
);

/** Returns the MIME type that follows from the ending of a file's name; undefined for an unknown ending. */
export function contentTypeOf(name: string): string | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1];
  return types.get(ending?.toLowerCase() ?? "");
}
