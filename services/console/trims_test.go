package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// video creates a video of 200 seconds.
func (b *bundle) video(t *testing.T, of tenant) string {
	t.Helper()
	id := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: of.workspace.ID, Name: "<i>kiln.mp4", Type: media.Video,
		ContentType: media.ContentTypeMP4, Size: 5, CreatedAt: b.clock.Now(),
	}).ID.String()
	postgrestest.Exec(t, b.dsn, `UPDATE media SET processed_at = now(), process_again = NULL, duration_ms = 200000, width = 64,
		height = 64 WHERE id = $1`, id)
	return id
}

// TestVideosAreTrimmed offers the limits of the workspace's networks, and refuses wrong times with what was typed.
func TestVideosAreTrimmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	base := "/w/" + ours.workspace.ID.String() + "/media/"
	id, foreign := b.video(t, ours), b.video(t, theirs)

	shown := br.visited(t, base+id).body
	require.Contains(t, shown, "Trim to 2:20")
	require.Contains(t, shown, "Longest for X videos")
	require.Contains(t, shown, "compose?media="+id)
	require.NotContains(t, br.visited(t, base+ours.wildcards["media"]).body, "Trim", "a picture has no length")
	for _, tc := range []struct{ start, end, fault string }{
		{"", "60", "Enter seconds from 0 to 200."},
		{"soon", "60", "Enter seconds from 0 to 200."},
		{"0", "-1", "Enter seconds from 0 to 200."},
		{"0", "NaN", "Enter seconds from 0 to 200."},
		{"0", "200.5", "The video ends at 3:20. End earlier."},
		{"200", "200", "The video ends at 3:20. Start earlier."},
		{"60", "60.5", "Choose an end at least one second after the start."},
		{"0", "200", "This is the whole video."},
	} {
		got := br.post(t, base+id+"/trim", url.Values{"start": {tc.start}, "end": {tc.end}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, "%v", tc)
		require.Contains(t, got.body, tc.fault, "%v", tc)
		require.Contains(t, got.body, `value="`+tc.end+`"`, "what was typed is kept")
	}
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, base+ours.wildcards["media"]+"/trim", url.Values{"end": {"2"}}).status)
	require.Equal(t, http.StatusNotFound, br.post(t, base+foreign+"/trim", url.Values{"start": {"0"}, "end": {"60"}}).status)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT id FROM media_import`))

	got := br.post(t, base+id+"/trim?q=kiln", url.Values{"start": {"2,5"}, "end": {"62.5"}})
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Equal(t, []string{id + " 2500 62500 <i>kiln, 0:02.5 to 1:02.5.mp4"}, postgrestest.Column(t, b.dsn,
		`SELECT trim_of || ' ' || trim_start || ' ' || trim_end || ' ' || name FROM media_import`))
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM outbox WHERE kind = 'import'`))
	path := got.header.Get("Location")
	require.True(t, strings.HasSuffix(path, "?q=kiln"), path)

	running := br.visited(t, path).body
	require.Contains(t, running, "You can leave this page.")
	require.Contains(t, running, `hx-trigger="live, every 2s"`)
	require.NotContains(t, running, "<i>kiln")
	other := b.browser(t)
	other.signInAs(t, b.membership(t, theirs.workspace, member.Owner).Email)
	require.Equal(t, http.StatusNotFound, other.call(t, http.MethodGet,
		strings.ReplaceAll(path, ours.workspace.ID.String(), theirs.workspace.ID.String())).status)

	postgrestest.Exec(t, b.dsn, `UPDATE media_import SET state = 'FAILED', url = NULL, finished_at = now(),
		error_code = 'IMPORT_FAILED', error_text = 'The video <b>was</b> deleted.'`)
	failed := br.visited(t, path).body
	require.Contains(t, failed, "The video &lt;b&gt;was&lt;/b&gt; deleted.")
	require.Contains(t, failed, "Back to the video")
	require.NotContains(t, failed, "every 2s")
}

// TestTrimThatNobodyMakesFails shows a part whose time is over.
func TestTrimThatNobodyMakesFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	got := br.post(t, "/w/"+ours.workspace.ID.String()+"/media/"+b.video(t, ours)+"/trim", url.Values{"start": {"0"}, "end": {"60"}})
	require.Equal(t, http.StatusSeeOther, got.status)
	b.clock.Advance(2 * media.ImportLife)
	require.Contains(t, br.visited(t, got.header.Get("Location")).body, "did not complete in time")
}

// TestTrimmingFromTheComposer asks for a part as the script of the composer does: every answer is JSON.
func TestTrimmingFromTheComposer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	x := ours.wildcards["channel"]
	br, path := b.writer(t, ours, member.Contributor)
	id := b.video(t, ours)
	got := br.post(t, path+"/save", br.composed(t, url.Values{"text": {"Kiln"}, "channel": {x}, "media": {id}})).body
	require.Contains(t, got, `data-fix="trim" data-value="`+id+` 140 200">Trim to 2:20</button>`)

	base := "/w/" + ours.workspace.ID.String() + "/media/"
	for end, detail := range map[string]string{"300": "The video ends at 3:20. End earlier.", "soon": "Enter seconds from 0 to 200."} {
		got := br.post(t, base+id+"/trim", url.Values{"json": {"1"}, "start": {"0"}, "end": {end}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, `"detail":"`+detail)
	}
	created := br.post(t, base+id+"/trim", url.Values{"json": {"1"}, "start": {"0"}, "end": {"140"}})
	require.Equal(t, http.StatusOK, created.status)
	part := postgrestest.Column(t, b.dsn, `SELECT id::text FROM media_import WHERE trim_end = 140000`)[0]
	require.JSONEq(t, `{"id": "`+part+`"}`, created.body)
	require.JSONEq(t, `{"made": false, "detail": ""}`, br.visited(t, base+part+"?json=1").body)
	postgrestest.Exec(t, b.dsn, `UPDATE media_import SET state = 'FAILED', url = NULL, finished_at = now(),
		error_code = 'IMPORT_FAILED', error_text = 'The video was deleted.'`)
	require.JSONEq(t, `{"made": false, "detail": "The video was deleted."}`, br.visited(t, base+part+"?json=1").body)
	require.JSONEq(t, `{"made": true}`, br.visited(t, base+id+"?json=1").body)
	require.Equal(t, http.StatusNotFound, br.get(t, base+ours.wildcards["post"]+"?json=1").status)
}
