package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

// likeness compares a response of the sandbox with the fixture of the real network.
type likeness struct {
	network, fixture string
	folder           string // of the fixtures; contract if empty
	fault            string // kind of the fault that produces the response; empty if the call itself does
	call             func(t *testing.T, b *bundle) reply
	// more lists members that the real network has in some errors and leaves out in others.
	more []string
}

// meta lists the members that Meta has in some errors only.
func meta() []string {
	return []string{"is_transient", "error_subcode", "error_user_title", "error_user_msg"}
}

func likenesses() map[string]likeness {
	tweet := func(t *testing.T, b *bundle) reply {
		t.Helper()
		return b.tweet(t, "acme", "Hello")
	}
	feed := func(t *testing.T, b *bundle) reply {
		t.Helper()
		return b.pagePost(t, "Hello")
	}
	share := func(t *testing.T, b *bundle) reply {
		t.Helper()
		return b.share(t, linkedinMember, "Hello", asMember()...)
	}
	local := func(body string) func(t *testing.T, b *bundle) reply {
		return func(t *testing.T, b *bundle) reply {
			t.Helper()
			return b.localPost(t, googlePosts, body)
		}
	}
	return map[string]likeness{
		// The recording is older than edits of posts, whose ids are part of every post since 2022.
		"x created":      {network: "x", fixture: "created", call: tweet, more: []string{"edit_history_tweet_ids"}},
		"x rate limit":   {network: "x", fixture: "too-many-requests", fault: "rate_limit", call: tweet},
		"x unauthorized": {network: "x", fixture: "unauthorized", fault: "expired_token", call: tweet},
		"x duplicate": {network: "x", fixture: "duplicate", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			require.Equal(t, http.StatusCreated, tweet(t, b).status)
			return tweet(t, b)
		}},
		"facebook created": {network: "facebook", fixture: "created", call: feed},
		"facebook photos posted": {
			network: "facebook", fixture: "photos-posted", more: meta(),
			call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				media := `[{"media_fbid":"` + b.pagePhoto(t, "false", picture(t, 1)).text(t, "id") + `"}]`
				require.Equal(t, http.StatusOK, b.pagePost(t, "Hello", "attached_media", media).status)
				return b.pagePost(t, "Hello again", "attached_media", media)
			},
		},
		"facebook reel": {
			network: "facebook", fixture: "reel-published", more: []string{"publish_time", "bytes_transferred"},
			call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				id := b.pageReel(t)
				read := func() reply {
					return b.get(t, "/facebook/v26.0/"+id+"?fields=status,permalink_url", facebookToken)
				}
				read()
				return read()
			},
		},
		"facebook refusal": {network: "facebook", fixture: "missing-permission", fault: "reject", call: feed, more: meta()},
		"facebook expired": {network: "facebook", fixture: "expired", fault: "expired_token", call: feed, more: meta()},
		"linkedin created": {network: "linkedin", fixture: "created", call: share},
		"linkedin duplicate": {network: "linkedin", fixture: "duplicate", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			require.Equal(t, http.StatusCreated, share(t, b).status)
			return share(t, b)
		}},
		"linkedin version": {network: "linkedin", fixture: "version-ended", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			return b.share(t, linkedinMember, "Hello", append(asMember(), "LinkedIn-Version", "202411")...)
		}},
		"linkedin throttled": {network: "linkedin", fixture: "throttled", fault: "rate_limit", call: share},
		"linkedin expired":   {network: "linkedin", fixture: "expired", fault: "expired_token", call: share},
		"linkedin media waiting": {network: "linkedin", fixture: "media-waiting", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			return b.shareWith(t, "Hello", `{"media":{"id":"`+b.begin(t, "images", "").text(t, "value", "image")+`"}}`)
		}},
		"google created": {
			network: "googlebusiness", fixture: "created-processing",
			call: local(`{"languageCode":"en","summary":"Hello","topicType":"STANDARD"}`),
		},
		"google rejected": {
			network: "googlebusiness", fixture: "created-rejected",
			call: local(`{"languageCode":"en","summary":"Call +1 555 123-4567","topicType":"STANDARD"}`),
		},
		"google invalid": {
			network: "googlebusiness", fixture: "topic-type-missing", call: local(`{"languageCode":"en","summary":"Hello"}`),
			more: []string{"errors"},
		},
		"youtube updated": {network: "youtube", fixture: "updated", call: updatesVideo, more: []string{"etag"}},
		"youtube unauthorized": {
			network: "youtube", fixture: "unauthorized", fault: "expired_token", call: updatesVideo, more: []string{"status"},
		},
		"youtube limit": {
			network: "youtube", fixture: "rate-limit", fault: "rate_limit", call: updatesVideo,
		},
		"youtube title": {network: "youtube", fixture: "invalid-title", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			return b.insert(t, 5, `{"snippet":{"title":"<b>","categoryId":"22"},"status":{"privacyStatus":"private"}}`)
		}},
		"tiktok token": {
			network: "tiktok", fixture: "token", fault: "expired_token",
			call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.tok(t, "status/fetch/", `{"publish_id":"v_pub_file~v2-1.1"}`)
			},
		},
		"tiktok invalid": {
			network: "tiktok", fixture: "invalid-params", call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.tok(t, "video/init/", `{}`)
			},
		},
		"tiktok business published": {network: "tiktok", folder: "business", fixture: "published", call: businessPublishes},
		"tiktok business token": {
			network: "tiktok", folder: "business", fixture: "token", fault: "expired_token", call: businessPublishes,
		},
		"tiktok business limit": {
			network: "tiktok", folder: "business", fixture: "rate-limit", fault: "rate_limit", call: businessPublishes,
		},
		"tiktok business internal": {
			network: "tiktok", folder: "business", fixture: "internal", fault: "unavailable", call: businessPublishes,
		},
		"tiktok business invalid": {
			network: "tiktok", folder: "business", fixture: "parameter", call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.businessPost(t, "acme", "video/publish/", `{"business_id":"acme","video_url":"https://example.com/v.mp4"}`)
			},
		},
		"telegram sent": {network: "telegram", fixture: "sent", call: telegramSays("Hello")},
		"telegram too long": {
			network: "telegram", fixture: "text-too-long", call: telegramSays(longText(5000)),
		},
		"telegram flood": {network: "telegram", fixture: "flood", fault: "rate_limit", call: telegramSays("Hello")},
		"telegram unauthorized": {
			network: "telegram", fixture: "unauthorized", fault: "expired_token", call: telegramSays("Hello"),
		},
		"pinterest created": {network: "pinterest", fixture: "pin-created", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			picture := inline(platformtest.Picture(t, 1))
			return b.pin(t, `{"source_type":"image_base64",`+picture+`}`, `,"description":"Hello"`)
		}},
		"pinterest board": {network: "pinterest", fixture: "board-not-found", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			picture := inline(platformtest.Picture(t, 1))
			return b.pinterest(t, http.MethodPost, "/pins",
				`{"board_id":"1","media_source":{"source_type":"image_base64",`+picture+`}}`)
		}},
		"mastodon created":  {network: "mastodon", fixture: "created", call: toots("Hello")},
		"mastodon blank":    {network: "mastodon", fixture: "blank", call: toots(" ")},
		"mastodon too long": {network: "mastodon", fixture: "too-long", call: toots(longText(501))},
		"mastodon token":    {network: "mastodon", fixture: "invalid-token", fault: "expired_token", call: toots("Hello")},
		"mastodon limited":  {network: "mastodon", fixture: "rate-limit", fault: "rate_limit", call: toots("Hello")},
		"mastodon account": {
			network: "mastodon", fixture: "account", call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.get(t, "/mastodon/api/v1/accounts/verify_credentials", "sandbox-mastodon-acme")
			},
		},
		"bluesky created": {network: "bluesky", fixture: "created", call: skies("3mtestkey2222", "Hello")},
		"bluesky twice": {network: "bluesky", fixture: "same-key-twice", call: func(t *testing.T, b *bundle) reply {
			t.Helper()
			require.Equal(t, http.StatusOK, skies("3mtestkey2222", "Hello")(t, b).status)
			return skies("3mtestkey2222", "Hello")(t, b)
		}},
		"bluesky too long": {
			network: "bluesky", fixture: "text-too-long", call: skies("3mtestkey2222", longText(301)),
		},
		"bluesky expired": {
			network: "bluesky", fixture: "expired-token", fault: "expired_token", call: skies("3mtestkey2222", "Hello"),
		},
		"bluesky limited": {
			network: "bluesky", fixture: "rate-limit", fault: "rate_limit", call: skies("3mtestkey2222", "Hello"),
		},
		"bluesky missing": {
			network: "bluesky", fixture: "record-missing", call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.get(t, "/bluesky/xrpc/com.atproto.repo.getRecord?repo=did:plc:acme&collection=app.bsky.feed.post"+
					"&rkey=2222222222222", "sandbox-bluesky-acme")
			},
		},
		"bluesky session": {
			// The server of the recording found no document of the account.
			network: "bluesky", fixture: "session", more: []string{"didDoc"}, call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.get(t, "/bluesky/xrpc/com.atproto.server.getSession", "sandbox-bluesky-acme")
			},
		},
		"bluesky refreshed": {
			network: "bluesky", fixture: "refreshed", more: []string{"didDoc", "email", "emailConfirmed"},
			call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.call(t.Context(), t, http.MethodPost, "/bluesky/xrpc/com.atproto.server.refreshSession",
					"sandbox-refresh-acme", "", "")
			},
		},
		"pinterest unauthorized": {
			network: "pinterest", fixture: "unauthorized", fault: "expired_token",
			call: func(t *testing.T, b *bundle) reply {
				t.Helper()
				return b.get(t, "/pinterest/v5/user_account", "sandbox-pinterest-acme")
			},
		},
	}
}

func telegramSays(text string) func(t *testing.T, b *bundle) reply {
	return func(t *testing.T, b *bundle) reply {
		t.Helper()
		body, err := json.Marshal(map[string]string{"chat_id": "@acme", "text": text})
		require.NoError(t, err)
		return b.call(t.Context(), t, http.MethodPost, telegramBot+"sendMessage", "", "application/json", string(body))
	}
}

// toots publishes a text on Mastodon.
func toots(text string) func(t *testing.T, b *bundle) reply {
	return func(t *testing.T, b *bundle) reply {
		t.Helper()
		body, err := json.Marshal(map[string]string{"status": text, "visibility": "public"})
		require.NoError(t, err)
		return b.call(t.Context(), t, http.MethodPost, "/mastodon/api/v1/statuses", "sandbox-mastodon-acme",
			"application/json", string(body))
	}
}

// skies publishes a text on Bluesky under a key.
func skies(key, text string) func(t *testing.T, b *bundle) reply {
	return func(t *testing.T, b *bundle) reply {
		t.Helper()
		return b.skeet(t, key, map[string]any{
			"$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-03-01T09:00:00.000Z",
		})
	}
}

// skeet creates a record of the account acme.
func (b *bundle) skeet(t *testing.T, key string, record map[string]any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"repo": "did:plc:acme", "collection": "app.bsky.feed.post", "rkey": key, "record": record,
	})
	require.NoError(t, err)
	return b.call(t.Context(), t, http.MethodPost, "/bluesky/xrpc/com.atproto.repo.createRecord", "sandbox-bluesky-acme",
		"application/json", string(body))
}

func longText(length int) string {
	return string(slices.Repeat([]byte("a"), length))
}

// TestResponsesMatchNetworkFixtures compares status, members and types with the fixtures of the real networks, which
// the connectors are tested with.
func TestResponsesMatchNetworkFixtures(t *testing.T) {
	t.Parallel()
	for name, l := range likenesses() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if l.fault != "" {
				b.inject(t, `{"platform":"`+l.network+`","kind":"`+l.fault+`","delayMs":35000}`)
			}
			got, want := l.call(t, b), fixtureOf(t, l)
			require.Equal(t, want.StatusOf(), got.status, got.body)
			if want.Response.Body == nil {
				require.Empty(t, got.body)
				return
			}
			require.Equal(t, without(want.ShapeOf(t), l.more), without(platformtest.Shape(got.json), l.more),
				got.body)
		})
	}
}

// TestEveryFixtureFolderIsCompared checks that each folder of fixtures has at least one response of the sandbox to compare.
func TestEveryFixtureFolderIsCompared(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join(fixtures, "*", "testdata", "contract"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 8)
	compared := map[string]bool{
		// The containers of both are created from addresses of files, which their own conformance tests serve.
		"instagram": true, "threads": true,
	}
	for _, l := range likenesses() {
		compared[l.network] = true
	}
	for _, folder := range folders {
		network := filepath.Base(filepath.Dir(filepath.Dir(folder)))
		require.True(t, compared[network], network)
	}
}

// fixtures is the folder of the connectors.
const fixtures = "../../shared/platform/connectors"

func fixtureOf(t *testing.T, l likeness) platformtest.Fixture {
	t.Helper()
	all := platformtest.Fixtures(t, filepath.Join(fixtures, l.network, "testdata", cmp.Or(l.folder, "contract")))
	at := slices.IndexFunc(all, func(f platformtest.Fixture) bool { return f.Name == l.fixture })
	require.GreaterOrEqual(t, at, 0, l.fixture)
	return all[at]
}

// without removes the named members, at any depth.
func without(shape any, names []string) any {
	switch s := shape.(type) {
	case map[string]any:
		for name, member := range s {
			if slices.Contains(names, name) {
				delete(s, name)
				continue
			}
			s[name] = without(member, names)
		}
	case []any:
		for i := range s {
			s[i] = without(s[i], names)
		}
	}
	return shape
}
