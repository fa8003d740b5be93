package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestFilesOfMessages shows files in each state, with hostile names, and lets people have them who may read the conversation.
func TestFilesOfMessages(t *testing.T) {
	t.Parallel()
	b := talks(t)
	postgrestest.Exec(t, b.dsn, `DELETE FROM message_file`)
	b.hears(t, inbox.Written{
		Thread: "Ours", ExternalID: "9", Person: inbox.Identity{ID: "Ours"}, SentAt: b.clock.Now(),
		Files: []inbox.File{{Reference: "r", Name: "<b>\u202eplan.pdf", Type: "application/pdf", Size: 2048}},
	})
	br := b.as(t, member.Editor)
	id := b.column(t, `SELECT message_id::text FROM message_file`)[0]
	address := b.open + "/files/" + id
	page := func(set string) string {
		t.Helper()
		postgrestest.Exec(t, b.dsn, `UPDATE message_file SET `+set)
		return br.visited(t, b.open).body
	}
	const waits, ready = "state = 'WAITING', object_key = NULL, fault = ", "state = 'READY', fault = '', object_key = "
	for set, want := range map[string]string{
		waits + "''":                                                   "Loading the file…",
		waits + "'Telegram is down.'":                                  "Loading the file again: Telegram is down.",
		"state = 'EXPIRED', fault = 'Gone <i>.'":                       "This file could not be loaded: Gone &lt;i&gt;.",
		"state = 'REFUSED', fault = 'Too large.'":                      "This file could not be loaded: Too large.",
		ready + "NULL":                                                 "This file was deleted from the media library.",
		ready + "'media/a', type = 'x/y'":                              `<a class="doc" href="` + address + `?n=1" download>`,
		ready + "'media/a', type = 'audio/ogg'":                        `<audio id="file-` + id + `-1" hx-preserve controls`,
		ready + "'media/a', type = 'video/mp4', thumb_key = 'media/b'": `poster="` + address + `?n=1&amp;small=1"`,
		ready + "'media/a', type = 'image/png', thumb_key = 'media/b'": `<img src="` + address + `?n=1&amp;small=1" width="240" height="180"`,
	} {
		require.Contains(t, page(set), want, set)
		require.Contains(t, br.last.body, "plan.pdf")
		require.NotContains(t, br.last.body, "<b>\u202e")
	}
	page("state = 'READY', object_key = 'media/a', thumb_key = 'media/b', thumb_type = 'image/jpeg', type = 'image/png'")
	for query, key := range map[string]string{"?n=1": "media/a", "?n=1&small=1": "media/b", "": "media/a"} {
		got := br.get(t, address+query)
		require.Equal(t, http.StatusSeeOther, got.status)
		to, err := url.Parse(got.header.Get("Location"))
		require.NoError(t, err)
		require.Contains(t, to.Path, key)
		require.Contains(t, to.Query().Get("response-content-disposition"), "attachment")
		require.Contains(t, got.header.Get("Cache-Control"), "private")
	}
	for _, missing := range []string{address + "?n=2", b.open + "/files/" + ident.New[ident.Message]().String(), b.open + "/files/x"} {
		require.Equal(t, http.StatusNotFound, br.get(t, missing).status, missing)
	}
	page("state = 'WAITING'")
	require.Equal(t, http.StatusNotFound, br.get(t, address).status)
	page("state = 'READY'")
	limited := b.membership(t, b.workspace, member.Editor)
	other := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: b.workspace.ID, Name: "Other", Type: channel.WhatsAppBusiness, ExternalID: "other",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), other, channel.Credentials{AccessToken: "y"}))
	require.NoError(t, b.users.Limit(t.Context(), limited.ID, b.workspace.ID, []ident.Channel{other.ID}))
	of := b.browser(t)
	of.signInAs(t, limited.Email)
	require.Equal(t, http.StatusNotFound, of.get(t, address).status, "of another channel")
}

// TestReplyWithPicture sends a file of the library without a text, and says what a network does not take.
func TestReplyWithPicture(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	asset := func(name, contentType string, size int64) ident.Media {
		t.Helper()
		kind, _ := media.TypeOf(contentType)
		return postgrestest.Asset(t, b.db, media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: b.workspace.ID, Name: name, Type: kind, ContentType: contentType, Size: size,
			CreatedAt: b.clock.Now(),
		}).ID
	}
	large := asset("large.png", media.ContentTypePNG, 11<<20)
	picture := asset("room.png", media.ContentTypePNG, 5)
	theirs := b.furnish(t, "Theirs").wildcards["media"]
	send := func(act, text string, ids ...string) page {
		t.Helper()
		require.Contains(t, br.visited(t, b.open).body, `data-library`)
		form := br.written(text)
		form["media"] = ids
		return br.post(t, b.open+act, form)
	}
	for want, got := range map[string]page{
		"pictures up to 10 MiB":              send("/reply", "", large.String()),
		"Send one file per answer.":          send("/reply", "", picture.String(), large.String()),
		"up to 1024 characters":              send("/reply", strings.Repeat("a", 1025), picture.String()),
		"A note has no files":                send("/note", "x", picture.String()),
		"was deleted from the media library": send("/reply", "x", theirs),
	} {
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
	}
	got := send("/reply", "", large.String())
	require.Contains(t, got.body, `name="media" value="`+large.String()+`"`, "it stays chosen")
	require.Contains(t, got.body, ">large.png</bdi>")
	require.Equal(t, http.StatusSeeOther, send("/reply", "", picture.String()).status)
	require.Equal(t, []string{"room.png READY"}, b.column(t, `SELECT f.name || ' ' || f.state FROM message_file f JOIN message m ON m.id = f.message_id
		WHERE m.direction = 'OUT' AND m.text = '' AND f.media_id = $1`, picture.String()))
	require.Contains(t, br.visited(t, b.list).body, "You: a picture")
	postgrestest.Exec(t, b.dsn, `DELETE FROM media WHERE id = $1`, picture.String())
	require.Contains(t, br.visited(t, b.open).body, "This file was deleted from the media library.")
}
