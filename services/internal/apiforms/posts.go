package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

// Post is the post in responses (specification, Post; decisions, section 4).
type Post struct {
	ID          ident.Post        `json:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Id of the post."`
	ChannelID   ident.Channel     `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"The channel it is for. One post is for exactly one channel."`
	Content     string            `json:"content" example:"Our spring collection is here." doc:"Text of the post."`
	Title       OptionalText      `json:"title" example:"Spring collection" doc:"Title, for video-style content."`
	ContentType ContentType       `json:"contentType" example:"POST" doc:"Kind of content."`
	Status      PostStatus        `json:"status" example:"SCHEDULED" doc:"State of the post. A post that is to be published at once stays SCHEDULED until it is out."`
	ScheduledAt OptionalTimestamp `json:"scheduledAt" doc:"When it is to be published."`
	PublishedAt OptionalTimestamp `json:"publishedAt" doc:"When it was published."`
	CreatedAt   Timestamp         `json:"createdAt" doc:"When it was created."`
	UpdatedAt   Timestamp         `json:"updatedAt" doc:"When it changed last."`
	MediaIDs    []ident.Media     `json:"mediaIds" format:"uuid" doc:"Media in display order."`
	Waiting     *Waiting          `json:"waiting" doc:"Why a SCHEDULED post is not out yet; null in other states."`
	Options     *PostOptions      `json:"options" doc:"The platform's own settings, an empty object when none was sent; null for posts made by the generic endpoint."`
	PostURL     OptionalText      `json:"postUrl" format:"uri" example:"https://t.me/acme_news/42" doc:"Where the published post can be seen."`
	Error       *PostError        `json:"error" doc:"Why publishing failed; null unless the post is FAILED."`
	Approval    *Approval         `json:"approval" doc:"The last round of approval; null when there was none."`
}

// TransformSchema documents the nullable properties.
func (Post) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "waiting", "error", "approval", "options")
}

// PostOptions holds the platform's own settings of a post. Unset options are omitted.
type PostOptions struct {
	VideoType         string `json:"videoType,omitempty" maxLength:"20" example:"short" doc:"YouTube: video or short."`
	Category          string `json:"category,omitempty" maxLength:"10" example:"22" doc:"YouTube: number of the category."`
	License           string `json:"license,omitempty" maxLength:"20" example:"youtube" doc:"YouTube: youtube or creativeCommon."`
	NotifySubscribers *bool  `json:"notifySubscribers,omitempty" example:"true" doc:"YouTube: whether subscribers are told."`
	AllowEmbedding    *bool  `json:"allowEmbedding,omitempty" example:"true" doc:"YouTube: whether other sites may show the video."`
	MadeForKids       *bool  `json:"madeForKids,omitempty" example:"false" doc:"YouTube: whether the video is made for children."`
	Visibility        string `json:"visibility,omitempty" maxLength:"20" example:"PUBLIC" doc:"YouTube: public, unlisted or private. LinkedIn: PUBLIC or CONNECTIONS."`
	AllowComments     *bool  `json:"allowComments,omitempty" example:"true" doc:"TikTok: whether comments are allowed; left out, the account's own setting holds."`
	AllowDuet         *bool  `json:"allowDuet,omitempty" example:"false" doc:"TikTok: whether duets are allowed; as of allowComments."`
	AllowStitch       *bool  `json:"allowStitch,omitempty" example:"false" doc:"TikTok: whether stitches are allowed; as of allowComments."`
	BrandContent      *bool  `json:"brandContent,omitempty" example:"false" doc:"TikTok: discloses a paid partnership."`
	BrandOrganic      *bool  `json:"brandOrganic,omitempty" example:"false" doc:"TikTok: discloses that the account promotes its own business."`
	UploadToDraft     *bool  `json:"uploadToDraft,omitempty" example:"false" doc:"TikTok: sends the post to the creator's inbox as a draft; the other settings are then ignored."`
	BoardID           string `json:"boardId,omitempty" maxLength:"100" example:"549755885175" doc:"Pinterest: the board."`
	Link              string `json:"link,omitempty" maxLength:"2048" example:"https://example.com/tiles" doc:"Pinterest: where the pin leads to."`
	AltText           string `json:"altText,omitempty" maxLength:"500" example:"Blue tiles on a wall" doc:"Pinterest: describes the picture for those who do not see it."`
}

// Waiting is the reason why a SCHEDULED post waits.
type Waiting struct {
	Reason post.WaitReason `json:"reason" enum:"time,retrying,rate_limited,platform_processing,reconciling" example:"time" doc:"time: its time has not come. retrying: the network did not accept it for a passing reason. rate_limited: the network asks to wait. platform_processing: the network, or the service itself, works on its files. reconciling: the network's answer was lost, and the service looks whether the post is there. Tolerate new values."`
	Until  Timestamp       `json:"until" doc:"It waits until then at the least."`
}

// PostError is the reason why a post was not published.
type PostError struct {
	Code      string `json:"code" example:"OUTCOME_UNKNOWN" doc:"Name of the reason, for programs."`
	Message   string `json:"message" example:"The network did not answer in time; look at the account before you try again." doc:"The reason, for people."`
	Retryable bool   `json:"retryable" example:"false" doc:"Whether publishing the post again can help."`
}

// Approval is a round of approval.
type Approval struct {
	Status    post.ApprovalStatus `json:"status" enum:"PENDING,APPROVED,REJECTED" example:"APPROVED" doc:"Where the round stands."`
	Comment   OptionalText        `json:"comment" example:"Looks good." doc:"What the approver wrote."`
	DecidedAt OptionalTimestamp   `json:"decidedAt" doc:"When it was decided; null while it is pending."`
}

// PostPage is a page of posts.
type PostPage struct {
	Data       []Post       `json:"data" doc:"Posts, in the order of sort."`
	NextCursor OptionalText `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Send it as cursor to get the next page; null on the last one."`
}

// TimelineEntry is one entry of a post's history.
type TimelineEntry struct {
	At     Timestamp         `json:"at" doc:"When it happened."`
	Kind   post.EntryKind    `json:"kind" example:"scheduled" doc:"What happened: created, edited, scheduled, unscheduled, publish_requested, approval_requested, approved, rejected, attempt_started, attempt_failed, attempt_unknown, waiting, reconciled, published, failed, archived or unarchived. Tolerate new values."`
	Actor  post.Actor        `json:"actor" example:"key svc_live_AbCd…" doc:"Who did it: an API key by its first characters, or the service."`
	Detail string            `json:"detail" example:"Scheduled for 2026-03-01T07:00:00.000Z." doc:"What happened, for people."`
	Count  int               `json:"count" minimum:"1" example:"1" doc:"How often it has happened. Waits repeat: the same wait in the same plan is one entry, which counts."`
	LastAt Timestamp         `json:"lastAt" doc:"When it happened last; the time of at where it happened once."`
	NextAt OptionalTimestamp `json:"nextAt" doc:"When the service looks or tries again; null where it does not."`
}

// Timeline is the history of a post.
type Timeline struct {
	Data []TimelineEntry `json:"data" doc:"What happened, oldest first."`
}

// ToAPIPost converts a post.
func ToAPIPost(p post.Post) Post {
	out := Post{
		ID: p.ID, ChannelID: p.ChannelID, Content: p.Content, Title: OptionalText(p.Title), ContentType: ContentType(p.ContentType),
		Status: PostStatus(p.Status), ScheduledAt: OptionalTimestamp(p.ScheduledAt), PublishedAt: OptionalTimestamp(p.PublishedAt),
		CreatedAt: Timestamp(p.CreatedAt), UpdatedAt: Timestamp(p.UpdatedAt), MediaIDs: p.MediaIDs, PostURL: OptionalText(p.PostURL),
	}
	if p.HasOptions {
		options := PostOptions(p.Options)
		out.Options = &options
	}
	if w := p.EffectiveWaiting(); w != nil {
		out.Waiting = &Waiting{Reason: w.Reason, Until: Timestamp(w.Until)}
	}
	if p.Error != nil {
		out.Error = &PostError{Code: p.Error.Code, Message: p.Error.Message, Retryable: p.Error.Retryable}
	}
	if p.Approval != nil {
		out.Approval = &Approval{
			Status: p.Approval.Status, Comment: OptionalText(p.Approval.Comment), DecidedAt: OptionalTimestamp(p.Approval.DecidedAt),
		}
	}
	return out
}

// ToAPIPosts converts posts.
func ToAPIPosts(posts []post.Post) []Post {
	out := make([]Post, len(posts))
	for i, p := range posts {
		out[i] = ToAPIPost(p)
	}
	return out
}

// ToAPITimeline converts a post's history.
func ToAPITimeline(entries []post.Entry) Timeline {
	data := make([]TimelineEntry, len(entries))
	for i, e := range entries {
		data[i] = TimelineEntry{At: Timestamp(e.At), Kind: e.Kind, Actor: e.Actor, Detail: detail(e), Count: e.Count, LastAt: Timestamp(e.LastAt), NextAt: OptionalTimestamp(e.NextAt)}
	}
	return Timeline{Data: data}
}

// detail returns the text of an entry, with the time of the next attempt if one is planned.
func detail(e post.Entry) string {
	if e.NextAt.IsZero() {
		return e.Detail
	}
	return e.Detail + " Next look at " + event.FormatTime(e.NextAt) + "."
}
