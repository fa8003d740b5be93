// Starts the reference. Everything that would leave this host is switched off; the Content-Security-Policy forbids it too.
Scalar.createApiReference('#reference', {
  url: document.querySelector('#reference').dataset.document,
  pageTitle: document.title,
  theme: 'default',
  withDefaultFonts: false,
  customCss: ':root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace }',
  authentication: { preferredSecurityScheme: 'bearer' },
  defaultOpenAllTags: true,
  defaultOpenFirstTag: true,
  orderRequiredPropertiesFirst: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  proxyUrl: '',
});
