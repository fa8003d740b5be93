// Runs every case of sdk/conformance with this SDK, or those that are named: npm run conformance -- CASE…
//
// PLAYER replaces the path of the player, CONFORMANCE the folder of the cases.
import { readFile } from "node:fs/promises";
import type { Table } from "./cases.js";
import { differences } from "./compare.js";
import { play } from "./play.js";
import { Player } from "./player.js";

const path = `${process.env["CONFORMANCE"] ?? "../conformance"}/cases.json`;
const names = process.argv.slice(2);
const { clock, cases }: Table = JSON.parse(await readFile(path, "utf8"));
const chosen = cases.filter(({ name }) => names.length === 0 || names.includes(name));
delete process.env["FENCEPOST_URL"];
delete process.env["FENCEPOST_API_KEY"];
const player = await Player.start(path);
let failed = 0;
try {
  for (const one of chosen) {
    const run = await player.arm(one.name);
    const outcome = await play(player, run, one, clock);
    const wrong = [...differences(one.expect, outcome), ...(await player.report(run)).failures];
    if (wrong.length > 0) console.error(`${one.name}:\n  ${wrong.join("\n  ")}`);
    failed += Number(wrong.length > 0);
  }
} finally {
  player.stop();
}
console.log(`${chosen.length} cases, ${failed} failed`);
process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1;
