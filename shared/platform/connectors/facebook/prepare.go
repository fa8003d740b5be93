package facebook

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// checkAfter is the wait while Facebook checks a video.
const checkAfter = 2 * time.Second

var (
	errOffset = errors.New("the network's copy of the file does not fit the file")
	errNoApp  = errors.New("facebook: no application is configured")
)

// Prepare uploads the attachments. A text needs no preparation. Photos are uploaded unpublished. A video is announced
// first, so that its id is stored before the transfer, and an interrupted transfer continues at the byte that Facebook
// reports. Uploads are invisible, Facebook deletes them after a day, and none counts against the quota of reels.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if len(content.Media) == 0 {
		return platform.Preparation{Ready: true}, nil
	}
	if !usable(account) {
		return platform.Preparation{}, c.client.Reconnect(errNoToken)
	}
	if content.Files == nil {
		return platform.Preparation{}, httpcall.ErrNoFiles
	}
	w := &work{
		Connector: c, account: account, content: content, session: sessionOf(handle, content, c.client.Now()),
		window: httpcall.Begin(c.client.Now),
	}
	wait, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: httpcall.Handle(w.session), Wait: wait, Ready: err == nil && w.session.ready()}
	if err != nil {
		return w.window.Failed(preparation, preparation.Handle != handle && !w.session.empty(), err)
	}
	return preparation, nil
}

// work is one call of Prepare.
type work struct {
	*Connector

	account platform.Account
	content platform.Content
	session session
	window  *httpcall.Window // no upload is started after it
}

// advance advances the uploads as far as possible, and returns the wait before the next check.
func (w *work) advance(ctx context.Context) (time.Duration, error) {
	for i := range w.session.Uploads {
		if w.session.Uploads[i].Stage == stageReady {
			continue
		}
		if w.window.Over() {
			return 0, nil
		}
		wait, err := w.step(ctx, i)
		if errors.Is(err, httpcall.ErrGone) {
			wait, err = w.restart(i, err)
		}
		if err != nil || w.session.Uploads[i].Stage != stageReady {
			return wait, err
		}
	}
	return 0, nil
}

// restart replaces an upload that Facebook can no longer use, once.
func (w *work) restart(i int, cause error) (time.Duration, error) {
	again, ok := w.session.Uploads[i].anew()
	if !ok {
		return 0, w.mediaFailure(i, cause)
	}
	w.session.Uploads[i] = again
	return checkAfter, nil
}

// step advances one upload to its next stage. A new video stays in its first stage, so that its id is stored.
func (w *work) step(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	switch {
	case w.session.Form == formPhotos, w.session.Form == formPhotoStory:
		return 0, w.photo(ctx, i)
	case w.session.Form == formVideo:
		return 0, w.file(ctx, i)
	case u.Stage == stageNew:
		return 0, w.announceVideo(ctx, i)
	default:
		return w.sendVideo(ctx, i)
	}
}
