package telegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const bot = "POST /bot" + token + "/"

func refusing(description string) platformtest.Response {
	return platformtest.Response{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: ` + description + `"}`}
}

// TestLiveCalls checks the method and the body of each change.
func TestLiveCalls(t *testing.T) {
	t.Parallel()
	message := `{"message_id":7,"chat":{"id":-1001234}}`
	for name, c := range map[string]struct {
		at           platform.Live
		text         string
		method, body string
		result       string
	}{
		"text": {
			platform.Live{ExternalID: "7"}, "New", "editMessageText", `{"chat_id":-1001234,"message_id":7,"text":"New"}`, message,
		},
		"long text": {
			platform.Live{ExternalID: "7"},
			strings.Repeat("a", 4_097), "editMessageText",
			`{"chat_id":-1001234,"message_id":7,"rich_message":{"blocks":[{"type":"paragraph","text":"` + strings.Repeat("a", 4_097) +
				`"}]}}`, message,
		},
		"caption": {
			platform.Live{ExternalID: "7", Captioned: true},
			"New", "editMessageCaption",
			`{"chat_id":-1001234,"message_id":7,"caption":"New"}`, message,
		},
		"no caption": {
			platform.Live{ExternalID: "7", Captioned: true},
			"", "editMessageCaption",
			`{"chat_id":-1001234,"message_id":7,"caption":""}`, message,
		},
		"deletion": {platform.Live{ExternalID: "7"}, "-", "deleteMessage", `{"chat_id":-1001234,"message_id":7}`, "true"},
		"album": {
			platform.Live{ExternalID: "7", Parts: []string{"7", "8", "10"}},
			"-", "deleteMessages",
			`{"chat_id":-1001234,"message_ids":[7,8,10]}`, "true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{
				bot + c.method: {{Body: `{"ok":true,"result":` + c.result + `}`}},
			}))
			if c.text == "-" {
				require.NoError(t, b.connector.DeleteLive(t.Context(), b.account, c.at))
			} else {
				require.NoError(t, b.connector.EditLive(t.Context(), b.account, c.at, c.text))
			}
			require.JSONEq(t, c.body, b.script.Requests()[0].Body)
		})
	}
}

// TestLiveResponses checks the meaning of each response to an edit and to a deletion.
func TestLiveResponses(t *testing.T) {
	t.Parallel()
	const none = platform.Class("")
	for name, c := range map[string]struct {
		response       platformtest.Response
		edit, deletion platform.Class
		code           string // of the edit
	}{
		"not modified": {refusing("message is not modified: specified"), none, platform.ClassRejected, ""},
		"gone":         {refusing("message to edit not found"), platform.ClassRejected, platform.ClassRejected, "LIVE_POST_GONE"},
		"deleted":      {refusing("message to delete not found"), platform.ClassRejected, none, "CONTENT_REFUSED"},
		"too old":      {refusing("message can't be deleted for everyone"), platform.ClassRejected, platform.ClassRejected, "MESSAGE_FIXED"},
		"moved": {platformtest.Response{Status: 400, Body: `{"ok":false,"error_code":400,"description":"upgraded",` +
			`"parameters":{"migrate_to_chat_id":-1009}}`}, platform.ClassRejected, platform.ClassRejected, "LIVE_POST_GONE"},
		"kicked": {
			platformtest.Response{Status: 403, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}`},
			platform.ClassReconnect, platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT",
		},
		"limited": {platformtest.Response{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests",` +
			`"parameters":{"retry_after":9}}`}, platform.ClassRateLimited, platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"down":      {platformtest.Response{Status: 502, Body: `<html>`}, platform.ClassUnknown, platform.ClassUnknown, "OUTCOME_UNKNOWN"},
		"no result": {platformtest.Response{Body: `{}`}, platform.ClassUnknown, platform.ClassUnknown, "OUTCOME_UNKNOWN"},
		"false": {
			platformtest.Response{Body: `{"ok":true,"result":false}`},
			platform.ClassUnknown, platform.ClassUnknown,
			"OUTCOME_UNKNOWN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{
				bot + "editMessageText": {c.response}, bot + "deleteMessage": {c.response},
			}))
			at := platform.Live{ExternalID: "7"}
			edit := b.connector.EditLive(t.Context(), b.account, at, "New")
			deletion := b.connector.DeleteLive(t.Context(), b.account, at)
			for err, want := range map[*error]platform.Class{&edit: c.edit, &deletion: c.deletion} {
				if want == none {
					require.NoError(t, *err)
					continue
				}
				require.Equal(t, want, platform.FailureOf(*err).Class)
				require.NotContains(t, (*err).Error(), token)
			}
			if c.edit != none {
				require.Equal(t, c.code, platform.FailureOf(edit).Code)
			}
		})
	}
}

func TestInvalidLiveCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 48*time.Hour, b.connector.DeleteWithin())
	broken := platform.Live{ExternalID: "x"}
	require.Equal(t, platform.ClassRejected, platform.FailureOf(b.connector.EditLive(t.Context(), b.account, broken, "a")).Class)
	require.Equal(t, platform.ClassRejected, platform.FailureOf(b.connector.DeleteLive(t.Context(), b.account, broken)).Class)
	late := platform.WithSendBy(t.Context(), now().Add(-time.Second))
	require.Error(t, b.connector.EditLive(late, b.account, platform.Live{ExternalID: "7"}, "a"))
	b.account.Credentials.AccessToken = "../x"
	require.Equal(t, platform.ClassReconnect,
		platform.FailureOf(b.connector.DeleteLive(t.Context(), b.account, platform.Live{ExternalID: "7"})).Class)
	require.Empty(t, b.script.Requests())
}

// TestAlbumsKeepMessageIDs checks the parts of a publication.
func TestAlbumsKeepMessageIDs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := platformtest.Picture(t, 1), platformtest.Picture(t, 2)
	b.content.Media = append(b.content.Media, first.Asset, second.Asset)
	b.content.Files = platformtest.Files(t, first, second)
	b.connect(t, platformtest.NewScript(t, map[string][]platformtest.Response{bot + "sendMediaGroup": {{Body: `{"ok":true,"result":[` +
		`{"message_id":7,"chat":{"id":-1001234}},{"message_id":9,"chat":{"id":-1001234}}]}`}}}))
	created, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, "7", created.ExternalID)
	require.Equal(t, []string{"7", "9"}, created.Parts)
}
