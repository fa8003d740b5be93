import { FencepostError } from "./errors.js";

interface Globals {
  process?: { env?: Record<string, string | undefined> };
  Deno?: { env: { get(name: string): string | undefined } };
}

/** Returns a variable of the environment, in the runtimes that have one. */
function variable(name: string): string | undefined {
  const { process, Deno } = globalThis as Globals;
  return process?.env?.[name] ?? Deno?.env.get(name);
}

/** Returns an option of the client, or the variable of the environment that replaces it. */
export function setting(given: string | undefined, option: string, name: string): string {
  const value = given ?? variable(name);
  if (value) return value;
  const detail = `${option} is missing: set the variable ${name}, or pass ${option} to the client`;
  throw new FencepostError("configuration", { detail });
}
