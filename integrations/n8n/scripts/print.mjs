const width = 140;

/** Returns the source of a value. The linter of n8n reads names without quotes only. */
export function source(value, indent = "") {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
  const parts = (inner) => members.map(([name, one]) => (isList ? "" : `${key(name)}: `) + source(one, inner));
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return open + close;
  const line = isList ? `[${parts(indent).join(", ")}]` : `{ ${parts(indent).join(", ")} }`;
  if (!line.includes("\n") && line.length + indent.length <= width) return line;
  const inner = `${indent}  `;
  return `${open}\n${parts(inner)
    .map((part) => `${inner}${part},\n`)
    .join("")}${indent}${close}`;
}
