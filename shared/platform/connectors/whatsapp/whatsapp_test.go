package whatsapp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
	"fencepost.internal/shared/platform/connectors/whatsapp"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	token    = "EAAJsecretToken"
	business = "102290129340398"
	appID    = "670843887433847"
	secret   = "app-secret"
	// proof is the HMAC-SHA256 of the token with the secret.
	proof = "96889ed465d1da39445c6a5e5fe287c3db12f1e89a320b4424c5412ed8e896e5"
)

const (
	debugCall     = "GET /v26.0/debug_token"
	numbersCall   = "GET /v26.0/" + business + "/phone_numbers"
	subscribeCall = "POST /v26.0/" + business + "/subscribed_apps"
	sendCall      = "POST /v26.0/" + numberID + "/messages"
)

// bench is a link to a network that returns canned responses, and an account.
type bench struct {
	script  *platformtest.Script
	link    *whatsapp.Connector
	account platform.Account
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bench {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	link, err := whatsapp.New(whatsapp.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, App: oauth.Application{ID: appID, Secret: secret},
	})
	require.NoError(t, err)
	return &bench{script, link, platform.Account{
		Type: channel.WhatsAppBusiness, ExternalID: numberID,
		Credentials: channel.Credentials{AccessToken: token, ClientID: appID, Business: business},
	}}
}

func body(text string) platformtest.Response { return platformtest.Response{Body: text} }

// refused is a response in Meta's format.
func refused(status int, code string) platformtest.Response {
	return platformtest.Response{Status: status, Body: `{"error":{"message":"(#` + code + `) x","type":"OAuthException","code":` + code +
		`,"error_data":{"messaging_product":"whatsapp","details":"Some details"},"fbtrace_id":"A"}}`}
}

func debugged(appID, scopes string) platformtest.Response {
	return body(`{"data":{"app_id":"` + appID + `","type":"SYSTEM_USER","is_valid":true,"issued_at":1764400000,"expires_at":0,"scopes":[` + scopes + `]}}`)
}

const granted = `"whatsapp_business_management","whatsapp_business_messaging","public_profile"`

// requireFailure checks a failure, and that it has no secret.
func requireFailure(t *testing.T, err error, class platform.Class, code string) *platform.Failure {
	t.Helper()
	failure := platformtest.Failure(t, err)
	require.Equal(t, []string{string(class), code}, []string{string(failure.Class), failure.Code}, "%v", err)
	require.NotContains(t, err.Error(), token)
	require.NotContains(t, failure.Message, "publish")
	return failure
}

func TestEnter(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		debugCall: {debugged(appID, granted)},
		numbersCall: {body(`{"data":[{"id":"` + numberID + `","display_phone_number":"+1 555-078-3881","verified_name":"Lucky Shrub",
			"status":"CONNECTED","platform_type":"CLOUD_API"},{"id":"106540352242923","display_phone_number":"+1 555-078-3882","status":"PENDING",
			"platform_type":"NOT_APPLICABLE","code_verification_status":"VERIFIED"},{"id":"3","display_phone_number":"+3","status":"PENDING",
			"code_verification_status":"EXPIRED"},{"id":"4","status":"BANNED"},{"id":"5","platform_type":"ON_PREMISE"},{"id":7}]}`)},
	})
	found, err := b.link.Enter(t.Context(), map[string]string{"token": " " + token, "business": business + "\n"})
	require.NoError(t, err)
	require.Len(t, found, 5)
	require.Equal(t, channel.Candidate{
		Type: channel.WhatsAppBusiness, ExternalID: numberID, Name: "Lucky Shrub", Username: "+1 555-078-3881",
		Credentials: channel.Credentials{
			AccessToken: token, ClientID: appID, Business: business, IssuedAt: time.Unix(1764400000, 0).UTC(),
			Scope: "whatsapp_business_management whatsapp_business_messaging public_profile",
		},
	}, found[0])
	require.True(t, found[1].Needs)
	require.Empty(t, found[1].Problem)
	for i, want := range []string{"not verified", "(BANNED)", "(ON_PREMISE)"} {
		require.Contains(t, found[2+i].Problem, want)
		require.False(t, found[2+i].Needs)
	}
	require.Equal(t, "+1 555-078-3882", found[1].Name)
	seen := b.script.Requests()
	require.Equal(t, "Bearer "+appID+"|"+secret, seen[0].Header.Get("Authorization"))
	require.Equal(t, "Bearer "+token, seen[1].Header.Get("Authorization"))
	require.Equal(t, proof, seen[1].Query.Get("appsecret_proof"))
	require.Zero(t, b.link.Term(platform.Account{Credentials: found[0].Credentials}))
}

func TestEnterFails(t *testing.T) {
	t.Parallel()
	ok, numbers := debugged(appID, granted), body(`{"data":[]}`)
	for name, test := range map[string]struct {
		token, business   string
		debugged, numbers platformtest.Response
		class             platform.Class
		code, says        string
	}{
		"token with a space": {"a b", business, ok, numbers, platform.ClassUser, whatsapp.CodeTokenForm, "Copy it"},
		"no number":          {token, "Acme", ok, numbers, platform.ClassUser, whatsapp.CodeBusinessForm, "is a number"},
		"invalid token":      {token, business, body(`{"data":{"is_valid":false}}`), numbers, platform.ClassUser, whatsapp.CodeTokenForm, "Generate it"},
		"other application":  {token, business, debugged("1", granted), numbers, platform.ClassUser, whatsapp.CodeOtherApp, appID},
		"scope missing": {
			token, business, debugged(appID, `"whatsapp_business_management"`), numbers, platform.ClassUser, whatsapp.CodeScope,
			"lacks whatsapp_business_messaging",
		},
		"foreign account": {token, business, ok, refused(400, "100"), platform.ClassUser, whatsapp.CodeBusinessForm, "full control"},
		"no permission":   {token, business, ok, refused(403, "200"), platform.ClassUser, whatsapp.CodeBusinessForm, "full control"},
		"empty account":   {token, business, ok, numbers, platform.ClassUser, whatsapp.CodeNoNumber, "Add one"},
		"down":            {token, business, ok, platformtest.Response{Status: 503}, platform.ClassTransient, post.ErrorPlatformDown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{debugCall: {test.debugged}, numbersCall: {test.numbers}})
			_, err := b.link.Enter(t.Context(), map[string]string{"token": test.token, "business": test.business})
			require.Contains(t, requireFailure(t, err, test.class, test.code).Message, test.says)
		})
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{"GET /v26.0/" + numberID: {
		body(`{"id":"` + numberID + `","display_phone_number":"+1 555"}`), refused(401, "190"), {Status: 400, Body: `{"error":{"code":100,"error_subcode":33}}`},
	}})
	identity, err := b.link.Identify(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.Identity{ID: numberID, Username: "+1 555"}, identity)
	for range 2 {
		_, err = b.link.Identify(t.Context(), b.account)
		_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
	}
	_, err = b.link.Refresh(t.Context(), b.account)
	_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
	require.Equal(t, numberID, b.link.SourceOf(b.account))
	require.NotEmpty(t, b.link.Removal())
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	const address = "https://inbound.example.com/meta/whatsapp"
	b := setup(t, map[string][]platformtest.Response{
		subscribeCall: {body(`{"success":true}`), body(`{"success":true}`), body(`{"success":true}`), refused(400, "2200")},
		strings.Replace(subscribeCall, "POST", "GET", 1): {
			body(`{"data":[{"whatsapp_business_api_data":{"id":"1"},"override_callback_uri":"https://other"},
				{"whatsapp_business_api_data":{"id":"` + appID + `","name":"Lucky Shrub"},"override_callback_uri":"` + address + `"}]}`),
			body(`{"data":[{"whatsapp_business_api_data":{"id":"1"},"override_callback_uri":"https://other"}]}`),
		},
	})
	require.NoError(t, b.link.Subscribe(t.Context(), b.account, address, "verify-1"))
	seen := b.script.Requests()
	require.Empty(t, seen[0].Body, "the application is subscribed before its address is set")
	require.JSONEq(t, `{"override_callback_uri":"`+address+`","verify_token":"verify-1"}`, seen[1].Body)
	failure := requireFailure(t, b.link.Subscribe(t.Context(), b.account, address, "verify-1"), platform.ClassOperator,
		whatsapp.CodeAddressRefused)
	require.Contains(t, failure.Message, "https")
	for _, want := range []string{address, ""} {
		got, err := b.link.Subscription(t.Context(), b.account)
		require.NoError(t, err)
		require.Equal(t, platform.Subscription{Address: want}, got)
	}
	b.account.Credentials.Business = ""
	_, err := b.link.Subscription(t.Context(), b.account)
	_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
}

func reply() platform.Reply {
	return platform.Reply{ID: ident.New[ident.Message](), Thread: "16505551234", Text: "Yes <b>&</b>", ReplyTo: "wamid.question"}
}

func TestSendReply(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{sendCall: {body(`{"messaging_product":"whatsapp","contacts":[{"input":"16505551234",
		"wa_id":"16505551234"}],"messages":[{"id":"wamid.answer","message_status":"accepted"}]}`)}})
	r := reply()
	id, err := b.link.SendReply(t.Context(), b.account, r)
	require.NoError(t, err)
	require.Equal(t, "wamid.answer", id)
	r.Thread, r.ReplyTo = "US.13491208655302741918", ""
	_, err = b.link.SendReply(t.Context(), b.account, r)
	require.NoError(t, err)
	seen := b.script.Requests()
	require.JSONEq(t, `{"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234","type":"text",
		"text":{"body":"Yes <b>&</b>"},"context":{"message_id":"wamid.question"},"biz_opaque_callback_data":"`+r.ID.String()+`"}`, seen[0].Body)
	require.JSONEq(t, `{"messaging_product":"whatsapp","recipient_type":"individual","recipient":"US.13491208655302741918","type":"text",
		"text":{"body":"Yes <b>&</b>"},"biz_opaque_callback_data":"`+r.ID.String()+`"}`, seen[1].Body)
	require.Equal(t, http.MethodPost, seen[0].Method)
}

func TestSendReplyFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		wait     time.Duration
	}{
		"window":          {refused(400, "131047"), platform.ClassRejected, platform.CodeWindowClosed, 0},
		"undeliverable":   {refused(400, "131026"), platform.ClassRejected, platform.CodePersonBlocked, 0},
		"opted out":       {refused(400, "131050"), platform.ClassRejected, inbox.CodeOptedOut, 0},
		"one person":      {refused(400, "131056"), platform.ClassRateLimited, whatsapp.CodePair, 6 * time.Second},
		"one person, 429": {refused(429, "131056"), platform.ClassRateLimited, whatsapp.CodePair, 6 * time.Second},
		"throughput":      {refused(429, "130429"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"business":        {refused(400, "80007"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"user limit":      {refused(400, "17"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"payment":         {refused(400, "131042"), platform.ClassOperator, whatsapp.CodePayment, 0},
		"locked":          {refused(403, "131031"), platform.ClassUser, whatsapp.CodeRestricted, 0},
		"policy":          {refused(400, "368"), platform.ClassUser, whatsapp.CodeRestricted, 0},
		"unregistered":    {refused(400, "133010"), platform.ClassRejected, platform.CodeConnectionEnded, 0},
		"values":          {refused(400, "132000"), platform.ClassRejected, whatsapp.CodeTemplateValues, 0},
		"no template":     {refused(404, "132001"), platform.ClassRejected, whatsapp.CodeTemplateMissing, 0},
		"paused template": {refused(400, "132015"), platform.ClassRejected, whatsapp.CodeTemplateStopped, 0},
		"parameter":       {refused(400, "131009"), platform.ClassRejected, "WHATSAPP_131009", 0},
		"token":           {refused(401, "190"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"permission":      {refused(403, "10"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"denied":          {refused(400, "131005"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"zero":            {refused(400, "0"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0},
		"passing":         {refused(400, "131000"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"service":         {refused(500, "131016"), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"other form":      {platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"no ID":           {body(`{"messages":[{}]}`), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
		"nothing":         {body(``), platform.ClassUnknown, post.ErrorOutcomeUnknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{sendCall: {test.response}})
			_, err := b.link.SendReply(t.Context(), b.account, reply())
			failure := requireFailure(t, err, test.class, test.code)
			require.Len(t, b.script.Requests(), 1, "one call")
			if test.wait > 0 {
				require.Equal(t, now().Add(test.wait), failure.Until)
			}
		})
	}
	b := setup(t, nil)
	r := reply()
	r.Thread = "@bo"
	_, err := b.link.SendReply(t.Context(), b.account, r)
	_ = requireFailure(t, err, platform.ClassRejected, platform.CodePersonBlocked)
	_, err = b.link.SendReply(platform.WithSendBy(t.Context(), now().Add(-time.Second)), b.account, reply())
	_ = requireFailure(t, err, platform.ClassTransient, platform.CodeSendWindowClosed)
	b.account.Credentials.AccessToken = ""
	_, err = b.link.SendReply(t.Context(), b.account, reply())
	_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
	require.Empty(t, b.script.Requests())
}
