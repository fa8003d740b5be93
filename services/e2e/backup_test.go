package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/infra/objectstore/objectstoretest"
	"socialpub.internal/shared/infra/postgres/postgrestest"
	"socialpub.internal/shared/kernel/ident"
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

// elsewhere returns the environment of an empty installation: another database, bucket and namespace.
func elsewhere(t *testing.T) []string {
	t.Helper()
	return []string{
		"DATABASE_URL=" + postgrestest.Empty(t), "S3_BUCKET=" + objectstoretest.Config(t).Bucket,
		"S3_PUBLIC_ENDPOINT=", // no gateway serves the new bucket
		"TEMPORAL_NAMESPACE=restored-" + ident.New[ident.Post]().String(),
	}
}

// TestBackupAndRestore restores database and files into an empty installation, after posts were published that are open in
// the backup. Those are not published again, and those that wait are published once.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{Env: []string{
		"PUBLISH_SEND_WINDOW=3s", "PUBLISH_READ_DELAY=1s", "PUBLISH_COMMIT_TIMEOUT=2s", "RETRY_SCALE=0.1", "SWEEP_INTERVAL=3s",
	}})
	api, worker := s.Start("api", "").Ready(), s.Start("worker", "").Ready()
	picture := harness.Picture(t, 1)
	asset := processed(t, s, s.Upload("sunrise.jpg", "image/jpeg", picture).ID)
	// Tokens of these channels are not renewed: a refresh token that was used after the backup needs a reconnection.
	types := []channel.Type{channel.FacebookPage, channel.TelegramChannel}
	at := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(time.RFC3339) }
	var inGap, later []apiclient.Post
	for _, typ := range types {
		inGap = append(inGap, s.Create(typ, "in the gap on "+string(typ), at(15*time.Second)))
		media := []string{} // a network that is asked about a file takes long to be sure
		if typ == channel.TelegramChannel {
			media = []string{asset.ID}
		}
		later = append(later,
			s.CreateWith(typ, apiclient.ContentTypePOST, "later on "+string(typ), at(100*time.Second), media...),
			s.Create(typ, "much later on "+string(typ), at(4*time.Hour)))
	}
	folder := t.TempDir()
	taken := takeBackup(t, s, folder)
	require.Empty(t, taken.Missing)
	require.GreaterOrEqual(t, taken.Objects, 2, "the original and the thumbnail")
	require.Equal(t, []string{"test"}, taken.Keys)
	require.Equal(t, taken.Objects, takeBackup(t, s, t.TempDir()).Objects)
	published(t, s, inGap...)
	require.Less(t, time.Now(), later[0].ScheduledAt.MustGet().Add(-20*time.Second), "the machine is too slow for this test")
	api.Stop()
	worker.Stop()

	next := elsewhere(t)
	damagedBackupsAreRefused(t, s, taken, next)
	_, errs, code := s.Outcome(nil, "admin", "backup", "restore", taken.Path)
	require.Equal(t, 1, code)
	require.Contains(t, string(errs), "the database is not empty")
	_, errs, code = s.Outcome(next, "admin", "backup", "restore", taken.Path)
	require.Zero(t, code, "%s", errs)

	_, errs, code = s.Outcome(next, "migrate", "up")
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
	s.Start("worker", "", next...).Ready()
	s.Start("api", "", next...).Ready()

	s.Publish(later[1].ID)
	published(t, s, inGap[0], later[0], later[2], later[1])
	unknown := s.Get(inGap[1].ID) // Telegram's posts cannot be read
	require.Equal(t, "OUTCOME_UNKNOWN", unknown.Error.MustGet().Code)
	for _, p := range append(inGap, later[0], later[1], later[2]) {
		require.Equal(t, 1, s.Sandbox.Count(p.Content), p.Content)
	}
	require.Equal(t, apiclient.PostStatusSCHEDULED, s.Get(later[3].ID).Status)
	require.Equal(t, picture, fetch(t, s.Media(asset.ID).URL).body, "the file is restored")
}

// published waits until each post is published.
func published(t *testing.T, s *harness.System, posts ...apiclient.Post) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, p := range posts {
			got := s.Get(p.ID)
			require.Equal(c, apiclient.PostStatusPUBLISHED, got.Status, "%v: %+v", p.Content, got.Error)
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
