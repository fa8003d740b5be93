// Writes the operations of the node from the OpenAPI document: node scripts/generate.mjs DOCUMENT FILE
//
// An operation of the document that is in neither list below ends the program, so that the node stays complete.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { networkOptions } from "./options.mjs";
import { source } from "./print.mjs";

// Resource, its name, and its operations: ID in the document, value, name.
const resources = [
  [
    "analytics",
    "Analytics",
    [
      ["get-channel-analytics", "getChannel", "Get for a Channel"],
      ["get-post-analytics", "getPost", "Get for a Post"],
      ["get-workspace-analytics", "getWorkspace", "Get for the Workspace"],
    ],
  ],
  [
    "channel",
    "Channel",
    [
      ["get-channel", "get", "Get"],
      ["list-pinterest-boards", "getBoards", "Get Boards"],
      ["get-tiktok-creator-info", "getCreatorInfo", "Get Creator Info"],
      ["list-channels", "getAll", "Get Many"],
      ["get-channel-schedule", "getSchedule", "Get Posting Schedule"],
      ["get-channel-quota", "getQuota", "Get Quota"],
    ],
  ],
  [
    "event",
    "Event",
    [
      ["get-event", "get", "Get"],
      ["list-events", "getAll", "Get Many"],
    ],
  ],
  [
    "idea",
    "Idea",
    [
      ["create-idea-card", "createCard", "Create Card"],
      ["get-idea-board", "getBoard", "Get Board"],
      ["list-idea-boards", "getBoards", "Get Boards"],
    ],
  ],
  [
    "linkPage",
    "Link Page",
    [
      ["add-link-block", "addBlock", "Add Block"],
      ["create-link-page", "create", "Create"],
      ["delete-link-page", "delete", "Delete"],
      ["delete-link-block", "deleteBlock", "Delete Block"],
      ["get-link-page", "get", "Get"],
      ["get-link-page-analytics", "getAnalytics", "Get Analytics"],
      ["list-link-pages", "getAll", "Get Many"],
      ["order-link-blocks", "orderBlocks", "Order Blocks"],
      ["publish-link-page", "publish", "Publish"],
      ["unpublish-link-page", "unpublish", "Unpublish"],
      ["update-link-page", "update", "Update"],
      ["update-link-block", "updateBlock", "Update Block"],
    ],
  ],
  [
    "media",
    "Media",
    [
      ["delete-media", "delete", "Delete"],
      ["get-media", "get", "Get"],
      ["list-media", "getAll", "Get Many"],
      ["import-media", "import", "Import by URL"],
      ["edit-media", "update", "Update"],
      ["start-upload", "upload", "Upload"],
    ],
  ],
  [
    "post",
    "Post",
    [
      ["approve-post", "approve", "Approve"],
      ["create-posts", "create", "Create"],
      ["continue-parts", "continue", "Continue"],
      ["create-linkedin-post", "createLinkedIn", "Create for LinkedIn"],
      ["create-pinterest-post", "createPinterest", "Create for Pinterest"],
      ["create-tiktok-post", "createTikTok", "Create for TikTok"],
      ["create-youtube-post", "createYouTube", "Create for YouTube"],
      ["create-posts-in-bulk", "createMany", "Create Many"],
      ["delete-post", "delete", "Delete"],
      ["get-post", "get", "Get"],
      ["list-posts", "getAll", "Get Many"],
      ["get-post-timeline", "getTimeline", "Get Timeline"],
      ["publish-post", "publish", "Publish"],
      ["reject-post", "reject", "Reject"],
      ["request-post-approval", "requestApproval", "Request Approval"],
      ["schedule-post", "schedule", "Schedule"],
      ["simulate-posts", "simulate", "Simulate"],
      ["unschedule-post", "unschedule", "Unschedule"],
      ["edit-post", "update", "Update"],
      ["update-posts-in-bulk", "updateMany", "Update Many"],
      ["validate-posts", "validate", "Validate"],
    ],
  ],
  [
    "webhook",
    "Webhook",
    [
      ["create-webhook", "create", "Create"],
      ["delete-webhook", "delete", "Delete"],
      ["get-webhook", "get", "Get"],
      ["list-webhook-deliveries", "getDeliveries", "Get Deliveries"],
      ["get-webhook-delivery", "getDelivery", "Get Delivery"],
      ["list-webhooks", "getAll", "Get Many"],
      ["get-webhook-replay", "getReplay", "Get Replay"],
      ["redeliver-webhook-delivery", "redeliver", "Redeliver"],
      ["start-webhook-replay", "replay", "Replay Events"],
      ["rotate-webhook-secret", "rotateSecret", "Rotate Secret"],
      ["test-webhook", "test", "Test"],
      ["update-webhook", "update", "Update"],
    ],
  ],
  ["workspace", "Workspace", [["get-workspace", "get", "Get"]]],
];
// Part of the upload, and the document itself.
const others = ["complete-upload", "get-openapi"];

// The parameters of paths, by the first segment of the path and their name.
const paths = {
  "channels.id": "channel",
  "posts.id": "post",
  "media.id": "media",
  "webhooks.id": "webhook",
  "webhooks.deliveryId": "delivery",
  "webhooks.replayId": "replayId",
  "link-pages.id": "linkPage",
  "link-pages.blockId": "block",
  "idea-boards.id": "ideaBoard",
  "events.id": "eventId",
};
const labels = {
  content: "Text",
  q: "Search",
  from: "From",
  to: "To",
  mediaIds: "Media",
  mediaId: "Media",
  channelIds: "Channel Names or IDs",
  channelId: "Channel",
  boardId: "Board",
  columnId: "Column ID",
  labelIds: "Label IDs",
  campaignId: "Campaign ID",
  groupId: "Set ID",
  seo: "SEO",
  seoTitle: "Title",
  isActive: "Active",
  isVisible: "Visible",
  noIndex: "Hide From Search Engines",
  blockIds: "Blocks",
  url: "URL",
  sourceUrl: "Source URL",
  scheduledAt: "Time",
  dryRun: "Dry Run",
  accentColor: "Accent Color",
  only: "Only",
  madeForKids: "Made for Children",
  since: "From",
  until: "To",
  externalId: "External ID",
  postIds: "Post IDs",
};
// Descriptions of switches, which begin with Whether in n8n.
const switches = {
  brandContent: "Whether to disclose a paid partnership",
  brandOrganic: "Whether to disclose that the account promotes its own business",
  uploadToDraft: "Whether to send the post to the creator's inbox as a draft. The other settings are then ignored.",
  force: "Whether to end a secret from before the last rotation at once",
  isActive: "Whether events are sent",
  dryRun: "Whether to return what the request would do, without a change",
  unused: "Whether to return only assets that nothing uses",
};
const binaryHint = "The name of the input field with the file, such as data";

// The reader of YAML is that of the SDK's generator, which the gate installs.
const { parseYaml } = createRequire(new URL("../../../sdk/typescript/package.json", import.meta.url))(
  "@redocly/openapi-core",
);
const [, , input, output] = process.argv;
const document = parseYaml(await readFile(input, "utf8"));
const { schemas } = document.components;
const found = new Map();
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (operation.operationId) found.set(operation.operationId, { ...operation, path, method: method.toUpperCase() });
  }
}

/** Returns a schema without references, with the description beside the reference. */
function resolve(schema) {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (!reference) return schema;
  const { allOf: _, $ref: __, ...own } = schema;
  return { ...resolve(schemas[reference.split("/").pop()]), ...own };
}

function label(name) {
  const words = name.replace(/([A-Z])/g, " $1").replace(/^./, (first) => first.toUpperCase());
  return labels[name] ?? words.replace(/\bId(s?)\b/g, "ID$1").replace(/\bUrl\b/g, "URL");
}

/** Returns a description in the form of n8n: one sentence has no full stop. */
function describe(text = "") {
  const plain = text.replace(/`/g, "").replace(/\s+/g, " ").replace(/"/g, "'").trim();
  const html = plain
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/\burl\b/g, "URL")
    .replace(/\bId\b/g, "ID");
  const first = html.replace(/^[a-z]+\b(?!-)/, (word) => word[0].toUpperCase() + word.slice(1));
  return /[.!?] /.test(first) ? first : first.replace(/\.$/, "");
}

function title(value) {
  const words = String(value)
    .replace(/^-(.*)/, "$1 descending")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[_.\s]+/);
  return words.map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase()).join(" ");
}

const byName = (a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1);
const byLabel = (a, b) => (a.displayName < b.displayName ? -1 : 1);
const choices = (values) => values.map((value) => ({ name: value === "*" ? "All" : title(value), value })).sort(byName);

const idPattern = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const locators = {
  channel: { search: "searchChannels", segment: "channels" },
  post: { search: "searchPosts", segment: "posts" },
  media: { search: "searchMedia", segment: "media" },
  webhook: { search: "searchWebhooks", segment: "webhooks" },
  linkPage: { search: "searchLinkPages", segment: "link-pages" },
  ideaBoard: { search: "searchIdeaBoards", segment: "(?:idea-boards|ideas)" },
  board: { search: "searchBoards" },
  block: { search: "searchBlocks" },
  delivery: { search: "searchDeliveries" },
};

/** Returns a property that finds a resource in a list, by ID or by URL. */
function locator(kind, displayName, description, required = true) {
  const { search, segment } = locators[kind];
  const modes = [
    {
      displayName: "From List",
      name: "list",
      type: "list",
      typeOptions: { searchListMethod: search, searchable: true },
    },
    {
      displayName: "By ID",
      name: "id",
      type: "string",
      placeholder: segment ? "e.g. 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" : "e.g. 549755885175",
    },
  ];
  if (segment) {
    const regex = `^https?://.*/${segment}/(${idPattern})(?:[/?#].*)?$`;
    modes.push({
      displayName: "By URL",
      name: "url",
      type: "string",
      placeholder: `e.g. https://app.example.com/w/…/${segment.replace(/^\(\?:|\|.*/g, "")}/0190a3c5-…`,
      extractValue: { type: "regex", regex },
      validation: [
        {
          type: "regex",
          properties: { regex, errorMessage: "This is not the URL of a page in the application or of the API" },
        },
      ],
    });
  }
  return {
    displayName,
    name: kind,
    type: "resourceLocator",
    ...(required && { required: true }),
    default: { mode: "list", value: "" },
    description,
    modes,
  };
}

/** Returns the list of a post's files: assets, input fields and addresses. */
function mediaList(name, description, several) {
  const values = [
    {
      displayName: "Source",
      name: "source",
      type: "options",
      options: [
        { name: "Input Field", value: "binary" },
        { name: "Media Library", value: "asset" },
        { name: "URL", value: "url" },
      ],
      default: "binary",
      description: "Where the file comes from",
    },
    { ...locator("media", "Media", "The asset"), displayOptions: { show: { source: ["asset"] } } },
    {
      displayName: "Input Field",
      name: "binaryPropertyName",
      type: "string",
      default: "data",
      description: binaryHint,
      displayOptions: { show: { source: ["binary"] } },
    },
    {
      displayName: "URL",
      name: "url",
      type: "string",
      default: "",
      description: "The public address of the file",
      displayOptions: { show: { source: ["url"] } },
    },
    {
      displayName: "Alternative Text",
      name: "altText",
      type: "string",
      default: "",
      description: "The text for people who cannot see the file",
    },
  ];
  return {
    displayName: "Media",
    name,
    type: "fixedCollection",
    ...(several && { typeOptions: { multipleValues: true, sortable: true } }),
    placeholder: "Add File",
    default: {},
    description,
    options: [{ displayName: "File", name: "files", values }],
  };
}

const optionsMapper = (dependsOn) => ({
  displayName: "Network Options",
  name: "options",
  type: "resourceMapper",
  noDataExpression: true,
  default: { mappingMode: "defineBelow", value: null },
  description: "The settings of the channel's network",
  typeOptions: {
    loadOptionsDependsOn: [dependsOn],
    resourceMapper: {
      resourceMapperMethod: "getNetworkOptions",
      mode: "add",
      valuesLabel: "Options",
      fieldWords: { singular: "option", plural: "options" },
      addAllFields: false,
      supportAutoMap: false,
      noFieldsError: "The network of this channel has no options",
    },
  },
});

const channelNames = (name, description) => ({
  displayName: "Channel Names or IDs",
  name,
  type: "multiOptions",
  typeOptions: { loadOptionsMethod: "getChannels" },
  default: [],
  description: `${description} Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
});

/** Returns the property of a member of a body or a query, and how the node reads it: [property, kind]. */
function member(name, given, required) {
  const schema = resolve(given);
  const description = describe(schema.description);
  const base = { displayName: label(name), name };
  const end = { default: "", description, ...(required && { required: true }) };
  if (name === "channelIds" || (name === "channelId" && schema.type === "array"))
    return [channelNames(name, schema.description), "list"];
  if (name === "channelId") return [locator("channel", "Channel", description, required), "id"];
  if (name === "boardId" && required) return [locator("board", "Board", description), "id"];
  if (name === "mediaIds") return [mediaList("mediaIds", description, true), "media"];
  if (name === "mediaId") return [mediaList("mediaId", description, false), "file"];
  if (name === "timezone") return [{ ...base, type: "string", ...end, placeholder: "e.g. Europe/Berlin" }, "text"];
  // Never required: the editor does not save a value that is the default, and n8n would hold it to be missing.
  if (schema.enum)
    return [{ ...base, type: "options", options: choices(schema.enum), default: schema.enum[0], description }, "text"];
  if (schema.type === "boolean") {
    const text = description.startsWith("Whether") ? description : switches[name];
    if (!text) throw new Error(`the switch ${name} needs a description`);
    return [{ ...base, type: "boolean", default: false, description: text }, "text"];
  }
  if (schema.type === "integer" || schema.type === "number")
    return [{ ...base, type: "number", ...end, default: 0 }, "text"];
  if (schema.format === "date-time" || name === "scheduledAt") return [{ ...base, type: "dateTime", ...end }, "time"];
  if (schema.format === "date") return [{ ...base, type: "dateTime", ...end }, "date"];
  if (schema.type === "array") {
    const items = resolve(schema.items);
    if (items.enum)
      return [{ ...base, type: "multiOptions", options: choices(items.enum), ...end, default: [] }, "list"];
    if (items.type === "string") {
      const text = `${description.replace(/\.?$/, ".")} Separated by commas, or a list from an expression.`;
      return [{ ...base, type: "string", ...end, description: text }, "list"];
    }
    return [{ ...base, type: "json", ...end, default: "[]" }, "json"];
  }
  if (schema.additionalProperties && typeof schema.additionalProperties === "object") {
    return [
      {
        ...base,
        type: "fixedCollection",
        typeOptions: { multipleValues: true },
        placeholder: "Add Value",
        default: {},
        description,
        options: [
          {
            displayName: "Value",
            name: "values",
            values: [
              { displayName: "Name", name: "name", type: "string", default: "", description: "The name of the value" },
              {
                displayName: "Value",
                name: "value",
                type: "string",
                default: "",
                description: "The text of the value",
              },
            ],
          },
        ],
      },
      "pairs",
    ];
  }
  if (schema.properties && Object.keys(schema.properties).length < 8) {
    const members = Object.entries(schema.properties).map(([key, value]) => [key, ...member(key, value, false)]);
    const kinds = Object.fromEntries(members.map(([key, , kind]) => [key, kind]));
    const values = members.map(([, property]) => property).sort(byLabel);
    return [
      { ...base, type: "collection", placeholder: "Add Field", default: {}, description, options: values },
      { members: kinds },
    ];
  }
  if (schema.type === "object" || schema.properties || schema.oneOf)
    return [{ ...base, type: "json", ...end, default: "{}" }, "json"];
  if (/Color$/.test(name)) return [{ ...base, type: "color", ...end }, "text"];
  const rows =
    (schema.maxLength ?? 0) > 500 && name !== "url" && !/Url$|^link$/.test(name) ? { typeOptions: { rows: 4 } } : {};
  return [{ ...base, type: "string", ...rows, ...end }, "text"];
}

const when = [
  {
    displayName: "When",
    name: "schedule",
    type: "options",
    options: [
      { name: "As a Draft", value: "draft", description: "Creates a draft" },
      { name: "At a Time", value: "time", description: "Publishes at a time" },
      {
        name: "At the Next Free Slot",
        value: "next_slot",
        description: "Publishes at the next free slot of the channel's posting schedule",
      },
      { name: "Now", value: "now", description: "Publishes at once" },
    ],
    default: "draft",
    description: "When the post is published. Everything except a draft needs the scope posts:publish.",
  },
  {
    displayName: "Time",
    name: "scheduledAt",
    type: "dateTime",
    default: "",
    required: true,
    show: { schedule: ["time"] },
    description:
      "The time of publishing. A time without an offset is in the time zone of the field Timezone, or else of the workflow.",
  },
];

const channelList = {
  displayName: "Channels",
  name: "channels",
  type: "fixedCollection",
  typeOptions: { multipleValues: true, sortable: true },
  placeholder: "Add Channel",
  default: {},
  description:
    "The channels, each with what its post has of its own. One post is created for each, or none if one is refused.",
  options: [
    {
      displayName: "Channel",
      name: "values",
      values: [
        locator("channel", "Channel", "The channel of the post"),
        {
          displayName: "Own Text",
          name: "content",
          type: "string",
          typeOptions: { rows: 3 },
          default: "",
          description: "The text of this channel's post instead of the common one",
        },
        optionsMapper("&channel.value"),
        {
          displayName: "Own Values",
          name: "own",
          type: "collection",
          placeholder: "Add Value",
          default: {},
          description: "Further values of this channel's post instead of the common ones",
          options: [
            member("contentType", schemas.Variant.properties.contentType)[0],
            {
              displayName: "Media IDs",
              name: "mediaIds",
              type: "string",
              default: "",
              description: "IDs of the media of this post. Separated by commas, or a list from an expression.",
            },
            member("title", schemas.Variant.properties.title)[0],
          ],
        },
      ],
    },
  ],
};

/** Returns the properties and the call of an operation. */
function build(resource, value, operation) {
  const { path, method, parameters = [] } = operation;
  const at = (property) => {
    const { show, ...rest } = property;
    return { ...rest, displayOptions: { show: { resource: [resource], operation: [value], ...show } } };
  };
  const properties = [];
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))[1];
  const result = success.content && resolve(success.content["application/json"].schema);
  const names = parameters.map((parameter) => parameter.$ref?.split("/").pop() ?? parameter.name);
  const call = { id: operation.operationId, method, path, ids: {} };
  if (names.includes("Idempotency-Key")) call.keyed = true;
  if (method === "POST" && !call.keyed) call.reads = true;
  for (const parameter of parameters.filter((one) => one.in === "path")) {
    // The paths of analytics name the resource in their last segment but one.
    const segments = path.split("/").filter((one) => !one.startsWith("{"));
    const kind = paths[`${segments[2] === "analytics" ? segments[3] : segments[2]}.${parameter.name}`];
    if (!kind) throw new Error(`${path}: unknown parameter ${parameter.name}`);
    call.ids[parameter.name] = kind;
    const text = describe(parameter.description);
    properties.push(
      locators[kind]
        ? locator(kind, label(kind), text)
        : { displayName: label(kind), name: kind, type: "string", required: true, default: "", description: text },
    );
  }
  const cards = result?.properties?.cards && "cards";
  const list =
    cards ??
    (value === "getAll" || /^getBoards$|^getDeliveries$/.test(value)
      ? result.type === "array"
        ? ""
        : "data"
      : undefined);
  if (list !== undefined) {
    call.list = list;
    if (names.includes("limit")) call.pages = true;
    properties.push({
      displayName: "Return All",
      name: "returnAll",
      type: "boolean",
      default: false,
      description: "Whether to return all results or only up to a given limit",
    });
    properties.push({
      displayName: "Limit",
      name: "limit",
      type: "number",
      typeOptions: { minValue: 1 },
      default: 50,
      description: "Max number of results to return",
      show: { returnAll: [false] },
    });
  }
  const query = parameters.filter((one) => one.in === "query" && !["limit", "cursor"].includes(one.name));
  if (query.length > 0) {
    call.query = {};
    const filters = query.map(({ name, schema, description }) => {
      const [property, kind] = member(name, { ...schema, description: description ?? schema.description }, false);
      call.query[name] = kind;
      return property;
    });
    properties.push({
      displayName: "Filters",
      name: "filters",
      type: "collection",
      placeholder: "Add Filter",
      default: {},
      options: filters.sort(byLabel),
    });
  }
  bodyOf(operation, call, properties);
  return [call, properties.map(at)];
}

// Members of bodies that the node builds by itself.
const built = new Set(["schedule", "timezone", "mediaAltTexts", "variants", "channelIds", "options"]);

function bodyOf(operation, call, properties) {
  const schema = operation.requestBody && resolve(operation.requestBody.content["application/json"].schema);
  if (!schema || operation.operationId === "start-upload") {
    if (schema) properties.push(...uploadFields());
    return;
  }
  const creates =
    ("schedule" in (schema.properties ?? {}) && "content" in schema.properties) ||
    "privacyLevel" in (schema.properties ?? {}) ||
    "videoType" in (schema.properties ?? {});
  call.top = {};
  call.more = {};
  if (schema.oneOf) {
    const [first] = schema.oneOf.map(resolve);
    const type = {
      enum: Object.keys(schema.discriminator.mapping),
      description: "Type of the block. It never changes.",
    };
    // The settings differ by the type.
    schema.properties = {
      ...first.properties,
      type,
      settings: {
        type: "object",
        description: `${describe(resolve(first.properties.settings).description)}. As JSON; docs/link-pages.md lists the fields.`,
      },
    };
    schema.required = first.required;
  }
  const more = [];
  const several = creates && "variants" in schema.properties;
  const isUpdate = operation.method === "PATCH";
  if (several) {
    properties.push(member("content", schema.properties.content)[0], channelList);
    call.top.content = "text";
    call.channels = true;
  }
  for (const [name, given] of Object.entries(schema.properties)) {
    if (several && name === "content") continue;
    if (resolve(given).deprecated) continue;
    if (creates && built.has(name)) continue;
    if (["options", "mediaAltTexts"].includes(name)) continue; // beside the media, and after the loop
    const required = (schema.required ?? []).includes(name) || (creates && name === "content");
    const isMedia = name === "mediaIds" || name === "mediaId";
    const [property, kind] = member(name, given, (schema.required ?? []).includes(name));
    const top =
      required || (isMedia && !isUpdate) || (operation.operationId === "schedule-post" && name !== "timezone");
    (top ? call.top : call.more)[name] = kind;
    if (top) properties.push(operation.operationId === "schedule-post" ? scheduling(name, property) : property);
    else more.push(property);
  }
  if ("mediaAltTexts" in schema.properties) call.altTexts = true;
  if (creates) {
    call.schedules = true;
    properties.push(...when);
    call.more.timezone = "text";
    more.push(member("timezone", schema.properties.timezone, false)[0]);
  }
  if (isUpdate && "options" in schema.properties) {
    properties.push(optionsMapper("post.value"));
    call.top.options = "options";
  }
  if (isUpdate)
    call.nulls = Object.entries(schema.properties)
      .filter(([, given]) => resolve(given).nullable)
      .map(([name]) => name);
  if (more.length === 0) return;
  const [displayName, name] = isUpdate ? ["Update Fields", "updateFields"] : ["Additional Fields", "additionalFields"];
  properties.push({
    displayName,
    name,
    type: "collection",
    placeholder: "Add Field",
    default: {},
    options: more.sort(byLabel),
  });
}

function scheduling(name, property) {
  if (name === "scheduledAt") return { ...when[1] };
  if (name === "force")
    return {
      ...property,
      description: "Whether to move a post that holds a slot to another one",
      show: { schedule: ["next_slot"] },
    };
  const options = when[0].options.filter((option) => option.value === "time" || option.value === "next_slot");
  return { ...when[0], options, default: "time", description: "When the post is published" };
}

function uploadFields() {
  return [
    {
      displayName: "Input Field",
      name: "binaryPropertyName",
      type: "string",
      default: "data", // not required, as the choices of member
      description: binaryHint,
    },
    {
      displayName: "Additional Fields",
      name: "additionalFields",
      type: "collection",
      placeholder: "Add Field",
      default: {},
      options: [
        {
          displayName: "Alternative Text",
          name: "altText",
          type: "string",
          default: "",
          description: "The text for people who cannot see the file",
        },
        {
          displayName: "File Name",
          name: "fileName",
          type: "string",
          default: "",
          description: "The name of the file instead of that of the input field",
        },
        {
          displayName: "MIME Type",
          name: "contentType",
          type: "string",
          default: "",
          placeholder: "e.g. image/jpeg",
          description: "The type of the file instead of that of the input field",
        },
      ],
    },
  ];
}

const calls = {};
const properties = [
  {
    displayName: "Resource",
    name: "resource",
    type: "options",
    noDataExpression: true,
    options: resources.map(([value, name]) => ({ name, value })),
    default: "post",
  },
];
const details = new Map();

/** Adds a property. Operations of a resource share the properties that they have in common. */
function add(property) {
  const { operation, ...show } = property.displayOptions.show;
  const key = JSON.stringify({ ...property, displayOptions: show });
  const same = details.get(key);
  if (same) same.displayOptions.show.operation.push(...operation);
  else details.set(key, property);
}

for (const [resource, , operations] of resources) {
  calls[resource] = {};
  const options = [];
  for (const [id, value, name] of operations) {
    const operation = found.get(id);
    if (!operation) throw new Error(`the document has no operation ${id}`);
    found.delete(id);
    const [call, more] = build(resource, value, operation);
    calls[resource][value] = call;
    for (const property of more) add(property);
    const action =
      value === "getAll"
        ? `Get many ${operation.summary.replace(/^\w+ /, "")}`
        : operation.summary.replace(/'s\b/g, " s").replace(/ s /, " ");
    const description = describe(operation.description.split("\n\n")[0].split(/(?<=\.) /)[0]);
    options.push({
      name,
      value,
      action: value === "upload" ? "Upload a file" : action,
      description: value === "upload" ? "Uploads a file from an input field" : description,
    });
  }
  properties.push({
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: options.sort(byName),
    default:
      options.find(({ value }) => value === "create" || value === "getAll" || value === "get")?.value ??
      options[0].value,
  });
}
properties.push(...details.values());
for (const id of others) found.delete(id);
if (found.size > 0) throw new Error(`operations without a place in the node: ${[...found.keys()].join(", ")}`);

const events = schemas.EventTypeInput.enum.filter((type) => type !== "webhook.test");
await writeFile(
  output,
  `// Generated from docs/openapi.yaml by scripts/generate.mjs. Do not edit.
import type { INodeProperties, INodePropertyOptions } from "n8n-workflow";

import type { Call, NetworkOption } from "./types";

/** The operations of the API, by resource and operation of the node. */
export const calls: Record<string, Record<string, Call>> = ${source(calls)};

/** The types of events. */
export const eventTypes: INodePropertyOptions[] = ${source(choices(events))};

/** The options of posts, each with the types of channels whose network takes it. */
export const networkOptions: NetworkOption[] = ${source(networkOptions(schemas, label, describe, title, switches))};

export const properties: INodeProperties[] = ${source(properties)};
`,
);
