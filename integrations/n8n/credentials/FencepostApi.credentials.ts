import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from "n8n-workflow";

export class FencepostApi implements ICredentialType {
  name = "fencepostApi";
  displayName = "Fencepost API";
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
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      required: true,
      default: "",
      description: "A key from the developer settings of the application",
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  };
  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.url.replace(/\\/+$/, '')}}", url: "/v1/workspace" },
  };
}
