// Compiles the nodes to dist, with their icons and descriptions beside them.
import { execFileSync } from "node:child_process";
import { copyFile, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await rm("dist", { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", "tsconfig.json"], { stdio: "inherit" });
for (const folder of await readdir("nodes")) {
  for (const name of await readdir(`nodes/${folder}`)) {
    if (/\.(svg|json)$/.test(name)) await copyFile(`nodes/${folder}/${name}`, `dist/nodes/${folder}/${name}`);
  }
}
await copyFile("../../LICENSE", "LICENSE");
