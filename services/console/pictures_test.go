package main

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// upload sends a form with a file.
func (br *browser) upload(t *testing.T, path, name string, content []byte) page {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, br.base+path, &body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return br.send(t, r)
}

// TestPicturesInUseCannotBeDeleted chooses pictures for every place. While a picture is in use, it cannot be deleted.
func TestPicturesInUseCannotBeDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	asset := func(of tenant, kind media.Type) string {
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: of.workspace.ID, Name: "a.png", Type: kind, ContentType: "image/png",
			Size: 5, CreatedAt: b.clock.Now(),
		}).ID.String()
	}
	pictures := []string{asset(ours, media.Image), asset(ours, media.Image)}
	channel, settings := filled("/w/{workspace}/channels/{channel}", ours.wildcards), filled("/w/{workspace}/settings", ours.wildcards)
	for path, owner := range map[string]string{
		channel + "/avatar": "CHANNEL_AVATAR", channel + "/logo": "BRAND_LOGO", channel + "/personas": "BRAND_PERSONA_PHOTO",
		channel + "/styles": "BRAND_STYLE_REFERENCE", settings + "/logo": "WORKSPACE_LOGO",
	} {
		many := strings.HasSuffix(path, "s")
		chosen := pictures[:1]
		if many {
			chosen = pictures
		}
		require.Contains(t, br.visited(t, path).body, pictures[0])
		require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{"picture": chosen}).status, path)
		require.Equal(t, []string{owner, owner}[:len(chosen)],
			postgrestest.Column(t, b.dsn, `SELECT owner_type FROM media_reference`))
		p := app.Principal{WorkspaceID: ours.workspace.ID, Plan: ours.workspace.Plan}
		id, err := ident.Parse[ident.Media](pictures[0])
		require.NoError(t, err)
		err = b.app.DeleteMedia(t.Context(), p, id)
		require.Equal(t, apperr.MediaInUse, apperr.CodeOf(err))
		require.Contains(t, br.visited(t, path).body, `value="`+pictures[0]+`" checked`)
		for want, refused := range map[string][]string{
			"Choose pictures of the media library.": {asset(theirs, media.Image)}, "Choose pictures of the media": {asset(ours, media.Video)},
			"Choose up to ": append([]string{asset(ours, media.Image)}, repeated(asset(ours, media.Image), 30)...),
		} {
			br.visited(t, path)
			got := br.post(t, path, url.Values{"picture": refused})
			require.Equal(t, http.StatusUnprocessableEntity, got.status, path)
			require.Contains(t, got.body, want)
		}
		require.Contains(t, br.visited(t, strings.TrimSuffix(strings.TrimSuffix(path, "/logo"), "/avatar")).body, "a.png")
		br.visited(t, path)
		require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{"picture": {""}}).status)
		require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT owner_type FROM media_reference`))
	}
	require.Equal(t, []string{"channel.avatar_changed 2", "channel.brand_changed 6", "workspace.logo_changed 2"},
		postgrestest.Column(t, b.dsn, `SELECT action || ' ' || count(*) FROM audit_entry GROUP BY action ORDER BY action`))
}

func repeated(text string, n int) []string {
	return strings.Split(strings.Repeat(text+" ", n-1)+text, " ")
}

// TestPicturesAreUploaded uploads a logo, and refuses other files.
func TestPicturesAreUploaded(t *testing.T) {
	t.Parallel()
	b := setupWith(t, objectstoretest.Open(t))
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	path := filled("/w/{workspace}/settings/logo", ours.wildcards)
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 300, 300))))
	br.visited(t, path)
	got := br.upload(t, path, `C:\fake\<b>logo</b>.png`, drawn.Bytes())
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	require.Equal(t, []string{"WORKSPACE_LOGO"}, postgrestest.Column(t, b.dsn, `SELECT owner_type FROM media_reference`))
	require.Equal(t, []string{"image/png"}, postgrestest.Column(t, b.dsn, `SELECT content_type FROM media
		WHERE id IN (SELECT media_id FROM media_reference)`))
	require.NotContains(t, br.visited(t, path).body, "<b>logo")
	got = br.upload(t, path, "logo.png", []byte("<svg onload=alert(1)>"))
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Use a JPEG, PNG, WebP, HEIC or AVIF image up to 5 MB.")
	br.visited(t, path)
	got = br.upload(t, path, "logo.png", make([]byte, app.MaxPicture+128<<10))
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM media_reference`), 1)
}

// slowReader waits before the last byte.
type slowReader struct {
	io.Reader

	wait      func()
	remaining int
}

func (s *slowReader) Read(p []byte) (int, error) {
	if s.remaining == 1 {
		s.wait()
	}
	n, err := s.Reader.Read(p[:min(len(p), max(1, s.remaining-1))])
	s.remaining -= n
	return n, err
}

// TestSlowUploads sends forms for longer than the server gives requests without a file.
func TestSlowUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	path := filled("/w/{workspace}/settings/logo", ours.wildcards)
	const short, long = 400 * time.Millisecond, 30 * time.Second
	send := func(path string, upload time.Duration) page {
		server := httptest.NewUnstartedServer(b.site(t, func(c *Config) {
			c.Timeouts = frame.Timeouts{Request: 2 * short, Upload: upload}
		}))
		server.Config.ReadTimeout, server.Config.WriteTimeout = 2*short, 4*short // as in consoleapp, in a smaller scale
		server.Start()
		t.Cleanup(server.Close)
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		require.NoError(t, form.WriteField("padding", strings.Repeat("x", 32<<10)))
		require.NoError(t, form.Close())
		slow := &slowReader{Reader: &body, remaining: body.Len(), wait: func() { <-time.After(6 * short) }}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, slow)
		require.NoError(t, err)
		r.ContentLength = int64(body.Len())
		r.Header.Set("Content-Type", form.FormDataContentType())
		return br.send(t, r)
	}
	got := send(path, long)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	got = send(path, short)
	require.Equal(t, http.StatusRequestTimeout, got.status, "%s %s", got.body, b.logs.String())
	require.Contains(t, got.body, "The form took too long to arrive, and nothing was changed.")
	got = send(filled("/w/{workspace}/settings", ours.wildcards), long)
	require.Equal(t, http.StatusRequestTimeout, got.status, "%s %s", got.body, b.logs.String())
	require.Contains(t, got.body, "Go back and try again, over a faster connection.")
	got = br.upload(t, path, "logo.png", make([]byte, app.MaxPicture+128<<10))
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
}

// TestLogoIsShownInHeader checks that the logo is in the header of its workspace, and in the switcher of the others,
// as soon as its thumbnail is ready.
func TestLogoIsShownInHeader(t *testing.T) {
	t.Parallel()
	b := setupWith(t, objectstoretest.Open(t))
	b.server.Config.Handler = b.site(t, func(c *Config) { c.Images = "https://media.example.com" })
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	admin := b.membership(t, ours.workspace, member.Admin)
	require.NoError(t, b.users.Join(t.Context(), admin.ID, theirs.workspace.ID, member.Viewer, b.clock.Now()))
	br := b.browser(t)
	br.signInAs(t, admin.Email)
	here, there := filled("/w/{workspace}/posts", ours.wildcards), filled("/w/{workspace}/posts", theirs.wildcards)
	const header, switcher = `<img class="logo" src="`, `<img class="logo tiny" src="`
	path := filled("/w/{workspace}/settings/logo", ours.wildcards)
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 300, 300))))
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.upload(t, path, "logo.png", drawn.Bytes()).status)
	require.NotContains(t, br.visited(t, here).body, header, "the picture is not processed yet")
	postgrestest.Exec(t, b.dsn, `UPDATE media SET thumbnail_key = 'media/small', thumbnail_type = 'image/png', thumbnail_size = 5`)
	got := br.visited(t, here)
	require.Contains(t, got.body, header)
	require.NotContains(t, got.body, switcher)
	require.Contains(t, got.body, "media/small")
	got = br.visited(t, there)
	require.Contains(t, got.body, switcher)
	require.NotContains(t, got.body, header)
	outsider := b.browser(t)
	outsider.signInAs(t, b.membership(t, theirs.workspace, member.Owner).Email)
	require.NotContains(t, outsider.visited(t, there).body, "media/small", "not a member")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, url.Values{"picture": {""}}).status)
	require.NotContains(t, br.visited(t, here).body, header)
}
