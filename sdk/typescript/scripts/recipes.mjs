// Extracts the recipes of README.md, compiles them, and runs each against the player. CONFORMANCE
// replaces the folder of the cases, PLAYER the path of the player.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Player } from "../.build/conformance/player.js";
import { recipes } from "../recipes/expected.mjs";
import { deliver, receiverVariables } from "../recipes/receiver.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".build/recipes"); // within the package, so that its name resolves to it
const longest = 60_000;

async function extract() {
  const text = await readFile(join(root, "README.md"), "utf8");
  const found = [...text.matchAll(/^### (\d+)\. (.+)$[\s\S]*?^```ts\n([\s\S]*?)^```$/gm)];
  assert.equal(found.length, recipes.length, "README.md and recipes/expected.mjs have the same recipes");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [, number, , code] of found) await writeFile(join(folder, `${number}.ts`), code);
  await writeFile(join(folder, "sunrise.jpg"), "hello world!");
  return recipes.map((recipe, i) => ({ number: String(i + 1), ...recipe }));
}

async function compile() {
  const options = {
    noEmit: false,
    outDir: ".",
    rootDir: ".",
    noUncheckedIndexedAccess: false,
    noPropertyAccessFromIndexSignature: false,
    exactOptionalPropertyTypes: false,
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: options, include: ["*.ts"], exclude: [] }),
  );
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
}

async function play(player, recipe) {
  for (const [name, [before]] of Object.entries(recipe.files ?? {})) await writeFile(join(folder, name), before);
  const run = await player.arm(recipe.name);
  const variables = recipe.receives ? await receiverVariables() : {};
  const env = { ...process.env, FENCEPOST_URL: run.baseUrl, FENCEPOST_API_KEY: "svc_test_recipes", ...variables };
  const program = spawn(process.execPath, [`${recipe.number}.js`], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => program.once("exit", resolve));
  const timer = setTimeout(() => program.kill(), longest);
  if (recipe.receives) await deliver(variables);
  const lines = [];
  for await (const line of createInterface(program.stdout)) {
    lines.push(line);
    if (recipe.endless && lines.length === recipe.lines.length) setTimeout(() => program.kill(), 500);
  }
  const code = await exited;
  clearTimeout(timer);
  const { failures } = await player.report(run);
  assert.deepEqual(failures, [], `recipe ${recipe.number}`);
  assert.deepEqual(lines, recipe.lines, `recipe ${recipe.number}`);
  assert.equal(code, recipe.endless ? null : 0, `recipe ${recipe.number}`);
  for (const [name, [, after]] of Object.entries(recipe.files ?? {})) {
    assert.equal(await readFile(join(folder, name), "utf8"), after, `recipe ${recipe.number}: ${name}`);
  }
}

const all = await extract();
await compile();
const player = await Player.start(resolve(root, process.env.CONFORMANCE ?? "../conformance", "recipes.json"));
try {
  for (const recipe of all) await play(player, recipe);
} finally {
  player.stop();
}
console.log(`${all.length} recipes`);
