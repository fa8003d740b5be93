package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

// steered calls the control API of a sandbox.
func steered(t *testing.T, sandbox platformtest.Sandbox, call string, body map[string]any) int {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sandbox.URL+"/_sandbox/"+call, bytes.NewReader(text))
	require.NoError(t, err)
	response, err := (&http.Client{Timeout: time.Minute}).Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// reviewed is a network's connector with an account, at a sandbox.
type reviewed struct {
	platform.Reviewer

	sandbox platformtest.Sandbox
	account platform.Account
}

// reviewerOf returns the network's connector, with an application that may refresh tokens.
func reviewerOf(t *testing.T, typ channel.Type, url string) platform.Reviewer {
	t.Helper()
	network := identities()[typ]
	wire := connectors.Config{BaseURL: url + network.prefix, Clock: clock.System()}
	var link platform.Link
	var err error
	switch typ { //nolint:exhaustive // the others need no application
	case channel.YouTube:
		link, err = youtube.New(youtube.Config{
			Wire: wire, TokenURL: wire.BaseURL + "/token", ClientID: "client", ClientSecret: "secret",
		})
	case channel.GoogleBusiness:
		link, err = googlebusiness.New(googlebusiness.Config{
			Wire: wire, TokenURL: wire.BaseURL + "/token", ClientID: "client", ClientSecret: "secret",
		})
	case channel.TikTokPersonal:
		link, err = tiktok.NewPersonal(tiktok.PersonalConfig{Wire: wire, ClientKey: "key", ClientSecret: "secret"})
	default:
		link, err = network.make(wire)
	}
	require.NoError(t, err)
	reviewer, ok := link.(platform.Reviewer)
	require.True(t, ok)
	return reviewer
}

func (r *reviewed) publish(t *testing.T) string {
	t.Helper()
	content := platform.Content{
		PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Title: "Spring", Text: "Our spring collection is here.",
	}
	if r.account.Type != channel.GoogleBusiness {
		video := platformtest.Video(300_000)
		content.ContentType, content.Files, content.Media = post.ContentReel, platformtest.Files(t, video), append(content.Media, video.Asset)
	}
	handle := platform.Handle("")
	for {
		prepared, err := r.Prepare(t.Context(), r.account, content, handle)
		require.NoError(t, err)
		handle = prepared.Handle
		if prepared.Ready {
			break
		}
		<-time.After(min(prepared.Wait, 100*time.Millisecond))
	}
	created, err := r.Commit(t.Context(), r.account, content, handle)
	require.NoError(t, err)
	return created.ExternalID
}

func (r *reviewed) set(t *testing.T, end string, after time.Duration) {
	t.Helper()
	require.Equal(t, http.StatusCreated, steered(t, r.sandbox, "reviews", map[string]any{
		"platform": r.account.Type.Network(), "account": "", "end": end, "afterSeconds": int(after.Seconds()),
	}))
}

// inReview reads the state of the post after the time has moved, with fresh credentials if they have ended meanwhile.
func (r *reviewed) inReview(t *testing.T, id string, moved time.Duration) (bool, error) {
	t.Helper()
	require.Equal(t, http.StatusOK, steered(t, r.sandbox, "clock", map[string]any{"offsetSeconds": int(moved.Seconds())}))
	seen, err := r.Review(t.Context(), r.account, id)
	if failure, ok := errors.AsType[*platform.Failure](err); ok && failure.Class == platform.ClassRefresh {
		r.account.Credentials, err = r.Refresh(t.Context(), r.account)
		require.NoError(t, err)
		seen, err = r.Review(t.Context(), r.account, id)
	}
	return seen.InReview, err
}

// TestReviewOutcomes checks every network with a review, with its connector: a review of minutes, of hours and
// without an end, a refusal, and the removal of a post that was shown.
func TestReviewOutcomes(t *testing.T) {
	t.Parallel()
	for _, typ := range []channel.Type{
		channel.FacebookPage, channel.GoogleBusiness, channel.TikTokBusiness, channel.TikTokPersonal, channel.YouTube,
	} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			r := &reviewed{sandbox: start(t, t.TempDir()), account: reader(typ, "acme")}
			r.Reviewer = reviewerOf(t, typ, r.sandbox.URL)
			r.set(t, "shown", 10*time.Minute)
			id := r.publish(t)
			for _, c := range []struct {
				end   string
				after time.Duration
				moved time.Duration
				waits bool
			}{
				{"shown", 10 * time.Minute, 5 * time.Minute, true},
				{"shown", 10 * time.Minute, 11 * time.Minute, false},
				{"shown", 3 * time.Hour, 2 * time.Hour, true},
				{"never", 0, 23 * time.Hour, true},
				{"shown", 0, 23 * time.Hour, false},
			} {
				r.set(t, c.end, c.after)
				waits, err := r.inReview(t, id, c.moved)
				require.NoError(t, err)
				require.Equal(t, c.waits, waits, "%+v", c)
			}
			r.set(t, "refused", 0)
			_, err := r.inReview(t, id, 23*time.Hour)
			require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
		})
	}
}

// TestFacebookKeepsVideoAsDraft checks that the message names the button to press.
func TestFacebookKeepsVideoAsDraft(t *testing.T) {
	t.Parallel()
	r := &reviewed{sandbox: start(t, t.TempDir()), account: reader(channel.FacebookPage, "acme")}
	r.Reviewer = reviewerOf(t, channel.FacebookPage, r.sandbox.URL)
	r.set(t, "draft", 0)
	_, err := r.Review(t.Context(), r.account, r.publish(t))
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.CodeHeldBack, failure.Code)
	require.Contains(t, failure.Message, "press Publish")
}

func TestInvalidReviewsAreRefused(t *testing.T) {
	t.Parallel()
	sandbox := start(t, t.TempDir())
	for _, wrong := range []map[string]any{
		{"platform": "x", "end": "shown"},
		{"platform": "youtube", "end": "draft"},
		{"platform": "youtube", "end": "soon"},
		{"platform": "youtube", "end": "shown", "afterSeconds": -1},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, steered(t, sandbox, "reviews", wrong), "%v", wrong)
	}
}
