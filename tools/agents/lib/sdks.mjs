// The official MCP SDKs, by the revision of the protocol that each is made to speak.
const v1 = async (name) => {
  const [{ Client }, { StreamableHTTPClientTransport }, { UnauthorizedError }] = await Promise.all(
    ["client/index.js", "client/streamableHttp.js", "client/auth.js"].map((part) => import(`${name}/${part}`)),
  );
  return {
    Transport: StreamableHTTPClientTransport,
    UnauthorizedError,
    client: () => new Client({ name: `agents ${name}`, version: "1.0.0" }),
    stepsUp: false,
    finish: (transport, parameters) => transport.finishAuth(parameters.get("code")),
  };
};

const v2 = async () => {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import("@modelcontextprotocol/client");
  return {
    Transport: StreamableHTTPClientTransport,
    UnauthorizedError,
    client: () => new Client({ name: "agents client", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    stepsUp: true, // by itself, when a tool needs a scope that was not given
    finish: (transport, parameters) => transport.finishAuth(parameters), // which checks iss (RFC 9207)
  };
};

export const sdks = { "2026-07-28": v2, "2025-11-25": () => v1("@modelcontextprotocol/sdk"), "2025-06-18": () => v1("mcp-sdk-2025-06-18") };
