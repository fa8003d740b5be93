// Holds the authorization server against oauth4webapi, which checks every response by the standards: node oauth.mjs
import assert from "node:assert/strict";

import * as oauth from "oauth4webapi";

import { listen, Person } from "./lib/person.mjs";
import { stack, workspace } from "./lib/stack.mjs";
import { run, Wire } from "./lib/wire.mjs";

const wire = new Wire();
const http = { [oauth.customFetch]: wire.fetch, [oauth.allowInsecureRequests]: true };
const person = await Person.withBrowser();
const { redirect, close } = await listen();
const scope = "channels:read posts:write analytics:read";

const discover = async (issuer) => oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(new URL(stack.apiUrl), { ...http, algorithm: "oauth2" }));

async function register(server, method) {
  const asked = { client_name: `oauth4webapi ${method}`, redirect_uris: [redirect], token_endpoint_auth_method: method };
  const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(server, asked, http));
  assert.deepEqual(client.redirect_uris, asked.redirect_uris);
  assert.equal(client.token_endpoint_auth_method, method);
  const authentication = { none: () => oauth.None(), client_secret_basic: oauth.ClientSecretBasic, client_secret_post: oauth.ClientSecretPost }[method];
  return { ...client, authentication: authentication(client.client_secret) };
}

// authorize asks the person, and returns what came back, checked for its state and its issuer (RFC 9207), with the verifier.
async function authorize(server, client, resource, decision) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirect, response_type: "code", scope, state, resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
  });
  const { response, asked, consent } = await person.decide(address, decision);
  assert.ok(consent.includes(`oauth4webapi ${client.token_endpoint_auth_method} requests access`), consent);
  assert.deepEqual(asked.toSorted(), scope.split(" ").toSorted());
  assert.equal(response.searchParams.get("iss"), server.issuer);
  return { verifier, validate: (url = response) => oauth.validateAuthResponse(server, client, url, state), response };
}

const redeem = (server, client, { validate, verifier }) =>
  oauth.authorizationCodeGrantRequest(server, client, client.authentication, validate(), redirect, verifier, http);

async function tokens(server, client, decision) {
  const got = await oauth.processAuthorizationCodeResponse(server, client, await redeem(server, client, await authorize(server, client, stack.apiUrl, decision)));
  assert.equal(got.token_type, "bearer");
  assert.equal(got.expires_in, 3600);
  assert.match(got.access_token, /^svc_oat_/);
  assert.match(got.refresh_token, /^svc_ort_/);
  return got;
}

const refresh = async (server, client, token) =>
  oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(server, client, client.authentication, token, http));

const rest = (token) => oauth.protectedResourceRequest(token, "GET", new URL(`${stack.apiUrl}/v1/workspace`), undefined, undefined, http);

// worksFor holds that a token is for the workspace and these scopes.
async function worksFor(token, scopes) {
  const body = await (await rest(token)).json();
  assert.equal(body.id, workspace.id);
  assert.deepEqual(body.grantedScopes.toSorted(), scopes.split(" ").toSorted());
}

// refused holds that a token is worth nothing, at the latest after a second.
async function refused(token) {
  const deadline = Date.now() + 1000;
  for (;;) {
    try {
      await rest(token);
    } catch (error) {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, error);
      assert.equal(error.status, 401);
      assert.equal(error.cause[0].parameters.error, "invalid_token");
      return;
    }
    assert.ok(Date.now() < deadline, "the token still works");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const fails = (error, status = 400) => (thrown) => {
  assert.ok(thrown instanceof oauth.ResponseBodyError, thrown);
  assert.deepEqual([thrown.status, thrown.error], [status, error]);
  return true;
};

// resources: a token is for one of the two, and the other refuses it (RFC 8707, RFC 9728).
async function resources(server) {
  const tools = new URL(stack.mcpUrl);
  const described = await oauth.processResourceDiscoveryResponse(tools, await oauth.resourceDiscoveryRequest(tools, http));
  assert.deepEqual(described.authorization_servers, [server.issuer]);
  const client = await register(server, "none");
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" });
  const list = (token) => oauth.protectedResourceRequest(token, "POST", tools, headers, message, http);

  const forTools = await oauth.processAuthorizationCodeResponse(server, client, await redeem(server, client, await authorize(server, client, described.resource)));
  assert.equal((await list(forTools.access_token)).status, 200);
  await refused(forTools.access_token);
  const forREST = await tokens(server, client);
  await worksFor(forREST.access_token, scope);
  await assert.rejects(list(forREST.access_token), (thrown) => thrown.status === 401 && thrown.cause[0].parameters.error === "invalid_token");
}

async function discovery() {
  const server = await discover(new URL(stack.apiUrl));
  assert.equal(server.issuer, stack.apiUrl);
  assert.ok(scope.split(" ").every((name) => server.scopes_supported.includes(name)), server.scopes_supported);
  // RFC 8414, section 3.3: the document of another issuer is not taken.
  await assert.rejects(discover(new URL("https://elsewhere.example")), { code: oauth.JSON_ATTRIBUTE_COMPARISON });
  return server;
}

// publicClient takes the steps of a program on a user's machine.
async function publicClient(server) {
  const client = await register(server, "none");
  assert.equal(client.client_secret, undefined);
  const first = await tokens(server, client, { without: ["analytics:read"] });
  assert.equal(first.scope.split(" ").toSorted().join(" "), "channels:read posts:write"); // what the person gave
  await worksFor(first.access_token, first.scope);

  const second = await refresh(server, client, first.refresh_token);
  const again = await refresh(server, client, first.refresh_token); // a client that did not receive the response
  assert.deepEqual([again.access_token, again.refresh_token], [second.access_token, second.refresh_token]);
  assert.notEqual(second.access_token, first.access_token);
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.equal(second.scope, first.scope);
  await worksFor(second.access_token, second.scope);

  // After its successor was used, reuse of the first one indicates theft: the whole grant ends.
  await assert.rejects(refresh(server, client, first.refresh_token), fails("invalid_grant"));
  await refused(second.access_token);
  await assert.rejects(refresh(server, client, second.refresh_token), fails("invalid_grant"));
}

// codes are good for one try, by who knows the verifier, at the redirect they were sent to.
async function codes(server) {
  const client = await register(server, "client_secret_post");
  const right = await authorize(server, client, stack.apiUrl);
  const forged = new URL(right.response);
  forged.searchParams.set("iss", "https://elsewhere.example");
  assert.throws(() => right.validate(forged), /unexpected "iss"/);
  const wrong = await redeem(server, client, { ...right, verifier: oauth.generateRandomCodeVerifier() });
  await assert.rejects(oauth.processAuthorizationCodeResponse(server, client, wrong), fails("invalid_grant"));

  const used = await authorize(server, client, stack.apiUrl);
  const got = await oauth.processAuthorizationCodeResponse(server, client, await redeem(server, client, used));
  const twice = await redeem(server, client, used);
  await assert.rejects(oauth.processAuthorizationCodeResponse(server, client, twice), fails("invalid_grant"));
  await refused(got.access_token); // RFC 6749, section 4.1.2

  const denied = await authorize(server, client, stack.apiUrl, { allow: false });
  assert.throws(() => denied.validate(), (thrown) => thrown instanceof oauth.AuthorizationResponseError && thrown.error === "access_denied");
}

// confidentialClient asks about its token, and gives it back.
async function confidentialClient(server) {
  const client = await register(server, "client_secret_basic");
  const other = await register(server, "client_secret_basic");
  const got = await tokens(server, client);
  const ask = async (asker, token) => oauth.processIntrospectionResponse(server, asker, await oauth.introspectionRequest(server, asker, asker.authentication, token, http));
  const introspected = await ask(client, got.access_token);
  assert.equal(introspected.active, true);
  assert.deepEqual([introspected.client_id, introspected.iss, introspected.aud, introspected.token_type], [client.client_id, server.issuer, stack.apiUrl, "Bearer"]);
  assert.deepEqual(introspected.scope.split(" ").toSorted(), scope.split(" ").toSorted());
  assert.ok(Math.abs(introspected.exp - Date.now() / 1000 - 3600) < 30, String(introspected.exp));
  assert.deepEqual(await ask(other, got.access_token), { active: false }); // not its own
  const stolen = { ...client, authentication: oauth.ClientSecretBasic(other.client_secret) };
  await assert.rejects(tokens(server, stolen), (thrown) => {
    assert.equal(thrown.status ?? thrown.cause?.status, 401);
    return true;
  });

  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, client.authentication, got.refresh_token, http));
  assert.deepEqual(await ask(client, got.access_token), { active: false });
  await refused(got.access_token);
  await assert.rejects(refresh(server, client, got.refresh_token), fails("invalid_grant"));
}

await run(wire, async () => {
  const server = await discovery();
  await publicClient(server);
  await codes(server);
  await confidentialClient(server);
  await resources(server);
  return "discovery, registration, PKCE, codes, rotation, introspection, revocation, both resources";
});
await person.close();
close();
