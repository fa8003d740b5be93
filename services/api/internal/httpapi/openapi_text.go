package httpapi

import "github.com/danielgtaylor/huma/v2"

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
		{Name: tagChannels, Description: "Connected social accounts. They are connected in the application, never through the API."},
		{Name: tagMedia, Description: "Files of the workspace, imported by their address or uploaded, that posts can carry by their ids."},
		{Name: tagPosts, Description: "One post is for exactly one channel. It is created as a draft, for a time, for the next free slot of its channel, or to go out at once."},
		{Name: tagLifecycle, Description: "What moves a post from state to state: schedule, unschedule, publish, and approval."},
		{Name: tagWebhooks, Description: "Signed events, sent to an HTTPS endpoint of yours; what became of each, and sending them again."},
		{Name: tagEvents, Description: "The log of everything that happened in the last 30 days, for readers that poll, and for what a webhook has missed."},
		{Name: tagAnalytics, Description: "How channels and posts do: what their networks tell, read once a day and kept."},
		{Name: tagLinkPages, Description: "Public pages of links, each with an address of its own. They are edited as drafts, block by block, and go live when they are published. To change only what you have read, send its `ETag` as `If-Match`."},
		{Name: tagEventTypes, Description: eventText},
		{Name: tagIdeas, Description: "Boards of what might become a post: cards in columns, with labels. Their scopes are opt-in: a key has them only when it was given them."},
		{Name: tagDocument, Description: "The description of this API."},
	}
}

// introduction is the introductory text of the reference.
const introduction = `Create posts for connected social accounts, have them approved, schedule them, and follow them until they are published.

## Authentication

Send an API key with every request: ` + "`Authorization: Bearer <API_KEY>`" + `. A key belongs to one workspace and sees nothing of any other: what belongs to another workspace answers 404, like what does not exist.

## Conventions

- Bodies are JSON in UTF-8. Members that an operation does not know are refused, so that a misspelt one never silently does nothing. Unknown query parameters are refused as well.
- Ids are UUIDs. Times are sent as RFC 3339 with an offset, and answered in UTC with milliseconds.
- Answers may get new members, and enumerations new values. Tolerate both.
- Every answer has an ` + "`X-Request-Id`" + `; tell it to support.

## Repeating a request

Send an ` + "`Idempotency-Key`" + ` with requests that create posts, that import media, that register a webhook, that rotate its secret, that make a link page or a block of one, and that create idea cards. When no answer came, send the request again with the same key: it takes effect once, and for 24 hours you get the first good answer again, with ` + "`Idempotent-Replayed: true`" + `. A key stands for one request of the workspace: the same key with another method, path or body is refused with 422 ` + "`IDEMPOTENCY_KEY_REUSED`" + `. It may be used again after a failure.

## Limits

Every answer has ` + "`RateLimit-Limit`" + `, ` + "`RateLimit-Remaining`" + ` and ` + "`RateLimit-Reset`" + ` (seconds). A credential may send 600 requests a minute, on the plan AGENCY 3,000; beyond that the answer is 429 with ` + "`Retry-After`" + `. ` + "`GET /v1/workspace`" + ` tells what the workspace uses of its plan. A body may have 1 MiB, a bulk request 50 items.

## Errors

Errors are problem documents (RFC 9457, ` + "`application/problem+json`" + `). Decide by ` + "`status`" + ` and ` + "`code`" + `; ` + "`type`" + ` is the address of a page that explains the code. A validation error lists every fault of the request at once, each with its place.

## Changing what others change too

A link page is edited by several people and programs. Its ` + "`ETag`" + ` is its revision; a change that sends it as ` + "`If-Match`" + ` is made only if the page is still the one that was read, and is otherwise refused with 412 ` + "`PRECONDITION_FAILED`" + ` (RFC 9110). Without ` + "`If-Match`" + ` the last change wins.

## States of a post

| From | Action | To |
|---|---|---|
| DRAFT, FAILED, SCHEDULED | schedule, publish | SCHEDULED |
| SCHEDULED | unschedule | DRAFT |
| DRAFT | request-approval | PENDING_APPROVAL |
| PENDING_APPROVAL | approve | SCHEDULED when its time is ahead, otherwise DRAFT |
| PENDING_APPROVAL | reject | DRAFT |
| SCHEDULED | its time comes | PUBLISHED or FAILED |
| DRAFT, SCHEDULED, FAILED | edit | the same |
| every state but PUBLISHED | delete | gone |

Everything else is refused with 409 ` + "`INVALID_STATE`" + `.

## Versioning

The version is the first part of every path. This API is a developer preview: it may change before general availability.
`
