package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// validation is the response of validate-posts.
type validation struct {
	Valid    bool `json:"valid"`
	Channels []struct {
		ChannelID string    `json:"channelId"`
		Type      string    `json:"type"`
		Valid     bool      `json:"valid"`
		Errors    []finding `json:"errors"`
		Warnings  []finding `json:"warnings"`
	} `json:"channels"`
}

type finding struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

func (b *bundle) validate(t testing.TB, body string) validation {
	t.Helper()
	responded := b.post(t, "/v1/posts/validate", body)
	require.Equal(t, http.StatusOK, responded.status, responded.body)
	require.NotContains(t, responded.body, `null`, "lists are never null")
	var out validation
	responded.into(t, &out)
	return out
}

// codes returns the codes and pointers of findings.
func codes(found []finding) []string {
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.Code + " " + f.Pointer
	}
	return out
}

func TestValidateReportsEachChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x, offline := b.channel(t, b.ours.id, channel.Twitter, true), b.channel(t, b.ours.id, channel.Threads, false)
	whatsapp := b.channel(t, b.ours.id, channel.WhatsAppBusiness, true)
	ids := []ident.Channel{whatsapp, b.ours.channel, x, offline}
	out := b.validate(t, `{"channelIds":`+encode(t, ids)+`,"content":"`+strings.Repeat("x", 300)+`"}`)
	require.False(t, out.Valid)
	require.Len(t, out.Channels, 4)
	for i, want := range []struct {
		typ    channel.Type
		errors []string
	}{
		{channel.WhatsAppBusiness, []string{"CHANNEL_NOT_PUBLISHABLE /channelIds"}},
		{channel.TelegramChannel, []string{}},
		{channel.Twitter, []string{"VALIDATION_FAILED /content"}},
		{channel.Threads, []string{"CHANNEL_DISCONNECTED /channelIds"}},
	} {
		got := out.Channels[i]
		require.Equal(t, ids[i].String(), got.ChannelID, "in the order of the request")
		require.Equal(t, string(want.typ), got.Type)
		require.Equal(t, want.errors, codes(got.Errors), want.typ)
		require.Equal(t, len(want.errors) == 0, got.Valid)
		for _, f := range got.Errors {
			require.NotEmpty(t, f.Message)
		}
	}
	require.Zero(t, b.count(t, `post`))
	require.Zero(t, b.count(t, `event`))
	require.Zero(t, b.count(t, `outbox WHERE kind = 'post'`))
}

// TestValidateAgreesWithCreate checks that a body is valid if and only if it can be created with its time or, as a
// draft, published.
func TestValidateAgreesWithCreate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	empty := b.channel(t, b.ours.id, channel.Threads, true)
	paused := b.channel(t, b.ours.id, channel.Twitter, true)
	b.exec(t, `UPDATE channel SET is_queue_paused = true WHERE id = $1`, paused.String())
	reconnect := b.channel(t, b.ours.id, channel.Twitter, true)
	b.exec(t, `UPDATE channel SET token_status = 'NEEDS_RECONNECT' WHERE id = $1`, reconnect.String())
	ours, media := b.ours.channel, b.ours.media.String()
	for name, c := range map[string]struct {
		id         ident.Channel
		rest, want string
	}{
		"a draft":        {ours, `"content":"x"`, ""},
		"now":            {ours, `"content":"x","schedule":"now"`, ""},
		"at a time":      {ours, `"content":"x","schedule":"` + future + `"`, ""},
		"in a slot":      {ours, `"content":"x","schedule":"next_slot"`, ""},
		"nothing to say": {ours, `"schedule":"now"`, "VALIDATION_FAILED /content"},
		"too much": {
			ours, `"content":"` + strings.Repeat("x", 5000) + `","schedule":"now"`, "VALIDATION_FAILED /content",
		},
		"another type": {
			ours, `"content":"x","contentType":"STORY","schedule":"now"`, "VALIDATION_FAILED /contentType",
		},
		"in the past": {
			ours, `"content":"x","schedule":"2020-01-01T00:00:00Z"`, "SCHEDULED_IN_PAST /schedule",
		},
		"no slots":                   {empty, `"content":"x","schedule":"next_slot"`, "NO_FREE_SLOT /schedule"},
		"a paused queue":             {paused, `"content":"x","schedule":"next_slot"`, "QUEUE_PAUSED /schedule"},
		"a paused queue, but a time": {paused, `"content":"x","schedule":"` + future + `"`, ""},
		"a broken connection":        {reconnect, `"content":"x","schedule":"now"`, "CHANNEL_DISCONNECTED /channelIds"},
		"a video":                    {ours, `"content":"x","mediaIds":["` + media + `"],"schedule":"now"`, ""},
		"too many videos": {
			ours, `"content":"x","mediaIds":` + b.videos(t, 11) + `,"schedule":"now"`, "VALIDATION_FAILED /mediaIds",
		},
		"a business account of TikTok": {
			b.ours.channels[channel.TikTokBusiness], `"content":"x","mediaIds":["` + media + `"],"schedule":"now"`, "",
		},
	} {
		body := `{"channelIds":["` + c.id.String() + `"],` + c.rest + `}`
		out := b.validate(t, body)
		require.Equal(t, out.Channels[0].Valid, out.Valid)
		created := b.post(t, "/v1/posts", body)
		if c.want == "" {
			require.True(t, out.Valid, "%s: %v", name, out)
			require.Equal(t, http.StatusCreated, created.status, name+" "+created.body)
			continue
		}
		require.Equal(t, []string{c.want}, codes(out.Channels[0].Errors), name)
		require.Equal(t, http.StatusUnprocessableEntity, created.status, name)
		p := created.object(t)
		code, pointer, _ := strings.Cut(c.want, " ")
		require.Equal(t, code, p["code"], name)
		if code == "VALIDATION_FAILED" {
			require.Equal(t, []string{pointer}, pointers(t, p), name)
		}
	}
}

func TestValidateWarns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.validate(t, `{"channelIds":["`+b.ours.channel.String()+
		`"],"content":"x","title":"A title that Telegram does not show"}`)
	require.True(t, out.Valid)
	require.Empty(t, out.Channels[0].Errors)
	require.Equal(t, []string{"VALIDATION_FAILED /title"}, codes(out.Channels[0].Warnings))
}

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	writer := b.key(t, b.ours.id, credential.PostsWrite)
	body := strings.Replace(b.ours.withContent("x"), `}`, `,"schedule":"now"}`, 1)
	requested := b.do(t, request{
		method: http.MethodPost, path: "/v1/posts/validate", key: writer, contentType: "application/json", body: body,
	})
	require.Equal(t, http.StatusOK, requested.status, "who may write may ask, whatever the schedule")
	for _, mediaID := range []string{b.theirs.media.String(), ident.New[ident.Media]().String()} {
		requireProblem(t, b.post(t, "/v1/posts/validate",
			`{"channelIds":["`+b.ours.channel.String()+`"],"mediaIds":["`+mediaID+`"]}`), http.StatusNotFound, "NOT_FOUND")
	}
	p := requireProblem(t, b.post(t, "/v1/posts/validate", strings.Replace(body, "now", "soon", 1)),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{"/schedule"}, pointers(t, p), "a body that could not be read at all is refused")
}
