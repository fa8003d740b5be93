package apiforms

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// SimulatePosts is the body of simulate-posts: that of create-posts, or IDs of posts.
type SimulatePosts struct {
	CreatePosts

	PostIDs []ident.Post `json:"postIds,omitempty" format:"uuid" minItems:"1" maxItems:"50" uniqueItems:"true" example:"[\"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60\"]" doc:"IDs of existing posts, instead of the fields of create-posts."`
}

// TransformSchema makes the fields of create-posts optional.
func (SimulatePosts) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Required = nil
	return s
}

// Check implements Body.
func (b SimulatePosts) Check() []apperr.Field {
	creates := !reflect.ValueOf(b.CreatePosts).IsZero()
	switch {
	case b.PostIDs != nil && creates:
		return []apperr.Field{{
			Pointer: "/postIds", Message: "cannot be combined with the fields of create-posts; send one of the two forms",
		}}
	case b.PostIDs != nil:
		return nil
	}
	return b.CreatePosts.Check()
}

// CheckMissing implements Alternative: postIds are a further alternative.
func (b SimulatePosts) CheckMissing(known []apperr.Field) []apperr.Field {
	if b.PostIDs != nil || len(b.CreatePosts.CheckMissing(known)) == 0 {
		return nil
	}
	return []apperr.Field{{
		Pointer: "", Message: "nothing to simulate; send the fields of create-posts, or postIds of existing posts",
	}}
}

// Simulate returns what would happen to the posts.
func (b SimulatePosts) Simulate(ctx context.Context, a *app.App, p app.Principal) (Simulation, error) {
	var forecasts []app.Forecast
	var err error
	if b.PostIDs != nil {
		forecasts, err = a.SimulatePosts(ctx, p, b.PostIDs)
	} else {
		forecasts, err = a.SimulateCreation(ctx, p, b.Command())
	}
	return ToAPISimulation(forecasts), err
}

// Simulation is the response of simulate-posts.
type Simulation struct {
	Posts []SimulatedPost `json:"posts" doc:"The posts, in the order of channelIds or postIds."`
}

// SimulatedPost says what would happen to a post (docs/contract.md, Simulation).
type SimulatedPost struct {
	ChannelID    ident.Channel     `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	PostID       OptionalText      `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post; null if it does not exist."`
	At           OptionalTimestamp `json:"at" doc:"Time at which the post would be published: the requested time, the next free slot, or now. Null if it would not be published: for drafts, and if no time is available."`
	Errors       []Finding         `json:"errors" doc:"Findings that prevent publishing, as in validate-posts. Pointers are into the body, or for an existing post into the post."`
	Warnings     []Finding         `json:"warnings" doc:"Findings that do not prevent publishing but are probably unintended."`
	Conversions  []Conversion      `json:"conversions" doc:"Attachments that the service converts for the network."`
	Quota        Quota             `json:"quota" doc:"Quota of the network at the time of the post, without this post."`
	Conflicts    []Conflict        `json:"conflicts" doc:"Other posts of the channel, SCHEDULED or published, with which the post collides; the nearest in time first, at most 20."`
	Cost         *Cost             `json:"cost" doc:"Price that the network bills the operator of the service for the post; null if it is free."`
	ChannelReady bool              `json:"channelReady" example:"true" doc:"Whether the channel will accept the post at its time: it can be published to, is connected, its access does not end before, and it is not paused."`
}

// TransformSchema documents the nullable properties.
func (SimulatedPost) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "cost")
}

// Conversion is an attachment that is sent in another form.
type Conversion struct {
	MediaID ident.Media `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the attachment."`
	To      string      `json:"to" example:"image/jpeg" doc:"MIME type of the file that is sent."`
	Width   *int        `json:"width" example:"1440" doc:"Maximum width of the file in pixels; null if the attachment is not measured yet."`
	Height  *int        `json:"height" example:"1080" doc:"Its height in pixels."`
	Bytes   *int64      `json:"bytes" example:"184320" doc:"Size of the file; null until the file was made."`
}

// Quota is the response of get-channel-quota (docs/contract.md, Quotas).
type Quota struct {
	Limit     *int              `json:"limit" example:"250" doc:"Maximum number of posts in the window; null if the network states none, with all other fields."`
	Used      *int              `json:"used" example:"12" doc:"Posts that take a place: published ones, SCHEDULED ones, and those of other programs if the network reports them."`
	Remaining *int              `json:"remaining" example:"238" doc:"Further posts that can be published. 0 also while the network itself refuses posts of the channel."`
	ResetsAt  OptionalTimestamp `json:"resetsAt" doc:"Time at which the next place becomes free: the end of the day, or 24 hours after the first post that takes one. Null if every place is free."`
	Window    *string           `json:"window" enum:"P1D,PT24H" example:"PT24H" doc:"P1D: a calendar day of the network. PT24H: any 24 hours. Tolerate new values."`
}

// Conflict is another post with which a post collides.
type Conflict struct {
	Kind   string     `json:"kind" enum:"SAME_TIME,SAME_TEXT" example:"SAME_TIME" doc:"SAME_TIME: due within 10 minutes. SAME_TEXT: the same text within 30 days, apart from case and white space, which networks refuse as a duplicate or show to fewer people. Tolerate new values."`
	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the other post."`
}

// Cost is a price.
type Cost struct {
	Amount   float64 `json:"amount" example:"0.015" doc:"Price in units of the currency, with up to three decimals."`
	Currency string  `json:"currency" example:"USD" doc:"ISO 4217 code."`
}

// ToAPISimulation converts forecasts.
func ToAPISimulation(forecasts []app.Forecast) Simulation {
	out := Simulation{Posts: make([]SimulatedPost, len(forecasts))}
	for i, f := range forecasts {
		s := SimulatedPost{
			ChannelID: f.Channel.ID, At: OptionalTimestamp(f.At), Conversions: make([]Conversion, len(f.Conversions)),
			Quota: ToAPIQuota(f.Quota), Conflicts: make([]Conflict, len(f.Conflicts)), ChannelReady: f.ChannelReady,
		}
		if !f.PostID.IsZero() {
			s.PostID = OptionalText(f.PostID.String())
		}
		s.Errors, s.Warnings = findingsOf(f.ChannelFindings)
		for j, c := range f.Conversions {
			s.Conversions[j] = Conversion{
				MediaID: c.MediaID, To: c.To, Width: positive(c.Width), Height: positive(c.Height), Bytes: positive(c.Size),
			}
		}
		for j, c := range f.Conflicts {
			s.Conflicts[j] = Conflict{Kind: string(c.Kind), PostID: c.PostID}
		}
		if f.Cost.Thousandths > 0 {
			const unit = 1000
			s.Cost = &Cost{Amount: float64(f.Cost.Thousandths) / unit, Currency: f.Cost.Currency}
		}
		out.Posts[i] = s
	}
	return out
}

// ToAPIQuota converts a quota.
func ToAPIQuota(q app.Quota) Quota {
	if q.Window == "" {
		return Quota{}
	}
	window := string(q.Window)
	return Quota{
		Limit: &q.Limit, Used: &q.Used, Remaining: &q.Remaining, ResetsAt: OptionalTimestamp(q.ResetsAt), Window: &window,
	}
}

// positive returns nil, which is null, for zero.
func positive[N int | int64](n N) *N {
	if n == 0 {
		return nil
	}
	return &n
}
