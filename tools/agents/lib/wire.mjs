// Everything that went over the wire, for those who want to see what was asked, and for the report of a failure.
const kept = 8;

export class Wire {
  exchanges = [];

  // fetch is handed to clients in place of the global one.
  fetch = async (input, init) => {
    const request = new Request(input, init);
    const exchange = { method: request.method, url: request.url, revision: request.headers.get("mcp-protocol-version"), asked: init?.body?.toString() };
    this.exchanges.push(exchange);
    const response = await fetch(request);
    exchange.status = response.status;
    exchange.headers = response.headers;
    exchange.body = response.clone().text().catch((error) => `unreadable: ${error.message}`);
    return response;
  };

  // line is an exchange as one line: "POST /oauth/token 200".
  line = ({ method, url, status }) => `${method} ${new URL(url).pathname} ${status}`;

  get lines() {
    return this.exchanges.map(this.line);
  }

  // report is the last exchanges with what was sent and received. Streams that stay open have no body yet.
  async report() {
    const open = () => new Promise((resolve) => setTimeout(resolve, 200, "(still open)").unref());
    const texts = this.exchanges.slice(-kept).map(async (exchange) => {
      const body = await Promise.race([exchange.body, open()]);
      const challenge = exchange.headers?.get("www-authenticate");
      return [this.line(exchange), exchange.asked && `  sent ${exchange.asked}`, challenge && `  WWW-Authenticate: ${challenge}`, `  got ${body}`]
        .filter(Boolean)
        .join("\n");
    });
    return (await Promise.all(texts)).join("\n");
  }
}

// run runs a check, and prints either its last line or all that is needed to understand why it failed.
export async function run(wire, check) {
  try {
    console.log(await check());
  } catch (error) {
    console.error(`${error.stack}\n${"expected" in error ? `expected ${JSON.stringify(error.expected)}\nactual   ${JSON.stringify(error.actual)}\n` : ""}
The last exchanges:\n${await wire.report()}`);
    process.exitCode = 1;
  }
}
