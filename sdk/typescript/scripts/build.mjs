// Compiles the package to dist: ES modules and CommonJS, each with its types.
import { execFileSync } from "node:child_process";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
await rm("dist", { recursive: true, force: true });
for (const format of ["esm", "cjs"]) {
  execFileSync(process.execPath, [tsc, "-p", `tsconfig.${format}.json`], { stdio: "inherit" });
}
await writeFile("dist/cjs/package.json", '{ "type": "commonjs" }\n');
await copyFile("../../LICENSE", "LICENSE");
