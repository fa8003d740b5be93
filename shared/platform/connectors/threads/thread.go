package threads

import (
	"context"
	"net/url"
	"slices"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// under makes the published container of a plan a reply, if the content is one.
func (c *Connector) under(account platform.Account, content platform.Content, plan graph.Plan) graph.Plan {
	to := content.ReplyTo
	if to == nil {
		return plan
	}
	whole := plan.Whole
	plan.Whole = func(ctx context.Context, items []string) (url.Values, error) {
		if err := c.lookUp(ctx, account, *to); err != nil {
			return nil, err
		}
		form, err := whole(ctx, items)
		if err != nil {
			return nil, err
		}
		form.Set("reply_to_id", to.ParentID)
		return form, nil
	}
	return plan
}

// lookUp returns a failure if the post above does not exist. The refusal of a container does not say what is missing.
func (c *Connector) lookUp(ctx context.Context, account platform.Account, to platform.ReplyTo) error {
	if !graph.ID(to.ParentID) {
		return c.client.ParentGone(to, httpcall.ErrNoParent)
	}
	response, err := c.api.Get(ctx, "parent", account, url.Values{"fields": {"id"}}, to.ParentID)
	if err != nil || response.OK() {
		return err
	}
	if e := graph.ErrorOf(response); e.Meaning(response.Status) == graph.Specific && missing(e) {
		return c.client.ParentGone(to, response.Cause("refused"))
	}
	return c.failure(response)
}

// apiFor returns the API for calls about the content. A connection of a time when threads were not published lacks the
// permission for replies, and publishes other posts.
func (c *Connector) apiFor(content platform.Content) graph.API {
	api := c.api
	if content.ReplyTo == nil {
		return api
	}
	api.Class = func(response httpcall.Response) *platform.Failure {
		if graph.ErrorOf(response).Meaning(response.Status) != graph.Forbidden {
			return c.failure(response)
		}
		return c.client.Fail(platform.ClassUser, comments.CodeNotAllowed, response.Cause("refused"),
			"Threads does not let this connection publish replies. Connect the channel again and allow it there (%s).", scopeManage)
	}
	return api
}

// replies reads a page of the account's replies to a post. A reply of an unknown place has no id: it may be one of them.
func (c *Connector) replies(
	ctx context.Context, account platform.Account, query url.Values, parent string,
) (graph.ContainerPage, error) {
	query.Set("fields", query.Get("fields")+",replied_to")
	page, err := c.api.Page(ctx, account, query, "me", "replies")
	if err != nil {
		return graph.ContainerPage{}, c.client.ReadRefused(platform.FailureOf(err), scopeRead)
	}
	page.Posts = slices.DeleteFunc(page.Posts, func(p graph.Listed) bool { return p.Parent != "" && p.Parent != parent })
	for i, p := range page.Posts {
		if p.Parent == "" {
			page.Posts[i].ID = ""
		}
	}
	return page, nil
}
