// Lints an OpenAPI document with Redocly's rules as redocly.yaml beside this file sets them. It says nothing when there is
// nothing to say. Only the engine of Redocly's CLI is used: the rest of that draws pages, and takes ten times the space.
import { fileURLToPath } from "node:url";
import { formatProblems, getTotals, lint, loadConfig } from "@redocly/openapi-core";

const [document] = process.argv.slice(2);
if (document === undefined) {
  console.error("usage: node lint.mjs DOCUMENT");
  process.exit(2);
}
const config = await loadConfig({ configPath: fileURLToPath(new URL("redocly.yaml", import.meta.url)) });
const problems = await lint({ ref: document, config });
const totals = getTotals(problems);
if (totals.errors + totals.warnings > 0) {
  formatProblems(problems, { format: "codeframe", totals, version: "", maxProblems: 100 });
  process.exitCode = 1;
}
