package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Post is the post in responses (docs/contract.md, Post).
type Post struct {
	ID            ident.Post        `json:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	ChannelID     ident.Channel     `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the post's channel. A post belongs to exactly one channel."`
	Content       string            `json:"content" example:"Our spring collection is here." doc:"Text of the post."`
	Title         OptionalText      `json:"title" example:"Spring collection" doc:"Title, for video-style content."`
	ContentType   ContentType       `json:"contentType" example:"POST" doc:"Kind of content."`
	Status        PostStatus        `json:"status" example:"SCHEDULED" doc:"State of the post. A post queued for immediate publishing is SCHEDULED until it is published."`
	ScheduledAt   OptionalTimestamp `json:"scheduledAt" doc:"Time at which the post is to be published."`
	PublishedAt   OptionalTimestamp `json:"publishedAt" doc:"Time at which the post was published."`
	CreatedAt     Timestamp         `json:"createdAt" doc:"Time at which the post was created."`
	UpdatedAt     Timestamp         `json:"updatedAt" doc:"Time of the last change of the post."`
	MediaIDs      []ident.Media     `json:"mediaIds" format:"uuid" doc:"IDs of media in display order."`
	MediaAltTexts AltTexts          `json:"mediaAltTexts" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset."`
	Waiting       *Waiting          `json:"waiting" doc:"Reason why a SCHEDULED post is not published yet; null in other states."`
	Options       *PostOptions      `json:"options" doc:"Settings of the platform; an empty object if none were sent. Null for posts created by the generic endpoint."`
	PostURL       OptionalText      `json:"postUrl" format:"uri" example:"https://t.me/acme_news/42" doc:"URL of the published post."`
	Confirmed     *bool             `json:"confirmed" example:"true" doc:"Whether the network is known to show the post. False if the network reports nothing about it, or if its review took longer than 24 hours. Null unless the post is PUBLISHED."`
	Error         *PostError        `json:"error" doc:"Reason why publishing failed; null unless the post is FAILED."`
	Approval      *Approval         `json:"approval" doc:"The last approval; null if approval was never requested."`
	GroupID       ident.Group       `json:"groupId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61" doc:"ID of the set: the posts that were created by one request. A post that was created alone is a set of its own."`
	Labels        []string          `json:"labels" example:"[\"Spring\"]" doc:"Labels of the post, in the spelling of the workspace."`
	CampaignID    OptionalText      `json:"campaignId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65" doc:"Campaign of the post; null if it belongs to none."`
	ExternalID    OptionalText      `json:"externalId" example:"cms-4711" doc:"ID of the post in the client's own system."`
	Metadata      Metadata          `json:"metadata" doc:"Values that the client stored with the post."`
	Thread        []Part            `json:"thread" doc:"The parts of a thread after the first, which is content and mediaIds."`
	FirstComment  *Comment          `json:"firstComment" doc:"The first comment; null if there is none."`
	Parts         []PartState       `json:"parts" doc:"What became of each part, the post itself first; empty for a post without parts."`
	PartsState    *PartsState       `json:"partsState" example:"COMPLETE" doc:"PENDING until the post itself is published, then IN_PROGRESS, COMPLETE, or INCOMPLETE: a part failed, see continue-parts. Null without parts."`
	PublishAfter  *Predecessor      `json:"publishAfter" doc:"Another post that must be published first; null if the post waits for none."`
}

// TransformSchema documents the nullable properties.
func (Post) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "waiting", "error", "approval", "options", "publishAfter", "firstComment", "partsState")
}

// Waiting is the reason why a SCHEDULED post waits.
type Waiting struct {
	Reason post.WaitReason   `json:"reason" enum:"time,retrying,rate_limited,platform_processing,reconciling,platform_review,channel_reconnect,channel_paused,after_post" example:"time" doc:"time: the scheduled time is not reached. retrying: a temporary failure of the network. rate_limited: the network limits requests. platform_processing: the network or the service processes the files. reconciling: the response of the network was lost, and the service checks whether the post was published. platform_review: the network has accepted the post and reviews it before showing it; if it reports nothing until then, the post is PUBLISHED with confirmed false. channel_reconnect: the network no longer accepts the connection of the channel; the post is published when a person has connected the channel again, or fails at until. channel_paused: the channel is paused, or all publishing of the workspace is stopped; the post is published when a person resumes it. after_post: the post before it is not published, or the delay after it is not over. Tolerate new values."`
	Until  OptionalTimestamp `json:"until" doc:"Earliest end of the wait; with channel_reconnect and platform_review its latest end. Null with channel_paused, which only a person ends, and with after_post until the post before it is published."`
}

// PostError is the reason why a post was not published.
type PostError struct {
	Code      string `json:"code" example:"OUTCOME_UNKNOWN" doc:"Code of the reason."`
	Message   string `json:"message" example:"The network did not respond in time. Check the account before you try again." doc:"Explanation of the reason."`
	Retryable bool   `json:"retryable" example:"false" doc:"Whether publishing the post again can succeed."`
}

// Approval is a round of approval.
type Approval struct {
	Status    post.ApprovalStatus `json:"status" enum:"PENDING,APPROVED,REJECTED" example:"APPROVED" doc:"State of the approval."`
	Comment   OptionalText        `json:"comment" example:"Looks good." doc:"Comment of the approver."`
	DecidedAt OptionalTimestamp   `json:"decidedAt" doc:"Time of the decision; null while it is pending."`
	Policy    ApprovalPolicy      `json:"policy" example:"REQUIRED" doc:"Approval policy of the post's channel."`
	Approvals []GivenApproval     `json:"approvals" doc:"Approvals of the present content that count under the policies REQUIRED and TWO_STEP."`
}

// ApprovalPolicy is the name of an approval policy.
type ApprovalPolicy string

// GivenApproval is the approval of a person.
type GivenApproval struct {
	By string    `json:"by" example:"Mara Lindqvist" doc:"Name of the person."`
	At Timestamp `json:"at" doc:"Time of the approval."`
}

// PostPage is a page of posts.
type PostPage struct {
	Data       []Post       `json:"data" doc:"Posts in the order of sort."`
	NextCursor OptionalText `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Cursor of the next page; null on the last page."`
}

// TimelineEntry is one entry of a post's history.
type TimelineEntry struct {
	At     Timestamp         `json:"at" doc:"Time of the entry."`
	Kind   post.EntryKind    `json:"kind" example:"scheduled" doc:"Kind of the entry: created, edited, scheduled, unscheduled, publish_requested, approval_requested, approved, rejected, commented, attempt_started, attempt_failed, attempt_unknown, waiting, reconciled, published, warning, failed, resumed, archived, unarchived, live_change_requested, live_edited, live_deleted or live_change_failed. The last four are about changes of the published post on its network. Tolerate new values."`
	Actor  post.Actor        `json:"actor" example:"key svc_live_AbCd…" doc:"Actor: key and the first characters of an API key, user, guest or program and its name, or service."`
	Detail string            `json:"detail" example:"Scheduled for 2026-03-01T07:00:00.000Z." doc:"Description of the entry."`
	Count  int               `json:"count" minimum:"1" example:"1" doc:"Number of occurrences. Repeated waits for the same reason are counted in one entry."`
	LastAt Timestamp         `json:"lastAt" doc:"Time of the last occurrence; equal to at for a single occurrence."`
	NextAt OptionalTimestamp `json:"nextAt" doc:"Time of the next check or attempt; null if there is none."`
}

// Timeline is the history of a post.
type Timeline struct {
	Data []TimelineEntry `json:"data" doc:"Entries, oldest first."`
}

// ToAPIPost converts a post.
func ToAPIPost(p post.Post) Post {
	out := Post{
		ID: p.ID, ChannelID: p.ChannelID, Content: p.Content, Title: OptionalText(p.Title),
		ContentType: ContentType(p.ContentType),
		Status:      PostStatus(p.Status), ScheduledAt: OptionalTimestamp(p.ScheduledAt),
		PublishedAt: OptionalTimestamp(p.PublishedAt),
		CreatedAt:   Timestamp(p.CreatedAt), UpdatedAt: Timestamp(p.UpdatedAt), MediaIDs: p.MediaIDs,
		MediaAltTexts: AltTexts(p.MediaAltTexts), PostURL: OptionalText(p.PostURL),
		Confirmed: p.Confirmed, GroupID: p.GroupID, Labels: append([]string{}, p.Labels...),
		ExternalID: OptionalText(p.ExternalID), Metadata: Metadata(p.Metadata),
		PublishAfter: toAPIPredecessor(p.After), Error: toAPIError(p.Error),
		Thread: toAPIThread(p.Thread), FirstComment: toAPIComment(p.Comment), Parts: toAPIPartStates(p.Parts),
	}
	if p.PartsState != "" {
		out.PartsState = new(PartsState(p.PartsState))
	}
	if !p.CampaignID.IsZero() {
		out.CampaignID = OptionalText(p.CampaignID.String())
	}
	if p.HasOptions {
		options := PostOptions(p.Options)
		out.Options = &options
	}
	if w := p.EffectiveWaiting(); w != nil {
		out.Waiting = &Waiting{Reason: w.Reason, Until: OptionalTimestamp(w.Until)}
	}
	if p.Approval != nil {
		out.Approval = &Approval{
			Status: p.Approval.Status, Comment: OptionalText(p.Approval.Comment),
			DecidedAt: OptionalTimestamp(p.Approval.DecidedAt), Policy: ApprovalPolicy(p.Policy.String()), Approvals: []GivenApproval{},
		}
		for _, c := range p.Valid() {
			out.Approval.Approvals = append(out.Approval.Approvals, GivenApproval{By: c.Name, At: Timestamp(c.At)})
		}
	}
	return out
}

// ToAPIPosts converts posts.
func ToAPIPosts(posts []post.Post) []Post {
	return each(posts, ToAPIPost)
}

// LocationOf returns the path of the created post, or of the list if there are several.
func LocationOf(created []Post) string {
	if len(created) == 1 {
		return "/v1/posts/" + created[0].ID.String()
	}
	return "/v1/posts"
}

// ToAPITimeline converts a post's history.
func ToAPITimeline(entries []post.Entry) Timeline {
	data := make([]TimelineEntry, len(entries))
	for i, e := range entries {
		data[i] = TimelineEntry{
			At: Timestamp(e.At), Kind: e.Kind, Actor: e.Actor, Detail: detail(e), Count: e.Count, LastAt: Timestamp(e.LastAt),
			NextAt: OptionalTimestamp(e.NextAt),
		}
	}
	return Timeline{Data: data}
}

// detail returns the text of an entry, with the time of the next attempt if one is planned.
func detail(e post.Entry) string {
	if e.NextAt.IsZero() {
		return e.Detail
	}
	return e.Detail + " Next check at " + event.FormatTime(e.NextAt) + "."
}
