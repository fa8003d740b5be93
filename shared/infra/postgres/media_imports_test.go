package postgres_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const secretAddress = "https://cdn.example.com/spring.jpg?token=address-canary"

// imports returns the store on the bundle's database.
func (b *bundle) imports(t *testing.T) *postgres.Imports {
	t.Helper()
	return postgres.NewImports(b.db, keyring(t))
}

func (b *bundle) newImport() media.Import {
	return media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.ws.ID, URL: secretAddress, Name: "spring.jpg",
		SourceURL: "https://example.com/spring",
		State:     media.ImportRunning, CreatedAt: b.now, Deadline: b.now.Add(media.ImportLife),
	}
}

// begin starts an import that was not requested before.
func (b *bundle) begin(t *testing.T, key *postgres.ImportKey) media.Import {
	t.Helper()
	i := b.newImport()
	earlier, err := b.imports(t).Insert(t.Context(), i, key)
	require.NoError(t, err)
	require.True(t, earlier.IsZero())
	return i
}

// fetched returns the asset of an import, with its object.
func (b *bundle) fetched(t *testing.T, i media.Import, size int64) media.Asset {
	t.Helper()
	u := b.newUpload(size)
	u.ID, u.Name, u.WorkspaceID = i.ID, i.Name, i.WorkspaceID
	a := b.arrived(t, u)
	a.SourceURL = i.SourceURL
	a.Files.Original.SHA256 = make([]byte, sha256.Size)
	return a
}

func importKey(key, request string) *postgres.ImportKey {
	return &postgres.ImportKey{Key: key, Fingerprint: sha256.Sum256([]byte(request))}
}

func TestImportCreatesAsset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	i := b.begin(t, nil)
	got, err := imports.Get(t.Context(), b.ws.ID, i.ID)
	require.NoError(t, err)
	require.Equal(t, i, got)
	messages := b.messages(t)
	require.Len(t, messages, 1)
	require.Equal(t, i.ID, inputOf[flow.MediaInput](t, messages[0]).MediaID)
	require.Equal(t, b.ws.ID, inputOf[flow.MediaInput](t, messages[0]).WorkspaceID)
	require.Zero(t, b.usage(t).Uploads, "nothing is counted before its size is known")

	a := b.fetched(t, i, 70)
	require.NoError(t, imports.Finish(t.Context(), a, small))
	read, err := postgres.NewMedia(b.db).Get(t.Context(), b.ws.ID, i.ID)
	require.NoError(t, err)
	require.Equal(t, a, read)
	require.EqualValues(t, 70, b.usage(t).StorageBytes)
	require.EqualValues(t, 1, b.usage(t).Uploads)
	require.Empty(t, b.looseKeys(t))
	require.Equal(t, i.ID, inputOf[flow.MediaInput](t, b.messages(t)[0]).MediaID, "it is looked into")
	got, err = imports.Get(t.Context(), b.ws.ID, i.ID)
	require.NoError(t, err)
	i.State, i.URL = media.ImportDone, ""
	require.Equal(t, i, got, "the address is deleted")
	for name, again := range map[string]error{
		"finish": imports.Finish(t.Context(), b.fetched(t, i, 70), small),
		"fail":   imports.Fail(t.Context(), b.ws.ID, i.ID, apperr.ImportFailed, "no"),
	} {
		require.ErrorIs(t, again, postgres.ErrStale, name)
	}
	require.EqualValues(t, 70, b.usage(t).StorageBytes)
}

func TestImportURLIsEncrypted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.begin(t, importKey("k", "r"))
	rows := postgrestest.Column(t, b.address,
		`SELECT concat_ws(' ', i, encode(url, 'escape'), encode(url, 'base64'))::text FROM media_import i`)
	require.Len(t, rows, 1)
	outbox := postgrestest.Column(t, b.address, `SELECT concat_ws(' ', o)::text FROM outbox o`)
	require.Len(t, outbox, 1)
	for _, canary := range []string{
		"address-canary", "cdn.example.com", hex.EncodeToString([]byte("cdn.example")),
		base64.StdEncoding.EncodeToString([]byte("cdn.example")),
	} {
		require.NotContains(t, strings.Join(append(rows, outbox...), " "), canary)
	}
	// The URL is sealed to its row: in another row it cannot be opened.
	other := b.begin(t, nil)
	postgrestest.Exec(t, b.address,
		`UPDATE media_import SET url = (SELECT url FROM media_import WHERE id = $1) WHERE id = $2`, i.ID.String(),
		other.ID.String())
	_, err := b.imports(t).Get(t.Context(), b.ws.ID, other.ID)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "canary")
	state, err := b.imports(t).State(t.Context(), b.ws.ID, other.ID)
	require.NoError(t, err, "how far it is needs no address")
	require.Equal(t, media.ImportRunning, state.State)
}

func TestImportsBelongToWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports, other := b.imports(t), b.tenant(t).ID
	i := b.begin(t, importKey("k", "r"))
	_, err := imports.Get(t.Context(), other, i.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = imports.State(t.Context(), other, i.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.ErrorIs(t, imports.Fail(t.Context(), other, i.ID, apperr.ImportFailed, "no"), postgres.ErrStale)
	stolen := b.fetched(t, i, 1)
	stolen.WorkspaceID = other
	require.ErrorIs(t, imports.Finish(t.Context(), stolen, small), postgres.ErrStale)
	earlier, err := imports.Earlier(t.Context(), other, *importKey("k", "r"))
	require.NoError(t, err)
	require.True(t, earlier.IsZero(), "another workspace's key is another key")
	_, _, err = once(t.Context(), b.db, postgres.NewIdempotency(b.db, keyring(t)), b.request("posts"), responses(response))
	require.NoError(t, err)
	earlier, err = imports.Earlier(t.Context(), other, *importKey("posts", "r"))
	require.NoError(t, err)
	require.True(t, earlier.IsZero(), "the same holds for keys of other operations")
}

func TestFailedImportHasReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	i := b.begin(t, nil)
	require.NoError(t, imports.Fail(t.Context(), b.ws.ID, i.ID, apperr.ImportFailed, "The server responds 404."))
	for _, read := range []func() (media.Import, error){
		func() (media.Import, error) { return imports.Get(t.Context(), b.ws.ID, i.ID) },
		func() (media.Import, error) { return imports.State(t.Context(), b.ws.ID, i.ID) },
	} {
		got, err := read()
		require.NoError(t, err)
		require.Equal(t, media.ImportFailed, got.State)
		require.Equal(t, []string{"IMPORT_FAILED", "The server responds 404.", ""},
			[]string{got.ErrorCode, got.ErrorText, got.URL})
	}
	require.ErrorIs(t, imports.Fail(t.Context(), b.ws.ID, i.ID, apperr.Unavailable, "later"), postgres.ErrStale,
		"the first reason is kept")
	require.ErrorIs(t, imports.Finish(t.Context(), b.fetched(t, i, 1), small), postgres.ErrStale)
	require.Zero(t, b.usage(t).StorageBytes)
	require.Zero(t, b.usage(t).Uploads)
}

func TestImportBeyondPlanIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	i := b.begin(t, nil)
	for name, limits := range map[string]workspace.Limits{
		"file":    {FileSize: 69, Storage: 1000, MonthlyUploads: 10},
		"storage": {FileSize: 100, Storage: 69, MonthlyUploads: 10}, "month": {FileSize: 100, Storage: 1000},
	} {
		a := b.fetched(t, i, 70)
		err := imports.Finish(t.Context(), a, limits)
		require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%s: %v", name, err)
		require.Contains(t, b.looseKeys(t), a.Files.Original.Key, "the object stays known")
	}
	require.Zero(t, b.usage(t).StorageBytes)
	state, err := imports.State(t.Context(), b.ws.ID, i.ID)
	require.NoError(t, err)
	require.Equal(t, media.ImportRunning, state.State, "the worker says why it ends")
}

// TestImportEndsOnce checks that of 10 runs that finish an import and 10 that fail it, exactly one is recorded.
func TestImportEndsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		i := b.begin(t, nil)
		before := b.usage(t)
		errs := make([]error, 20)
		var group sync.WaitGroup
		for n := range errs {
			a := b.fetched(t, i, 10)
			group.Go(func() {
				if errs[n] = b.imports(t).Fail(t.Context(), b.ws.ID, i.ID, apperr.ImportFailed, "no"); n%2 == 0 {
					errs[n] = b.imports(t).Finish(t.Context(), a, small)
				}
			})
		}
		group.Wait()
		state, err := b.imports(t).State(t.Context(), b.ws.ID, i.ID)
		require.NoError(t, err)
		require.NotEqual(t, media.ImportRunning, state.State)
		_, err = postgres.NewMedia(b.db).Get(t.Context(), b.ws.ID, i.ID)
		require.Equal(t, state.State == media.ImportDone, err == nil, "%s: %v", state.State, err)
		grown := b.usage(t).StorageBytes - before.StorageBytes
		require.Equal(t, map[media.ImportState]int64{media.ImportDone: 10, media.ImportFailed: 0}[state.State], grown)
	}
}

func TestImportKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	first := b.begin(t, importKey("k", "r"))
	again := func(key *postgres.ImportKey) (ident.Media, error) {
		return imports.Insert(t.Context(), b.newImport(), key)
	}
	for _, ended := range []bool{false, true} {
		if ended {
			require.NoError(t, imports.Finish(t.Context(), b.fetched(t, first, 10), small))
		}
		earlier, err := again(importKey("k", "r"))
		require.NoError(t, err)
		require.Equal(t, first.ID, earlier)
		earlier, err = imports.Earlier(t.Context(), b.ws.ID, *importKey("k", "r"))
		require.NoError(t, err)
		require.Equal(t, first.ID, earlier)
		_, err = again(importKey("k", "other"))
		require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
		_, err = imports.Earlier(t.Context(), b.ws.ID, *importKey("k", "other"))
		require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
	}
	require.Len(t, postgrestest.Column(t, b.address, `SELECT id FROM media_import`), 1)
	b.begin(t, importKey("K", "r"))
	b.begin(t, nil)
	b.begin(t, nil)
}

func TestFailedImportReleasesKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	for range 3 {
		i := b.begin(t, importKey("k", "r"))
		require.NoError(t, imports.Fail(t.Context(), b.ws.ID, i.ID, apperr.ImportFailed, "no"))
		earlier, err := imports.Earlier(t.Context(), b.ws.ID, *importKey("k", "other"))
		require.NoError(t, err)
		require.True(t, earlier.IsZero())
	}
	b.begin(t, importKey("k", "other"))
}

// TestImportsShareKeysOfWorkspace uses one key for an import and for another operation, in both orders.
func TestImportsShareKeysOfWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports, keys := b.imports(t), postgres.NewIdempotency(b.db, keyring(t))
	_, _, err := once(t.Context(), b.db, keys, b.request("post"), responses(response))
	require.NoError(t, err)
	_, err = imports.Earlier(t.Context(), b.ws.ID, *importKey("post", "r"))
	require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
	_, err = imports.Insert(t.Context(), b.newImport(), importKey("post", "r"))
	require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT id FROM media_import`))

	i := b.begin(t, importKey("import", "r"))
	refused := func() {
		t.Helper()
		_, _, err := once(t.Context(), b.db, keys, b.request("import"), fails)
		require.True(t, apperr.Is(err, apperr.IdempotencyKeyReused), "%v", err)
	}
	refused()
	require.NoError(t, imports.Finish(t.Context(), b.fetched(t, i, 10), small))
	refused()
	theirs := b.newImport()
	theirs.WorkspaceID = b.tenant(t).ID
	earlier, err := imports.Insert(t.Context(), theirs, importKey("import", "other"))
	require.NoError(t, err)
	require.True(t, earlier.IsZero(), "another workspace's key is another key")
}

// TestFailedImportReleasesKeyToOtherOperations checks that of two concurrent requests for the key, one gets it.
func TestFailedImportReleasesKeyToOtherOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports, keys := b.imports(t), postgres.NewIdempotency(b.db, keyring(t))
	for range 10 {
		key := ident.New[ident.Event]().String()
		require.NoError(t, imports.Fail(t.Context(), b.ws.ID, b.begin(t, importKey(key, "r")).ID, apperr.ImportFailed, "no"))
		var group sync.WaitGroup
		errs := make([]error, 2)
		group.Go(func() { _, _, errs[0] = once(t.Context(), b.db, keys, b.request(key), responses(response)) })
		second := b.newImport()
		group.Go(func() { _, errs[1] = imports.Insert(t.Context(), second, importKey(key, "r")) })
		group.Wait()
		require.True(t, apperr.Is(errors.Join(errs...), apperr.IdempotencyKeyReused), "%v", errs)
		require.Contains(t, errs, error(nil))
		if errs[1] == nil {
			require.NoError(t, imports.Fail(t.Context(), b.ws.ID, second.ID, apperr.ImportFailed, "no"))
		}
	}
}

// TestReleasedKeyIsReusedOnlyInWorkspace checks that a retry in one workspace does not change the same key of
// another.
func TestReleasedKeyIsReusedOnlyInWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	theirs := b.newImport()
	theirs.WorkspaceID = b.tenant(t).ID
	_, err := b.imports(t).Insert(t.Context(), theirs, importKey("k", "r"))
	require.NoError(t, err)
	require.NoError(t, b.imports(t).Fail(t.Context(), theirs.WorkspaceID, theirs.ID, apperr.ImportFailed, "no"))
	for range 2 {
		_, _, err := once(t.Context(), b.db, postgres.NewIdempotency(b.db, keyring(t)), b.request("k"), responses(response))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"create-posts", "import-media"},
		postgrestest.Column(t, b.address, `SELECT operation FROM idempotency_key ORDER BY operation`))
}

// TestForeignImportHoldsNoReleasedKey has an import with the same key run in another workspace.
func TestForeignImportHoldsNoReleasedKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	theirs := b.newImport()
	theirs.WorkspaceID = b.tenant(t).ID
	_, err := b.imports(t).Insert(t.Context(), theirs, importKey("k", "r"))
	require.NoError(t, err)
	require.NoError(t, b.imports(t).Fail(t.Context(), b.ws.ID, b.begin(t, importKey("k", "r")).ID, apperr.ImportFailed,
		"no"))
	_, replayed, err := once(t.Context(), b.db, postgres.NewIdempotency(b.db, keyring(t)), b.request("k"), responses(response))
	require.NoError(t, err)
	require.False(t, replayed)
}

// TestImportKeyIsVisibleToOlderPrograms checks that, and the opposite direction.
func TestImportKeyIsVisibleToOlderPrograms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.begin(t, importKey("k", "r"))
	require.Equal(t, []string{"k"}, postgrestest.Column(t, b.address, `SELECT idempotency_key FROM media_import`))
	postgrestest.Exec(t, b.address, `DELETE FROM idempotency_key`) // as when such a program starts the import
	earlier, err := b.imports(t).Earlier(t.Context(), b.ws.ID, *importKey("k", "r"))
	require.NoError(t, err)
	require.Equal(t, i.ID, earlier)
	earlier, err = b.imports(t).Insert(t.Context(), b.newImport(), importKey("k", "r"))
	require.NoError(t, err)
	require.Equal(t, i.ID, earlier)
}

// TestConcurrentImportsWithSameKeyStartOnce checks that one import is started and all other requests get its ID.
func TestConcurrentImportsWithSameKeyStartOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids, errs := make([]ident.Media, 20), make([]error, 20)
	var group sync.WaitGroup
	for n := range ids {
		i := b.newImport()
		group.Go(func() {
			var earlier ident.Media
			earlier, errs[n] = b.imports(t).Insert(t.Context(), i, importKey("k", "r"))
			if ids[n] = earlier; earlier.IsZero() {
				ids[n] = i.ID
			}
		})
	}
	group.Wait()
	for n := range ids {
		require.NoError(t, errs[n])
		require.Equal(t, ids[0], ids[n])
	}
	require.Len(t, b.messages(t), 1)
}

func TestPruneDeletesOldImports(t *testing.T) {
	t.Parallel()
	b := setup(t)
	imports := b.imports(t)
	const day = 24 * time.Hour
	ended := func(key string) media.Import {
		i := b.begin(t, importKey(key, "r"))
		require.NoError(t, imports.Finish(t.Context(), b.fetched(t, i, 10), small))
		return i
	}
	running := b.begin(t, importKey("running", "r"))
	old, failed := ended("old"), b.begin(t, nil)
	require.NoError(t, imports.Fail(t.Context(), b.ws.ID, failed.ID, apperr.ImportFailed, "no"))
	postgrestest.Exec(t, b.address,
		`UPDATE media_import SET created_at = created_at - interval '25 hours', deadline = deadline - interval '25 hours',
		finished_at = finished_at - interval '25 hours'`)
	fresh := ended("fresh")
	for _, want := range []int{1, 1, 0} {
		n, err := imports.Prune(t.Context(), day, 1)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	require.ElementsMatch(t, []string{running.ID.String(), fresh.ID.String()},
		postgrestest.Column(t, b.address, `SELECT id FROM media_import`))
	_, err := postgres.NewMedia(b.db).Get(t.Context(), b.ws.ID, old.ID)
	require.NoError(t, err, "the asset stays")
	earlier, err := imports.Earlier(t.Context(), b.ws.ID, *importKey("old", "other"))
	require.NoError(t, err)
	require.True(t, earlier.IsZero(), "the key is free after a day")
}

// TestConcurrentImportsAreLimited checks the limit under concurrent requests. Another workspace has its own limit.
func TestConcurrentImportsAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := b.imports(t)
	errs := make([]error, 20)
	var group sync.WaitGroup
	for n := range errs {
		group.Go(func() { _, errs[n] = store.Insert(t.Context(), b.newImport(), nil) })
	}
	group.Wait()
	begun := 0
	for _, err := range errs {
		if err == nil {
			begun++
			continue
		}
		require.True(t, apperr.Is(err, apperr.RateLimited), "%v", err)
	}
	require.Equal(t, postgres.MaxRunningImports, begun)
	running, err := store.Running(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.EqualValues(t, begun, running)
	theirs := b.newImport()
	theirs.WorkspaceID = b.tenant(t).ID
	_, err = store.Insert(t.Context(), theirs, nil)
	require.NoError(t, err)
	postgrestest.Exec(t, b.address,
		`UPDATE media_import SET state = 'FAILED', url = NULL, finished_at = now(), error_code = 'IMPORT_FAILED', error_text = 'x'`)
	b.begin(t, nil)
}
