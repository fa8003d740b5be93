package httpapi

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/channel/slot"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
	"socialpub.internal/shared/platform"
)

// The examples of answers are made by the code that makes answers, so that they never show what is never answered.

const (
	exampleRequest = "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
	exampleID      = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"
	exampleChannel = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
	exampleMedia   = "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93"
	exampleWebhook = "0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71"
	exampleEvent   = "0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82"
	exampleContent = "Our spring collection is here."
	exampleHook    = "https://hooks.example.com/social"
	exampleSecret  = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=" //nolint:gosec // an example
	exampleCursor  = "AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ"
)

// exampleOf writes a value as an answer has it; the document's own encoder does not know how.
func exampleOf(value any) stdjson.RawMessage {
	var out bytes.Buffer
	if err := apiforms.Encode(&out, value); err != nil {
		return stdjson.RawMessage("null") // a test compares examples with their schemas
	}
	return out.Bytes()
}

func idOf[I ~[16]byte](text string) I {
	id, _ := ident.Parse[I](text)
	return id
}

func exampleDay(hour int) time.Time { return time.Date(2026, time.March, 1, hour, 0, 0, 0, time.UTC) }

func examplePost(change func(p *post.Post)) apiforms.Post {
	p := post.Post{
		ID: idOf[ident.Post](exampleID), ChannelID: idOf[ident.Channel](exampleChannel), Content: exampleContent,
		ContentType: post.ContentPost, Status: post.Draft, CreatedAt: exampleDay(6), UpdatedAt: exampleDay(6),
	}
	change(&p)
	return apiforms.ToAPIPost(p)
}

func asDraft(*post.Post) {}

func asScheduled(p *post.Post) {
	p.Status, p.ScheduledAt = post.Scheduled, exampleDay(7)
}

func asPublished(p *post.Post) {
	p.Status, p.ScheduledAt, p.PublishedAt, p.UpdatedAt = post.Published, exampleDay(7), exampleDay(7), exampleDay(7)
	p.PostURL = "https://t.me/acme_news/42"
}

func asPending(p *post.Post) {
	p.Status, p.Approval = post.PendingApproval, &post.Approval{Status: post.ApprovalPending}
}

func asDecided(status post.ApprovalStatus, comment string) func(p *post.Post) {
	return func(p *post.Post) {
		p.Approval = &post.Approval{Status: status, Comment: comment, DecidedAt: exampleDay(6)}
	}
}

func exampleTimeline() apiforms.Timeline {
	const actor = "key svc_live_AbCd…"
	return apiforms.ToAPITimeline([]post.Entry{
		{At: exampleDay(6), Kind: post.EntryCreated, Actor: actor, Detail: "Created as a draft.", Count: 1, LastAt: exampleDay(6)},
		{
			At: exampleDay(6), Kind: post.EntryScheduled, Actor: actor, Count: 1, LastAt: exampleDay(6),
			Detail: "Scheduled for " + event.FormatTime(exampleDay(7)) + ".",
		},
		{At: exampleDay(7), Kind: post.EntryAttemptStarted, Actor: post.ActorService, Detail: "Publish attempt 1 started.", Count: 1, LastAt: exampleDay(7)},
		{
			At: exampleDay(7).Add(time.Second), Kind: post.EntryWaiting, Actor: post.ActorService, Count: 4, LastAt: exampleDay(7).Add(24 * time.Second),
			Detail: "The service looks for the post of attempt 1 on X.", NextAt: exampleDay(7).Add(48 * time.Second),
		},
	})
}

func exampleWorkspace() apiforms.Workspace {
	w := app.WorkspaceState{
		Workspace: workspace.Workspace{
			ID: idOf[ident.Workspace](exampleRequest), Name: "Acme Marketing", Plan: workspace.Growth, Timezone: "Europe/Berlin", CreatedAt: exampleDay(5),
		},
		Usage: workspace.Usage{StorageBytes: 70 << 20, Uploads: 12, UploadsResetAt: time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC), Webhooks: 2, LinkPages: 1},
	}
	return apiforms.ToAPIWorkspace(w, app.Principal{Key: credential.Key{Scopes: credential.DefaultScopes()}}, workspace.Growth.Limits().RequestsPerMinute)
}

func exampleSchedule() apiforms.ChannelSchedule {
	return apiforms.ToAPISchedule(app.ChannelSchedule{
		Channel: channel.Channel{ID: idOf[ident.Channel](exampleChannel), Timezone: "Europe/Berlin"},
		Slots:   []slot.Slot{{Weekday: time.Monday, Hour: 9}, {Weekday: time.Thursday, Hour: 17, Minute: 30}},
		NextAt:  time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC),
	})
}

func exampleCreatorInfo() apiforms.CreatorInfo {
	return apiforms.ToAPICreatorInfo(platform.CreatorInfo{
		Nickname: "Acme", PrivacyLevelOptions: []string{platform.PrivacyPublic, "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
		DuetDisabled: true, MaxVideoDurationSec: 600,
	})
}

func exampleTelegram() apiforms.Channel {
	return apiforms.ToAPIChannel(channel.Channel{
		ID: idOf[ident.Channel](exampleChannel), Name: "Acme News", Type: channel.TelegramChannel, Username: "acme_news", IsConnected: true,
		TokenStatus: channel.TokenHealthy, Timezone: "Europe/Berlin", CreatedAt: exampleDay(5),
	})
}

func exampleEndpoint() apiforms.Webhook {
	return apiforms.ToAPIWebhook(webhook.Endpoint{
		ID: idOf[ident.Webhook](exampleWebhook), URL: exampleHook, Events: []string{string(event.PostPublished), string(event.PostFailed)},
		IsActive: true, CreatedAt: exampleDay(6), UpdatedAt: exampleDay(6),
	})
}

const exampleSize = 184_320

// exampleAsset is an asset; of a finished one the thumbnail is made.
func exampleAsset(finished bool) apiforms.Media {
	asset := app.DeliveredAsset{
		Asset: media.Asset{
			ID: idOf[ident.Media](exampleMedia), Name: "spring.jpg", Type: media.Image, Size: exampleSize, CreatedAt: exampleDay(6),
		},
		URL: "https://media.example.com/media/3vq?X-Amz-Expires=86400&X-Amz-Signature=5d1f",
	}
	if finished {
		asset.ThumbnailURL = "https://media.example.com/media/9xk?X-Amz-Expires=86400&X-Amz-Signature=77ab"
	}
	return apiforms.ToAPIMedia(asset)
}

func exampleUpload() apiforms.Upload {
	return apiforms.ToAPIUpload(app.StartedUpload{
		Upload: media.Upload{ID: idOf[ident.Media](exampleMedia)},
		Signed: objectstore.SignedPut{
			URL:    "https://media.example.com/uploads/7mz?X-Amz-Expires=3600&X-Amz-Signature=c0de",
			Header: http.Header{"Content-Type": {media.ContentTypeJPEG}},
		},
	})
}

func exampleBulk() []apiforms.BulkItemResult {
	return []apiforms.BulkItemResult{
		{Index: 0, Success: true, Posts: []apiforms.Post{examplePost(asDraft)}},
		{Index: 1, Posts: []apiforms.Post{}, Error: "NO_FREE_SLOT: Every slot of channel " + exampleChannel + " (Acme News) within the next 90 days is taken. Add time slots to its schedule, or send a time."},
	}
}

func exampleValidation(valid bool) apiforms.Validation {
	c := exampleTelegram()
	if valid {
		return apiforms.Validation{Valid: true, Channels: []apiforms.ChannelValidation{{
			ChannelID: c.ID, Type: c.Type, Valid: true, Errors: []apiforms.Finding{}, Warnings: []apiforms.Finding{},
		}}}
	}
	return apiforms.Validation{Channels: []apiforms.ChannelValidation{{
		ChannelID: c.ID, Type: c.Type, Warnings: []apiforms.Finding{},
		Errors: []apiforms.Finding{{Code: string(apperr.ValidationFailed), Pointer: "/content", Message: "Telegram does not publish an empty post; write some text."}},
	}}}
}

// exampleLimits says what the plans allow, for the documentation.
func exampleLimits() string {
	var lines []string
	for _, plan := range workspace.Plans() {
		l := plan.Limits()
		lines = append(lines, fmt.Sprintf("%s: %s for a file, %s in all, %d uploads and imports a month",
			plan, workspace.Bytes(l.FileSize), workspace.Bytes(l.Storage), l.MonthlyUploads))
	}
	return strings.Join(lines, "; ") + "."
}
