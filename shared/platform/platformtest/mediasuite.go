package platformtest

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// preparing is the maximum time to prepare a post.
const preparing = 30 * time.Second

// longestPause caps the wait between checks, even if a network asks for a longer one.
const longestPause = 50 * time.Millisecond

// runMedia checks the additional guarantees for posts with media.
func runMedia(t *testing.T, h Harness) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *bench){
		"publishes":                  testMediaPublish,
		"no response, accepted":      testMediaLost,
		"no response, not accepted":  testMediaNotArrived,
		"unavailable while adding":   testMediaUnavailable,
		"a refusal while adding":     testMediaReject,
		"a rate limit while adding":  testMediaRateLimit,
		"an expired token":           testMediaExpiredToken,
		"unavailable while checking": testMediaStatus,
		"every call cut short":       testMediaCuts,
		"a handle of another time":   testMediaForeignHandle,
		"storage does not respond":   testMediaStorageDown,
		"a file is gone":             testMediaFileGone,
	} {
		for _, kind := range h.Media {
			t.Run(kind.Name+"/"+name, func(t *testing.T) {
				t.Parallel()

				b := newBench(t, h, kind.Name+" "+name)
				b.carry(t, kind)
				test(t, b)
				require.Zero(t, b.storage.Unclosed(), "files were not closed")
			})
		}
	}
}

// carry gives the bench's post the attachments of kind.
func (b *bench) carry(t *testing.T, kind MediaPost) {
	t.Helper()
	b.kind, b.storage = kind, Files(t, kind.Attachments...)
	b.content.Files, b.content.Media = b.storage, nil
	for _, a := range kind.Attachments {
		b.content.Media = append(b.content.Media, a.Asset)
	}
	if kind.ContentType != post.ContentType("") {
		b.content.ContentType = kind.ContentType
	}
	if kind.Wordless {
		b.content.Text = ""
	}
}

// step returns the step that receives the media of the post. It is empty if the irrevocable call sends them.
func (b *bench) step() string {
	if b.kind.Inline {
		return ""
	}
	return b.MediaStep
}

// errNotReady is returned if a post is not prepared in time.
var errNotReady = errors.New("the post was not ready in time")

// prepared prepares the post up to the irrevocable call, starting from the handle. It waits at most longestPause
// between checks. It returns the last handle it received, even with an error.
func prepared(
	ctx context.Context, b *bench, content platform.Content, handle platform.Handle,
) (platform.Handle, error) {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	for {
		preparation, err := b.connector.Prepare(ctx, b.account, content, handle)
		if err != nil {
			return handle, err
		}
		handle = preparation.Handle
		if preparation.Ready {
			return handle, nil
		}
		if !pause(ctx, min(preparation.Wait, longestPause)) {
			return handle, errNotReady
		}
	}
}

// pause waits for d. It returns false if the context ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// try makes one attempt, as the protocol does.
func (b *bench) try(t *testing.T, handle platform.Handle) (platform.Publication, platform.Handle, error) {
	t.Helper()
	handle, err := prepared(t.Context(), b, b.content, handle)
	if err != nil {
		return platform.Publication{}, handle, err
	}
	publication, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	return publication, handle, err
}

// requireWhole checks that the account has exactly one post, with the text and the bytes of every attachment in order.
func (b *bench) requireWhole(t *testing.T) Entry {
	t.Helper()
	entry := b.requireLedger(t, 1)[0]
	require.Equal(t, b.content.Text, entry.Text)
	require.Len(t, entry.Media, len(b.kind.Attachments))
	for i, a := range b.kind.Attachments {
		require.Equal(t, a.SHA256(), entry.Media[i].SHA256, "attachment %d", i+1)
		require.Equal(t, a.Asset.ContentType, entry.Media[i].ContentType, "attachment %d", i+1)
		require.Equal(t, a.Asset.AltText, entry.Media[i].AltText, "attachment %d", i+1)
	}
	return entry
}

func testMediaPublish(t *testing.T, b *bench) {
	t.Helper()
	publication, handle, err := b.try(t, "")
	require.NoError(t, err)
	entry := b.requireWhole(t)
	publication = b.settled(t, publication)
	require.Equal(t, entry.ID, publication.ExternalID)
	require.Contains(t, publication.URL, entry.ID)
	require.True(t, b.storage.Used())
	require.Equal(t, int32(1), b.front.commits.Load())
	b.requireFound(t, handle, entry)
}

// testMediaLost checks that reconciling finds a post with media after its response was lost.
func testMediaLost(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, pass func() frontResponse) { pass(); cut(w, nil) })
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	b.requireFound(t, handle, b.requireWhole(t))
	require.Equal(t, int32(1), b.front.commits.Load())
}

// testMediaNotArrived checks that a preparation can be reused if the irrevocable call did not reach the network.
func testMediaNotArrived(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) { cut(w, nil) })
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	b.requireLedger(t, 0)
	b.requireAbsent(t, handle)
	if b.connector.Strength() == platform.ReconcileNone {
		return
	}
	b.front.mangle(nil)
	_, _, err = b.try(t, handle)
	require.NoError(t, err)
	b.requireWhole(t)
}

// again repeats the attempt while it fails with ClassTransient, as the protocol does.
func (b *bench) again(t *testing.T, handle platform.Handle) {
	t.Helper()
	const most = 10
	for range most {
		_, given, err := b.try(t, handle)
		if err == nil {
			b.requireWhole(t)
			return
		}
		handle = given
		b.requireFailure(t, err, platform.ClassTransient)
		b.requireLedger(t, 0)
	}
	require.Fail(t, "the post was not published", "after %d tries", most)
}

func testMediaUnavailable(t *testing.T, b *bench) {
	t.Helper()
	if b.step() == "" {
		return
	}
	b.inject(t, b.step(), "unavailable", 0)
	_, handle, err := b.try(t, "")
	b.requireFailure(t, err, platform.ClassTransient)
	b.requireLedger(t, 0)
	b.again(t, handle)
}

func testMediaReject(t *testing.T, b *bench) {
	t.Helper()
	if b.step() == "" {
		return
	}
	b.inject(t, b.step(), "reject", 0)
	_, _, err := b.try(t, "")
	b.requireFailure(t, err, platform.ClassRejected)
	b.requireLedger(t, 0)
}

func testMediaRateLimit(t *testing.T, b *bench) {
	t.Helper()
	if b.step() == "" {
		return
	}
	const wait = 30 * time.Second
	b.inject(t, b.step(), "rate_limit", wait)
	_, _, err := b.try(t, "")
	failure := b.failureOf(t, err, platform.ClassRateLimited)
	require.WithinDuration(t, time.Now().Add(wait), failure.Until, 3*time.Second)
	b.requireLedger(t, 0)
}

// testMediaExpiredToken checks that the preparation continues after one refresh.
func testMediaExpiredToken(t *testing.T, b *bench) {
	t.Helper()
	if b.step() == "" || !b.Refreshes || b.Addressed {
		return
	}
	b.inject(t, b.step(), "expired_token", 0)
	_, handle, err := b.try(t, "")
	b.requireFailure(t, err, platform.ClassRefresh)
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	b.account.Credentials = fresh
	b.again(t, handle)
}

// testMediaStatus checks that a failed status call does not fail the post.
func testMediaStatus(t *testing.T, b *bench) {
	t.Helper()
	for range 2 {
		b.inject(t, "status", "unavailable", 0)
	}
	b.again(t, "")
}

// testMediaForeignHandle checks that a handle of an older version of this service, or an invalid one, restarts the
// preparation.
func testMediaForeignHandle(t *testing.T, b *bench) {
	t.Helper()
	for _, handle := range []platform.Handle{"0", "{}", `{"media":[{"id":"7"}]}`, "null", "not a handle", "\x00"} {
		preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err, "%q", handle)
		require.NotEqual(t, handle, preparation.Handle)
	}
	b.again(t, "not a handle")
}

func testMediaStorageDown(t *testing.T, b *bench) {
	t.Helper()
	b.storage.Fail(&platform.Failure{
		Class: platform.ClassTransient, Code: "STORAGE_DOWN", Message: "The storage did not respond.",
	})
	_, handle, err := b.try(t, "")
	b.requireFailure(t, err, platform.ClassTransient)
	require.Zero(t, b.front.commits.Load())
	b.storage.Fail(nil)
	b.again(t, handle)
}

func testMediaFileGone(t *testing.T, b *bench) {
	t.Helper()
	b.storage.Fail(&platform.Failure{
		Class: platform.ClassRejected, Code: "MEDIA_GONE", Message: "A file of this post is gone.",
	})
	_, _, err := b.try(t, "")
	require.Equal(t, "MEDIA_GONE", b.failureOf(t, err, platform.ClassRejected).Code)
	require.Zero(t, b.front.commits.Load())
	b.requireLedger(t, 0)
}
