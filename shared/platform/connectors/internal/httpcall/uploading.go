package httpcall

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

const (
	// workFor is the time for which one Prepare starts further calls, excluding the time to open files. The progress is
	// then stored, so that a crash of the process loses less than a minute of work on a large video.
	workFor = 40 * time.Second
	// pauseAfterFailure is the wait after a failure if progress was made before it.
	pauseAfterFailure = 5 * time.Second
)

// Errors of uploads.
var (
	// ErrNoFiles reports content with attachments whose bytes are missing.
	ErrNoFiles = errors.New("the content has attachments, but no files")
	// ErrGone reports an upload that the network no longer has. Another upload may succeed.
	ErrGone = errors.New("the network no longer has the upload")
)

// Window is the time for which one Prepare works.
type Window struct {
	now   func() time.Time
	until time.Time
}

// Begin starts a window, by the given clock.
func Begin(now func() time.Time) *Window {
	return &Window{now: now, until: now().Add(workFor)}
}

// Over reports whether the time is over.
func (w *Window) Over() bool { return !w.now().Before(w.until) }

// Open opens an attachment, and extends the window by the time that this takes: slow storage cannot block the progress
// of an upload.
func (w *Window) Open(ctx context.Context, files platform.Files, asset media.Asset) (platform.File, error) {
	begun := w.now()
	file, err := files.Open(ctx, asset)
	w.until = w.until.Add(w.now().Sub(begun))
	return file, err
}

// Failed returns the result of a Prepare that met a failure. If the failure is temporary and progress was made before
// it, Failed returns the progress without the error: the next call continues, or meets the failure again without
// progress. So a rate limit is reported as one, and limits the channel.
func (w *Window) Failed(preparation platform.Preparation, progressed bool, err error) (platform.Preparation, error) {
	failure, ok := errors.AsType[*platform.Failure](err)
	if !ok || !progressed {
		return platform.Preparation{}, err
	}
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRefresh, platform.ClassRateLimited:
		preparation.Wait = pauseAfterFailure
		return preparation, nil
	case platform.ClassRejected, platform.ClassReconnect, platform.ClassUser, platform.ClassOperator, platform.ClassUnknown:
	}
	return platform.Preparation{}, err
}

// Refused reports whether the error is a network's refusal of what was sent.
func Refused(err error) bool {
	failure, ok := errors.AsType[*platform.Failure](err)
	return ok && failure.Class == platform.ClassRejected
}

// Gone returns the failure with a cause that also matches ErrGone.
func Gone(failure *platform.Failure) *platform.Failure {
	failure.Cause = Passing(failure.Cause)
	return failure
}

// Passing returns the cause as an error that also matches ErrGone.
func Passing(cause error) error { return &passingCause{cause: cause} }

// passingCause is a cause that also matches ErrGone.
type passingCause struct{ cause error }

// Error returns the cause's text.
func (p *passingCause) Error() string { return p.cause.Error() }

// Unwrap returns ErrGone and the cause.
func (p *passingCause) Unwrap() []error { return []error{ErrGone, p.cause} }

// Handle encodes what a connector keeps between the calls for a post: only numbers, flags and strings.
func Handle(session any) platform.Handle {
	text, _ := json.Marshal(session) // cannot fail
	return platform.Handle(text)
}
