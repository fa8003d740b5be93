import { config } from "@n8n/node-cli/eslint";

export default [
  { ignores: [".build", "dist", "n8n", "scripts", "test"] },
  ...config,
  {
    files: ["credentials/**/*.ts"],
    rules: {
      // The documentation is part of each installation; it has no public address.
      "n8n-nodes-base/cred-class-field-documentation-url-missing": "off",
    },
  },
  {
    files: ["nodes/**/*.ts"],
    rules: {
      // The names of networks have capitals.
      "n8n-nodes-base/node-param-operation-option-action-miscased": "off",
      // The fields of a file are in the order in which people fill them in.
      "n8n-nodes-base/node-param-fixed-collection-type-unsorted-items": "off",
    },
  },
  {
    files: ["package.json"],
    rules: {
      // The package is installed from a file. It has the licence of the project, no page of its own and no single author.
      "@n8n/community-nodes/require-homepage": "off",
      "@n8n/community-nodes/valid-author": "off",
      "n8n-nodes-base/community-package-json-author-missing": "off",
      "n8n-nodes-base/community-package-json-license-not-default": "off",
    },
  },
];
