package main

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// bot is the operator's bot on Telegram.
type bot struct {
	starts []platform.Start
	broken error
}

func (b *bot) Address(_ context.Context, code string, group bool) (string, error) {
	if group {
		return "https://t.me/notes_bot?startgroup=" + code, b.broken
	}
	return "https://t.me/notes_bot?start=" + code, b.broken
}

func (b *bot) Starts(ctx context.Context, keep func(context.Context, []platform.Start) error) error {
	if b.broken != nil {
		return b.broken
	}
	err := keep(ctx, b.starts)
	b.starts = nil
	return err
}

// TestTelegramIsConnected connects a person's chat and a group of the workspace. The messages of both come with one read.
func TestTelegramIsConnected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	owner, editor := b.browser(t), b.browser(t)
	owner.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	editor.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	page := filled("/w/{workspace}/settings/notifications", ours.wildcards)
	require.NotContains(t, owner.visited(t, page).body, "Connect Telegram", "without a bot")
	require.Equal(t, http.StatusNotFound, owner.post(t, page+"/telegram", nil).status)
	telegram := &bot{}
	b.app.OfferTelegram(telegram)
	start := func(br *browser, form url.Values) string {
		br.visited(t, page)
		got := br.post(t, page+"/telegram", form)
		require.Equal(t, http.StatusOK, got.status, got.body)
		code := regexp.MustCompile(`https://t\.me/notes_bot\?start(?:group)?=([A-Z2-7]+)`).FindStringSubmatch(got.body)
		require.NotNil(t, code, got.body)
		return code[1]
	}
	shared := url.Values{"shared": {"1"}}
	require.Equal(t, http.StatusForbidden, func() int { editor.visited(t, page); return editor.post(t, page+"/telegram", shared).status }())
	mine, room, theirs := start(owner, nil), start(owner, shared), start(editor, nil)
	finish := func(br *browser, code, shared string) int {
		br.visited(t, page)
		return br.post(t, page+"/telegram/finish", url.Values{"code": {code}, "shared": {shared}}).status
	}
	require.Equal(t, http.StatusUnprocessableEntity, finish(owner, mine, ""))
	require.Contains(t, owner.last.body, "Telegram has no message from you yet.")
	require.Contains(t, owner.last.body, "?start="+mine, "the address stays")
	telegram.broken = errors.New("down")
	require.Equal(t, http.StatusUnprocessableEntity, finish(owner, mine, ""))
	require.Contains(t, owner.last.body, "Telegram can’t be reached right now.")
	telegram.broken = nil
	telegram.starts = []platform.Start{
		{Chat: "1", Name: "<b>Ada</b>", Code: mine},
		{Chat: "-2", Name: "Studio\nroom", Code: room},
		{Chat: "3", Name: "Eve", Code: theirs},
		{Chat: "4", Name: "Other", Code: "UNKNOWN"},
	}
	require.Equal(t, http.StatusUnprocessableEntity, finish(editor, mine, ""), "the code of another person")
	require.Equal(t, http.StatusSeeOther, finish(owner, mine, ""))
	require.Equal(t, http.StatusSeeOther, finish(owner, room, "1"))
	require.Equal(t, http.StatusSeeOther, finish(editor, theirs, ""))
	require.Equal(t, http.StatusUnprocessableEntity, finish(owner, mine, ""), "a code connects once")
	require.ElementsMatch(t, []string{"TELEGRAM <b>Ada</b> true", "TELEGRAM Telegram false", "TELEGRAM Eve true"},
		postgrestest.Column(t, b.dsn, `SELECT way || ' ' || name || ' ' || (user_id IS NOT NULL) FROM notice_way`))
	require.Contains(t, owner.visited(t, page).body, "&lt;b&gt;Ada&lt;/b&gt;")
	again := start(owner, nil)
	telegram.starts = []platform.Start{{Chat: "1", Name: "Ada", Code: again}}
	require.Equal(t, http.StatusSeeOther, finish(owner, again, ""))
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT id FROM notice_way`), 3, "the same chat stays one place")
	late := start(owner, nil)
	b.clock.Advance(31 * time.Minute)
	telegram.starts = []platform.Start{{Chat: "9", Name: "Ada", Code: late}}
	require.Equal(t, http.StatusUnprocessableEntity, finish(owner, late, ""), "it has ended")
}

// TestDevicesOfNotifications adds a browser. Malformed subscriptions and addresses within private networks are refused.
func TestDevicesOfNotifications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	page := filled("/w/{workspace}/settings/notifications", ours.wildcards)
	offered := regexp.MustCompile(`data-push="([A-Za-z0-9_-]{87})"`).FindStringSubmatch(br.visited(t, page).body)
	require.NotNil(t, offered)
	require.Contains(t, br.visited(t, page).body, offered[1], "the key stays the same")
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	form := func(change, value string) url.Values {
		f := url.Values{
			"endpoint": {"https://push.example.net/canary"}, "name": {"Firefox on Linux"},
			"key": {base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())}, "auth": {base64.RawURLEncoding.EncodeToString(make([]byte, 16))},
		}
		if change != "" {
			f.Set(change, value)
		}
		return f
	}
	for _, wrong := range [][2]string{
		{"endpoint", "https://169.254.169.254/"}, {"endpoint", "http://push.example.net/"}, {"endpoint", ""}, {"key", "AAAA"}, {"auth", ""},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page+"/devices", form(wrong[0], wrong[1])).status, wrong)
		require.Contains(t, br.last.body, "This browser can’t get notifications from here.")
	}
	for range 2 { // the second time with the keys of a new subscription
		require.Equal(t, http.StatusSeeOther, br.post(t, page+"/devices", form("", "")).status)
	}
	require.Equal(t, []string{"PUSH Firefox on Linux 10"}, postgrestest.Column(t, b.dsn, `SELECT way || ' ' || name || ' ' || cardinality(kinds) FROM notice_way`))
	require.NotContains(t, br.visited(t, page).body, "canary")
	require.Contains(t, br.last.body, "Firefox on Linux")
	place := postgrestest.Column(t, b.dsn, `SELECT id FROM notice_way`)[0]
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/test", url.Values{"place": {place}}).status)
	require.Equal(t, []string{"PUSH TEST"}, postgrestest.Column(t, b.dsn, `SELECT way || ' ' || kind FROM mail`))
	for range 9 {
		other := form("endpoint", "https://push.example.net/"+rand.Text())
		require.Equal(t, http.StatusSeeOther, br.post(t, page+"/devices", other).status)
	}
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page+"/devices", form("endpoint", "https://push.example.net/more")).status)
	require.Contains(t, br.last.body, "Remove one first.")
}

func TestSummaryIsChosen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	page := filled("/w/{workspace}/settings/notifications", ours.wildcards)
	require.NotRegexp(t, `name="digest"[^>]* checked`, br.visited(t, page).body, "off at first")
	form := url.Values{"digest": {"DIGEST_WEEKLY", "POSTS_FAILED"}, "digestHour": {"17"}, "timezone": {"Europe/Berlin"}}
	require.Equal(t, http.StatusSeeOther, br.post(t, page, form).status)
	require.Equal(t, []string{"{DIGEST_WEEKLY} 17"}, postgrestest.Column(t, b.dsn,
		`SELECT digests::text || ' ' || digest_hour FROM app_user WHERE digests <> '{}'`))
	require.Regexp(t, `value="DIGEST_WEEKLY" checked`, br.visited(t, page).body)
	require.Contains(t, br.last.body, `<option value="17" selected>17:00</option>`)
	for _, wrong := range []string{"24", "-1", "x", ""} {
		form.Set("digestHour", wrong)
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page, form).status, wrong)
		require.Contains(t, br.last.body, "Choose an hour from the list.")
	}
}
