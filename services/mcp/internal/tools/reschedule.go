package tools

import (
	"context"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ReschedulePosts is the input of reschedule_posts: posts with their new times, or posts and by how much to move them.
type ReschedulePosts struct {
	apiforms.Zoned
	Keyed

	Times   []NewTime    `json:"times,omitempty" maxItems:"50" doc:"Posts with their new times. Omit postIds and shiftBy."`
	PostIDs []ident.Post `json:"postIds,omitempty" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of the posts to move by shiftBy."`
	ShiftBy string       `json:"shiftBy,omitempty" minLength:"1" example:"PT2H" doc:"How far to move the posts of postIds: an ISO 8601 duration in the wall-clock time of each post's channel, such as PT2H, P1D or -P7D."`
	DryRun  bool         `json:"dryRun,omitempty" example:"false" doc:"true returns what would happen, and changes nothing."`
}

// NewTime is the new time of a post.
type NewTime struct {
	PostID      ident.Post `json:"postId" format:"uuid" doc:"ID of the post."`
	ScheduledAt string     `json:"scheduledAt" minLength:"1" doc:"RFC 3339 with an offset, or without one beside timezone."`
}

// Check implements apiforms.Body.
func (in ReschedulePosts) Check() []apperr.Field {
	faults := in.faults()
	fault := func(pointer, message string) {
		faults = append(faults, apperr.Field{Pointer: pointer, Message: message})
	}
	switch {
	case len(in.Times) == 0 && len(in.PostIDs) == 0:
		fault("", "nothing to change; send times, or postIds and shiftBy")
	case len(in.Times) > 0 && len(in.PostIDs) > 0:
		fault("/postIds", "cannot be combined with times; send one of them")
	case len(in.Times) > 0 && in.ShiftBy != "":
		fault("/shiftBy", "is for postIds; omit it")
	case len(in.PostIDs) > 0 && in.ShiftBy == "":
		fault("/shiftBy", "is missing; send how far to move the posts, such as PT2H")
	case len(in.PostIDs) > 0 && in.Timezone != "":
		fault("/timezone", "is that of times; shiftBy counts in the time zone of each channel, so omit timezone")
	}
	return faults
}

// changes returns the items of the API's request.
func (in ReschedulePosts) changes() []apiforms.UpdatePost {
	var out []apiforms.UpdatePost
	for _, of := range in.Times {
		at := apiforms.Optional[string]{Set: true, Value: of.ScheduledAt}
		out = append(out, apiforms.UpdatePost{ID: of.PostID, ScheduledAt: at, Zoned: in.Zoned})
	}
	for _, id := range in.PostIDs {
		out = append(out, apiforms.UpdatePost{ID: id, ShiftBy: in.ShiftBy})
	}
	return out
}

// RescheduledPosts is the output of reschedule_posts.
type RescheduledPosts struct {
	Timed

	Results  keptAs[[]RescheduledPost] `json:"results" doc:"The result of each post, in order. problem is why one was not moved; the others were."`
	Replayed bool                      `json:"replayed" doc:"Whether an earlier call did it."`
}

// RescheduledPost is the result of one post.
type RescheduledPost struct {
	PostID      ident.Post                 `json:"postId" format:"uuid" doc:"ID of the post."`
	Success     bool                       `json:"success" doc:"Whether the post was moved."`
	Status      apiforms.PostStatus        `json:"status,omitempty" doc:"State of the post."`
	ScheduledAt apiforms.OptionalTimestamp `json:"scheduledAt" doc:"The new time."`
	Problem     *Refusal                   `json:"problem" doc:"Why the post was not moved."`
}

func (r *registrar) reschedule() {
	add(r, declaration{
		name: "reschedule_posts", title: "Move many posts", destructive: true, openWorld: true,
		scopes: []credential.Scope{credential.PostsWrite, credential.PostsPublish}, like: createPost,
		description: "Moves up to 50 posts, to new times or by a duration. A post that cannot be moved does not affect the " +
			"others. For a DRAFT, sets the intended time. With dryRun nothing is changed.",
	}, r.tools.reschedulePosts)
}

func (t *Tools) reschedulePosts(ctx context.Context, c call, in ReschedulePosts) (RescheduledPosts, error) {
	k := kept{key: in.IdempotencyKey, operation: "update-posts-in-bulk", path: "/v1/posts/bulk-update"}
	if in.DryRun {
		k.key = "" // the key is that of the change
	}
	changes := in.changes()
	items := make([]app.UpdatePost, len(changes))
	for i, change := range changes {
		items[i] = change.Command(apiforms.Verify(change, nil, t.cfg.App))
	}
	results, replayed, err := once(ctx, t, c, k, func(ctx context.Context) ([]RescheduledPost, error) {
		found, err := t.cfg.App.UpdatePosts(ctx, c.principal, items, in.DryRun)
		results := make([]RescheduledPost, len(found))
		for i, result := range found {
			results[i] = RescheduledPost{PostID: items[i].ID}
			if result.Err != nil {
				problem, _ := t.refusal(ctx, "reschedule_posts", result.Err)
				results[i].Problem = &problem
				continue
			}
			results[i].Success, results[i].Status = true, apiforms.PostStatus(result.Post.Status)
			results[i].ScheduledAt = apiforms.OptionalTimestamp(result.Post.ScheduledAt)
		}
		return results, err
	})
	return RescheduledPosts{Results: results, Replayed: replayed}, err
}
