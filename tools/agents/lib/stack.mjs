// The running system: what .run/dev.json says of it (DEV_JSON names the file).
import { readFileSync } from "node:fs";

export const stack = JSON.parse(readFileSync(process.env.DEV_JSON, "utf8"));

// The workspace with a channel of every type, and its key for everything.
export const [workspace] = stack.workspaces;

export const channel = (type) => workspace.channels.find((c) => c.type === type);
