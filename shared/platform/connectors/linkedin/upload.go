package linkedin

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Fail points of an upload.
const (
	pointAfterBegin   = "publish.after_upload_begin"
	pointAfterSegment = "publish.after_segment"
	pointAfterFinish  = "publish.after_upload_end"
)

// DefaultGrace is the time after which media count as processed whose state LinkedIn does not show. It refuses the
// tokens of members to read images and documents; integrators then wait this long.
const DefaultGrace = 20 * time.Second

// Prepare uploads the attachments. A text post needs no preparation. Prepare continues from the handle, for less than a
// minute at a time, and then waits until LinkedIn has processed the files. It returns early after it has created a
// video, so that the addresses of its parts are stored before the first one is sent.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if len(content.Media) == 0 {
		return platform.Preparation{Ready: true}, nil
	}
	author, err := c.author(account)
	if err != nil {
		return platform.Preparation{}, err
	}
	if content.Files == nil {
		return platform.Preparation{}, httpcall.ErrNoFiles
	}
	w := &work{
		Connector: c, account: account, author: author, content: content,
		session: sessionOf(handle, content.Media, c.client.Now()), window: httpcall.Begin(c.client.Now),
	}
	wait, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: httpcall.Handle(w.session), Wait: wait}
	if err != nil {
		return w.window.Failed(preparation, w.session.progressed(handle), err)
	}
	_, err = w.session.urns()
	preparation.Ready = err == nil
	return preparation, nil
}

// work is one call of Prepare.
type work struct {
	*Connector

	account platform.Account
	author  string
	content platform.Content
	session session
	window  *httpcall.Window
}

// advance advances the uploads as far as possible, and returns the wait before the next check.
func (w *work) advance(ctx context.Context) (time.Duration, error) {
	for i := range w.session.Uploads {
		done, err := w.send(ctx, i)
		if err != nil || !done {
			return 0, err
		}
	}
	wait := time.Duration(0)
	for i := range w.session.Uploads {
		after, err := w.look(ctx, i)
		if err != nil {
			return 0, err
		}
		wait = max(wait, after)
	}
	return wait, nil
}

// send uploads one attachment. It returns false if the upload is to be continued by the next call. If LinkedIn refuses
// an upload that an earlier call started, send restarts it once.
func (w *work) send(ctx context.Context, i int) (bool, error) {
	u := &w.session.Uploads[i]
	if u.complete() {
		return true, nil
	}
	if w.window.Over() {
		return false, nil
	}
	if u.Stage == stageSent {
		done, again, err := w.finish(ctx, i)
		if !again {
			return done, err
		}
	}
	file, err := w.window.Open(ctx, w.content.Files, w.content.Media[i])
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if u.Stage == stageSending && u.Size != file.Size() { // a different copy of the attachment
		*u = upload{Asset: u.Asset, Kind: u.Kind, Again: u.Again}
	}
	for {
		resumed := u.Stage == stageSending
		done, err := w.transfer(ctx, i, file)
		if !errors.Is(err, httpcall.ErrGone) && (!resumed || !httpcall.Refused(err)) {
			return done, err
		}
		again, ok := u.anew()
		if !ok {
			return false, err
		}
		*u = again
	}
}

// transfer creates the upload if necessary, and sends the missing parts of the file. It returns true if the upload is
// complete: a video is finalized by the next call.
func (w *work) transfer(ctx context.Context, i int, file platform.File) (bool, error) {
	u := &w.session.Uploads[i]
	if u.Stage == stageNew {
		if err := w.initialize(ctx, i, file); err != nil {
			return false, err
		}
		if err := failpoint.Hit(ctx, pointAfterBegin); err != nil {
			return false, err
		}
		if u.Kind == videos {
			return false, nil
		}
	}
	sent := 0
	for n := range u.Parts {
		if u.Parts[n].Sent {
			continue
		}
		if sent > 0 && w.window.Over() {
			return false, nil
		}
		if err := w.put(ctx, i, n, file); err != nil {
			return false, err
		}
		sent++
		if err := failpoint.Hit(ctx, pointAfterSegment); err != nil {
			return false, err
		}
	}
	if u.Kind == videos {
		u.Stage = stageSent
		return false, nil
	}
	w.completed(u)
	return true, nil
}

// finish finalizes a video whose parts are sent. It returns again if the upload was reset, to be sent once more.
func (w *work) finish(ctx context.Context, i int) (done, again bool, err error) {
	u := &w.session.Uploads[i]
	if err = w.finalize(ctx, i); err == nil {
		err = failpoint.Hit(ctx, pointAfterFinish)
	}
	switch {
	case err == nil:
		w.completed(u)
		return true, false, nil
	case !errors.Is(err, httpcall.ErrGone) && !httpcall.Refused(err):
		return false, false, err
	}
	fresh, ok := u.anew()
	if !ok {
		return false, false, err
	}
	*u = fresh
	return false, true, nil
}

// completed records that every byte is at LinkedIn.
func (w *work) completed(u *upload) {
	u.Stage, u.Sent, u.Parts, u.Token = stageProcessing, w.client.Now().UnixMilli(), nil, ""
}

// look checks LinkedIn's processing of an upload, and returns the wait before the next check.
func (w *work) look(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	switch u.Stage {
	case stageProcessing:
	case stageHidden:
		return w.hidden(u), nil
	case stageNew, stageSending, stageSent, stageReady:
		return 0, nil
	}
	wait, err := w.status(ctx, i)
	if !errors.Is(err, httpcall.ErrGone) {
		return wait, err
	}
	again, ok := u.anew()
	if !ok {
		return 0, err
	}
	*u = again
	return imageCheck, nil
}

// hidden returns the rest of the time that media of unknown state need.
func (w *work) hidden(u *upload) time.Duration {
	remaining := w.graceLeft(*u)
	if remaining <= 0 {
		u.Stage = stageReady
		return 0
	}
	u.Stage = stageHidden
	return remaining
}

func (w *work) graceLeft(u upload) time.Duration {
	return time.UnixMilli(u.Sent).Add(w.config.Grace).Sub(w.client.Now())
}
