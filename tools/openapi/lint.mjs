import { formatProblems, getTotals, lint, loadConfig } from "@redocly/openapi-core";

const [document] = process.argv.slice(2);
const config = await loadConfig({ configPath: process.argv[3] });
const problems = await lint({ ref: document, config });
const totals = getTotals(problems);
if (problems.length > 0) {
  formatProblems(problems, { format: "stylish", totals, version: "", maxProblems: 1000 });
  process.exitCode = 1;
}
