package media_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// keeping is a network that keeps files of messages.
type keeping struct {
	terms  platform.FileTerms
	found  platform.FoundFile
	refuse error
}

func (*keeping) Types() []channel.Type { return []channel.Type{channel.TelegramBusiness} }

func (*keeping) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, nil
}

func (*keeping) Term(platform.Account) platform.Term { return platform.Term{} }

func (*keeping) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	return a.Credentials, nil
}

func (k *keeping) FileTerms() platform.FileTerms { return k.terms }

func (k *keeping) FindFile(_ context.Context, a platform.Account, _ string) (platform.FoundFile, error) {
	found := k.found
	found.Header = http.Header{"Authorization": {"Bearer " + a.Credentials.AccessToken}}
	return found, k.refuse
}

// fetching is a message whose file is to be loaded.
type fetching struct {
	*bundle

	net     *keeping
	loop    *retry.Loop[postgres.WaitingFile]
	metrics *prometheus.Registry
	tokens  []string // that the server of files received
}

const secretToken = "secret-token"

func fetches(t *testing.T) *fetching {
	t.Helper()
	f := &fetching{bundle: setup(t, workspace.Growth), metrics: prometheus.NewRegistry()}
	host, err := url.Parse(f.server.URL)
	require.NoError(t, err)
	f.net = &keeping{terms: platform.FileTerms{Hosts: []string{host.Host}, Most: 1 << 20}, found: platform.FoundFile{Address: f.server.URL + "/file"}}
	f.returns(serveFile("image/jpeg", jpegFile(t)))
	registry, err := platform.NewRegistry(f.net)
	require.NoError(t, err)
	channels := postgres.NewChannels(f.db, f.keyring)
	keeper, err := access.New(channels, clock.System())
	require.NoError(t, err)
	downloader, err := egress.NewDownloader(egress.DownloaderConfig{Policy: f.policy, UserAgent: "test/1"})
	require.NoError(t, err)
	f.loop, err = mediaactivity.NewFetcher(mediaactivity.FetcherConfig{
		Store: postgres.NewMessageFiles(f.db, f.keyring), Access: keeper, Connectors: registry, Downloader: downloader, Loose: f.loose,
		Objects: f.objects, Box: f.box, Folder: f.folder, RetryScale: 1, Clock: clock.System(), Logger: slog.New(slog.NewTextHandler(f.log, nil)),
		Claims: retry.NewMetrics(f.metrics), Reg: f.metrics,
	})
	require.NoError(t, err)
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: f.owner.ID, Type: channel.TelegramBusiness, Name: "Shop", ExternalID: "9:7",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}
	require.NoError(t, channels.Insert(t.Context(), c, channel.Credentials{AccessToken: secretToken}))
	postgrestest.Exec(t, f.address, `WITH p AS (INSERT INTO person (id, workspace_id, name) VALUES (gen_random_uuid(), $1, 'Anna') RETURNING id),
		v AS (INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at)
			SELECT gen_random_uuid(), $1, $2, 'MESSAGES', '21', id, 'OPEN', now() FROM p RETURNING id),
		m AS (INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, text, sent_at)
			SELECT gen_random_uuid(), id, $1, $2, 'IN', '', now() FROM v RETURNING id)
		INSERT INTO message_file (message_id, n, network_ref, name, type, state) SELECT id, 1, 'ref', 'cat.jpg', 'image/jpeg', 'WAITING' FROM m`,
		f.owner.ID.String(), c.ID.String())
	return f
}

// returns sets what the server of files returns.
func (f *fetching) returns(handle http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handle = func(w http.ResponseWriter, r *http.Request) {
		f.tokens = append(f.tokens, r.Header.Get("Authorization"))
		handle(w, r)
	}
}

// try makes one try, and returns the state of the file and its fault.
func (f *fetching) try(t *testing.T) string {
	t.Helper()
	postgrestest.Exec(t, f.address, `UPDATE message_file SET next_at = now()`)
	require.NoError(t, f.loop.Round(t.Context()))
	return postgrestest.Column(t, f.address, `SELECT state || ' ' || fault FROM message_file`)[0]
}

func (f *fetching) count(t *testing.T, outcome string) float64 {
	t.Helper()
	families, err := f.metrics.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "message_files_total" && m.GetLabel()[0].GetValue() == outcome {
				return m.GetCounter().GetValue()
			}
		}
	}
	return -1
}

// TestFileFailsForATime checks bar 11 of the inbox: the file of a message is loaded after hours of failures, or the message says
// after a week why it was not.
func TestFileFailsForATime(t *testing.T) {
	t.Parallel()
	f := fetches(t)
	f.realBox(t)
	f.returns(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	for range 10 {
		require.Equal(t, "WAITING Telegram did not return the file.", f.try(t))
	}
	wait := postgrestest.Column(t, f.address, `SELECT round(EXTRACT(EPOCH FROM next_at - now())) FROM message_file`)[0]
	require.Contains(t, []string{"599", "600"}, wait)
	f.net.refuse = &platform.Failure{Class: platform.ClassTransient, Code: "DOWN", Message: "Telegram is down."}
	require.Equal(t, "WAITING Telegram is down.", f.try(t))

	f.net.refuse = nil
	f.returns(serveFile("text/html", jpegFile(t)))
	require.Equal(t, "READY ", f.try(t))
	keys := postgrestest.Column(t, f.address, `SELECT unnest(ARRAY[object_key, thumb_key]) FROM message_file`)
	require.Equal(t, jpegFile(t), f.read(t, keys[0]))
	require.Equal(t, []string{"image/jpeg image/jpeg 80x60"}, postgrestest.Column(t, f.address,
		`SELECT type || ' ' || thumb_type || ' ' || width || 'x' || height FROM message_file`))
	require.InDelta(t, 11, f.count(t, "failed"), 0)
	require.InDelta(t, 1, f.count(t, "ready"), 0)
	require.Empty(t, postgrestest.Column(t, f.address, `SELECT key FROM loose_object`))

	postgrestest.Exec(t, f.address, `DELETE FROM message`) // whatever deletes it
	require.ElementsMatch(t, keys, postgrestest.Column(t, f.address, `SELECT key FROM loose_object WHERE delete_after <= now()`))
	f.sweep(t)

	f = fetches(t)
	f.net.refuse = &platform.Failure{Class: platform.ClassRejected, Code: "GONE", Message: "Telegram does not have the file any more."}
	f.net.terms.Failures = 5
	postgrestest.Exec(t, f.address, `UPDATE message_file SET since = now() - interval '7 days'`)
	require.Equal(t, "EXPIRED Telegram does not have the file any more.", f.try(t))
	require.InDelta(t, 1, f.count(t, "expired"), 0)
	require.Equal(t, []string{"1 5"}, postgrestest.Column(t, f.address, `SELECT failed || ' ' || most FROM message_file_failures`))
}

// TestHostileFiles checks bar 12 of the inbox: nothing is requested of other machines, the token is sent to the network alone, and
// no file fills the storage or the memory.
func TestHostileFiles(t *testing.T) { //nolint:tparallel // what other machines were requested for is looked at in the end
	t.Parallel()
	var inside []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = append(inside, r.URL.Path) }))
	t.Cleanup(other.Close)
	var bomb []byte
	for _, file := range mediaboxtest.Hostile(t) {
		if file.Class == "too_large" && file.ContentType == media.ContentTypePNG && bomb == nil {
			bomb = file.Data
		}
	}
	require.NotEmpty(t, bomb)
	for name, test := range map[string]struct { //nolint:paralleltest // one after the other, so that requests of other machines are all seen in the end
		found  string
		serve  http.HandlerFunc
		size   int64
		reason string
	}{
		"another machine": {found: other.URL, reason: "is not one of Telegram"},
		"metadata server": {found: "http://169.254.169.254/latest", reason: "is not one of Telegram"},
		"redirect": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/inside", http.StatusFound)
		}, reason: "is not one of Telegram"},
		"announced size": {size: 50 << 30, reason: "larger than the 1 MiB"},
		"length": {serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "53687091200")
			w.WriteHeader(http.StatusOK)
		}, reason: "larger than the 1 MiB"},
		"endless": {serve: func(w http.ResponseWriter, _ *http.Request) {
			for range 40 {
				_, _ = w.Write(make([]byte, 1<<16))
			}
		}, reason: "larger than the 1 MiB"},
		"bomb": {serve: serveFile("image/png", bomb), reason: "too much memory"},
		"page": {serve: serveFile("image/png", []byte("\ufeff <html><script>alert(1)</script>")), reason: "web page or a drawing"},
		"drawing": {
			serve:  serveFile("image/png", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)),
			reason: "web page or a drawing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fetches(t)
			f.realBox(t)
			if test.found != "" {
				f.net.found.Address = test.found
			}
			if test.serve != nil {
				f.returns(test.serve)
			}
			f.net.found.Size = test.size
			got := f.try(t)
			require.True(t, strings.HasPrefix(got, "REFUSED "), got)
			require.Contains(t, got, test.reason)
			require.InDelta(t, 1, f.count(t, "refused"), 0)
			for _, token := range f.tokens {
				require.Equal(t, "Bearer "+secretToken, token)
			}
			require.NotContains(t, f.log.String(), secretToken)
			require.Empty(t, f.keys(t), "nothing is stored")
		})
	}
	require.Empty(t, inside)
}

// TestOtherFiles checks files that are stored without being opened.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]string{
		"audio/ogg":                "OggS\x00\x02",
		"audio/mpeg":               "ID3\x04",
		"audio/mp4":                "\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00M4A mp42isom",
		"application/octet-stream": "Dear all, see you soon.",
	} {
		f := fetches(t)
		f.returns(serveFile("text/html", []byte(content)))
		require.Equal(t, "READY ", f.try(t))
		require.Equal(t, []string{want}, postgrestest.Column(t, f.address, `SELECT type FROM message_file WHERE thumb_key IS NULL`))
	}
	f := fetches(t)
	f.realBox(t)
	f.returns(serveFile("image/jpeg", jpegFile(t)[:200])) // damaged
	require.Equal(t, "READY ", f.try(t))
	require.Equal(t, []string{"application/octet-stream"}, postgrestest.Column(t, f.address, `SELECT type FROM message_file`))
	f = fetches(t)
	postgrestest.Exec(t, f.address, `UPDATE channel SET is_connected = false`)
	require.Equal(t, "WAITING The channel is disconnected. Connect it again.", f.try(t))
}
