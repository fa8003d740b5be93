package whatsapp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/whatsapp"
)

const numberID = "106540352242922"

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func second(unix int64) time.Time { return time.Unix(unix, 0).UTC() }

// received returns the events of a body from testdata/inbound, and what they say.
func received(t *testing.T, name string) ([]inbox.Event, []inbox.Change) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "inbound", name+".json"))
	require.NoError(t, err)
	events, err := whatsapp.Receiver{}.Split("", body, now())
	require.NoError(t, err)
	said := make([]inbox.Change, len(events))
	for i, event := range events {
		said[i], err = whatsapp.Receiver{}.Read(event)
		require.NoError(t, err, event.Key)
	}
	return events, said
}

func TestReceiveBatch(t *testing.T) {
	t.Parallel()
	events, said := received(t, "batch")
	require.Len(t, events, 6)
	keys := make([]string, len(events))
	for i, event := range events {
		keys[i] = event.Key
	}
	require.Equal(t, []string{
		"m/wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA=",
		"m/wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQUFERjg0NDEzNDdFODU3MUMxMAA=",
		"s/wamid.answer/delivered", "s/wamid.answer/read", "s/wamid.late/failed",
	}, keys[:5])
	require.Regexp(t, `^x/[0-9a-f]{64}$`, keys[5])
	require.Equal(t, []string{numberID, "message_template_status_update"}, []string{events[4].Account, events[5].Kind})
	require.Equal(t, []string{"102290129340398", now().String()}, []string{events[5].Account, events[5].At.String()})
	require.NotContains(t, string(events[0].Body), "Pablo", "an event has its own contact alone")

	require.Equal(t, inbox.Change{Message: &inbox.Written{
		Thread: "16505551234", ExternalID: keys[0][2:], Direction: inbox.In, Text: "Does it come in\nanother color?",
		Person: inbox.Identity{ID: "16505551234", Phone: "16505551234", Name: "Sheena Nelson", Aliases: []string{"US.13491208655302741918"}},
		SentAt: second(1764410100), Version: 1764410100,
	}}, said[0])
	require.Equal(t, inbox.Change{Message: &inbox.Written{
		Thread: "AR.1502576394655843", ExternalID: keys[1][2:], Direction: inbox.In, Text: "This one", ReplyTo: "wamid.original",
		Person: inbox.Identity{ID: "AR.1502576394655843", Name: "Pablo Morales", Username: "pablo.m", Aliases: []string{}},
		SentAt: second(1764410101), Version: 1764410101,
		Files: []inbox.File{{Reference: "2754859441498128", Name: "photo.jpg", Type: "image/jpeg"}},
	}}, said[1])
	const sent = "0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"
	require.Equal(t, inbox.Change{Status: &inbox.Status{
		ExternalID: "wamid.answer", State: inbox.Delivered, Opaque: sent, At: second(1764410200), Price: "service",
	}}, said[2])
	require.Equal(t, inbox.Change{Status: &inbox.Status{
		ExternalID: "wamid.answer", State: inbox.Read, Opaque: sent, At: second(1764410201), Price: "service",
		Free: true,
	}}, said[3])
	failed := said[4].Status
	require.Equal(t, []string{string(inbox.Failed), platform.CodeWindowClosed}, []string{string(failed.State), failed.FailureCode})
	require.Contains(t, failed.FailureMessage, "24 hours")
	require.Zero(t, said[5])
}

func TestReceiveEchoes(t *testing.T) {
	t.Parallel()
	events, said := received(t, "echo")
	require.Len(t, said, 3)
	first := inbox.Written{
		Thread: "16505551234", ExternalID: events[0].Key[2:], Direction: inbox.Out, Text: "Here's the info you requested!",
		Person: inbox.Identity{ID: "16505551234", Phone: "16505551234", Aliases: []string{}}, SentAt: second(1764410300), Version: 1764410300,
	}
	require.Equal(t, inbox.Change{Message: &first}, said[0])
	edited := first
	edited.Text, edited.SentAt, edited.EditedAt, edited.Version = "Here it is.", second(1764410310), second(1764410310), 1764410310
	require.Equal(t, inbox.Change{Message: &edited}, said[1])
	require.Equal(t, inbox.Change{Deleted: &inbox.Deletion{Thread: "16505551234", Messages: []string{first.ExternalID}}}, said[2])
}

func TestReceiveKinds(t *testing.T) {
	t.Parallel()
	_, said := received(t, "kinds")
	got := make([]inbox.Written, len(said))
	for i, change := range said {
		if m := change.Message; m != nil {
			got[i] = inbox.Written{Text: m.Text, ReplyTo: m.ReplyTo, Files: m.Files, Unsupported: m.Unsupported}
		}
	}
	require.Equal(t, []inbox.Written{
		{Text: "Yes, please"},
		{Text: "👍", ReplyTo: "wamid.answer"},
		{},
		{Unsupported: "a location"},
		{Unsupported: "a message of another kind"},
		{Files: []inbox.File{{Reference: "1166846181421424", Name: "order.pdf", Type: "application/pdf"}}},
		{Files: []inbox.File{{Reference: "489210938", Name: "audio.ogg", Type: "audio/ogg; codecs=opus"}}},
		{},
		{},
		{Unsupported: "a contact"},
	}, got)
	for _, i := range []int{2, 7, 8} {
		require.Zero(t, said[i], "a reaction that was taken back, a message to a group and a notice say nothing")
	}
}

func TestSplitOtherBodies(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", "[]", "{}", `{"object":"page","entry":[]}`, `{"object":"whatsapp_business_account","entry":7}`} {
		_, err := whatsapp.Receiver{}.Split("", []byte(body), now())
		require.Error(t, err, body)
	}
	// Nothing authentic is lost.
	events, err := whatsapp.Receiver{}.Split("", []byte(`{"object":"whatsapp_business_account","entry":[{"id":"a/b","changes":[
		{"field":"status","value":7},{"field":"new_thing"},{"field":"messages","value":{"metadata":{"phone_number_id":"1"},"messages":[7,{"id":""}]}},
		{"field":"messages","value":{"metadata":{"phone_number_id":"1"},"errors":[{"code":130429}]}}]}]}`), now())
	require.NoError(t, err)
	kinds := make([]string, len(events))
	for i, event := range events {
		kinds[i] = event.Account + " " + event.Kind
		said, err := whatsapp.Receiver{}.Read(event)
		require.NoError(t, err)
		require.Zero(t, said)
		require.True(t, json.Valid(event.Body))
	}
	require.Equal(t, []string{"0 unknown", "0 new_thing", "1 unknown", "1 unknown", "1 messages"}, kinds)
}

// TestReadRefusesIncompleteEvents removes or replaces each needed member.
func TestReadRefusesIncompleteEvents(t *testing.T) {
	t.Parallel()
	events, _ := received(t, "batch")
	for _, spoil := range []struct {
		at            int
		what, instead string
	}{
		{0, `"timestamp":"1764410100"`, `"timestamp":"soon"`},
		{0, `"timestamp":"1764410100"`, `"timestamp":"99999999999999999999"`},
		{0, `"text":{"body":`, `"text":{"body":7,"x":`},
		{0, `"messages":[`, `"messages":[],"x":[`},
		{0, `"wamid.`, `" wamid.`},
		{1, `AR.1502576394655843`, `AR 1`},
		{2, `"timestamp":"1764410200"`, `"timestamp":null`},
		{2, `"statuses":[`, `"statuses":[],"x":[`},
	} {
		event := events[spoil.at]
		event.Body = json.RawMessage(strings.ReplaceAll(string(event.Body), spoil.what, spoil.instead))
		require.NotEqual(t, string(events[spoil.at].Body), string(event.Body), spoil.what)
		_, err := whatsapp.Receiver{}.Read(event)
		require.Error(t, err, spoil)
		require.NotContains(t, err.Error(), "color")
	}
}

// FuzzReceive checks that no body ends the program, and what every change has.
func FuzzReceive(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "inbound", "*.json"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := whatsapp.Receiver{}.Split("", body, now())
		if err != nil {
			return
		}
		for _, event := range events {
			require.Regexp(t, `^[0-9]{1,32}$`, event.Account)
			require.Regexp(t, `^[a-z_]{1,64}$`, event.Kind)
			require.Regexp(t, `^(m/|s/|x/)[!-~]+$`, event.Key)
			require.True(t, json.Valid(event.Body))
			said, err := whatsapp.Receiver{}.Read(event)
			if err != nil || said.Message == nil {
				continue
			}
			require.NotEmpty(t, said.Message.Thread)
			require.NotEmpty(t, said.Message.ExternalID)
			require.False(t, said.Message.SentAt.IsZero())
			require.True(t, utf8.ValidString(said.Message.Text) && !strings.ContainsRune(said.Message.Text, 0))
		}
	})
}
