package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestRequiredDescriptions sets the rule of a workspace: without a description, people can write a draft, and nothing more.
func TestRequiredDescriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	picture, x := ours.wildcards["media"], ours.wildcards["channel"]
	postgrestest.Exec(t, b.dsn, `UPDATE media SET width = 600, height = 600, alt_text = NULL WHERE id = $1`, picture)
	settings := filled("/w/{workspace}/settings", ours.wildcards)
	owner, path := b.writer(t, ours, member.Owner)
	change := func(rule string) int {
		return owner.post(t, settings, url.Values{"name": {"Ours"}, "timezone": {"UTC"}, "hold": {"24"}, "altTexts": {rule}}).status
	}
	br, _ := b.writer(t, ours, member.Editor)
	got := br.visited(t, path+"?media="+picture+"&media="+theirs.wildcards["media"]+"&channel="+x).body
	require.Contains(t, got, `name="media" value="`+picture+`"`)
	require.NotContains(t, got, theirs.wildcards["media"])
	require.Contains(t, got, "1 without description.")
	require.Equal(t, http.StatusUnprocessableEntity, change("SOMETIMES"))
	require.Equal(t, http.StatusSeeOther, change("OFF"))
	require.NotContains(t, br.visited(t, path+"?media="+picture+"&channel="+x).body, "without description")
	require.Equal(t, http.StatusSeeOther, change("REQUIRED"))
	require.Contains(t, owner.visited(t, settings).body, `<option value="REQUIRED" selected>`)
	br.visited(t, path+"?media="+picture+"&channel="+x)
	fields := url.Values{"text": {"Bowl"}, "channel": {x}, "media": {picture}, "when": {"now"}}
	for _, when := range []string{"now", "slot", "approval"} {
		fields.Set("when", when)
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, br.composed(t, fields)).status, when)
		require.Contains(t, br.last.body, "1 without description, which this workspace requires.", when)
		require.Contains(t, br.last.body, `data-fix="alt"`, when)
	}
	below := url.Values{
		"text": {"One"}, "channel": {x}, "thread.all": {"1"}, "part.1": {"Two"}, "media@part.1": {picture},
	}
	require.Contains(t, br.post(t, path+"/save", br.composed(t, below)).body, "1 without description, which this workspace requires.", "of a part")
	fields.Set("when", "draft")
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.composed(t, fields)).status, br.last.body)
	id := b.column(t, `SELECT id::text FROM post WHERE content = 'Bowl'`)[0]
	page := filled("/w/{workspace}/posts/", ours.wildcards) + id
	at := b.clock.Now().AddDate(0, 0, 1)
	for action, form := range map[string]url.Values{
		"publish": {}, "request-approval": {}, "schedule": {"day": {at.Format(time.DateOnly)}, "clock": {"10:00"}},
	} {
		br.visited(t, page)
		require.NotEqual(t, http.StatusSeeOther, br.post(t, page+"/"+action, form).status, action)
		require.Contains(t, br.last.body, "because this workspace requires it", action)
	}
	require.Equal(t, []string{"DRAFT"}, b.column(t, `SELECT status FROM post WHERE id = $1`, id))

	br.visited(t, path+"?post="+id)
	fields.Set("when", "now")
	fields.Set("alt."+picture, "A blue bowl")
	form := br.changing(t, fields)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, []string{"SCHEDULED"}, b.column(t, `SELECT status FROM post WHERE id = $1`, id))
}

// TestImportFromTheComposer asks for files of addresses as the script does: every refusal has its reason as JSON.
func TestImportFromTheComposer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, _ := b.writer(t, ours, member.Contributor)
	path := filled("/w/{workspace}/media/import", ours.wildcards)
	for address, says := range map[string]string{
		"": "Enter the address of a file.", "ftp://acme.example/a.png": "cannot be fetched", "http://127.0.0.1/a.png": "cannot be fetched",
	} {
		got := br.post(t, path, url.Values{"address": {address}, "json": {"1"}})
		require.GreaterOrEqual(t, got.status, http.StatusBadRequest, address)
		require.Contains(t, got.body, says, address)
		require.Contains(t, got.body, `"detail":`, address)
	}
}

// TestCoversFromTheLibrary chooses pictures of the library as covers of videos, for channels whose networks take them.
func TestCoversFromTheLibrary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	youtube, instagram := b.connected(t, ours, "Kiln", channel.YouTube), b.connected(t, ours, "Yard", channel.InstagramProfessional)
	x, foreign := ours.wildcards["channel"], theirs.wildcards["media"]
	file := func(name string, kind media.Type, contentType string, size int64) string {
		id := postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: name, Type: kind, ContentType: contentType, Size: size,
			CreatedAt: b.clock.Now(),
		}).ID.String()
		postgrestest.Exec(t, b.dsn, `UPDATE media SET processed_at = now(), process_again = NULL, width = 720, height = 1280 WHERE id = $1`, id)
		return id
	}
	video := file("kiln.mp4", media.Video, "video/mp4", 1<<20)
	postgrestest.Exec(t, b.dsn, `UPDATE media SET duration_ms = 20000 WHERE id = $1`, video)
	picture, damaged := file("cover.jpg", media.Image, "image/jpeg", 1<<20), file("damaged.jpg", media.Image, "image/jpeg", 1<<20)
	postgrestest.Exec(t, b.dsn, `UPDATE media SET problem = $1 WHERE id = $2`, media.ProblemBroken, damaged)
	br, path := b.writer(t, ours, member.Editor)
	fields := func(kind string) url.Values {
		return url.Values{"text": {"Bowls"}, "title": {"Bowls"}, "kind": {kind}, "channel": {youtube, instagram, x}, "media": {video}, "when": {"draft"}}
	}
	for of, offered := range map[[2]string]bool{
		{youtube, "POST"}: true, {youtube, "REEL"}: true, {instagram, "REEL"}: true, {instagram, "POST"}: false, {x, "VIDEO"}: false,
	} {
		br.visited(t, path)
		body := br.post(t, path+"/options?channel="+of[0], br.composed(t, fields(of[1]))).body
		require.Equal(t, offered, strings.Contains(body, "Cover from library"), of)
		require.NotContains(t, body, ".coverUrl", "there is one way to choose a cover")
	}
	picker := br.visited(t, filled("/w/{workspace}/media/picker?kind=REEL&type=VIDEO&cover=", ours.wildcards)+youtube).body
	require.Contains(t, picker, `value="`+picture+`"`)
	require.NotContains(t, picker, video)
	require.Equal(t, 1, strings.Count(picker, "data-refused"))
	require.Contains(t, picker, `<small id="refused-`+damaged+`">The picture`)
	for _, wrong := range []string{"x", theirs.wildcards["channel"]} {
		require.Equal(t, http.StatusNotFound, br.get(t, filled("/w/{workspace}/media/picker?cover=", ours.wildcards)+wrong).status)
	}

	form := fields("REEL")
	br.visited(t, path)
	for wrong, status := range map[string]int{"x": http.StatusNotFound, foreign: http.StatusOK, video: http.StatusOK, picture: http.StatusOK} {
		form.Set("cover."+youtube, wrong)
		require.Equal(t, status, br.post(t, path+"/save", br.composed(t, form)).status, wrong)
		if status == http.StatusOK {
			require.Equal(t, wrong == picture, strings.Contains(br.last.body, "own cover"), wrong)
			require.NotContains(t, br.last.body, foreign)
		}
		br.visited(t, path)
	}
	form.Set("cover."+youtube, damaged)
	require.Contains(t, br.post(t, path+"/save", br.composed(t, form)).body, "damaged. Save it again")
	form.Set("cover."+youtube, picture)
	form.Set("cover."+x, picture) // X takes none
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.composed(t, form)).status, br.last.body)
	filesOf := func(of string) []string {
		return b.column(t, `SELECT array_to_string(media_ids, ' ') FROM post WHERE channel_id = $1 AND content = 'Bowls'`, of)
	}
	require.Equal(t, []string{video + " " + picture}, filesOf(youtube))
	require.Equal(t, []string{video}, filesOf(instagram))
	require.Equal(t, []string{video}, filesOf(x))
	created := b.column(t, `SELECT id::text FROM post WHERE channel_id = $1 AND content = 'Bowls'`, youtube)[0]
	require.Equal(t, []string{created}, b.column(t, `SELECT owner_id::text FROM media_reference WHERE media_id = $1`, picture), "it is in use")

	group := b.column(t, `SELECT DISTINCT group_id::text FROM post WHERE content = 'Bowls'`)[0]
	opened := br.visited(t, path+"?group="+group).body
	require.Contains(t, opened, `name="cover.`+youtube+`" value="`+picture+`"`)
	require.NotContains(t, opened, `data-media="`+picture+`"`, "it is no file of all posts")
	changed := url.Values{"text": {"Mugs"}, "kind": {"REEL"}, "channel": {youtube, instagram, x}, "media": {video}, "cover." + youtube: {picture}, "title": {"Bowls"}}
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.changing(t, changed)).status, br.last.body)
	require.Equal(t, []string{video + " " + picture}, b.column(t, `SELECT array_to_string(media_ids, ' ') FROM post WHERE id = $1 AND content = 'Mugs'`, created))
	br.visited(t, path+"?group="+group)
	delete(changed, "cover."+youtube)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.changing(t, changed)).status, br.last.body)
	require.Equal(t, []string{video}, b.column(t, `SELECT array_to_string(media_ids, ' ') FROM post WHERE id = $1`, created), "without its cover")
}
