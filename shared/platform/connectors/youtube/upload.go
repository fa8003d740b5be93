package youtube

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// pointAfterSegment is the fail point in the middle of an upload.
const pointAfterSegment = "publish.after_segment"

// Limits of an upload.
const (
	// chunkUnit divides the size of every chunk but the last (Resumable Uploads, "multiple of 256 KB").
	chunkUnit = 256 << 10
	// DefaultChunkSize is the size of a chunk. A crash of the process loses less than one.
	DefaultChunkSize = 16 << 20
	// uploadFor is the time for which one Prepare starts further chunks, excluding the time to open the file.
	uploadFor = 40 * time.Second
	// pauseAfterFailure is the wait after a failure if progress was made before it.
	pauseAfterFailure = 5 * time.Second
	// coverCheck is the wait between checks whether a Short can have its thumbnail, coverFor the longest time of them.
	coverCheck, coverFor = 5 * time.Second, 5 * time.Minute
)

var (
	errNoFiles     = errors.New("youtube: the content has attachments, but no files")
	errNoVideo     = errors.New("the content has no video")
	errSessionGone = errors.New("the network no longer has the upload session")
	errVideoGone   = errors.New("the network no longer has the video")
	errNoProgress  = errors.New("the network did not store the chunk")
)

// attachments returns the post's video and its thumbnail; the thumbnail's type is empty if there is none.
func attachments(assets []media.Asset) (video, cover media.Asset, ok bool) {
	for _, asset := range assets {
		switch {
		case asset.Type == media.Video && !ok:
			video, ok = asset, true
		case asset.Type == media.Image && cover.Type == "":
			cover = asset
		}
	}
	return video, cover, ok
}

// Prepare uploads the video as a private one, which only its owner sees.
//
// The first call creates the upload session and returns, so that the session is stored before a byte is sent: a video
// whose session is lost would stay on the channel. Later calls ask YouTube how much it has, and send chunks for less than
// a minute each. The last chunk creates the video. If its response is lost, the session reports the video again.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if comments.IsFirst(content) {
		return platform.Preparation{Ready: true}, nil
	}
	video, cover, ok := attachments(content.Media)
	switch {
	case !usable(account):
		return platform.Preparation{}, c.client.Reconnect(errNoToken)
	case !ok:
		return platform.Preparation{}, c.mediaFailure(errNoVideo)
	case content.Files == nil:
		return platform.Preparation{}, errNoFiles
	}
	w := &work{
		Connector: c, account: account, content: content, video: video, cover: cover,
		session: sessionOf(handle, video, c.client.Now()),
	}
	ready, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: httpcall.Handle(w.session), Ready: ready, Wait: w.wait}
	if err != nil {
		return w.failed(preparation, err)
	}
	return preparation, nil
}

// work is one call of Prepare.
type work struct {
	*Connector

	account platform.Account
	content platform.Content
	video   media.Asset
	cover   media.Asset // its type is empty if the post has no thumbnail
	session session
	// until is the time after which no chunk is started, except the first.
	until    time.Time
	received bool // this call sent a chunk that YouTube has
	wait     time.Duration
}

// advance makes the next step of the preparation, and reports whether the post is ready.
func (w *work) advance(ctx context.Context) (ready bool, err error) {
	switch {
	case w.session.Video != "":
		return w.uploaded(ctx)
	case w.session.Query == "":
		return false, w.begin(ctx)
	}
	done, err := w.send(ctx)
	if errors.Is(err, errSessionGone) {
		return false, w.recover(ctx, err)
	}
	if err != nil || !done || w.cover.Type != "" {
		return false, err
	}
	return true, nil
}

// anew restarts an upload that YouTube no longer has, once.
func (w *work) anew(cause error) error {
	if w.session.Again {
		return cause
	}
	w.session = session{Version: sessionVersion, Asset: w.session.Asset, Again: true}
	return nil
}

// uploaded checks that YouTube still has the video and can use it, and sets its thumbnail. YouTube goes on processing a
// video after it was made public.
func (w *work) uploaded(ctx context.Context) (ready bool, err error) {
	seen, err := w.look(ctx, "status", w.account, w.session.Video)
	if errors.Is(err, errVideoGone) {
		return false, w.anew(w.mediaGone(err))
	}
	if err != nil {
		return false, err
	}
	if failure := w.unusable(seen); failure != nil {
		return false, failure
	}
	if w.cover.Type == "" || w.session.Cover != coverOpen {
		return true, nil
	}
	if w.tooEarly(seen) {
		w.wait = coverCheck
		return false, nil
	}
	return false, w.setCover(ctx)
}

// tooEarly reports that the thumbnail has to wait. Since 2026-11-03, YouTube takes that of a Short only after it has
// processed the video. A video that is processed for longer is published without it.
func (w *work) tooEarly(seen video) bool {
	if !seen.inReview() || !isShort(w.video, w.content.ContentType == post.ContentReel) {
		return false
	}
	now := w.client.Now()
	if w.session.Waits == 0 {
		w.session.Waits = now.Unix()
	}
	return now.Sub(time.Unix(w.session.Waits, 0)) < coverFor
}

// failed handles a failure. After progress, it returns the progress without a temporary error: the next call meets the
// failure again, or continues.
func (w *work) failed(preparation platform.Preparation, err error) (platform.Preparation, error) {
	failure, ok := errors.AsType[*platform.Failure](err)
	if ok && failure.Class == platform.ClassTransient && w.received {
		preparation.Wait = pauseAfterFailure
		return preparation, nil
	}
	return platform.Preparation{}, err
}

// begin creates the upload session. YouTube counts it as one of the uploads of the day.
func (w *work) begin(ctx context.Context) error {
	file, err := w.content.Files.Open(ctx, w.video)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	query, err := w.openSession(ctx, file)
	if err != nil {
		return err
	}
	sealed, err := w.config.Sealer.Seal(query, w.video)
	if err != nil {
		return err
	}
	w.session.Query, w.session.Size, w.session.Begun = sealed, file.Size(), w.client.Now().Unix()
	return nil
}

// send sends the rest of the file, as far as the time allows. It reports whether YouTube has the whole file.
func (w *work) send(ctx context.Context) (done bool, err error) {
	query, err := w.config.Sealer.Open(w.session.Query, w.video)
	if err != nil { // sealed with a key that was removed
		return false, w.goneBecause(err)
	}
	file, err := w.content.Files.Open(ctx, w.video)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if file.Size() != w.session.Size { // another copy of the attachment
		return false, w.goneBecause(errors.New("the file has another size"))
	}
	w.until = w.client.Now().Add(uploadFor)
	state, err := w.probe(ctx, query)
	for err == nil && state.video == "" {
		if w.received && !w.client.Now().Before(w.until) {
			return false, nil
		}
		state, err = w.chunk(ctx, query, file, state.next)
		if err == nil {
			w.received = true
			err = failpoint.Hit(ctx, pointAfterSegment)
		}
	}
	if err != nil {
		return false, err
	}
	w.session.Video = state.video
	return true, nil
}

// goneBecause returns a failure after which the upload starts again.
func (w *work) goneBecause(cause error) error {
	failure := w.mediaGone(cause)
	failure.Cause = errors.Join(errSessionGone, cause)
	return failure
}
