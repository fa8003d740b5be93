package fencepost

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"
)

// Posts are the operations of posts.
type Posts struct{ c *Client }

// List iterates over the posts that match, and requests page after page. Params.Limit is the size of a page.
func (p Posts) List(ctx context.Context, params ListPostsParams, options ...CallOption) iter.Seq2[Post, error] {
	return func(yield func(Post, error) bool) {
		pages[Post](ctx, p.c, opListPosts, nil, params.values(), options)(yield)
	}
}

// Get returns a post.
func (p Posts) Get(ctx context.Context, id string, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opGetPost, []string{id}, nil, nil, options)
}

// Create creates one post for each channel, all or none.
func (p Posts) Create(ctx context.Context, body CreatePostsRequest, options ...CallOption) ([]Post, error) {
	return value(call[[]Post](ctx, p.c, opCreatePosts, nil, nil, body, options))
}

// CreateInBulk creates up to 50 items. An item that fails does not stop the others.
func (p Posts) CreateInBulk(ctx context.Context, body CreateBulkRequest, options ...CallOption) ([]BulkItemResult, error) {
	return value(call[[]BulkItemResult](ctx, p.c, opCreatePostsInBulk, nil, nil, body, options))
}

// UpdateInBulk changes, moves or deletes up to 50 posts. One that fails does not stop the others.
func (p Posts) UpdateInBulk(ctx context.Context, body UpdateBulkRequest, options ...CallOption) ([]BulkUpdateResult, error) {
	return value(call[[]BulkUpdateResult](ctx, p.c, opUpdatePostsInBulk, nil, nil, body, options))
}

// CreateLinkedIn creates a post with LinkedIn's own fields.
func (p Posts) CreateLinkedIn(ctx context.Context, body CreateLinkedInRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opCreateLinkedInPost, nil, nil, body, options)
}

// CreatePinterest creates a Pin.
func (p Posts) CreatePinterest(ctx context.Context, body CreatePinterestRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opCreatePinterestPost, nil, nil, body, options)
}

// CreateTikTok creates a post with TikTok's own fields.
func (p Posts) CreateTikTok(ctx context.Context, body CreateTikTokRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opCreateTikTokPost, nil, nil, body, options)
}

// CreateYouTube creates a video.
func (p Posts) CreateYouTube(ctx context.Context, body CreateYouTubeRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opCreateYouTubePost, nil, nil, body, options)
}

// Validate returns the errors and warnings of posts, and creates nothing.
func (p Posts) Validate(ctx context.Context, body CreatePostsRequest, options ...CallOption) (*Validation, error) {
	return call[Validation](ctx, p.c, opValidatePosts, nil, nil, body, options)
}

// Simulate returns what would happen to posts, and changes nothing.
func (p Posts) Simulate(ctx context.Context, body SimulatePostsRequest, options ...CallOption) (*Simulation, error) {
	return call[Simulation](ctx, p.c, opSimulatePosts, nil, nil, body, options)
}

// Edit changes the members that are set.
func (p Posts) Edit(ctx context.Context, id string, body EditPostRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opEditPost, []string{id}, nil, body, options)
}

// Delete deletes a post that is not published.
func (p Posts) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := p.c.exchange(ctx, opDeletePost, []string{id}, nil, nil, options)
	return err
}

// Schedule schedules or moves a post.
func (p Posts) Schedule(ctx context.Context, id string, body SchedulePostRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opSchedulePost, []string{id}, nil, body, options)
}

// Unschedule makes a scheduled post a draft.
func (p Posts) Unschedule(ctx context.Context, id string, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opUnschedulePost, []string{id}, nil, nil, options)
}

// Publish queues a post for publishing at once.
func (p Posts) Publish(ctx context.Context, id string, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opPublishPost, []string{id}, nil, nil, options)
}

// ContinueParts publishes the parts of a post from the first that is not published, or gives them up (End).
func (p Posts) ContinueParts(ctx context.Context, id string, body ContinuePartsRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opContinueParts, []string{id}, nil, body, options)
}

// RequestApproval sends a draft for approval.
func (p Posts) RequestApproval(ctx context.Context, id string, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opRequestPostApproval, []string{id}, nil, nil, options)
}

// Approve approves a post.
func (p Posts) Approve(ctx context.Context, id string, body DecisionRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opApprovePost, []string{id}, nil, body, options)
}

// Reject rejects a post, which becomes a draft.
func (p Posts) Reject(ctx context.Context, id string, body DecisionRequest, options ...CallOption) (*Post, error) {
	return call[Post](ctx, p.c, opRejectPost, []string{id}, nil, body, options)
}

// GetTimeline returns what happened to a post.
func (p Posts) GetTimeline(ctx context.Context, id string, options ...CallOption) (*Timeline, error) {
	return call[Timeline](ctx, p.c, opGetPostTimeline, []string{id}, nil, nil, options)
}

// The waits between two looks at a post.
const (
	firstPoll   = time.Second
	longestPoll = 10 * time.Second
)

// WaitUntilDone returns the post when it is no longer SCHEDULED, mostly PUBLISHED or FAILED. When the time ends before, it
// returns the post as it is with an Error of KindTimeout.
func (p Posts) WaitUntilDone(ctx context.Context, id string, timeout time.Duration) (*Post, error) {
	deadline := p.c.clock.Now().Add(timeout)
	var header http.Header
	for poll := firstPoll; ; poll = min(poll*3/2, longestPoll) {
		post, err := p.Get(ctx, id, ResponseHeader(&header))
		if err != nil || post.Status != PostStatusScheduled {
			return post, err
		}
		left := deadline.Sub(p.c.clock.Now())
		if left <= 0 {
			return post, &Error{Kind: KindTimeout, Detail: "the post is still SCHEDULED after " + timeout.String()}
		}
		if err := p.c.clock.Sleep(ctx, min(left, max(poll, limitReset(header)))); err != nil {
			return post, ended(err)
		}
	}
}

// limitReset returns the time until there are requests again, if none is left.
func limitReset(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("RateLimit-Reset"))
	if err != nil || header.Get("RateLimit-Remaining") != "0" {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
