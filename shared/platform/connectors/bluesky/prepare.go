package bluesky

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var errNoFiles = errors.New("bluesky: the content has attachments, but no files")

// Prepare looks up the mentioned accounts and the quoted post, uploads the attachments, and reads the posts above a reply. A text
// without mentions needs no preparation. Each call makes one step, so that its result is stored before the next one.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	handles := mentioned(content.Text)
	quote := content.Options.Quote
	if len(content.Media) == 0 && len(handles) == 0 && quote == "" && content.ReplyTo == nil {
		return platform.Preparation{Ready: true}, nil
	}
	s, err := c.open(account)
	if err != nil {
		return platform.Preparation{}, err
	}
	if len(content.Media) > 0 && content.Files == nil {
		return platform.Preparation{}, errNoFiles
	}
	progress, wait := stateOf(handle, content.Media, s.Now()), time.Duration(0)
	switch {
	case progress.misses(handles):
		progress.DIDs, err = s.lookUp(ctx, handles)
	case progress.missesQuote(quote):
		progress.Quoted = quote
		progress.Quote, err = s.lookUpQuote(ctx, quote)
	default:
		wait, err = c.sendNext(ctx, s, content, &progress)
	}
	if err != nil {
		return platform.Preparation{}, err
	}
	_, whole := progress.blobs()
	ready := whole && !progress.misses(handles) && !progress.missesQuote(quote)
	if ready && content.ReplyTo != nil { // at the end, because a post above can be deleted meanwhile
		if progress.Reply, err = s.above(ctx, *content.ReplyTo); err != nil {
			return platform.Preparation{}, err
		}
	}
	return platform.Preparation{Handle: httpcall.Handle(progress), Ready: ready, Wait: wait}, nil
}

// lookUp returns the DIDs of the handles. The DID of a handle that does not exist is empty.
func (s session) lookUp(ctx context.Context, handles []string) (map[string]string, error) {
	dids := make(map[string]string, len(handles))
	for _, handle := range handles {
		const method = "com.atproto.identity.resolveHandle"
		response, err := s.Call(ctx, s.authorized(method, httpcall.Request{
			Operation: "mention", Query: url.Values{"handle": {handle}},
		}))
		if err != nil {
			return nil, err
		}
		var found struct {
			DID string `json:"did"`
		}
		refused, readable := readProblem(response)
		switch {
		case response.OK() && response.Decode(&found) == nil && didPattern.MatchString(found.DID):
			dids[handle] = found.DID
		case readable && response.Status == http.StatusBadRequest && unresolved(refused.Error):
			dids[handle] = ""
		case response.OK():
			return nil, s.Unclear(response, "no DID in the response")
		default:
			return nil, failure(s.Client, response)
		}
	}
	return dids, nil
}

// unresolved reports whether the error says that a handle has no account. The reference server returns InvalidRequest,
// the lexicon names HandleNotFound.
func unresolved(code string) bool { return code == "InvalidRequest" || code == "HandleNotFound" }

// sendNext makes one step of the first attachment that is not ready, and returns the wait before the next one.
func (c *Connector) sendNext(
	ctx context.Context, s session, content platform.Content, progress *state,
) (time.Duration, error) {
	for i := range progress.Files {
		file := &progress.Files[i]
		if file.Blob != nil {
			continue
		}
		asset := content.Media[i]
		switch {
		case file.Job != "":
			return c.checkVideo(ctx, s, i+1, file)
		case asset.Type == media.Video && (file.Parts != nil || asset.Size > c.whole):
			return c.sendParts(ctx, s, content.Files, asset, i+1, file)
		case asset.Type == media.Video, asset.Type == media.GIF:
			return 0, c.sendVideo(ctx, s, content.Files, asset, i+1, file)
		default:
			return 0, s.sendImage(ctx, content.Files, asset, i+1, file)
		}
	}
	return 0, nil
}

// sendImage uploads an image to the account's server. The server deletes a file that no record refers to.
func (s session) sendImage(
	ctx context.Context, files platform.Files, asset media.Asset, number int, into *upload,
) error {
	file, err := files.Open(ctx, asset)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	response, err := s.Call(ctx, s.authorized("com.atproto.repo.uploadBlob", httpcall.Request{
		Operation: "upload", Method: http.MethodPost, Body: bodyOf(file),
	}))
	if err != nil {
		return err
	}
	if !response.OK() {
		return s.uploadFailure(number, failure(s.Client, response))
	}
	var result struct {
		Blob blob `json:"blob"`
	}
	if response.Decode(&result) != nil || !result.Blob.valid() {
		return s.Unclear(response, "no file in the response")
	}
	into.Blob, into.At = &result.Blob, s.Now().Unix()
	return nil
}

// uploadFailure names the attachment in a refusal of an upload.
func (s session) uploadFailure(number int, refused *platform.Failure) *platform.Failure {
	if refused.Class == platform.ClassRejected {
		return s.mediaFailure(number, refused.Cause)
	}
	return refused
}

func bodyOf(file platform.File) *httpcall.Body {
	return &httpcall.Body{
		Reader:      func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, file.Size())), nil },
		Size:        file.Size(),
		ContentType: file.ContentType(),
	}
}
