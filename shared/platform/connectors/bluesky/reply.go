package bluesky

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.ReplyFinder = (*Connector)(nil)

var (
	errGone     = errors.New("the post that is answered does not exist")
	errOtherKey = errors.New("another record has the key of the answer")
	errNoCID    = errors.New("the post above has no CID")
)

// replyRef names the post that a post answers, and the first one of the thread (lexicon app.bsky.feed.post#replyRef).
type replyRef struct {
	Root   strongRef `json:"root"`
	Parent strongRef `json:"parent"`
}

// strongRef names a version of a record (lexicon com.atproto.repo.strongRef).
type strongRef struct {
	URI string `json:"uri"`
	CID string `json:"cid"`
}

// SendReply creates the record of an answer under a key that belongs to it alone: a server refuses a second one.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	s, err := c.open(account)
	if err != nil {
		return "", err
	}
	ref, err := s.refTo(ctx, reply.ReplyTo)
	if err != nil {
		return "", err
	}
	dids, err := s.lookUp(ctx, mentioned(reply.Text))
	if err != nil {
		return "", err
	}
	key := recordKey(ident.Post(reply.ID))
	response, err := s.CommitCall(ctx, s.authorized("com.atproto.repo.createRecord", httpcall.Request{
		Operation: "reply", Method: http.MethodPost,
		JSON: createBody{Repo: account.ExternalID, Collection: collection, Key: key, Record: record{
			Type: collection, Text: reply.Text, CreatedAt: stamp(s.Now()), Facets: facetsOf(reply.Text, dids), Reply: &ref,
		}},
	}))
	if err != nil {
		return "", s.ReplyFailure(err)
	}
	if !response.OK() {
		return "", s.replyFailure(response)
	}
	var created struct {
		URI string `json:"uri"`
	}
	if response.Decode(&created) != nil || created.URI != uriOf(account, key) {
		return "", s.ReplyFailure(s.Unclear(response, "success without the answer's URI"))
	}
	return created.URI, nil
}

// replyFailure classifies the refusal of an answer.
func (s session) replyFailure(response httpcall.Response) *platform.Failure {
	refused := failure(s.Client, response)
	if refused.Code == CodeRefused {
		refused.Message = "Bluesky refused the answer. Change it, then send it again."
	}
	return s.ReplyFailure(refused)
}

// refTo returns the reference of an answer to a post.
func (s session) refTo(ctx context.Context, uri string) (replyRef, error) {
	var found struct {
		Posts []struct {
			strongRef

			Record writtenRecord `json:"record"`
		} `json:"posts"`
	}
	err := s.ask(ctx, "app.bsky.feed.getPosts", httpcall.Request{Operation: "reply", Query: url.Values{"uris": {uri}}}, &found)
	if err != nil {
		return replyRef{}, err
	}
	if len(found.Posts) != 1 || found.Posts[0].URI != uri || !cidPattern.MatchString(found.Posts[0].CID) {
		return replyRef{}, s.Gone(errGone)
	}
	parent := found.Posts[0]
	ref := replyRef{Root: parent.strongRef, Parent: parent.strongRef}
	if parent.Record.Reply != nil {
		ref.Root = parent.Record.Reply.Root
	}
	return ref, nil
}

// FindReply reads the record under the key of the answer. It is exact: no other record can have the key.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, _ time.Time,
) (string, error) {
	s, err := c.open(account)
	if err != nil {
		return "", err
	}
	key := recordKey(ident.Post(reply.ID))
	found, exists, err := s.read(ctx, "reply", key)
	switch {
	case err != nil:
		return "", s.ReplyFailure(err)
	case !exists:
		return "", nil
	case found.Value.Reply == nil || found.Value.Reply.Parent.URI != reply.ReplyTo:
		return "", errOtherKey
	}
	return found.URI, nil
}
