package bluesky

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	errNotPrepared = errors.New("an attachment is not uploaded")
	errNotRead     = errors.New("the posts above are not read")
)

type createBody struct {
	Repo       string `json:"repo"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Record     record `json:"record"`
}

// Commit creates the record of the post (com.atproto.repo.createRecord), or with the record who may reply
// (com.atproto.repo.applyWrites), which takes effect as a whole.
//
// The reference server refuses a second record under the key with 500 InternalServerError. As every 5xx response, that
// leaves the outcome unknown, and Reconcile then finds the first record. A call that is repeated therefore never
// publishes twice.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Publication{}, err
	}
	prepared := stateOf(handle, content.Media, time.Time{}) // a file that is missing is refused by name
	blobs, whole := prepared.blobs()
	if !whole || prepared.missesQuote(content.Options.Quote) {
		return platform.Publication{}, s.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, errNotPrepared,
			"The attachments of the post are not uploaded to Bluesky.")
	}
	if content.ReplyTo != nil && prepared.Reply == nil {
		return platform.Publication{}, s.Fail(platform.ClassTransient, platform.CodePreparationLost, errNotRead,
			"The posts above the reply were not read.")
	}
	method, body := creation(createBody{
		Repo: account.ExternalID, Collection: collection, Key: recordKey(content.PostID),
		Record: recordOf(content, prepared, blobs, s.Now()),
	}, account, content.Options.Replies)
	response, err := s.CommitCall(ctx, s.authorized(method, httpcall.Request{
		Operation: "publish", Method: http.MethodPost, JSON: body,
	}))
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, failure(s.Client, response)
	}
	var result created
	if response.Decode(&result) == nil {
		if key, ok := keyIn(result.uri(), account); ok {
			return c.publication(account, key), nil
		}
	}
	return platform.Publication{}, s.Unclear(response, "success without the post's URI")
}

func (c *Connector) publication(account platform.Account, key string) platform.Publication {
	link := c.app + "/profile/" + url.PathEscape(account.ExternalID) + "/post/" + key
	return platform.Publication{ExternalID: key, URL: c.client.Permalink(link)}
}

// Reconcile reads the record under the post's key (com.atproto.repo.getRecord). The key belongs to this post alone.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	key := recordKey(content.PostID)
	found, exists, err := s.read(ctx, "reconcile", key)
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case !exists:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case !found.Value.under(content.ReplyTo, account):
		return platform.EvidenceUnclear, platform.Publication{}, s.Unavailable(errOtherKey)
	}
	return platform.EvidenceFound, c.publication(account, key), nil
}
