// Packs the package that is built in dist, installs the file in an empty project, and uses it there: as ES module and as CommonJS, with types, and
// in Bun, Deno and the runtime of Workers if the npm registry has them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runtimes = { bun: "1.4.5", deno: "2.9.6", miniflare: "4.20260730.0" };
const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
const project = await mkdtemp(join(tmpdir(), "fencepost-sdk-"));
const run = (program, args, cwd = project) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

async function pack() {
  const [{ filename, files }] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], root),
  );
  const paths = files.map(({ path }) => path);
  const foreign = paths.filter(
    (path) => !/^(dist\/.*\.(js|d\.ts)|dist\/cjs\/package\.json|package\.json|README\.md|LICENSE)$/.test(path),
  );
  assert.deepEqual(foreign, [], "the package has other files");
  for (const path of ["README.md", "LICENSE", "dist/esm/node.js", "dist/cjs/node.d.ts"])
    assert.ok(paths.includes(path), path);
  return join(project, filename);
}

// Workers and browsers have no modules of Node.js.
async function checkPortable() {
  const folder = join(project, "node_modules/@fencepost/sdk/dist/esm");
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".js") || name === "node.js") continue;
    const code = await readFile(join(folder, name), "utf8");
    assert.doesNotMatch(code, /from "node:|\brequire\(|\bBuffer\b/, `${name} uses Node.js`);
  }
}

const use = `
const seen = [];
const fetch = async (url, init) => {
  seen.push(init.method + " " + url);
  return new Response(JSON.stringify({ data: [{ id: "p1" }], nextCursor: null }), { status: 200 });
};
const client = new Fencepost({ url: "https://api.example.com/", apiKey: "svc_test_x", hooks: { fetch } });
for await (const post of client.posts.list({ status: ["FAILED"] })) seen.push(post.id);
await client.posts.publish("p1");
seen.push(at("2026-12-01 09:00", "Europe/Berlin"));
const headers = { "X-Service-Signature": "t=1772348400,v1=8dd95f4202f167f62e8a2145da0206a246e3cd36609c5cdcb83afd654815db45" };
const body = '{"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82","type":"webhook.test"}';
const secret = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=";
seen.push((await verifyWebhook(headers, body, secret, { now: () => 1772348400000 })).type);
const api = "https://api.example.com/v1/posts";
const wanted = ["GET " + api + "?status=FAILED", "p1", "POST " + api + "/p1/publish", "2026-12-01T09:00:00+01:00", "webhook.test"];
if (JSON.stringify(seen) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(seen));
`;
const useFile = `
const file = await openFile("package.json");
if (file.name !== "package.json" || file.size === 0) throw new Error(file.name + " " + file.size);
`;

async function writeUses() {
  const names = "{ at, Fencepost, verifyWebhook }";
  const all = use + useFile;
  const write = (name, code) => writeFile(join(project, name), code);
  await write(
    "use.mjs",
    `import ${names} from "@fencepost/sdk";\nimport { openFile } from "@fencepost/sdk/node";\n${all}`,
  );
  await write(
    "use.cjs",
    `const ${names} = require("@fencepost/sdk");\nconst { openFile } = require("@fencepost/sdk/node");\n(async () => {${all}})();\n`,
  );
  const path = "./node_modules/@fencepost/sdk/dist/esm/index.js"; // a worker is bundled, or names its modules
  await write(
    "worker.mjs",
    `import ${names} from "${path}";\nexport default { async fetch() { ${use}; return new Response("done"); } };\n`,
  );
  await write(
    "miniflare.mjs",
    `import { createRequire } from "node:module";
const { Miniflare } = createRequire(process.argv[2] + "/")("miniflare");
const modulesRules = [{ type: "ESModule", include: ["**/*.js", "**/*.mjs"] }];
const runtime = new Miniflare({ modules: true, scriptPath: "worker.mjs", modulesRules, compatibilityDate: "2026-01-01" });
const response = await runtime.dispatchFetch("http://worker.example.com/");
const text = await response.text();
await runtime.dispose();
if (text !== "done") throw new Error(text);
`,
  );
  await cp(join(root, "scripts/types.txt"), join(project, "types.mts"));
  await cp(join(root, "scripts/types.txt"), join(project, "types.cts"));
}

function checkTypes() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
  // Without the types of browsers, as in most programs of servers.
  const options = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--target",
    "es2022",
    "--lib",
    "es2023",
    "--module",
    "nodenext",
  ];
  run(process.execPath, [tsc, ...options, ...types, "types.mts", "types.cts"]);
}

/** Returns the folder with a runtime from npm, which is kept in .build; undefined if it cannot be installed. */
function install(name) {
  const folder = join(root, ".build/runtimes", name);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}");
    run("npm", ["install", ...quiet, `${name}@${runtimes[name]}`], folder);
    return folder;
  } catch (error) {
    console.log(
      `${name} is not available: ${
        String(error.stderr ?? error)
          .trim()
          .split("\n")[0]
      }`,
    );
    return undefined;
  }
}

/** Uses the package in the runtimes, and returns their names. */
function checkRuntimes() {
  const used = [];
  for (const name of Object.keys(runtimes)) {
    const folder = install(name);
    if (!folder) continue;
    const program = join(folder, "node_modules/.bin", name);
    if (name === "miniflare") run(process.execPath, ["miniflare.mjs", folder]);
    else for (const file of ["use.mjs", "use.cjs"]) run(program, [...(name === "deno" ? ["run", "-A"] : []), file]);
    used.push(name);
  }
  return used;
}

try {
  const file = await pack();
  await writeFile(join(project, "package.json"), '{ "private": true }\n');
  run("npm", ["install", ...quiet, file]);
  await checkPortable();
  await writeUses();
  for (const name of ["use.mjs", "use.cjs"]) run(process.execPath, [name]);
  checkTypes();
  console.log(`the packed file works in ${["Node.js (ESM, CommonJS)", ...checkRuntimes()].join(", ")}`);
} catch (error) {
  console.error(error.stdout ?? "", error.stderr ?? "", error);
  process.exitCode = 1;
} finally {
  await rm(project, { recursive: true, force: true });
}
