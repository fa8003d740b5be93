import { refused } from "./errors.js";

/** The value of a parameter of a query. Undefined and null are omitted, a list repeats the parameter. */
export type QueryValue = string | number | boolean | Date | null | undefined | readonly (string | number)[];

/** Fills in the parameters of a path. A value is always one segment. */
export function pathOf(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]));
}

function segment(name: string, value: string | undefined): string {
  // Programs on the way would remove these segments and so reach another path.
  if (!value || value === "." || value === "..")
    throw refused([{ pointer: name, message: "must not be empty, . or .." }]);
  return encodeURIComponent(value);
}

/** Returns a query with its question mark, or "" if it has no parameter. */
export function queryOf(values: Record<string, QueryValue>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      const text = one instanceof Date ? one.toISOString() : String(one);
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
    }
  }
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}
