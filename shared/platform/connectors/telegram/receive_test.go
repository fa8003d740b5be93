package telegram_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform/connectors/telegram"
)

const (
	botNumber  = "123456"
	connection = "Xq7PWk2vAAHRCQAAm1RkRvTg3uU"
)

// update returns a body from testdata/inbound.
func update(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "inbound", name+".json"))
	require.NoError(t, err)
	return body
}

// change reads an update as it is received.
func change(t *testing.T, name string) (inbox.Event, inbox.Change) {
	t.Helper()
	events, err := telegram.Receiver{}.Split(botNumber, update(t, name), now())
	require.NoError(t, err, name)
	require.Len(t, events, 1, name)
	require.Equal(t, channel.NetworkTelegram, events[0].Network)
	require.Equal(t, botNumber, events[0].Account)
	require.JSONEq(t, string(update(t, name)), string(events[0].Body))
	said, err := telegram.Receiver{}.Read(events[0])
	require.NoError(t, err, name)
	return events[0], said
}

func second(unix int64) time.Time { return time.Unix(unix, 0).UTC() }

func TestReadMessage(t *testing.T) {
	t.Parallel()
	event, said := change(t, "message")
	require.Equal(t, []string{"u/730112003", "business_message"}, []string{event.Key, event.Kind})
	require.Equal(t, second(1764410100), event.At)
	bo := inbox.Identity{ID: "5550001", Name: "Bo Lind", Username: "bolind"}
	first := inbox.Written{
		Connection: connection, Thread: "5550001", ExternalID: "5550001/51234", Direction: inbox.In, Person: bo,
		Text: "Hej!\nDo you have this in green? <b>🌿</b>", SentAt: second(1764410100), Version: 730112003,
	}
	require.Equal(t, inbox.Change{Message: &first}, said)

	event, said = change(t, "edited")
	require.Equal(t, second(1764410130), event.At)
	edited := first
	edited.Text, edited.EditedAt, edited.Version = "Do you have this in blue?", second(1764410130), 730112012
	require.Equal(t, inbox.Change{Message: &edited}, said)

	_, said = change(t, "own")
	require.Equal(t, inbox.Change{Message: &inbox.Written{
		Connection: connection, Thread: "5550001", ExternalID: "5550001/51235", Direction: inbox.Out, Person: bo,
		Text: "Yes, from Monday.", ReplyTo: "5550001/51234", SentAt: second(1764410160), Version: 730112004,
	}}, said)
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]inbox.Written{
		"photo":     {Text: "This one", Files: []inbox.File{{Reference: "AgACAgIAAxkDAAIBa2c3", Name: "photo.jpg", Type: "image/jpeg", Size: 118233}}},
		"animation": {Files: []inbox.File{{Reference: "CgACAgQAAxkDAAIBbmc", Name: "wave.mp4", Type: "video/mp4", Size: 90210}}},
		"document":  {Files: []inbox.File{{Reference: "BQACAgIAAxkDAAIBb2c", Name: "order fdp.exe", Type: "application/pdf", Size: 4815162342}}},
		"voice":     {Files: []inbox.File{{Reference: "AwACAgIAAxkDAAIBcGc", Name: "voice.ogg", Type: "audio/ogg", Size: 16094}}},
		"sticker":   {Files: []inbox.File{{Reference: "CAACAgIAAxkDAAIBcWc", Name: "sticker.tgs", Type: "application/x-tgsticker", Size: 22121}}},
		"place":     {Unsupported: "a place"},
		"notice":    {Unsupported: "a message of another kind"},
	} {
		_, said := change(t, name)
		require.NotNil(t, said.Message, name)
		require.Equal(t, want, inbox.Written{Text: said.Message.Text, Files: said.Message.Files, Unsupported: said.Message.Unsupported}, name)
	}
}

func TestReadOthers(t *testing.T) {
	t.Parallel()
	event, said := change(t, "connection")
	state := inbox.Connection{
		ID: connection, ExternalID: "123456:987654321", Name: "Ada Núñez", Username: "ada_studio", Enabled: true, MayReply: true,
		At: now(),
	}
	require.Equal(t, now(), event.At, "the date of a connection is that of its beginning")
	require.Equal(t, inbox.Change{Connection: &state}, said)
	_, said = change(t, "connection-older")
	state.Name, state.Username, state.Enabled = "Ada", "", false
	require.Equal(t, inbox.Change{Connection: &state}, said)

	event, said = change(t, "deleted")
	require.Equal(t, now(), event.At)
	require.Equal(t, inbox.Change{Deleted: &inbox.Deletion{
		Connection: connection, Thread: "5550001", Messages: []string{"5550001/51234", "5550001/51236"},
	}}, said)

	event, said = change(t, "other")
	require.Equal(t, []string{"u/730112014", "message"}, []string{event.Key, event.Kind})
	require.Zero(t, said)
}

func TestSplitRefusesOtherBodies(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "null", "[]", "7", `"a"`, "{", "{}", `{"update_id":null}`, `{"update_id":"7"}`, `{"update_id":-1}`, `{"update_id":1e30}`,
		`{"update_id":7.5}`, `{"update_id":1}{"update_id":2}`,
	} {
		_, err := telegram.Receiver{}.Split(botNumber, []byte(body), now())
		require.Error(t, err, body)
	}
	for body, kind := range map[string]string{
		`{"update_id":1}`:                                "unknown",
		`{"update_id":1,"\u0000":{}}`:                    "unknown",
		`{"update_id":1,"new_thing":[1]}`:                "new_thing",
		`{"update_id":1,"business_message":7,"also":{}}`: "business_message",
	} {
		events, err := telegram.Receiver{}.Split(botNumber, []byte(body), now())
		require.NoError(t, err, body)
		require.Equal(t, kind, events[0].Kind, body)
		require.Equal(t, now(), events[0].At, body)
	}
}

// TestReadRefusesIncompleteUpdates removes each needed member, or replaces it.
func TestReadRefusesIncompleteUpdates(t *testing.T) {
	t.Parallel()
	for name, spoils := range map[string][][2]string{
		"message": {
			{`"business_connection_id":"Xq7PWk2vAAHRCQAAm1RkRvTg3uU",`, ``},
			{`Xq7PWk2v`, `Xq7 \u0000`},
			{`"message_id":51234`, `"message_id":0`},
			{`"message_id":51234`, `"message_id":9223372036854775808`},
			{`"date":1764410100`, `"date":99999999999999`},
			{`"date":1764410100`, `"date":"x"`},
			{`"chat":{"id":5550001,`, `"chat":{`},
			{`"from":`, `"by":`},
			{`"text":"Hej!`, `"text":7,"x":"`},
			{`"business_message":`, `"business_message":null,"x":`},
		},
		"edited":     {{`"edit_date":1764410130,`, ``}},
		"deleted":    {{`[51234,51236]`, `[]`}, {`[51234,51236]`, `[1.5]`}, {`"id":5550001`, `"id":0`}, {`Xq7PWk2v`, ` `}},
		"connection": {{`"id":"Xq7`, `"id":"","x":"Xq7`}, {`"id":987654321`, `"id":-1`}, {`"rights":{`, `"rights":[{`}},
	} {
		whole := string(update(t, name))
		event, _ := change(t, name)
		for _, spoil := range spoils {
			event.Body = json.RawMessage(strings.Replace(whole, spoil[0], spoil[1], 1))
			require.NotEqual(t, whole, string(event.Body), spoil[0])
			said, err := telegram.Receiver{}.Read(event)
			require.Error(t, err, "%s: %s", name, spoil)
			require.NotContains(t, err.Error(), "Hej")
			require.Nil(t, said.Message)
		}
	}
	event, _ := change(t, "connection")
	event.Account = ""
	_, err := telegram.Receiver{}.Read(event)
	require.Error(t, err)
}

// FuzzReceive checks that no body ends the program, and what every change has.
func FuzzReceive(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "inbound", "*.json"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		f.Add(update(f, strings.TrimSuffix(filepath.Base(file), ".json")))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := telegram.Receiver{}.Split(botNumber, body, now())
		if err != nil {
			return
		}
		require.Len(t, events, 1)
		require.Regexp(t, `^u/[0-9]+$`, events[0].Key)
		require.Regexp(t, `^[a-z_]{1,64}$`, events[0].Kind)
		said, err := telegram.Receiver{}.Read(events[0])
		if m := said.Message; err == nil && m != nil {
			require.NotEmpty(t, m.Connection)
			require.Regexp(t, `^-?[0-9]+/[0-9]+$`, m.ExternalID)
			require.False(t, m.SentAt.IsZero())
			require.True(t, m.Text != "" || len(m.Files) > 0 || m.Unsupported != "")
			for _, text := range []string{m.Text, m.Person.Name, m.Person.Username} {
				require.True(t, utf8.ValidString(text) && !strings.ContainsRune(text, 0))
			}
		}
	})
}
