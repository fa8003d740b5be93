package x

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/kernel/failpoint"
	"socialpub.internal/shared/platform"
)

// pointAfterSegment is the crash point in the middle of an upload.
const pointAfterSegment = "publish.after_segment"

// How an upload goes on its way.
const (
	// segmentSize is below X's largest segment of 5 MB.
	segmentSize = 4 << 20
	// mostSegments is how many X takes of one file.
	mostSegments = 1000
	// uploadFor is how long one Prepare begins further segments, without the time in which files are opened. What it got done
	// by then is kept, so that the end of this process loses less than a minute's work of a large film.
	uploadFor = 40 * time.Second
	// pauseAfterFailure is the wait after a failure that came when something was done already.
	pauseAfterFailure = 5 * time.Second
	// shortestCheck and longestCheck bound the wait that X asks for while it works on a file.
	shortestCheck, longestCheck = time.Second, time.Minute
)

// Codes of attachments.
const (
	CodeMediaRefused     = "MEDIA_REFUSED"
	CodeMediaNotUploaded = "MEDIA_NOT_UPLOADED"
)

var (
	errNoFiles   = errors.New("x: the content has attachments, but no files")
	errForgotten = errors.New("the network does not know the upload any more")
	errCategory  = errors.New("the network has no category for such a file")
	errSegments  = errors.New("the file has more segments than the network takes")
)

// Prepare uploads the attachments; text needs nothing. It goes on where the handle says that an earlier call stopped, for
// less than a minute at a time, and then waits for X to have looked at films and animations.
//
// Files are opened anew in each call, which takes as long as storage does: its own time limits bound that, and it gives up
// when nothing moves. Apart from it, segments are begun for uploadFor, and each call to X has a time limit. A file is opened
// only while that time lasts, and at least one segment of it is sent then, so that slow storage cannot keep an upload from
// going on.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if len(content.Media) == 0 {
		return platform.Preparation{Ready: true}, nil
	}
	if account.Credentials.AccessToken == "" {
		return platform.Preparation{}, c.client.Reconnect(errNoToken)
	}
	if content.Files == nil {
		return platform.Preparation{}, errNoFiles
	}
	w := &work{
		Connector: c, account: account, content: content,
		session: sessionOf(handle, content.Media, c.client.Now()), until: c.client.Now().Add(uploadFor),
		waits: make(map[int]time.Duration),
	}
	wait, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: w.session.handle(), Wait: wait}
	if err != nil {
		return w.failed(preparation, handle, err)
	}
	_, err = w.session.ids()
	preparation.Ready = err == nil
	return preparation, nil
}

// work is one call of Prepare.
type work struct {
	*Connector

	account platform.Account
	content platform.Content
	session session
	until   time.Time             // no file is opened after it, and no segment begun but the first of a file
	resumed bool                  // the upload at hand was begun by an earlier call
	waits   map[int]time.Duration // that X asked for when it was given an upload in this call
}

// failed keeps what was done before a failure that passes: the next call meets it again, or goes on. A failure that found
// nothing done, and one that is final, is the answer.
func (w *work) failed(preparation platform.Preparation, before platform.Handle, err error) (platform.Preparation, error) {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok || preparation.Handle == before || w.session.empty() {
		return platform.Preparation{}, err
	}
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRefresh:
		preparation.Wait = pauseAfterFailure
		return preparation, nil
	case platform.ClassRateLimited:
		preparation.Wait = max(pauseAfterFailure, failure.Until.Sub(w.client.Now()))
		return preparation, nil
	case platform.ClassRejected, platform.ClassReconnect, platform.ClassUser, platform.ClassOperator, platform.ClassUnknown:
	}
	return platform.Preparation{}, err
}

// empty reports that X knows of no upload.
func (s session) empty() bool {
	for _, u := range s.Uploads {
		if u.Stage != stageNew {
			return false
		}
	}
	return true
}

// advance takes the uploads as far as they go at present, and returns how long to wait before the next look.
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

// send uploads one attachment; false when the time is over before it is done. What X no longer wants to know of an upload
// that an earlier call began, begins anew once.
func (w *work) send(ctx context.Context, i int) (bool, error) {
	u := &w.session.Uploads[i]
	if u.Stage == stageProcessing || u.Stage == stageReady {
		return true, nil
	}
	if w.over() {
		return false, nil
	}
	file, err := w.open(ctx, i)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if u.Stage == stageSending && u.Size != file.Size() { // another copy of the attachment
		*u = upload{Asset: u.Asset, Again: u.Again}
	}
	for {
		w.resumed = u.Stage == stageSending
		done, err := w.segments(ctx, i, file)
		if !errors.Is(err, errForgotten) && (!w.resumed || !refused(err)) {
			return done, err
		}
		again, ok := u.anew()
		if !ok {
			return false, err
		}
		*u = again
	}
}

// open opens an attachment. The time that it takes is not taken from that of sending.
func (w *work) open(ctx context.Context, i int) (platform.File, error) {
	begun := w.client.Now()
	file, err := w.content.Files.Open(ctx, w.content.Media[i])
	w.until = w.until.Add(w.client.Now().Sub(begun))
	return file, err
}

// over reports that the time to send is used up.
func (w *work) over() bool { return !w.client.Now().Before(w.until) }

func refused(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && failure.Class == platform.ClassRejected
}

// segments sends what is missing of the file, from the beginning if need be, and ends the upload.
func (w *work) segments(ctx context.Context, i int, file platform.File) (bool, error) {
	u, asset := &w.session.Uploads[i], w.content.Media[i]
	if u.Stage == stageNew {
		if err := w.initialize(ctx, i, asset, file); err != nil {
			return false, err
		}
	}
	for first := u.Next; u.Next < segmentsOf(u.Size); u.Next++ {
		if u.Next > first && w.over() {
			return false, nil
		}
		if err := w.append(ctx, i, file); err != nil {
			return false, err
		}
		if err := failpoint.Hit(ctx, pointAfterSegment); err != nil {
			return false, err
		}
	}
	return true, w.finalize(ctx, i)
}

// look asks how far X is with an upload, and returns how long to wait before the next look.
func (w *work) look(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	if u.Stage != stageProcessing {
		return 0, nil
	}
	if wait, asked := w.waits[i]; asked {
		return wait, nil
	}
	wait, err := w.status(ctx, i)
	if !errors.Is(err, errForgotten) {
		return wait, err
	}
	again, ok := u.anew()
	if !ok {
		return 0, err
	}
	*u = again
	return shortestCheck, nil
}

// segmentsOf is how many segments a file has.
func segmentsOf(size int64) int { return int((size + segmentSize - 1) / segmentSize) }

// category is what X calls the kind of file. A GIF that does not move is a picture to X, which fails to animate it.
func category(asset media.Asset) (string, bool) {
	switch asset.Type {
	case media.Image:
		return "tweet_image", true
	case media.GIF:
		if asset.Probe.Frames == 1 {
			return "tweet_image", true
		}
		return "tweet_gif", true
	case media.Video:
		return "tweet_video", true
	case media.Document:
		return "", false
	default:
		return "", false
	}
}
