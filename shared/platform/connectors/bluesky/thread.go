package bluesky

import (
	"context"
	"net/http"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// stored is a record with its place (com.atproto.repo.getRecord).
type stored struct {
	strongRef

	Value writtenRecord `json:"value"`
}

// read reads a record of the account by its key. It returns false if there is none.
func (s session) read(ctx context.Context, operation, key string) (stored, bool, error) {
	response, err := s.Call(ctx, s.authorized("com.atproto.repo.getRecord", httpcall.Request{
		Operation: operation,
		Query:     url.Values{"repo": {s.account.ExternalID}, "collection": {collection}, "rkey": {key}},
	}))
	if err != nil {
		return stored{}, false, err
	}
	if !response.OK() {
		if refused, readable := readProblem(response); readable && refused.Error == "RecordNotFound" &&
			response.Status < http.StatusInternalServerError {
			return stored{}, false, nil
		}
		return stored{}, false, failure(s.Client, response)
	}
	var found stored
	if response.Decode(&found) != nil || found.URI != uriOf(s.account, key) {
		return stored{}, false, s.Unclear(response, "not the record that was asked for")
	}
	return found, true, nil
}

// above returns the reference of a reply to the post before it and to the first one of the thread. Applications hide a reply
// whose posts above do not exist, although the server accepts it. The account's own server knows a new post at once.
func (s session) above(ctx context.Context, to platform.ReplyTo) (*replyRef, error) {
	parent, err := s.refOf(ctx, to, to.ParentID)
	if err != nil || to.RootID == to.ParentID {
		return &replyRef{Root: parent, Parent: parent}, err
	}
	root, err := s.refOf(ctx, to, to.RootID)
	return &replyRef{Root: root, Parent: parent}, err
}

// refOf returns the reference to the post of the account with the key.
func (s session) refOf(ctx context.Context, to platform.ReplyTo, key string) (strongRef, error) {
	if !keyPattern.MatchString(key) {
		return strongRef{}, s.ParentGone(to, httpcall.ErrNoParent)
	}
	found, exists, err := s.read(ctx, "parent", key)
	switch {
	case err != nil:
		return strongRef{}, err
	case !exists:
		return strongRef{}, s.ParentGone(to, errGone)
	case !cidPattern.MatchString(found.CID):
		return strongRef{}, s.Unavailable(errNoCID)
	}
	return found.strongRef, nil
}

// under reports whether a record replies to the parent of the content.
func (r writtenRecord) under(to *platform.ReplyTo, account platform.Account) bool {
	return to == nil || r.Reply != nil && r.Reply.Parent.URI == uriOf(account, to.ParentID)
}
