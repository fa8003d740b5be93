package whatsapp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/whatsapp"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	templatesCall = "GET /v26.0/" + business + "/message_templates"
	registerCall  = "POST /v26.0/" + numberID + "/register"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{templatesCall: {
		body(`{"data":[
			{"name":"order","language":"en_US","category":"UTILITY","status":"APPROVED","parameter_format":"NAMED","components":[
				{"type":"HEADER","format":"TEXT","text":"Order {{id}}"},{"type":"BODY","text":"Hi {{who}}"},{"type":"FOOTER","text":"Acme"},
				{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Thanks"},{"type":"URL","text":"Track","url":"https://a.test/{{1}}"}]}]},
			{"name":"picture","language":"en","category":"MARKETING","status":"APPROVED","components":[{"type":"HEADER","format":"IMAGE"},
				{"type":"BODY","text":"Look"}]}],
			"paging":{"cursors":{"after":"two"},"next":"https://elsewhere.example"}}`),
		body(`{"data":[
			{"name":"code","language":"en","category":"AUTHENTICATION","status":"APPROVED","components":[{"type":"BODY","text":"{{1}}"}]},
			{"name":"coupon","language":"en","category":"MARKETING","status":"APPROVED","components":[{"type":"BODY","text":"x"},
				{"type":"BUTTONS","buttons":[{"type":"COPY_CODE","text":"Copy"}]}]},
			{"name":"carousel","language":"en","category":"MARKETING","status":"APPROVED","components":[{"type":"BODY","text":"x"},{"type":"CAROUSEL"}]},
			{"name":"stopped","language":"en","category":"MARKETING","status":"PAUSED","components":[{"type":"BODY","text":"x"}]},
			{"name":"Wrong Name","language":"en","category":"MARKETING","status":"APPROVED","components":[{"type":"BODY","text":"x"}]},
			{"name":"plain","language":"en","category":"UTILITY","status":"APPROVED","components":[{"type":"BODY","text":"Hello"}]}]}`),
	}})
	found, err := b.link.Templates(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, []inbox.Template{
		{Name: "order", Language: "en_US", Category: "UTILITY", Named: true, Parts: []inbox.TemplatePart{
			{Kind: inbox.PartHeader, Text: "Order {{id}}"},
			{Kind: inbox.PartBody, Text: "Hi {{who}}"},
			{Kind: inbox.PartFooter, Text: "Acme"},
			{Kind: inbox.PartButton, Label: "Thanks"},
			{Kind: inbox.PartButton, Index: 1, Label: "Track", Text: "https://a.test/{{1}}"},
		}},
		{Name: "plain", Language: "en", Category: "UTILITY", Parts: []inbox.TemplatePart{{Kind: inbox.PartBody, Text: "Hello"}}},
	}, found)
	seen := b.script.Requests()
	require.Equal(t, "APPROVED", seen[0].Query.Get("status"))
	require.Empty(t, seen[0].Query.Get("after"))
	require.Equal(t, "two", seen[1].Query.Get("after"), "pages are followed at the same address")

	b.account.Credentials.Business = ""
	_, err = b.link.Templates(t.Context(), b.account)
	_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
}

func TestSendTemplate(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{sendCall: {body(`{"messages":[{"id":"wamid.template"}]}`)}})
	r := reply()
	r.ReplyTo, r.Template = "", &inbox.TemplateUse{Name: "order", Language: "en_US", Category: "UTILITY", Values: []inbox.TemplateValue{
		{Part: inbox.PartHeader, Name: "id", Value: "7"},
		{Part: inbox.PartBody, Name: "who", Value: "Bo"},
		{Part: inbox.PartBody, Name: "when", Value: "now"},
		{Part: inbox.PartButton, Index: 1, Name: "1", Value: "7"},
	}}
	id, err := b.link.SendReply(t.Context(), b.account, r)
	require.NoError(t, err)
	require.Equal(t, "wamid.template", id)
	r.Template = &inbox.TemplateUse{Name: "plain", Language: "en"}
	_, err = b.link.SendReply(t.Context(), b.account, r)
	require.NoError(t, err)
	seen := b.script.Requests()
	require.JSONEq(t, `{"messaging_product":"whatsapp","recipient_type":"individual","to":"16505551234","type":"template","template":{
		"name":"order","language":{"code":"en_US"},"components":[
			{"type":"header","parameters":[{"type":"text","parameter_name":"id","text":"7"}]},
			{"type":"body","parameters":[{"type":"text","parameter_name":"who","text":"Bo"},{"type":"text","parameter_name":"when","text":"now"}]},
			{"type":"button","sub_type":"url","index":"1","parameters":[{"type":"text","text":"7"}]}]},
		"biz_opaque_callback_data":"`+r.ID.String()+`"}`, seen[0].Body)
	require.Contains(t, seen[1].Body, `"template":{"name":"plain","language":{"code":"en"}}`)
}

func TestRegister(t *testing.T) {
	t.Parallel()
	require.True(t, (&whatsapp.Connector{}).RegistrationField().Secret)
	for code, want := range map[string]struct {
		class      platform.Class
		code, says string
	}{
		"133005": {platform.ClassUser, whatsapp.CodePIN, "not the PIN"},
		"133006": {platform.ClassUser, whatsapp.CodeUnverified, "verified again"},
		"133008": {platform.ClassUser, whatsapp.CodePINWait, "Wait"},
		"133010": {platform.ClassUser, whatsapp.CodeRegistration, "cannot register"},
		"190":    {platform.ClassReconnect, post.ErrorNeedsReconnect, ""},
	} {
		b := setup(t, map[string][]platformtest.Response{registerCall: {refused(400, code)}})
		err := b.link.Register(t.Context(), b.account, "123456")
		require.Contains(t, requireFailure(t, err, want.class, want.code).Message, want.says)
		require.NotContains(t, err.Error(), "123456")
	}
	b := setup(t, map[string][]platformtest.Response{registerCall: {body(`{"success":true}`)}})
	require.NoError(t, b.link.Register(t.Context(), b.account, " 123456\n"))
	require.JSONEq(t, `{"messaging_product":"whatsapp","pin":"123456"}`, b.script.Requests()[0].Body)
	for _, pin := range []string{"", "12345", "1234567", "abcdef"} {
		_ = requireFailure(t, b.link.Register(t.Context(), b.account, pin), platform.ClassUser, whatsapp.CodePIN)
	}
	require.Len(t, b.script.Requests(), 1)
}

func TestMarkRead(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{sendCall: {body(`{"success":true}`), refused(400, "131009")}})
	require.NoError(t, b.link.MarkRead(t.Context(), b.account, platform.Receipt{Thread: "1", ExternalID: "wamid.question"}))
	require.JSONEq(t, `{"messaging_product":"whatsapp","status":"read","message_id":"wamid.question"}`, b.script.Requests()[0].Body)
	err := b.link.MarkRead(t.Context(), b.account, platform.Receipt{ExternalID: "wamid.gone"})
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
	b.account.Credentials.AccessToken = ""
	err = b.link.MarkRead(t.Context(), b.account, platform.Receipt{})
	_ = requireFailure(t, err, platform.ClassReconnect, post.ErrorNeedsReconnect)
}
