package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/bluesky"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/connectors/mastodon"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

// start runs a sandbox with its files in a folder until the test ends.
func start(t *testing.T, folder string) platformtest.Sandbox {
	t.Helper()
	sandbox, err := New(context.WithoutCancel(t.Context()), Config{
		Folder: folder, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	server := httptest.NewServer(sandbox.Handler)
	t.Cleanup(func() {
		sandbox.Release()
		server.Close()
		require.NoError(t, sandbox.Close())
	})
	return platformtest.Sandbox{URL: server.URL}
}

// comments reports whether the request adds a comment.
func comments(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments")
}

func TestX(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkX, Sandbox: start(t, t.TempDir()), Prefix: "/x", Refreshes: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := x.New(x.Config{Wire: config, ClientID: "client", ClientSecret: "secret"})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account {
			return platform.Account{Type: channel.Twitter, ExternalID: name, Username: name, Credentials: channel.Credentials{
				AccessToken: "sandbox-x-" + name, RefreshToken: "sandbox-refresh-" + name + ".0",
			}}
		},
		IsCommit:  func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/x/2/tweets" },
		Gone:      "1400000000000000001",
		MediaStep: "upload",
		Media: []platformtest.MediaPost{
			{Name: "picture", Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
			{Name: "album", Attachments: platformtest.Described(platformtest.Pictures(t, 4))},
			{Name: "animation", Attachments: platformtest.Described([]platformtest.Attachment{platformtest.GIF(t)})},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(5 << 20)}},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 2)},
		},
	})
}

func TestThreads(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkThreads, Sandbox: start(t, t.TempDir()), Prefix: "/threads", Prepares: true, Renews: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := threads.New(threads.Config{Wire: config, Settle: 10 * time.Millisecond})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account {
			return platform.Account{Type: channel.Threads, ExternalID: name, Username: name, Credentials: channel.Credentials{
				AccessToken: "sandbox-threads-" + name,
			}}
		},
		IsCommit:  func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/threads_publish") },
		Gone:      "18000000000000001",
		MediaStep: "create",
		Media: []platformtest.MediaPost{
			{Name: "picture", Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 1)},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "mixed", Attachments: platformtest.Described([]platformtest.Attachment{
				platformtest.Picture(t, 1), platformtest.Video(200_000), platformtest.Picture(t, 2),
			})},
		},
	})
}

func TestInstagram(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkInstagram, Sandbox: start(t, t.TempDir()), Prefix: "/instagram", Prepares: true,
		Renews: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := instagram.New(instagram.Config{Wire: config})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account {
			return platform.Account{
				Type: channel.InstagramProfessional, ExternalID: name, Username: name,
				Credentials: channel.Credentials{
					AccessToken: "sandbox-instagram-" + name,
				},
			}
		},
		IsCommit:   func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/media_publish") },
		IsComment:  comments,
		MediaStep:  "upload",
		NeedsMedia: true,
		Media: []platformtest.MediaPost{
			{Name: "picture", Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 1)},
			{Name: "reel", ContentType: post.ContentReel, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "story", ContentType: post.ContentStory, Wordless: true, Attachments: platformtest.Pictures(t, 1)},
			{Name: "carousel", Attachments: platformtest.Described(platformtest.Pictures(t, 3))},
			{Name: "mixed", Attachments: []platformtest.Attachment{platformtest.Picture(t, 1), platformtest.Video(200_000)}},
		},
	})
}

func TestTelegram(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkTelegram, Sandbox: start(t, t.TempDir()), Prefix: "/telegram",
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := telegram.New(telegram.Config{Wire: config})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account {
			return platform.Account{
				Type: channel.TelegramChannel, ExternalID: "@" + name, Username: name,
				Credentials: channel.Credentials{
					AccessToken: "123456:sandbox-" + name,
				},
			}
		},
		IsCommit: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/send") },
		Media: []platformtest.MediaPost{
			{Name: "photo", Attachments: platformtest.Pictures(t, 1)},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 1)},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "animation", Attachments: []platformtest.Attachment{platformtest.GIF(t)}},
			{Name: "document", Attachments: []platformtest.Attachment{platformtest.Document()}},
			{Name: "album", Attachments: platformtest.Pictures(t, 10)},
			{Name: "mixed", Attachments: []platformtest.Attachment{platformtest.Picture(t, 1), platformtest.Video(200_000)}},
		},
	})
}

func TestLinkedIn(t *testing.T) {
	t.Parallel()

	for kind, connect := range map[channel.Type]func(linkedin.Config) (*linkedin.Connector, error){
		channel.LinkedInProfile: linkedin.NewProfile,
		channel.LinkedInPage:    linkedin.NewPage,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()

			platformtest.Run(t, platformtest.Harness{
				Network: channel.NetworkLinkedIn, Sandbox: start(t, t.TempDir()), Prefix: "/linkedin", Refreshes: true,
				Connector: func(t *testing.T, config connectors.Config) platform.Connector {
					t.Helper()
					connector, err := connect(linkedin.Config{
						Wire: config, Version: "202609", ClientID: "client", ClientSecret: "secret", Grace: 400 * time.Millisecond,
					})
					require.NoError(t, err)
					return connector
				},
				Account:   func(name string) platform.Account { return reader(kind, name) },
				IsCommit:  func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/linkedin/rest/posts" },
				IsComment: comments,
				MediaStep: "upload",
				Media: []platformtest.MediaPost{
					{Name: "picture", Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
					{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 1)},
					{Name: "album", Attachments: platformtest.Described(platformtest.Pictures(t, 3))},
					{Name: "animation", Attachments: []platformtest.Attachment{platformtest.GIF(t)}},
					{Name: "document", Attachments: []platformtest.Attachment{platformtest.Document()}},
					{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(9 << 20)}},
				},
			})
		})
	}
}

func TestFacebook(t *testing.T) {
	t.Parallel()

	sandbox := start(t, t.TempDir())
	harness := facebookHarness(sandbox, "upload", []platformtest.MediaPost{
		{Name: "photo", Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
		{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 1)},
		{Name: "album", Attachments: platformtest.Described(platformtest.Pictures(t, 10))},
		{Name: "reel", ContentType: post.ContentReel, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
		{Name: "short video", Attachments: []platformtest.Attachment{platformtest.Video(200_000)}},
		{Name: "photo story", ContentType: post.ContentStory, Wordless: true, Attachments: platformtest.Pictures(t, 1)},
		{
			Name: "video story", ContentType: post.ContentStory, Wordless: true,
			Attachments: []platformtest.Attachment{platformtest.Video(100_000)},
		},
	})
	harness.IsComment = comments
	platformtest.Run(t, harness)
}

// TestFacebookFeedVideos publishes videos that do not fit into a reel. Their files are uploaded by the application, so
// faults of an account do not apply to the upload.
func TestFacebookFeedVideos(t *testing.T) {
	t.Parallel()

	wide := platformtest.Video(400_000)
	wide.Asset.Probe.Width, wide.Asset.Probe.Height = 1920, 1080
	platformtest.Run(t, facebookHarness(start(t, t.TempDir()), "", []platformtest.MediaPost{
		{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{wide}},
	}))
}

func facebookHarness(sandbox platformtest.Sandbox, step string, posts []platformtest.MediaPost) platformtest.Harness {
	return platformtest.Harness{
		Network: channel.NetworkFacebook, Sandbox: sandbox, Prefix: "/facebook",
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := facebook.New(facebook.Config{Wire: config, AppToken: "123|secret"})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account {
			return platform.Account{
				Type: channel.FacebookPage, ExternalID: name, Username: name,
				Credentials: channel.Credentials{
					AccessToken: "sandbox-facebook-" + name,
				},
			}
		},
		IsCommit: func(r *http.Request) bool {
			_, edge := path.Split(r.URL.Path)
			return r.Method == http.MethodPost && (slices.Contains([]string{"feed", "photo_stories", "videos"}, edge) ||
				r.URL.Query().Get("upload_phase") == "finish")
		},
		MediaStep: step, Media: posts,
	}
}

func TestYouTube(t *testing.T) {
	t.Parallel()

	const chunk, two = 1 << 20, 1<<20 + 5
	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkYouTube, Sandbox: start(t, t.TempDir()), Prefix: "/youtube", Prepares: true, Refreshes: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := youtube.New(youtube.Config{
				Wire: config, TokenURL: config.BaseURL + "/token", ClientID: "client", ClientSecret: "secret", ChunkSize: chunk,
			})
			require.NoError(t, err)
			return connector
		},
		Account:  func(name string) platform.Account { return reader(channel.YouTube, name) },
		IsCommit: func(r *http.Request) bool { return r.Method == http.MethodPut && r.URL.Path == "/youtube/videos" },
		IsComment: func(r *http.Request) bool {
			return r.Method == http.MethodPost && r.URL.Path == "/youtube/commentThreads"
		},
		MediaStep: "upload", NeedsMedia: true, Titled: true,
		Media: []platformtest.MediaPost{
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "chunks", ContentType: post.ContentReel, Attachments: []platformtest.Attachment{platformtest.Video(two)}},
			{Name: "wordless", Wordless: true, Attachments: []platformtest.Attachment{platformtest.Video(chunk)}},
		},
	})
}

func TestTikTokBusiness(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkTikTok, Sandbox: start(t, t.TempDir()), Prefix: "/tiktok-business", Refreshes: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := tiktok.NewBusiness(tiktok.BusinessConfig{Wire: config, AppID: "7123", Secret: "secret"})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account { return reader(channel.TikTokBusiness, name) },
		IsCommit: func(r *http.Request) bool {
			return r.Method == http.MethodPost && path.Base(r.URL.Path) == "publish"
		},
		NeedsMedia: true, Keeps: true, Hides: true,
		Media: []platformtest.MediaPost{
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(200_000)}},
			{Name: "photo", Attachments: platformtest.Pictures(t, 1)},
			{Name: "photos", Attachments: platformtest.Pictures(t, 35)},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 2)},
		},
	})
}

func TestTikTok(t *testing.T) {
	t.Parallel()

	const chunk = 5 << 20 // the smallest
	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkTikTok, Sandbox: start(t, t.TempDir()), Prefix: "/tiktok", Prepares: true, Refreshes: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := tiktok.NewPersonal(tiktok.PersonalConfig{
				Wire: config, ClientKey: "key", ClientSecret: "secret", ChunkSize: chunk,
			})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account { return reader(channel.TikTokPersonal, name) },
		IsCommit: func(r *http.Request) bool {
			bytes, total, _ := strings.Cut(r.Header.Get("Content-Range"), "/")
			_, last, _ := strings.Cut(bytes, "-")
			end, err := strconv.Atoi(last)
			return err == nil && strconv.Itoa(end+1) == total
		},
		MediaStep: "upload", NeedsMedia: true, Addressed: true,
		Media: []platformtest.MediaPost{
			{Name: "chunks", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(2*chunk + 5)}},
			{Name: "wordless", Wordless: true, Attachments: []platformtest.Attachment{platformtest.Video(2 * chunk)}},
		},
	})
}

func TestGoogleBusiness(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkGoogleBusiness, Sandbox: start(t, t.TempDir()), Prefix: "/googlebusiness", Refreshes: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := googlebusiness.New(googlebusiness.Config{
				Wire: config, TokenURL: config.BaseURL + "/token", ClientID: "client", ClientSecret: "secret",
			})
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account { return reader(channel.GoogleBusiness, name) },
		IsCommit: func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/localPosts")
		},
		Media: []platformtest.MediaPost{{Name: "photo", Attachments: platformtest.Pictures(t, 1)}},
	})
}

func TestBluesky(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkBluesky, Sandbox: start(t, t.TempDir()), Prefix: "/bluesky", Refreshes: true,
		Connector: newBluesky,
		Account:   func(name string) platform.Account { return reader(channel.Bluesky, name) },
		IsCommit:  func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/com.atproto.repo.createRecord") },
		Gone:      "3jzfcijpj2z2a",
		MediaStep: "upload",
		Media: []platformtest.MediaPost{
			{Name: "picture", Attachments: platformtest.Pictures(t, 1)},
			{Name: "album", Attachments: platformtest.Pictures(t, 4)},
			{Name: "gallery", Attachments: platformtest.Pictures(t, 10)},
			{Name: "animation", Attachments: []platformtest.Attachment{platformtest.GIF(t)}},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 2)},
		},
	})
}

func newBluesky(t *testing.T, config connectors.Config) platform.Connector {
	t.Helper()
	connector, err := blueskyAt(config)
	require.NoError(t, err)
	return connector
}

func blueskyAt(config connectors.Config) (*bluesky.Connector, error) {
	return bluesky.New(bluesky.Config{Wire: config, VideoURL: config.BaseURL, AppURL: config.BaseURL})
}

func TestMastodon(t *testing.T) {
	t.Parallel()

	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkMastodon, Sandbox: start(t, t.TempDir()), Prefix: "/mastodon",
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			connector, err := mastodonAt(config)
			require.NoError(t, err)
			return connector
		},
		Account: func(name string) platform.Account { return reader(channel.Mastodon, name) },
		IsCommit: func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/statuses")
		},
		Gone: "109302436954721982", MediaStep: "upload",
		Media: []platformtest.MediaPost{
			{Name: "picture", Attachments: platformtest.Pictures(t, 1)},
			{Name: "album", Attachments: platformtest.Pictures(t, 4)},
			{Name: "animation", Attachments: []platformtest.Attachment{platformtest.GIF(t)}},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
			{Name: "wordless", Wordless: true, Attachments: platformtest.Pictures(t, 2)},
		},
	})
}

func mastodonAt(config connectors.Config) (*mastodon.Connector, error) {
	return mastodon.New(mastodon.Config{Wire: config, OneServer: true})
}

func TestPinterest(t *testing.T) {
	t.Parallel()

	connect := func(t *testing.T, config connectors.Config) *pinterest.Connector {
		t.Helper()
		connector, err := pinterest.New(pinterest.Config{Wire: config, AppID: "app", AppSecret: "secret"})
		require.NoError(t, err)
		return connector
	}
	sandbox := start(t, t.TempDir())
	platformtest.Run(t, platformtest.Harness{
		Network: channel.NetworkPinterest, Sandbox: sandbox, Prefix: "/pinterest", Refreshes: true, NeedsMedia: true,
		Connector: func(t *testing.T, config connectors.Config) platform.Connector {
			t.Helper()
			return connect(t, config)
		},
		Account: func(name string) platform.Account { return reader(channel.Pinterest, name) },
		Options: func(t *testing.T, account platform.Account) post.Options {
			t.Helper()
			boards, err := connect(t, connectors.Config{BaseURL: sandbox.URL + "/pinterest", Clock: clock.System()}).
				Boards(t.Context(), account)
			require.NoError(t, err)
			return post.Options{BoardID: boards[0].ID, Link: "https://example.com/" + account.Username}
		},
		IsCommit:  func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/pinterest/v5/pins" },
		MediaStep: "upload",
		Media: []platformtest.MediaPost{
			{Name: "picture", Inline: true, Attachments: platformtest.Described(platformtest.Pictures(t, 1))},
			{Name: "carousel", Inline: true, Attachments: platformtest.Pictures(t, 5)},
			{Name: "fetched", Inline: true, Attachments: []platformtest.Attachment{platformtest.GIF(t)}},
			{Name: "video", ContentType: post.ContentVideo, Attachments: []platformtest.Attachment{platformtest.Video(300_000)}},
		},
	})
}
