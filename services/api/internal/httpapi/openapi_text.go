package httpapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/platform/testnet"
)

const (
	tagWorkspace = "Workspace"
	tagChannels  = "Channels"
	tagMedia     = "Media"
	tagPosts     = "Posts"
	tagLifecycle = "Post lifecycle"
	tagWebhooks  = "Webhooks"
	tagEvents    = "Events"
	tagAnalytics = "Analytics"
	tagLinkPages = "Link pages"
	tagIdeas     = "Ideas"
	tagDocument  = "Document"

	// tagEventTypes groups the deliveries to receivers.
	tagEventTypes = "Event types"

	// extensionPublic marks an operation that needs no credential.
	extensionPublic = "x-public"
)

func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagWorkspace, Description: "The tenant that the credential belongs to."},
		{
			Name:        tagChannels,
			Description: "Connected social accounts. They are connected in the application, never through the API.",
		},
		{Name: tagMedia, Description: "Files of the workspace, imported by URL or uploaded. Posts refer to them by ID."},
		{Name: tagPosts, Description: "A post belongs to exactly one channel. Create it as a draft, for a given time, for " +
			"the next free slot of its channel, or for immediate publishing."},
		{Name: tagLifecycle, Description: "Operations that change the state of a post: schedule, unschedule, publish, and " +
			"approval."},
		{Name: tagWebhooks, Description: "Signed events that are sent to your HTTPS endpoint, the log of deliveries, " +
			"redelivery and replay."},
		{Name: tagEvents, Description: "The log of events of the last 30 days, for polling and for events that a webhook " +
			"has missed."},
		{Name: tagAnalytics, Description: "Figures of channels and posts, read from their networks once a day and stored."},
		{Name: tagLinkPages, Description: "Public pages of links, each with its own URL. Edit the draft block by block, " +
			"then publish it. To avoid overwriting changes of others, send the page's `ETag` as `If-Match`."},
		{Name: tagEventTypes, Description: eventText},
		{Name: tagIdeas, Description: "Boards of ideas for posts: cards in columns, with labels. Their scopes are opt-in: " +
			"a key has them only if they were granted explicitly."},
		{Name: tagDocument, Description: "The description of this API."},
	}
}

// introduction is the introductory text of the reference.
const introduction = `Create posts for connected social accounts, request approval, schedule them, and track them until they are published.

## Authentication

Send an API key with every request: ` + "`Authorization: Bearer <API_KEY>`" +
	`. A key belongs to one workspace. Requests for resources of another workspace return 404.

## Conventions

- Bodies are JSON in UTF-8. Unknown fields and query parameters are rejected, so that a misspelt name is never ignored silently. So are repeated and empty query parameters.
- null, and an empty text where it has no meaning, count as an optional field that is absent, except in a PATCH, where null clears a value. A number with a zero fraction is an integer. A PATCH also takes ` + "`application/merge-patch+json`" + `, and an action without a body takes ` + "`{}`" + `.
- Texts are stored with a line feed for each line break and without other control characters except tabs. Responses show the stored text.
- IDs are UUIDs. Times in requests are RFC 3339 with an offset. A publish time may have no offset if ` + "`timezone`" + ` is beside it. Times in responses are in UTC with milliseconds.
- Responses may get new fields, and enumerations new values. Tolerate both.
- Every response has an ` + "`X-Request-Id`" + `. Include it when you contact support.

## Repeating a request

Send an ` + "`Idempotency-Key`" +
	` with any POST or PATCH that changes something; where it is not documented, it is ignored. If no response arrives, send the request again with the same key. It takes effect once, and for 24 hours returns the first successful response, with ` + "`Idempotent-Replayed: true`" + `. A key identifies one request of the workspace: the same key with another method, path or body returns 422 ` + "`IDEMPOTENCY_KEY_REUSED`" + `. A key can be used again after a failure.

## Limits

Every response has ` + "`RateLimit-Limit`" + `, ` + "`RateLimit-Remaining`" + ` and ` + "`RateLimit-Reset`" +
	` (seconds). A credential may send 600 requests per minute, or 3,000 on the plan AGENCY. Further requests return 429 with ` + "`Retry-After`" + `. ` + "`GET /v1/workspace`" + ` returns the workspace's usage of its plan. A body has at most 1 MiB, and a bulk request at most 50 items.

## Errors

Errors are problem documents (RFC 9457, ` + "`application/problem+json`" + `). Handle errors by ` + "`status`" +
	` and ` + "`code`" + `; ` + "`type`" +
	` is the URL of a page that explains the code. A validation error lists every fault of the request, each with its location.

## Concurrent changes

Several people and programs may change a post, an asset, a webhook or a link page. Its ` + "`ETag`" + ` names its version. A change that sends it as ` +
	"`If-Match`" + ` returns 412 ` + "`PRECONDITION_FAILED`" + ` if there is another version (RFC 9110). Without ` +
	"`If-Match`" + ` the last change wins. Operations that do not document ` + "`If-Match`" + ` return 400 for it.

## States of a post

| From | Action | To |
|---|---|---|
| DRAFT, FAILED, SCHEDULED | schedule, publish | SCHEDULED |
| SCHEDULED | unschedule | DRAFT |
| DRAFT | request-approval | PENDING_APPROVAL |
| PENDING_APPROVAL | approve | SCHEDULED if its time is in the future, otherwise DRAFT |
| PENDING_APPROVAL | reject | DRAFT |
| SCHEDULED | its time is reached | PUBLISHED or FAILED |
| DRAFT, SCHEDULED, FAILED | edit | unchanged; PENDING_APPROVAL if the edit ends a required approval |
| every state except PUBLISHED | delete | deleted |

Every other action returns 409 ` + "`INVALID_STATE`" + `.

## Versioning

The version is the first part of every path. This API is a developer preview: it may change before general availability.
`

// testMode describes test mode, with the scripts of the test network.
func testMode() string {
	var text strings.Builder
	text.WriteString("\n\n## Test mode\n\nA key `svc_test_…`, made beside live ones, belongs to a test workspace with a channel of " +
		"every type, which reaches no network. Everything else is as live. `metadata.test` of a post names what the test " +
		"network does with it. Unless the row says always, that concerns the first call for the post.\n\n" +
		"| `metadata.test` | The test network |\n|---|---|")
	for _, s := range testnet.Scripts() {
		text.WriteString("\n| `" + s.Name + "` | " + s.Does + " |")
	}
	return text.String()
}
