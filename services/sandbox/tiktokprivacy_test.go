package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

// TestTikTokPrivacy publishes a video with each privacy to accounts that offer different ones, by applications with and
// without an audit.
func TestTikTokPrivacy(t *testing.T) {
	t.Parallel()
	sandbox := start(t, t.TempDir())
	publish := func(audited, account string, options post.Options) (platform.Publication, error) {
		connector, err := tiktok.NewPersonal(tiktok.PersonalConfig{
			Wire: connectors.Config{BaseURL: sandbox.URL + "/tiktok", Clock: clock.System()}, ClientKey: "key", ClientSecret: "s",
			Audited: audited,
		})
		require.NoError(t, err)
		of := platform.Account{Type: channel.TikTokPersonal, ExternalID: account, Username: account, Credentials: channel.Credentials{
			AccessToken: "sandbox-tiktok-" + account,
		}}
		video := platformtest.Video(100_000)
		content := platform.Content{
			ContentType: post.ContentVideo, Text: "Look", Media: []media.Asset{video.Asset}, Files: platformtest.Files(t, video),
			Options: options,
		}
		var handle platform.Handle
		for ready := false; !ready; {
			prepared, err := connector.Prepare(t.Context(), of, content, handle)
			if err != nil {
				return platform.Publication{}, err
			}
			handle, ready = prepared.Handle, prepared.Ready
		}
		created, err := connector.Commit(t.Context(), of, content, handle)
		require.NoError(t, err)
		require.True(t, created.InReview)
		var seen platform.Publication
		require.Eventually(t, func() bool {
			seen, err = connector.Review(t.Context(), of, created.ExternalID)
			require.NoError(t, err)
			return !seen.InReview
		}, 10*time.Second, 50*time.Millisecond)
		return seen, nil
	}
	for name, test := range map[string]struct {
		audited, account string
		options          post.Options
		code             string // of the failure; empty: published
		named            bool   // TikTok names the post
	}{
		"public":                      {"true", "acme", post.Options{}, "", true},
		"public by name":              {"true", "acme", post.Options{Privacy: platform.PrivacyPublic}, "", true},
		"friends":                     {"true", "acme", post.Options{Privacy: platform.PrivacyFriends}, "", false},
		"not offered":                 {"true", "acme", post.Options{Privacy: platform.PrivacyFollowers}, tiktok.CodePrivateAccount, false},
		"private account":             {"true", "private", post.Options{}, tiktok.CodePrivateAccount, false},
		"followers":                   {"true", "private", post.Options{Privacy: platform.PrivacyFollowers}, "", false},
		"no audit, public account":    {"false", "unaudited", post.Options{}, tiktok.CodeUnaudited, false},
		"no audit, private account":   {"false", "unauditedprivate", post.Options{}, "", false},
		"no audit, not self":          {"false", "unauditedprivate", post.Options{Privacy: platform.PrivacyFollowers}, tiktok.CodePrivateAccount, false},
		"an audit that TikTok denies": {"true", "unauditedprivate", post.Options{Privacy: platform.PrivacyFollowers}, tiktok.CodeUnaudited, false},
		"an old app":                  {"true", "oldapp", post.Options{}, tiktok.CodeAppOutdated, false},
	} {
		seen, err := publish(test.audited, test.account, test.options)
		if test.code != "" {
			require.Equal(t, test.code, platform.FailureOf(err).Code, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.named, seen.URL != "", name)
	}
}
