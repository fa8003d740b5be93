package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

type takenBackup struct {
	Path    string
	Objects int
	Missing []string
	Keys    []string
}

func takeBackup(t *testing.T, s *harness.System, folder string) takenBackup {
	t.Helper()
	out, errs, code := s.Outcome(nil, "admin", "backup", "take", folder, "--json")
	require.Zero(t, code, "%s", errs)
	var taken takenBackup
	require.NoError(t, json.Unmarshal(out, &taken))
	return taken
}

// otherInstallation returns the environment of an empty installation: another database, bucket and namespace.
func otherInstallation(t *testing.T) []string {
	t.Helper()
	return []string{
		"DATABASE_URL=" + postgrestest.Empty(t), "S3_BUCKET=" + objectstoretest.Config(t).Bucket,
		"S3_PUBLIC_ENDPOINT=", // no gateway serves the new bucket
		"TEMPORAL_NAMESPACE=restored-" + ident.New[ident.Post]().String(),
	}
}

// spread are posts of a test: published after the backup, due soon after the restore, and hours later.
type spread struct{ inGap, later, muchLater fencepost.Post }

// spreadOn creates them; the files belong to the second one.
func spreadOn(s *harness.System, typ channel.Type, media ...string) spread {
	at := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(time.RFC3339) }
	return spread{
		inGap:     s.Create(typ, "in the gap on "+string(typ), at(15*time.Second)),
		later:     s.CreateWith(typ, fencepost.ContentTypePOST, "later on "+string(typ), at(100*time.Second), append([]string{}, media...)...),
		muchLater: s.Create(typ, "much later on "+string(typ), at(4*time.Hour)),
	}
}

// TestBackupAndRestore restores database and files into an empty installation, after posts were published that are open in
// the backup. Those are not published again, and those that wait are published once. X replaced a refresh token after the
// backup: its channel has to be connected again.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{Env: []string{
		"PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "RETRY_SCALE=0.1", "SWEEP_INTERVAL=3s",
	}})
	api, worker := s.Start("api", "").Ready(), s.Start("worker", "").Ready()
	picture := harness.Picture(t, 1)
	asset := processed(t, s, s.Upload("sunrise.jpg", "image/jpeg", picture).ID)
	page, bot := spreadOn(s, channel.FacebookPage, asset.ID), spreadOn(s, channel.TelegramChannel, asset.ID)
	renewed := spreadOn(s, channel.Twitter)
	folder := t.TempDir()
	taken := takeBackup(t, s, folder)
	require.Empty(t, taken.Missing)
	require.GreaterOrEqual(t, taken.Objects, 2, "the original and the thumbnail")
	require.Equal(t, []string{"test"}, taken.Keys)
	require.Equal(t, taken.Objects, takeBackup(t, s, t.TempDir()).Objects)
	s.Sandbox.Inject(harness.Fault{Platform: "x", Step: "commit", Kind: "expired_token", Times: 1})
	published(t, s, page.inGap, bot.inGap, renewed.inGap)
	require.Less(t, time.Now(), page.later.ScheduledAt.Add(-20*time.Second), "the machine is too slow for this test")
	api.Stop()
	worker.Stop()

	next := otherInstallation(t)
	damagedBackupsAreRefused(t, s, taken, next)
	_, errs, code := s.Outcome(nil, "admin", "backup", "restore", taken.Path)
	require.Equal(t, 1, code)
	require.Contains(t, string(errs), "the database is not empty")
	_, errs, code = s.Outcome(next, "admin", "backup", "restore", taken.Path)
	require.Zero(t, code, "%s", errs)
	recovered(t, s, next)
	s.Start("worker", "", next...).Ready()
	s.Start("api", "", next...).Ready()

	s.Publish(page.muchLater.ID)
	published(t, s, page.inGap, page.later, page.muchLater, bot.later)
	connectedAgain(t, s, next, s.Channels[channel.Twitter].ID.String())
	s.Publish(renewed.muchLater.ID)
	published(t, s, renewed.inGap, renewed.later, renewed.muchLater)
	unknown := s.Get(bot.inGap.ID) // Telegram's posts cannot be read
	require.Equal(t, "OUTCOME_UNKNOWN", unknown.Error.Code)
	for _, p := range []fencepost.Post{
		page.inGap, page.later, page.muchLater, bot.inGap, bot.later, renewed.inGap, renewed.later, renewed.muchLater,
	} {
		require.Equal(t, 1, s.Sandbox.Count(p.Content), p.Content)
	}
	require.Equal(t, fencepost.PostStatusScheduled, s.Get(bot.muchLater.ID).Status)
	require.Equal(t, picture, fetch(t, s.Media(asset.ID).URL).body, "the file is restored")
}

// recovered makes the restored database usable. The programs refuse to start before that.
func recovered(t *testing.T, s *harness.System, next []string) {
	t.Helper()
	_, errs, code := s.Outcome(next, "migrate", "up")
	require.Zero(t, code, "%s", errs)
	for _, program := range []string{"worker", "api"} {
		out, errs, code := s.Outcome(next, program)
		require.Equal(t, 1, code, "%s starts in a restored database", program)
		require.Contains(t, string(out)+string(errs), "worker recover")
	}
	require.Contains(t, doctor(t, s, next...), "DATABASE_RESTORED")
	out, errs, code := s.Outcome(next, "worker", "recover")
	require.Zero(t, code, "%s%s", out, errs)
	require.NotContains(t, doctor(t, s, next...), "DATABASE_RESTORED")
}

// connectedAgain waits until the service finds that the channel's restored credentials are refused, and stores those that
// X returned after the backup.
func connectedAgain(t *testing.T, s *harness.System, next []string, id string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		out, errs, code := s.Outcome(next, "admin", "channel", "list", "--json", "--workspace", s.Workspace.String())
		require.Zero(c, code, "%s", errs)
		var channels []struct{ ID, TokenStatus string }
		require.NoError(c, json.Unmarshal(out, &channels))
		require.Contains(c, channels, struct{ ID, TokenStatus string }{id, "NEEDS_RECONNECT"})
	}, 2*time.Minute, time.Second)
	account := connectors.Of(channel.NetworkX).SandboxAccount(channel.Twitter, "acme")
	_, errs, code := s.Outcome(next, "admin", "channel", "connect", "--workspace", s.Workspace.String(), id,
		"--access-token-file", s.Secret(account.Credentials.AccessToken+".1"),
		"--refresh-token-file", s.Secret(account.Credentials.RefreshToken+".1"))
	require.Zero(t, code, "%s", errs)
}

// published waits until each post is published.
func published(t *testing.T, s *harness.System, posts ...fencepost.Post) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range posts {
			got := s.Get(p.ID)
			require.Equal(c, fencepost.PostStatusPublished, got.Status, "%v: %+v", p.Content, got.Error)
		}
	}, 3*time.Minute, 200*time.Millisecond)
}

// damagedBackupsAreRefused checks that nothing is restored from a backup that is not whole.
func damagedBackupsAreRefused(t *testing.T, s *harness.System, taken takenBackup, next []string) {
	t.Helper()
	refuse := func(env []string, part string) {
		_, errs, code := s.Outcome(append(next[:len(next):len(next)], env...), "admin", "backup", "restore", taken.Path)
		require.Equal(t, 1, code)
		require.Contains(t, string(errs), part)
	}
	_, errs, code := s.Outcome(nil, "admin", "backup", "verify", taken.Path)
	require.Zero(t, code, "%s", errs)
	refuse([]string{"ENCRYPTION_KEYS=other:CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="}, `lacks the key "test"`)
	var objects []string
	require.NoError(t, filepath.WalkDir(filepath.Join(filepath.Dir(taken.Path), "objects"),
		func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				objects = append(objects, path)
			}
			return err
		}))
	for _, path := range append(objects[:1:1], filepath.Join(taken.Path, "database.dump")) {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		refuse(nil, "is missing")
		changed := append([]byte{whole[0] ^ 1}, whole[1:]...)
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		refuse(nil, "was changed")
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
}
