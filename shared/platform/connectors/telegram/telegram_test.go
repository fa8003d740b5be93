package telegram_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

const (
	token       = "123456:AAE-secret_Token"
	publishCall = "POST /bot" + token + "/sendMessage"
)

type bundle struct {
	script    *platformtest.Script
	connector *telegram.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses ...platformtest.Response) *bundle {
	t.Helper()
	b := &bundle{
		account: platform.Account{
			Type: channel.TelegramChannel, ExternalID: "-1001234", Credentials: channel.Credentials{AccessToken: token},
		},
		content: platform.Content{ContentType: post.ContentPost, Text: "Hello <b>& welcome"},
	}
	b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{publishCall: responses}))
	return b
}

// connect creates the connector for the script.
func (b *bundle) connect(t *testing.T, script *platformtest.Script) {
	t.Helper()
	connector, err := telegram.New(telegram.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, PermalinkURL: "https://t.me",
	})
	require.NoError(t, err)
	b.script, b.connector = script, connector
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := telegram.New(telegram.Config{})
	require.Error(t, err)
}

// TestLongTextBecomesRichMessage checks that paragraphs are blocks of plain text, also beyond the most blocks.
func TestLongTextBecomesRichMessage(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("a", 4_096)
	for text, want := range map[string][]string{
		long + "\n\n\n<b>one</b>\ntwo\n":       {long, "<b>one</b>\ntwo"},
		long + "\n\n \n\n\u3000\n \n\none":     {long, "one"},
		strings.Repeat("word\n\n", 600) + long: append(slices.Repeat([]string{"word"}, 499), strings.Repeat("word\n\n", 101)+long),
	} {
		b := setup(t)
		b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{
			"POST /bot" + token + "/sendRichMessage": {{Body: `{"ok":true,"result":{"message_id":7,"chat":{"id":-1001234}}}`}},
		}))
		b.content.Text = text
		created, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.NoError(t, err)
		require.Equal(t, "7", created.ExternalID)
		var body struct {
			Chat int64                                          `json:"chat_id"`
			Text *string                                        `json:"text"`
			Rich struct{ Blocks []struct{ Type, Text string } } `json:"rich_message"`
		}
		require.NoError(t, json.Unmarshal([]byte(b.script.Requests()[0].Body), &body))
		require.Nil(t, body.Text)
		require.EqualValues(t, -1001234, body.Chat)
		var got []string
		for _, block := range body.Rich.Blocks {
			require.Equal(t, "paragraph", block.Type)
			got = append(got, block.Text)
		}
		require.Equal(t, want, got)
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		chat     string
		response string
		body     string
		url      string
	}{
		"public channel": {
			"-1001234", `{"message_id":7,"chat":{"id":-1001234,"username":"acme"}}`,
			`{"chat_id":-1001234,"text":"Hello <b>& welcome"}`, "https://t.me/acme/7",
		},
		"private channel": {
			"-1001234", `{"message_id":7,"chat":{"id":-1001234}}`, `{"chat_id":-1001234,"text":"Hello <b>& welcome"}`,
			"https://t.me/c/1234/7",
		},
		"by name": {
			"@acme", `{"message_id":7,"chat":{"id":-1001234}}`, `{"chat_id":"@acme","text":"Hello <b>& welcome"}`,
			"https://t.me/acme/7",
		},
		"small group": {"-55", `{"message_id":7,"chat":{"id":-55}}`, `{"chat_id":-55,"text":"Hello <b>& welcome"}`, ""},
		"hostile name": {
			"-55", `{"message_id":7,"chat":{"id":-55,"username":"a/../b?\r\nX"}}`,
			`{"chat_id":-55,"text":"Hello <b>& welcome"}`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, platformtest.Response{Body: `{"ok":true,"result":` + test.response + `}`})
			b.account.ExternalID = test.chat
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "7", URL: test.url}, publication)
			require.JSONEq(t, test.body, b.script.Requests()[0].Body)
			require.Len(t, b.script.Requests(), 1)
		})
	}
}

func TestMigratedGroupIsCalledWithNewID(t *testing.T) {
	t.Parallel()

	moved := platformtest.Response{
		Status: 400,
		Body:   `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-100777}}`,
	}
	b := setup(t, moved, platformtest.Response{Body: `{"ok":true,"result":{"message_id":8,"chat":{"id":-100777}}}`})
	b.account.ExternalID = "-777"
	publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, "https://t.me/c/777/8", publication.URL)
	require.Contains(t, b.script.Requests()[1].Body, "-100777")

	b = setup(t, moved)
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
	require.Len(t, b.script.Requests(), 2, "the move is followed once")
}

func TestErrors(t *testing.T) {
	t.Parallel()

	refused := func(code, description string) string {
		return `{"ok":false,"error_code":` + code + `,"description":"` + description + `"}`
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"revoked token": {
			platformtest.Response{Status: 401, Body: refused("401", "Unauthorized")},
			platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"malformed token": {
			platformtest.Response{Status: 404, Body: refused("404", "Not Found")},
			platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"kicked": {
			platformtest.Response{Status: 403, Body: refused("403", "Forbidden: bot was kicked from the channel chat")},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"not a member": {
			platformtest.Response{Status: 403, Body: refused("403", "Forbidden: bot is not a member of the channel chat")},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"chat not found": {
			platformtest.Response{Status: 400, Body: refused("400", "Bad Request: chat not found")},
			platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"not enough rights": {
			platformtest.Response{
				Status: 400, Body: refused("400", "Bad Request: not enough rights to send text messages to the chat"),
			},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"need administrator": {
			platformtest.Response{Status: 400, Body: refused("400", "Bad Request: need administrator rights in the channel chat")},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"no rights": {
			platformtest.Response{Status: 400, Body: refused("400", "Bad Request: have no rights to send a message")},
			platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"too long": {
			platformtest.Response{Status: 400, Body: refused("400", "Bad Request: message is too long")},
			platform.ClassRejected,
			telegram.CodeRefused,
		},
		"empty": {
			platformtest.Response{Status: 400, Body: refused("400", "Bad Request: message text is empty")},
			platform.ClassRejected, telegram.CodeRefused,
		},
		"too large": {
			platformtest.Response{Status: 413, Body: refused("413", "Request Entity Too Large")},
			platform.ClassRejected,
			telegram.CodeRefused,
		},
		"200 but refused": {
			platformtest.Response{Body: refused("400", "Bad Request: message text is empty")},
			platform.ClassRejected,
			telegram.CodeRefused,
		},
		"limited": {
			platformtest.Response{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":35}}`},
			platform.ClassRateLimited, post.ErrorRateLimited,
		},
		"limited as a page": {
			platformtest.Response{Status: 429, Header: map[string]string{"Retry-After": "35"}, Body: "<html>"},
			platform.ClassRateLimited, post.ErrorRateLimited,
		},
		"bad gateway": {
			platformtest.Response{Status: 502, Body: refused("502", "Bad Gateway")},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"internal error": {
			platformtest.Response{Status: 500, Body: refused("500", "Internal Server Error")},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"internal in a 400": {
			platformtest.Response{Status: 400, Body: refused("500", "Internal Server Error")},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"404 as a page": {
			platformtest.Response{Status: 404, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"redirect": {
			platformtest.Response{Status: 302, Header: map[string]string{"Location": "/"}},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"ok without id": {
			platformtest.Response{Body: `{"ok":true,"result":{}}`}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"negative id": {
			platformtest.Response{Body: `{"ok":true,"result":{"message_id":-1}}`},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"a page": {platformtest.Response{Body: `<html>` + token}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, test.response)
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, err.Error(), token)
			if test.class == platform.ClassRateLimited {
				require.Equal(t, now().Add(35*time.Second), failure.Until)
			}
		})
	}
}

func TestUnusableAccountSendsNothing(t *testing.T) {
	t.Parallel()

	for name, account := range map[string]platform.Account{
		"no token":           {ExternalID: "1"},
		"token of no bot":    {ExternalID: "1", Credentials: channel.Credentials{AccessToken: "x"}},
		"token moves a path": {ExternalID: "1", Credentials: channel.Credentials{AccessToken: "1:a/../b"}},
		"no chat":            {Credentials: channel.Credentials{AccessToken: token}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			_, err := b.connector.Commit(t.Context(), account, b.content, "")
			require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
			require.Empty(t, b.script.Requests())
		})
	}
}

func TestReconcileAndRefreshAreUnsupported(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, platform.ReconcileNone, b.connector.Strength())
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence)
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
