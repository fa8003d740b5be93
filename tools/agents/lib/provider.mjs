// What an SDK keeps of its authorization: in memory, and nothing to begin with. The person decides where it sends them.
import assert from "node:assert/strict";

export class Provider {
  constructor(name, redirect) {
    this.redirectUrl = redirect;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state() {
    this.expectedState = crypto.randomUUID();
    return this.expectedState;
  }

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client) {
    this.client = client;
  }

  tokens() {
    return this.given;
  }

  saveTokens(tokens) {
    this.given = tokens;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveDiscoveryState(state) {
    this.discovered = state;
  }

  discoveryState() {
    return this.discovered;
  }

  redirectToAuthorization(address) {
    this.address = address;
  }

  // decided sends the person where the SDK wants them, and returns what came back.
  async decided(person, decision) {
    assert.ok(this.address, "the SDK did not ask for an authorization");
    const { response, asked } = await person.decide(this.address, decision);
    this.address = undefined;
    assert.equal(response.searchParams.get("state"), this.expectedState);
    return { parameters: response.searchParams, asked };
  }
}
