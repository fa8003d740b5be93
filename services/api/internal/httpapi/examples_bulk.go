package httpapi

import (
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	exampleOtherPost = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61"
	exampleThirdPost = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b62"
	pathBulk         = "/v1/posts/bulk"
	pathBulkUpdate   = "/v1/posts/bulk-update"
)

func exampleBulk() []apiforms.BulkItemResult {
	failure := itemProblem(pathBulk, apperr.New(apperr.NoFreeSlot, "Every slot of channel %s (Acme News) within the next "+
		"90 days has a post. Add time slots to its schedule, or send a time.", exampleChannel))
	return []apiforms.BulkItemResult{
		{Index: 0, Success: true, Posts: []apiforms.Post{examplePost(asDraft)}},
		{Index: 1, Posts: []apiforms.Post{}, Error: failure.Error(), Problem: failure},
	}
}

func exampleUpdate() []apiforms.BulkUpdateResult {
	edited := examplePost(func(p *post.Post) {
		asScheduled(p)
		p.ID, p.Content = idOf[ident.Post](exampleOtherPost), "Our spring collection is here at last."
	})
	moved := examplePost(func(p *post.Post) {
		asScheduled(p)
		p.ScheduledAt = p.ScheduledAt.AddDate(0, 0, 1)
	})
	return []apiforms.BulkUpdateResult{
		{Index: 0, Success: true, Post: &moved},
		{Index: 1, Success: true, Post: &edited},
		{Index: 2, Problem: itemProblem(pathBulkUpdate, &apperr.Error{
			Code: apperr.InvalidState, CurrentStatus: string(post.Published),
			Message: "A post in status PUBLISHED does not allow delete.",
		})},
	}
}

// itemProblem returns the problem of an item.
func itemProblem(path string, failure *apperr.Error) *problem.Problem {
	p := problem.New(problem.KindOf(failure.Code), problem.Occurrence{
		BaseURL: exampleBase, Path: path, RequestID: exampleRequest, Detail: failure.Message,
	})
	p.CurrentStatus = failure.CurrentStatus
	return p
}
