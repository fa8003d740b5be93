import type { ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from "n8n-workflow";

// Those of the operations of the node (docs/openapi.yaml).
const scopes = [
  "channels:read",
  "media:write",
  "posts:write",
  "posts:publish",
  "webhooks:manage",
  "analytics:read",
  "links:read",
  "links:write",
  "ideas:read",
  "ideas:write",
];

export class FencepostOAuth2Api implements ICredentialType {
  name = "fencepostOAuth2Api";
  extends = ["oAuth2Api"];
  displayName = "Fencepost OAuth2 API";
  icon: Icon = { light: "file:../nodes/Fencepost/fencepost.svg", dark: "file:../nodes/Fencepost/fencepost.dark.svg" };
  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "url",
      type: "string",
      required: true,
      default: "",
      placeholder: "https://api.example.com",
      description: "The address of the API of your installation",
    },
    {
      displayName: "Register Automatically",
      name: "useDynamicClientRegistration",
      type: "boolean",
      default: true,
      description:
        "Whether n8n registers itself at the installation. Otherwise an operator creates a client with admin oauth-client add.",
    },
    { displayName: "Server URL", name: "serverUrl", type: "hidden", default: '={{$self["url"]}}' },
    { displayName: "Grant Type", name: "grantType", type: "hidden", default: "pkce" },
    {
      displayName: "Authorization URL",
      name: "authUrl",
      type: "hidden",
      default: '={{$self["url"].replace(/\\/+$/, "")}}/oauth/authorize',
      required: true,
    },
    {
      displayName: "Access Token URL",
      name: "accessTokenUrl",
      type: "hidden",
      default: '={{$self["url"].replace(/\\/+$/, "")}}/oauth/token',
      required: true,
    },
    {
      displayName: "Client ID",
      name: "clientId",
      type: "string",
      default: "",
      required: true,
      displayOptions: { show: { useDynamicClientRegistration: [false] } },
    },
    {
      displayName: "Client Secret",
      name: "clientSecret",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description: "Empty for a public client",
      displayOptions: { show: { useDynamicClientRegistration: [false] } },
    },
    { displayName: "Scope", name: "scope", type: "hidden", default: scopes.join(" ") },
    { displayName: "Auth URI Query Parameters", name: "authQueryParameters", type: "hidden", default: "" },
    { displayName: "Authentication", name: "authentication", type: "hidden", default: "body" },
  ];
  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.url.replace(/\\/+$/, '')}}", url: "/v1/workspace" },
  };
}
