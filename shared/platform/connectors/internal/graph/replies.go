package graph

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

func (c Comments) words() comments.Network {
	return comments.Network{Client: c.Client, What: "comments"}
}

// refused returns the meaning of an error response for calls about comments: the permission that the connection lacks, if it
// does, and whether the network does not know the object.
func (c Comments) refused(response httpcall.Response, permission string) (missing string, gone bool) {
	e := ErrorOf(response)
	meaning := e.Meaning(response.Status)
	if meaning == Forbidden {
		missing = permission
	}
	return missing, meaning == Specific && (c.Missing(e) || e.Code == codeParameter && e.Subcode == 0 && e.Says("DOES NOT EXIST"))
}

// unread returns the failure for a refused list. Objects without comments, such as stories, refuse it as an invalid parameter.
func (c Comments) unread(response httpcall.Response) *platform.Failure {
	missing, gone := c.refused(response, c.Read)
	if e := ErrorOf(response); gone || e.Code == codeParameter && e.Meaning(response.Status) == Specific {
		return c.words().Gone(response.Cause("refused"))
	}
	return c.words().Unread(c.Class(response), missing)
}

// Send makes the irrevocable call for an answer, and returns its ID.
func (c Comments) Send(
	ctx context.Context, account platform.Account, operation string, form url.Values, path ...string,
) (string, error) {
	return c.write(ctx, account, httpcall.Request{Operation: operation, Form: form}, c.Unsent, c.Client.ReplyFailure, path...)
}

// write makes the irrevocable call for a comment, and returns its ID. The functions return the failure of a refusal, and word
// the others.
func (c Comments) write(
	ctx context.Context, account platform.Account, request httpcall.Request, refused func(httpcall.Response) *platform.Failure,
	words func(error) *platform.Failure, path ...string,
) (string, error) {
	request.Method = http.MethodPost
	response, err := c.Client.CommitCall(ctx, c.request(account, request, path...))
	if err != nil {
		return "", words(err)
	}
	if !response.OK() {
		return "", refused(response)
	}
	id, ok := objectAs(response, CommentID)
	if !ok {
		return "", words(c.Client.Unclear(response, "success without the comment's id"))
	}
	return id, nil
}

// Unsent returns the failure for the refusal of an answer.
func (c Comments) Unsent(response httpcall.Response) *platform.Failure {
	missing, gone := c.refused(response, c.Write)
	if gone {
		return c.words().Gone(response.Cause("refused"))
	}
	return c.words().Unsent(c.Class(response), missing)
}

// Sent describes a call for an answer whose response was lost.
type Sent struct {
	At  time.Time
	To  string // the comment that it answers, in a list of several conversations; empty: any
	All bool   // every comment of the list is the account's
}

// Find searches the account's own comments in a list for an answer.
func (c Comments) Find(
	ctx context.Context, account platform.Account, reply platform.Reply, sent Sent, query url.Values, path ...string,
) (string, error) {
	const most = 5 // pages
	var own []readback.Listed
	after := ""
	for range most {
		list, failure := c.list(ctx, account, query, after, path...)
		if failure != nil {
			return "", failure
		}
		for _, one := range list.Data {
			if (sent.All || one.isOf(account)) && (sent.To == "" || one.RepliedTo.Value.ID == sent.To) {
				own = append(own, readback.Listed{ID: one.ID, Text: one.Text + one.Message, At: one.at()})
			}
		}
		if after = list.Paging.Cursors.After; after == "" || len(list.Data) == 0 {
			break
		}
	}
	return c.words().Found(reply, sent.At, own, after == "")
}

// Change makes a call that hides or removes a comment. It returns true if the comment is gone.
func (c Comments) Change(
	ctx context.Context, account platform.Account, method string, form url.Values, path ...string,
) (gone bool, err error) {
	response, err := c.Client.Call(ctx, c.request(account, httpcall.Request{
		Operation: "moderate", Method: method, Form: form,
	}, path...))
	if err != nil || response.OK() {
		return false, err
	}
	missing, gone := c.refused(response, c.Write)
	if gone {
		return true, c.words().Unchanged(c.words().Gone(response.Cause("refused")), "")
	}
	return false, c.words().Unchanged(c.Class(response), missing)
}

// Remove deletes a comment. A comment that is gone is deleted.
func (c Comments) Remove(ctx context.Context, account platform.Account, id string) error {
	gone, err := c.Change(ctx, account, http.MethodDelete, nil, id)
	if gone {
		return nil
	}
	return err
}
