package mastodon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// stateVersion is the format version of a handle. Handles of another version are ignored.
	stateVersion = 1
	// uploadLife is the time for which an upload is used. Servers delete unused ones after a day.
	uploadLife = 20 * time.Hour
	// checkAfter is the wait between two checks of a file that the server processes.
	checkAfter = 2 * time.Second
	// usualLimit is the number of characters that every server is assumed to allow.
	usualLimit = 500
)

var (
	errNoFiles     = errors.New("mastodon: the content has attachments, but no files")
	errNotPrepared = errors.New("an attachment is not uploaded")
)

// state is the progress of a post's uploads. Its JSON is the post's handle.
type state struct {
	Version int      `json:"v"`
	Files   []upload `json:"files"` // one for each attachment, in order
}

// upload is the copy of an attachment on the server.
type upload struct {
	Asset string `json:"asset"`
	ID    string `json:"id,omitempty"` // empty: not uploaded
	Ready bool   `json:"ready,omitempty"`
	At    int64  `json:"at,omitempty"` // in Unix seconds
}

// stateOf restores the state from the handle, as far as its uploads are still usable at the time.
func stateOf(handle platform.Handle, assets []media.Asset, now time.Time) state {
	fresh := state{Version: stateVersion, Files: make([]upload, len(assets))}
	for i, asset := range assets {
		fresh.Files[i].Asset = asset.ID.String()
	}
	var kept state
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != stateVersion || len(kept.Files) != len(assets) {
		return fresh
	}
	for i, file := range kept.Files {
		if file.Asset == fresh.Files[i].Asset && idPattern.MatchString(file.ID) &&
			now.Unix() < file.At+int64(uploadLife/time.Second) {
			fresh.Files[i] = file
		}
	}
	return fresh
}

// ids returns the ids of the files, in order. It returns false if some are not ready.
func (s state) ids() ([]string, bool) {
	ids := make([]string, len(s.Files))
	for i, file := range s.Files {
		if ids[i] = file.ID; !file.Ready {
			return nil, false
		}
	}
	return ids, true
}

// Prepare compares the content with the limits of the account's server and uploads the attachments. A short text without
// a poll needs no preparation. Each call makes one step, so that its result is stored before the next one.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if len(content.Media) == 0 && len(content.Text)+len(content.Options.ContentWarning) <= usualLimit &&
		len(content.Options.PollOptions) == 0 {
		return platform.Preparation{Ready: true}, nil
	}
	s, err := c.open(account)
	if err != nil {
		return platform.Preparation{}, err
	}
	if len(content.Media) > 0 && content.Files == nil {
		return platform.Preparation{}, errNoFiles
	}
	allowed, err := c.limitsOf(ctx, s)
	if err != nil {
		return platform.Preparation{}, err
	}
	if refused := s.check(content, allowed); refused != nil {
		return platform.Preparation{}, refused
	}
	if len(content.Media) == 0 {
		return platform.Preparation{Ready: true}, nil
	}
	progress := stateOf(handle, content.Media, s.Now())
	wait, err := s.next(ctx, content, &progress, allowed)
	if err != nil {
		return platform.Preparation{}, err
	}
	_, ready := progress.ids()
	return platform.Preparation{Handle: httpcall.Handle(progress), Ready: ready, Wait: wait}, nil
}

// next makes one step of the first attachment that is not ready, and returns the wait before the next one.
func (s session) next(
	ctx context.Context, content platform.Content, progress *state, allowed limits,
) (time.Duration, error) {
	for i := range progress.Files {
		file := &progress.Files[i]
		switch {
		case file.Ready:
		case file.ID == "":
			return 0, s.send(ctx, content, i, file, allowed)
		default:
			return s.look(ctx, i+1, file)
		}
	}
	return 0, nil
}

// send uploads an attachment with its description (docs.joinmastodon.org/methods/media/#v2). 202 means that the server
// still processes it.
func (s session) send(ctx context.Context, content platform.Content, i int, into *upload, allowed limits) error {
	asset := content.Media[i]
	file, err := content.Files.Open(ctx, asset)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var fields [][2]string
	if text := shortened(asset.AltText, allowed.Media.Description); text != "" {
		fields = append(fields, [2]string{"description", text})
	}
	response, err := s.Call(ctx, s.authorized(httpcall.Request{
		Operation: "upload", Method: http.MethodPost,
		Multipart: &httpcall.Multipart{Fields: fields, Files: []httpcall.Part{{
			Field: "file", FileName: file.Name(), ContentType: file.ContentType(), Size: file.Size(),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, file.Size())), nil },
		}}},
	}, "v2", "media"))
	if err != nil {
		return err
	}
	if !response.OK() {
		return s.uploadFailure(i+1, response)
	}
	var result struct {
		ID string `json:"id"`
	}
	if response.Decode(&result) != nil || !idPattern.MatchString(result.ID) {
		return s.Unclear(response, "no file in the response")
	}
	into.ID, into.At, into.Ready = result.ID, s.Now().Unix(), response.Status == http.StatusOK
	return nil
}

// shortened cuts a description to the server's limit, in characters.
func shortened(text string, most int) string {
	runes := []rune(text)
	if most > 0 && len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// look reads whether the server has processed a file: 206 means that it has not. A file that the server no longer has is
// uploaded again.
func (s session) look(ctx context.Context, number int, file *upload) (time.Duration, error) {
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "status"}, "v1", "media", file.ID))
	switch {
	case err != nil:
		return 0, err
	case response.Status == http.StatusPartialContent:
		return checkAfter, nil
	case response.OK():
		var result struct {
			ID string `json:"id"`
		}
		if response.Decode(&result) != nil || result.ID != file.ID {
			return 0, s.Unclear(response, "no file in the response")
		}
		file.Ready = true
		return 0, nil
	case response.Status == http.StatusNotFound:
		*file = upload{Asset: file.Asset}
		return checkAfter, nil
	default:
		return 0, s.uploadFailure(number, response)
	}
}

func (s session) uploadFailure(number int, response httpcall.Response) *platform.Failure {
	refused := failure(s.Client, response)
	if refused.Class == platform.ClassRejected {
		return s.mediaFailure(number, refused.Cause)
	}
	return refused
}
