package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// begun is a started upload, as the script reads it.
type begun struct {
	MediaID, UploadURL, Detail, Code string
	Headers                          map[string]string
	Parts                            []struct{ URL string }
}

func drawn(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, 300, 300))))
	return out.Bytes()
}

// begin asks for an upload, as the script does.
func (br *browser) begin(t *testing.T, base, name string, content []byte, size int) (begun, int) {
	t.Helper()
	got := br.post(t, base+"/media/uploads", url.Values{
		"name": {name}, "size": {strconv.Itoa(size)}, "head": {base64.StdEncoding.EncodeToString(content[:min(len(content), media.HeadSize)])},
	})
	var out begun
	require.NoError(t, json.Unmarshal([]byte(got.body), &out), got.body)
	return out, got.status
}

// put sends bytes to the file storage.
func put(t *testing.T, u begun, content []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, u.UploadURL, bytes.NewReader(content))
	require.NoError(t, err)
	for name, value := range u.Headers {
		r.Header.Set(name, value)
	}
	res, err := (&http.Client{Transport: objectstoretest.Transport(t)}).Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
}

// TestFilesAreUploaded sends a picture as the script does: the type is detected from the bytes, whatever the name says.
func TestFilesAreUploaded(t *testing.T) {
	t.Parallel()
	b := setupWith(t, objectstoretest.Open(t))
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	base, foreign := "/w/"+ours.workspace.ID.String(), "/w/"+theirs.workspace.ID.String()
	content := drawn(t)

	u, status := br.begin(t, base, `C:\fake\<b>kiln</b>.jpg`, content, len(content))
	require.Equal(t, http.StatusOK, status, u.Detail)
	require.Equal(t, "image/png", u.Headers["Content-Type"])
	complete := base + "/media/uploads/" + u.MediaID + "/complete"
	early := br.post(t, complete, url.Values{})
	require.Equal(t, http.StatusConflict, early.status)
	require.Contains(t, early.body, "UPLOAD_NOT_RECEIVED")
	put(t, u, content)
	require.Equal(t, http.StatusNotFound, br.post(t, foreign+"/media/uploads/"+u.MediaID+"/complete", url.Values{}).status)
	for range 2 {
		done := br.post(t, complete, url.Values{})
		require.Equal(t, http.StatusOK, done.status, done.body)
		require.Equal(t, "application/json", done.header.Get("Content-Type"))
		require.Contains(t, done.body, u.MediaID)
	}
	require.Equal(t, []string{"b>.png image/png"}, postgrestest.Column(t, b.dsn, `SELECT name || ' ' || content_type FROM media
		WHERE id = $1`, u.MediaID), "the last part of a path")

	canceled, _ := br.begin(t, base, "big.png", content, 70<<20)
	require.Len(t, canceled.Parts, 3)
	require.Equal(t, http.StatusNotFound, br.post(t, foreign+"/media/uploads/"+canceled.MediaID+"/cancel", url.Values{}).status)
	reserved := func() []string {
		return postgrestest.Column(t, b.dsn, `SELECT storage_bytes::text FROM workspace_usage WHERE workspace_id = $1`, ours.workspace.ID.String())
	}
	require.Equal(t, []string{strconv.Itoa(len(content) + 70<<20)}, reserved())
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		require.Equal(t, want, br.post(t, base+"/media/uploads/"+canceled.MediaID+"/cancel", url.Values{}).status)
		require.Equal(t, []string{strconv.Itoa(len(content))}, reserved(), "the storage is free again")
	}
}

// TestUnusableFilesAreRefusedBeforeTheyAreSent asks for uploads of files that no network takes or the plan does not allow.
func TestUnusableFilesAreRefusedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := "/w/" + ours.workspace.ID.String()
	psd, zip := append([]byte("8BPS\x00\x01"), make([]byte, 60)...), append([]byte("PK\x03\x04"), make([]byte, 60)...)
	for _, tc := range []struct {
		name    string
		content []byte
		size    int
		status  int
		detail  string
	}{
		{"plan.psd", psd, 66, http.StatusUnprocessableEntity, "Save a picture as JPEG or PNG"},
		{"page.png", []byte("<svg onload=alert(1)>"), 21, http.StatusUnprocessableEntity, "Save a picture as JPEG or PNG"},
		{"notes.zip", zip, 64, http.StatusUnprocessableEntity, "Save a picture as JPEG or PNG"},
		{"empty.png", nil, 0, http.StatusUnprocessableEntity, "The file is empty."},
		{"minus.png", drawn(t), -4, http.StatusUnprocessableEntity, "Reload the page"},
		{"huge.png", drawn(t), 6 << 30, http.StatusForbidden, "the plan allows"},
	} {
		got, status := br.begin(t, base, tc.name, tc.content, tc.size)
		require.Equal(t, tc.status, status, tc.name)
		require.Contains(t, got.Detail, tc.detail, tc.name)
	}
	for _, fields := range []url.Values{
		{}, {"name": {"a.png"}, "size": {"12"}, "head": {"!"}}, {"name": {"a.png"}, "size": {"1e9"}, "head": {""}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, base+"/media/uploads", fields).status)
	}
	office, status := br.begin(t, base, "report.DOCX", zip, 64)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, media.ContentTypeDOCX, office.Headers["Content-Type"])
	require.Equal(t, []string{"1"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM media_upload`))
}

// TestPickerOffersProcessedFiles searches the picker, a part for another page.
func TestPickerOffersProcessedFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	asset := func(of tenant, name string, kind media.Type) string {
		a := postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: of.workspace.ID, Name: name, Type: kind, ContentType: "image/png",
			Size: 5, CreatedAt: b.clock.Now(),
		})
		postgrestest.Exec(t, b.dsn, `UPDATE media SET processed_at = now(), process_again = NULL WHERE id = $1`, a.ID.String())
		return a.ID.String()
	}
	markup := asset(ours, `<img src=x onerror=alert(1)>.png`, media.Image)
	video, foreign := asset(ours, "kiln.mp4", media.Video), asset(theirs, "kiln.png", media.Image)
	raw := asset(ours, "raw.png", media.Image)
	postgrestest.Exec(t, b.dsn, `UPDATE media SET processed_at = NULL, process_again = now() WHERE id = $1`, raw)
	path := "/w/" + ours.workspace.ID.String() + "/media/picker"

	got := br.visited(t, path)
	require.NotContains(t, got.body, "<html")
	require.NotContains(t, got.body, "<img src=x")
	require.Contains(t, got.body, "&lt;img src=x onerror")
	for _, hidden := range []string{foreign, raw} {
		require.NotContains(t, got.body, hidden)
	}
	for query, want := range map[string][2]bool{ // whether the markup and the video are shown
		"": {true, true}, "?q=KILN": {false, true}, "?type=VIDEO": {false, true}, "?type=IMAGE": {true, false},
		"?q=kiln&type=IMAGE": {}, "?type=<script>": {true, true}, "?cursor=x": {true, true}, "?cursor=" + video: {true, false},
		"?q=" + strings.Repeat("a", 300): {},
	} {
		body := br.visited(t, path+query).body
		require.Equal(t, want, [2]bool{strings.Contains(body, markup), strings.Contains(body, video)}, query)
	}
	for range 30 {
		asset(ours, "more.png", media.Image)
	}
	first := br.visited(t, path+"?q=more&type=IMAGE").body
	require.Equal(t, 24, strings.Count(first, "more.png</span>"))
	_, next, found := strings.Cut(first, `hx-get="/w/`)
	require.True(t, found)
	_, next, found = strings.Cut(next, `hx-get="`)
	require.True(t, found)
	next, _, _ = strings.Cut(next, `"`)
	require.Equal(t, 6, strings.Count(br.visited(t, strings.ReplaceAll(next, "&amp;", "&")).body, "more.png</span>"))
}

// TestLibraryShowsFilesAndTheirUses lists, searches and sorts a library, and shows the uses of a file.
func TestLibraryShowsFilesAndTheirUses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := "/w/" + ours.workspace.ID.String() + "/media"
	asset := func(name string, kind media.Type, size int64) string {
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: name, Type: kind, ContentType: "image/png", Size: size,
			CreatedAt: b.clock.Now(),
		}).ID.String()
	}
	used, video := asset(`<script>alert(1)</script>.png`, media.Image, 9), asset("kiln.mp4", media.Video, 7)
	postgrestest.Exec(t, b.dsn, `INSERT INTO media_reference (owner_type, owner_id, media_id, workspace_id, label) VALUES
		('POST', $1, $2, $3, ''), ('IDEA_CARD', $3, $2, $3, '<b>An idea</b>')`, ours.wildcards["post"], used, ours.workspace.ID.String())
	first := ours.wildcards["media"]
	for query, want := range map[string][]string{
		"": {video, used, first}, "?sort=oldest": {first, used, video}, "?sort=largest": {used, video, first},
		"?sort=name": {used, video, first}, "?type=VIDEO": {video}, "?only=unused": {video, first}, "?q=KILN": {video},
		"?q=nowhere": nil, "?sort=x&type=x&only=x&cursor=x": {video, used, first}, "?cursor=" + used: {first},
		"?sort=largest&cursor=" + used + ".9": {video, first}, "?sort=largest&cursor=" + used + ".x": {used, video, first},
		"?sort=name&cursor=" + video + ".kiln.mp4": {first}, "?q=" + strings.Repeat("a", 300): nil,
	} {
		body := br.visited(t, base+query).body
		require.NotContains(t, body, "<script>alert")
		var got []string
		for _, part := range strings.Split(body, `name="file" value="`)[1:] {
			got = append(got, part[:36])
		}
		require.Equal(t, want, got, query)
	}
	require.NotContains(t, br.visited(t, base).body, theirs.wildcards["media"])
	shown := br.visited(t, base+"/"+used).body
	require.Contains(t, shown, "Used in 2 places")
	require.Contains(t, shown, "/posts/"+ours.wildcards["post"])
	require.Contains(t, shown, "&lt;b&gt;An idea&lt;/b&gt;")
	require.Contains(t, shown, "It can be deleted once nothing uses it.")
	require.Equal(t, http.StatusConflict, br.post(t, base+"/"+used+"/delete", url.Values{}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, base+"/delete", url.Values{"file": {used, video, theirs.wildcards["media"]}}).status)
	require.Contains(t, br.visited(t, base).body, "1 file deleted. 1 file kept, because something uses it.")
	require.Equal(t, http.StatusNotFound, br.post(t, base+"/delete", url.Values{"file": {"x"}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, base+"/"+first+"/delete", url.Values{}).status)
	require.ElementsMatch(t, []string{used, theirs.wildcards["media"]}, postgrestest.Column(t, b.dsn, `SELECT id::text FROM media`))
}

// TestFilesAreDescribed changes names and alternative texts, and gives the form back with what was typed.
func TestFilesAreDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	path := "/w/" + ours.workspace.ID.String() + "/media/" + ours.wildcards["media"]
	for _, tc := range []struct{ name, alt, fault string }{
		{"", "Bowls", "Enter a name."},
		{strings.Repeat("ü", 256), "Bowls", "Use at most 255 characters."},
		{"../x.png", "Bowls", "Must be a name, not a path"},
		{"exe\u202Egnp.jpg", "Bowls", "direction of writing"},
		{"bowls.png", strings.Repeat("é", 1501), "Use at most 1500 characters."},
	} {
		got := br.post(t, path, url.Values{"name": {tc.name}, "alt": {tc.alt}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, tc.name)
		require.Contains(t, got.body, tc.fault)
		require.Contains(t, got.body, tc.alt, "what was typed is kept")
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"?q=a", url.Values{"name": {"<b>bowls"}, "alt": {"Two\r\nbowls"}}).status)
	require.Equal(t, []string{"<b>bowls Two\nbowls"}, postgrestest.Column(t, b.dsn, `SELECT name || ' ' || alt_text FROM media`))
	shown := br.visited(t, path).body
	require.NotContains(t, shown, "<b>bowls")
	require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{"name": {"bowls"}, "alt": {""}}).status)
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.dsn, `SELECT (alt_text IS NULL)::text FROM media`))
}

// TestFilesHaveLabels sets labels of one file and of several, filters by them, and refuses what is none.
func TestFilesHaveLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Contributor).Email)
	base, first, foreign := "/w/"+ours.workspace.ID.String()+"/media", ours.wildcards["media"], theirs.wildcards["media"]
	second := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: "second.png", Type: media.Image,
		ContentType: media.ContentTypePNG, Size: 5, CreatedAt: b.clock.Now(),
	}).ID.String()
	labelsOf := func(id string) string {
		return postgrestest.Column(t, b.dsn, `SELECT array_to_string(labels, '|') || ' ' || array_to_string(label_keys, '|') FROM media WHERE id = $1`, id)[0]
	}
	described := func(labels string) page {
		return br.post(t, base+"/"+first, url.Values{"name": {"bowls.png"}, "alt": {""}, "labels": {labels}})
	}
	eleven := "1,2,3,4,5,6,7,8,9,10,11"
	for labels, want := range map[string]string{
		eleven: "A file has at most 10 labels.", strings.Repeat("x", 51) + ", Spring": "A label has 51 characters",
	} {
		refused := described(labels)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, labels)
		require.Contains(t, refused.body, `id="labels-fault">`+want)
		require.Contains(t, refused.body, labels, "what was typed is kept")
	}
	require.Equal(t, http.StatusSeeOther, described("Spring & <b>, SPRING & <b>, Évents").status)
	require.Equal(t, "Spring & <b>|Évents spring & <b>|évents", labelsOf(first))
	shown := br.visited(t, base+"/"+first).body
	require.NotContains(t, shown, "<b>,")
	require.Contains(t, shown, `href="`+base+`?label=Spring%20%26%20%3cb%3e">Spring &amp; &lt;b&gt;</a>`)

	send := func(do, label string, files ...string) page {
		return br.post(t, base+"/label?type=IMAGE", url.Values{"do": {do}, "label": {label}, "file": files})
	}
	for name, tc := range map[string]struct {
		want  string
		label string
		files []string
	}{
		"no label":  {"Enter a label.", "", []string{first}},
		"too long":  {"Has 51 characters", strings.Repeat("y", 51), []string{second}},
		"no file":   {"Select at least one file.", "Kiln", nil},
		"of others": {"", "Kiln", []string{foreign}},
	} {
		got := send("label", tc.label, tc.files...)
		if tc.want == "" { // as a file that was deleted meanwhile
			require.Equal(t, http.StatusSeeOther, got.status, name)
			require.Contains(t, br.visited(t, base).body, "Label added to 0 files.")
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.Contains(t, got.body, tc.want, name)
		require.Equal(t, len(tc.files), strings.Count(got.body, `" checked>`), name)
	}
	require.Equal(t, http.StatusNotFound, send("label", "Kiln", "x").status)
	require.Equal(t, " ", labelsOf(foreign))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT name FROM label WHERE workspace_id = $1`, theirs.workspace.ID.String()))

	done := send("label", "ÉVENTS", first, second)
	require.Equal(t, base+"?type=IMAGE", done.header.Get("Location"))
	require.Contains(t, br.visited(t, base).body, "Label added to 1 file.")
	require.Equal(t, "Évents évents", labelsOf(second), "in the spelling of the workspace")
	send("unlabel", "évents", first)
	require.Equal(t, "Spring & <b> spring & <b>", labelsOf(first))
	for query, want := range map[string][]string{
		"?label=" + url.QueryEscape("spring & <B>"): {first}, "?label=%C3%A9vents": {second},
		"?label=%C3%A9vents&label=" + url.QueryEscape("Spring & <b>"): {second, first}, "?label=none": nil, "?q=vents": {second},
		"?label=%C3%A9vents&type=VIDEO": nil, "?label=": {second, first},
	} {
		body := br.visited(t, base+query).body
		var got []string
		for _, part := range strings.Split(body, `name="file" value="`)[1:] {
			got = append(got, part[:36])
		}
		require.Equal(t, want, got, query)
	}
	require.Equal(t, http.StatusSeeOther, described(strings.TrimSuffix(eleven, ",11")).status)
	send("label", "Kiln", first, second)
	require.Contains(t, br.visited(t, base).body, "Label added to 1 file. 1 file not changed, because a file has at most 10 labels.")
}

// TestDraftsGetAnotherFile replaces a file in the posts that are not published, and says which kept it.
func TestDraftsGetAnotherFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	base := "/w/" + ours.workspace.ID.String() + "/media/"
	asset := func() ident.Media {
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: "new.png", Type: media.Image,
			ContentType: media.ContentTypePNG, Size: 5, CreatedAt: b.clock.Now(),
		}).ID
	}
	from, to := asset(), asset()
	channelID, err := ident.Parse[ident.Channel](ours.wildcards["channel"])
	require.NoError(t, err)
	written := func(text string, files ...ident.Media) string {
		created, err := post.Create(post.NewPost{
			WorkspaceID: ours.workspace.ID, ChannelID: channelID, ContentType: post.ContentPost, Content: text, MediaIDs: files,
		}, b.clock.Now(), "user Ada")
		require.NoError(t, err)
		require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{created}))
		return created.Post.ID.String()
	}
	draft, both, published := written("Draft", from), written("<i>Both</i>", from, to), written("Out", from)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = now() WHERE id = $1`, published)
	for _, wrong := range []string{"", "x", from.String()} {
		got := br.post(t, base+from.String()+"/replace", url.Values{"with": {wrong}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, wrong)
		require.Contains(t, got.body, "Choose another file of the library.")
	}
	require.Equal(t, http.StatusNotFound,
		br.post(t, base+from.String()+"/replace", url.Values{"with": {theirs.wildcards["media"]}}).status)
	got := br.post(t, base+from.String()+"/replace", url.Values{"with": {to.String()}})
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "1 post has new.png now.")
	require.Contains(t, got.body, "1 kept the old file")
	require.Contains(t, got.body, "The post has the other file already.")
	require.Contains(t, got.body, "&lt;i&gt;Both")
	require.ElementsMatch(t, []string{draft, both}, postgrestest.Column(t, b.dsn,
		`SELECT owner_id::text FROM media_reference WHERE media_id = $1`, to.String()))
	require.ElementsMatch(t, []string{both, published}, postgrestest.Column(t, b.dsn,
		`SELECT owner_id::text FROM media_reference WHERE media_id = $1`, from.String()))
}

// TestImportsFromAnAddress refuses what cannot be fetched, beside the field, with what was typed.
func TestImportsFromAnAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := "/w/" + ours.workspace.ID.String() + "/media/import"
	for address, want := range map[string]string{
		"": "Enter the address of a file.", "ftp://example.com/a": "cannot be fetched", "http://127.0.0.1/a": "cannot be fetched",
		"https://u:p@example.com/a": "cannot be fetched", "https://" + strings.Repeat("a", 2100): "The address is too long.",
	} {
		got := br.post(t, path, url.Values{"address": {address}, "name": {`<i>a.png`}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, address)
		require.Contains(t, got.body, want, address)
		require.NotContains(t, got.body, "<i>a")
	}
	got := br.post(t, path, url.Values{"address": {"https://example.com/a.png"}, "name": {"a/b"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "not a path")
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.dsn, `SELECT count(*)::text FROM media_import`))
}
