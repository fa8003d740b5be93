// Tries the reference library of Standard Webhooks on the deliveries of a vector file: node standard.mjs FILE
import { readFileSync } from "node:fs";

import { Webhook } from "standardwebhooks";

const { vectors } = JSON.parse(readFileSync(process.argv[2], "utf8"));
let wrong = 0;
for (const v of vectors) {
  Date.now = () => v.now * 1000;
  let fault;
  try {
    new Webhook(v.secret).verify(Buffer.from(v.bodyBase64, "base64"), v.headers);
  } catch (error) {
    fault = error;
  }
  if ((fault === undefined) !== v.accept.standard) {
    wrong++;
    console.error(`${v.name}: ${fault ?? "accepted"}; ${v.why}`);
  }
}
console.log(`${vectors.length} vectors, ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
