package x

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// pointAfterSegment is the fail point in the middle of an upload.
const pointAfterSegment = "publish.after_segment"

// Limits of an upload.
const (
	// DefaultSegmentSize is below X's maximum of 5 MB per segment.
	DefaultSegmentSize = 4 << 20
	// smallestSegment allows a video of 512 MB with mostSegments.
	smallestSegment = 1 << 20
	largestSegment  = 5_000_000
	// mostSegments is X's maximum number of segments per file.
	mostSegments = 1000
	// shortestCheck and longestCheck bound the wait that X requests while it processes a file.
	shortestCheck, longestCheck = time.Second, time.Minute
)

var (
	errCategory = errors.New("the network has no category for such a file")
	errSegments = errors.New("the file has more segments than the network accepts")
)

// Prepare uploads the attachments. A text post needs no preparation. Prepare continues from the handle, for less than a
// minute at a time, and then waits until X has processed videos and animations.
//
// Each call opens the files again. The duration of that is bounded only by the storage's own time limits, which end a
// stalled transfer. Apart from that, segments are started within a window, and each call to X has a timeout. A file is
// opened only within that time, and at least one of its segments is then sent, so that slow storage cannot block the
// progress of an upload.
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
		return platform.Preparation{}, httpcall.ErrNoFiles
	}
	w := &work{
		Connector: c, account: account, content: content,
		session: sessionOf(handle, content.Media, c.client.Now()), window: httpcall.Begin(c.client.Now),
		waits: make(map[int]time.Duration),
	}
	wait, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: httpcall.Handle(w.session), Wait: wait}
	if err != nil {
		return w.window.Failed(preparation, w.session.progressed(handle), err)
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
	// No file is opened after the window, and no segment is started except the first of a file.
	window  *httpcall.Window
	resumed bool                  // the current upload was started by an earlier call
	waits   map[int]time.Duration // the waits that X requested in this call, by upload
}

// progressed reports whether an upload exists at X and the session differs from the given one.
func (s session) progressed(before platform.Handle) bool {
	return httpcall.Handle(s) != before &&
		slices.ContainsFunc(s.Uploads, func(u upload) bool { return u.Stage != stageNew })
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
		if err := w.describe(ctx, i); err != nil {
			return 0, err
		}
	}
	return wait, nil
}

// send uploads one attachment. It returns false if the time is over before the upload is complete. If X refuses an
// upload that an earlier call started, send restarts it once.
func (w *work) send(ctx context.Context, i int) (bool, error) {
	u := &w.session.Uploads[i]
	if u.Stage == stageProcessing || u.Stage == stageReady {
		return true, nil
	}
	if w.window.Over() {
		return false, nil
	}
	file, err := w.window.Open(ctx, w.content.Files, w.content.Media[i])
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if u.Stage == stageSending && u.Size != file.Size() { // a different copy of the attachment
		*u = upload{Asset: u.Asset, Again: u.Again}
	}
	for {
		w.resumed = u.Stage == stageSending
		done, err := w.segments(ctx, i, file)
		if !errors.Is(err, httpcall.ErrGone) && (!w.resumed || !httpcall.Refused(err)) {
			return done, err
		}
		again, ok := u.anew()
		if !ok {
			return false, err
		}
		*u = again
	}
}

// segments sends the remaining segments of the file and finalizes the upload. It creates the upload first if necessary.
func (w *work) segments(ctx context.Context, i int, file platform.File) (bool, error) {
	u, asset := &w.session.Uploads[i], w.content.Media[i]
	if u.Stage == stageNew {
		if err := w.initialize(ctx, i, asset, file); err != nil {
			return false, err
		}
	}
	for first := u.Next; u.Next < u.segments(); u.Next++ {
		if u.Next > first && w.window.Over() {
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

// look checks X's processing of an upload, and returns the wait before the next check.
func (w *work) look(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	if u.Stage != stageProcessing {
		return 0, nil
	}
	if wait, requested := w.waits[i]; requested {
		return wait, nil
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
	return shortestCheck, nil
}

// segmentsOf returns the number of segments of a file.
func segmentsOf(size, segment int64) int { return int((size + segment - 1) / segment) }

// category returns X's category of the file. A GIF with a single frame is an image, because X fails to process it as an
// animation.
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
		if asset.Probe.Duration > usualVideo {
			return "amplify_video", true
		}
		return "tweet_video", true
	case media.Document:
		return "", false
	default:
		return "", false
	}
}
