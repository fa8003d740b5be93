// Writes the types of the API and the table of its operations: node generate.mjs DOCUMENT FOLDER. tools/generate.sh calls it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseYaml } from "@redocly/openapi-core";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [document, folder] = process.argv.slice(2);
const notice = "// Generated from docs/openapi.yaml by scripts/generate.mjs. Do not edit.\n";
const { factory } = ts;

// An enumeration of responses is open: its known values complete in editors, and any other text is valid too.
function open(schema) {
  const known = schema["x-extensible-enum"];
  if (!known) return undefined;
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  return factory.createUnionTypeNode([
    ...known.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value))),
    factory.createParenthesizedType(factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])])),
  ]);
}

function* operationsOf({ paths }) {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const parameters = operation.parameters ?? [];
      const keyed = parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key"));
      const times = parameters.filter(({ schema }) => schema?.format === "date-time").map(({ name }) => name);
      // A POST without a key reads: to send it again has no effect.
      const reads = method === "get" || (method === "post" && !keyed);
      const members = {
        method: method.toUpperCase(),
        path,
        ...(keyed && { keyed }),
        ...(reads && { reads }),
        ...(times.length && { times }),
      };
      yield `  "${operation.operationId}": ${JSON.stringify(members)},`;
    }
  }
}

const text = await readFile(document, "utf8");
const types = await openapiTS(pathToFileURL(document), { transform: open });
await writeFile(join(folder, "api.gen.ts"), `${notice}\n${astToString(types)}`);
const rows = [...operationsOf(parseYaml(text))];
await writeFile(
  join(folder, "operations.gen.ts"),
  `${notice}import type { Operation } from "./operation.js";\n\nexport const table = {\n${rows.join("\n")}\n} as const satisfies Record<string, Operation>;\n`,
);
