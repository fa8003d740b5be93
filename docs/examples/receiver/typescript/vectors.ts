// Tries verify on the deliveries of ../vectors.json, or of the file that is named: npm run vectors
import { readFileSync } from "node:fs";

import { verify } from "./verify.js";

interface Vector {
  name: string;
  why: string;
  secret: string;
  now: number;
  bodyBase64: string;
  headers: Record<string, string>;
  accept: { service: boolean };
}

const path = process.argv[2] ?? "../vectors.json";
const { vectors } = JSON.parse(readFileSync(path, "utf8")) as { vectors: Vector[] };
let wrong = 0;
for (const v of vectors) {
  const accepted = verify(v.headers["X-Service-Signature"] ?? "", Buffer.from(v.bodyBase64, "base64"), v.secret, v.now);
  if (accepted !== v.accept.service) {
    wrong++;
    console.error(`${v.name}: accepted is ${accepted}; ${v.why}`);
  }
}
console.log(`${vectors.length} vectors, ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
