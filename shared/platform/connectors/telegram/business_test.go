package telegram_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/platformtest"
)

// office is a bot that accounts have added, and one of them.
type office struct {
	script  *platformtest.Script
	link    *telegram.Business
	account platform.Account
}

// called returns the key of a method in a script.
func called(method string) string { return "POST /bot" + token + "/" + method }

func result(body string) platformtest.Response {
	return platformtest.Response{Body: `{"ok":true,"result":` + body + `}`}
}

func refusal(status int, code, description string) platformtest.Response {
	return platformtest.Response{
		Status: status, Body: `{"ok":false,"error_code":` + code + `,"description":"` + description + `"}`,
	}
}

const me = `{"id":123456,"is_bot":true,"first_name":"Studio","username":"studio_bot","can_connect_to_business":true}`

func open(t *testing.T, responses map[string][]platformtest.Response) *office {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	link, err := telegram.NewBusiness(telegram.Config{Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}})
	require.NoError(t, err)
	return &office{script, link, platform.Account{
		Type: channel.TelegramBusiness, ExternalID: "123456:987654321", Credentials: channel.Credentials{AccessToken: token},
	}}
}

// updates returns a response with the updates of these files.
func updates(t *testing.T, names ...string) platformtest.Response {
	t.Helper()
	bodies := make([]string, len(names))
	for i, name := range names {
		bodies[i] = string(update(t, name))
	}
	return result("[" + strings.Join(bodies, ",") + "]")
}

func TestEnterBusiness(t *testing.T) {
	t.Parallel()
	o := open(t, map[string][]platformtest.Response{
		called("getMe"):         {result(me)},
		called("getUpdates"):    {refusal(409, "409", "Conflict: can't use getUpdates method while webhook is active"), updates(t, "other", "message", "connection")},
		called("deleteWebhook"): {result("true")},
	})
	found, err := o.link.Enter(t.Context(), map[string]string{"token": " " + token + "\n"})
	require.NoError(t, err)
	require.Equal(t, []channel.Candidate{{
		Type: channel.TelegramBusiness, ExternalID: "123456:987654321", Name: "Ada Núñez", Username: "ada_studio",
		Credentials: channel.Credentials{AccessToken: token, IssuedAt: now()},
	}}, found)
	seen := o.script.Requests()
	require.Len(t, seen, 4)
	require.JSONEq(t, `{"timeout":0,"allowed_updates":["business_connection","business_message","edited_business_message",
		"deleted_business_messages"]}`, seen[1].Body, "nothing is deleted at Telegram")
	require.JSONEq(t, `{"drop_pending_updates":false}`, seen[2].Body)
	require.Equal(t, seen[1].Body, seen[3].Body)
}

func TestEnterBusinessFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token       string
		me, updates platformtest.Response
		class       platform.Class
		code, says  string
	}{
		"malformed": {"123", result(me), updates(t), platform.ClassUser, telegram.CodeTokenForm, "is not a bot token"},
		"revoked": {
			token, refusal(401, "401", "Unauthorized"), updates(t), platform.ClassUser, telegram.CodeTokenForm, "@BotFather",
		},
		"business mode off": {
			token, result(`{"id":123456,"username":"studio_bot"}`), updates(t), platform.ClassUser, telegram.CodeBusinessOff, "Business Mode",
		},
		"no account": {token, result(me), updates(t), platform.ClassUser, telegram.CodeNoAccount, "add @studio_bot"},
		"turned off": {
			token, result(me), updates(t, "connection", "connection-older"), platform.ClassUser, telegram.CodeNoAccount, "turn it off and on",
		},
		"another program": {
			token, result(me), refusal(409, "409", "Conflict: terminated by other getUpdates request"), platform.ClassUser,
			telegram.CodeBotShared, "Another program",
		},
		"down":       {token, result(me), platformtest.Response{Status: 502}, platform.ClassTransient, post.ErrorPlatformDown, ""},
		"other type": {token, result(me), result(`{}`), platform.ClassTransient, post.ErrorPlatformDown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, map[string][]platformtest.Response{called("getMe"): {test.me}, called("getUpdates"): {test.updates}})
			_, err := o.link.Enter(t.Context(), map[string]string{"token": test.token})
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.Contains(t, failure.Message, test.says)
			require.NotContains(t, err.Error(), token)
			if test.class == platform.ClassUser {
				require.Contains(t, o.link.Fields()[0].Codes, failure.Code)
			}
		})
	}
}

func TestIdentifyBusiness(t *testing.T) {
	t.Parallel()
	o := open(t, map[string][]platformtest.Response{
		called("getMe"): {result(me), result(`{"id":777,"can_connect_to_business":true}`), result(`{"id":123456}`), result(`{}`)},
	})
	identity, err := o.link.Identify(t.Context(), o.account)
	require.NoError(t, err)
	require.Equal(t, o.account.ExternalID, identity.ID)
	identity, err = o.link.Identify(t.Context(), o.account)
	require.NoError(t, err)
	require.NotEqual(t, o.account.ExternalID, identity.ID, "another bot")
	_, err = o.link.Identify(t.Context(), o.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.ErrorContains(t, err, "Business Mode")
	_, err = o.link.Identify(t.Context(), o.account)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)

	_, err = o.link.Refresh(t.Context(), o.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Zero(t, o.link.Term(o.account))
	require.Equal(t, "123456", o.link.SourceOf(o.account))
	require.NotEmpty(t, o.link.Removal())
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	const address = "https://inbound.example.com/telegram/1"
	o := open(t, map[string][]platformtest.Response{
		called("setWebhook"): {result("true"), refusal(400, "400", "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")},
		called("getWebhookInfo"): {
			result(`{"url":"` + address + `","pending_update_count":3,"last_error_date":1764410000,"last_error_message":"Wrong response: 503\u0000"}`),
			result(`{"url":"` + address + `","pending_update_count":0,"last_error_message":"Wrong response"}`),
			result(`{"url":""}`),
		},
	})
	require.NoError(t, o.link.Subscribe(t.Context(), o.account, address, "secret-1"))
	require.JSONEq(t, `{"url":"`+address+`","secret_token":"secret-1","max_connections":20,"allowed_updates":["business_connection",
		"business_message","edited_business_message","deleted_business_messages"]}`, o.script.Requests()[0].Body)
	failure := platformtest.Failure(t, o.link.Subscribe(t.Context(), o.account, "https://x:9", "s"))
	require.Equal(t, []string{string(platform.ClassOperator), telegram.CodeAddressRefused}, []string{string(failure.Class), failure.Code})
	require.Contains(t, failure.Message, "only on ports")
	for _, want := range []platform.Subscription{{Address: address, Waiting: 3, Fault: "Wrong response: 503"}, {Address: address}, {}} {
		got, err := o.link.Subscription(t.Context(), o.account)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestPull(t *testing.T) {
	t.Parallel()
	o := open(t, map[string][]platformtest.Response{called("getUpdates"): {
		updates(t, "message", "connection", "deleted"), updates(t), result(`[{"message":{}}]`), {Status: 502},
	}})
	events, cursor, err := o.link.Pull(t.Context(), o.account, 730112000, 20*time.Second)
	require.NoError(t, err)
	require.EqualValues(t, 730112014, cursor, "after the greatest number")
	require.Len(t, events, 3)
	require.Equal(t, "u/730112003", events[0].Key)
	require.Equal(t, "123456", events[0].Account)
	require.Equal(t, []time.Duration{time.Microsecond, 2 * time.Microsecond},
		[]time.Duration{events[1].At.Sub(now()), events[2].At.Sub(now())}, "updates without a time keep their order")
	require.JSONEq(t, `{"offset":730112000,"limit":15,"timeout":20,"allowed_updates":["business_connection","business_message",
		"edited_business_message","deleted_business_messages"]}`, o.script.Requests()[0].Body)
	events, cursor, err = o.link.Pull(t.Context(), o.account, cursor, time.Hour)
	require.NoError(t, err)
	require.Empty(t, events)
	require.EqualValues(t, 730112014, cursor)
	require.Contains(t, o.script.Requests()[1].Body, `"timeout":50`)
	for range 2 {
		_, kept, err := o.link.Pull(t.Context(), o.account, cursor, 0)
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
		require.Equal(t, cursor, kept)
	}
}

// TestPullWaits checks that a response may take longer than the timeout of other calls.
func TestPullWaits(t *testing.T) {
	t.Parallel()
	const timeout = 50 * time.Millisecond
	server := platformtest.NewScript(t, nil)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-time.After(4 * timeout)
		server.Set(r.Method+" "+r.URL.Path, updates(t, "message"))
		server.ServeHTTP(w, r)
	})
	listening := httptest.NewServer(slow)
	t.Cleanup(listening.Close)
	link, err := telegram.NewBusiness(telegram.Config{Wire: httpcall.Config{BaseURL: listening.URL, Clock: clocktest.New(now()), CallTimeout: timeout}})
	require.NoError(t, err)
	account := platform.Account{ExternalID: "123456:1", Credentials: channel.Credentials{AccessToken: token}}
	events, _, err := link.Pull(t.Context(), account, 0, time.Second)
	require.NoError(t, err)
	require.Len(t, events, 1)
	_, err = link.Subscription(t.Context(), account)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func reply() platform.Reply {
	return platform.Reply{
		ID: ident.New[ident.Message](), Connection: connection, Thread: "5550001", Text: "Yes <b>&</b>", ReplyTo: "5550001/51234",
	}
}

func TestSendReply(t *testing.T) {
	t.Parallel()
	o := open(t, map[string][]platformtest.Response{called("sendMessage"): {
		result(`{"message_id":51300,"business_connection_id":"x","chat":{"id":5550001,"type":"private"},"date":1764410300,"text":"Yes"}`),
	}})
	id, err := o.link.SendReply(t.Context(), o.account, reply())
	require.NoError(t, err)
	require.Equal(t, "5550001/51300", id)
	r := reply()
	r.ReplyTo = ""
	_, err = o.link.SendReply(t.Context(), o.account, r)
	require.NoError(t, err)
	seen := o.script.Requests()
	require.JSONEq(t, `{"business_connection_id":"`+connection+`","chat_id":5550001,"text":"Yes <b>&</b>","reply_parameters":{"message_id":51234}}`,
		seen[0].Body)
	require.NotContains(t, seen[1].Body, "reply_parameters")
}

func TestSendReplyFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response   platformtest.Response
		class      platform.Class
		code, says string
	}{
		"window closed": {
			refusal(400, "400", "Bad Request: BUSINESS_PEER_USAGE_MISSING"), platform.ClassRejected, platform.CodeWindowClosed, "24 hours",
		},
		"connection ended": {
			refusal(400, "400", "Bad Request: business connection not found"), platform.ClassRejected, platform.CodeConnectionEnded, "Chatbots",
		},
		"connection invalid": {
			refusal(400, "400", "Bad Request: BUSINESS_CONNECTION_INVALID"), platform.ClassRejected, platform.CodeConnectionEnded, "",
		},
		"chat excluded": {refusal(400, "400", "Bad Request: BUSINESS_PEER_INVALID"), platform.ClassRejected, platform.CodeConnectionEnded, ""},
		"no right":      {refusal(400, "400", "Bad Request: not enough rights"), platform.ClassRejected, platform.CodeConnectionEnded, ""},
		"forbidden": {
			refusal(403, "403", "Forbidden: bot can't initiate conversation with a user"), platform.ClassRejected,
			platform.CodeConnectionEnded, "",
		},
		"blocked": {
			refusal(403, "403", "Forbidden: bot was blocked by the user"), platform.ClassRejected, platform.CodePersonBlocked, "blocked",
		},
		"too long": {
			refusal(400, "400", "Bad Request: message is too long"), platform.ClassRejected, telegram.CodeRefused, "send it again",
		},
		"rate limit": {
			platformtest.Response{Status: 429, Body: `{"ok":false,"error_code":429,"parameters":{"retry_after":7}}`},
			platform.ClassRateLimited, post.ErrorRateLimited, "may write",
		},
		"revoked":      {refusal(401, "401", "Unauthorized"), platform.ClassReconnect, post.ErrorNeedsReconnect, ""},
		"down":         {platformtest.Response{Status: 502, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, "the answer was sent"},
		"error of 5xx": {refusal(500, "500", "BUSINESS_CONNECTION_INVALID"), platform.ClassUnknown, post.ErrorOutcomeUnknown, ""},
		"no page":      {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, ""},
		"no ID":        {result(`{"message_id":0,"chat":{"id":1}}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, ""},
		"no chat":      {result(`{"message_id":7}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, ""},
		"nothing":      {platformtest.Response{}, platform.ClassUnknown, post.ErrorOutcomeUnknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, map[string][]platformtest.Response{called("sendMessage"): {test.response}})
			_, err := o.link.SendReply(t.Context(), o.account, reply())
			failure := platformtest.Failure(t, err)
			require.Equal(t, []string{string(test.class), test.code}, []string{string(failure.Class), failure.Code}, "%v", err)
			require.Contains(t, failure.Message, test.says)
			require.NotContains(t, failure.Message, "publish")
			require.NotContains(t, err.Error(), token)
			require.Len(t, o.script.Requests(), 1, "one call")
		})
	}
}

// TestSendReplyNeedsConnection checks that nothing is sent without a chat and a connection, and after the time to send.
func TestSendReplyNeedsConnection(t *testing.T) {
	t.Parallel()
	o := open(t, nil)
	for _, spoil := range []func(*platform.Reply){
		func(r *platform.Reply) { r.Connection = "" }, func(r *platform.Reply) { r.Thread = "@bo" },
	} {
		r := reply()
		spoil(&r)
		_, err := o.link.SendReply(t.Context(), o.account, r)
		require.Equal(t, platform.CodeConnectionEnded, platformtest.Failure(t, err).Code)
	}
	_, err := o.link.SendReply(platform.WithSendBy(t.Context(), now().Add(-time.Second)), o.account, reply())
	failure := platformtest.Failure(t, err)
	require.Equal(t, []string{string(platform.ClassTransient), platform.CodeSendWindowClosed}, []string{string(failure.Class), failure.Code})
	require.Contains(t, failure.Message, "answer")
	o.account.Credentials.AccessToken = "no token"
	_, err = o.link.SendReply(t.Context(), o.account, reply())
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, o.script.Requests())
}
