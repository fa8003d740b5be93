package whatsapp

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// scopes returns the permissions that a token needs.
func scopes() platform.Scopes {
	return platform.Scopes{Needed: []string{"whatsapp_business_messaging", "whatsapp_business_management"}}
}

// Fields returns the token of the system user, and the ID of the business account.
func (c *Connector) Fields() []platform.Field {
	return []platform.Field{
		{
			Name: "token", Label: "System user token", Secret: true,
			Hint: "From Meta Business Suite, Settings, Users, System users, with the permissions " +
				"whatsapp_business_messaging and whatsapp_business_management.",
			Codes: []string{CodeTokenForm, CodeScope, CodeOtherApp},
		},
		{
			Name: "business", Label: "WhatsApp Business account ID", Hint: "A number, from the overview of WhatsApp Manager.",
			Codes: []string{CodeBusinessForm, CodeNoNumber},
		},
	}
}

// number is a phone number of a business account.
type number struct {
	ID       string `json:"id"`
	Display  string `json:"display_phone_number"`
	Name     string `json:"verified_name"`
	Status   string `json:"status"`
	Platform string `json:"platform_type"`
	Verified string `json:"code_verification_status"`
}

// state says why the number cannot be connected, or that it must be registered first.
func (n number) state() (problem string, registers bool) {
	switch n.Status {
	case "PENDING", "UNVERIFIED", "DISCONNECTED", "OFFLINE":
		registers = true
	case "MIGRATED", "DELETED", "BANNED":
		return "This number cannot be used (" + httpcall.Text(n.Status, longestName) + "). Look in WhatsApp Manager.", false
	}
	switch n.Platform {
	case "", "CLOUD_API":
	case "NOT_APPLICABLE":
		registers = true
	default:
		return "This number is used elsewhere (" + httpcall.Text(n.Platform, longestName) + "). Move it to the Cloud API in WhatsApp " +
			"Manager, then connect again.", false
	}
	if registers && n.Verified != "" && n.Verified != "VERIFIED" {
		return "This number is not verified. Verify it in WhatsApp Manager, then connect again.", false
	}
	return "", registers
}

// Enter checks the token, and returns the numbers of the business account.
func (c *Connector) Enter(ctx context.Context, values map[string]string) ([]channel.Candidate, error) {
	token, business := strings.TrimSpace(values["token"]), strings.TrimSpace(values["business"])
	if !httpcall.Token(token) {
		return nil, c.client.Fail(platform.ClassUser, CodeTokenForm, nil,
			"The token has spaces or other characters. Copy it from Meta Business Suite again.")
	}
	if !idPattern.MatchString(business) {
		return nil, c.client.Fail(platform.ClassUser, CodeBusinessForm, nil,
			"The ID of the business account is a number. Copy it from the overview of WhatsApp Manager.")
	}
	credentials, err := c.checked(ctx, token)
	if err != nil {
		return nil, err
	}
	credentials.Business = business
	var found struct {
		Data httpcall.Some[number] `json:"data"`
	}
	if _, err := c.ask(ctx, credentials, httpcall.Request{
		Path: []string{business, "phone_numbers"},
		Query: url.Values{
			"fields": {"id,display_phone_number,verified_name,status,platform_type,code_verification_status"}, "limit": {"100"},
		},
	}, &found); err != nil {
		failure := platform.FailureOf(err)
		if failure.Class == platform.ClassRejected || failure.Class == platform.ClassReconnect {
			return nil, c.client.Fail(platform.ClassUser, CodeBusinessForm, failure.Cause, "Meta does not show this business account "+
				"to the token. Compare the ID, and give the system user full control of the account in Meta Business Suite.")
		}
		return nil, err
	}
	var accounts []channel.Candidate
	for _, n := range found.Data {
		if idPattern.MatchString(n.ID) {
			problem, registers := n.state()
			accounts = append(accounts, channel.Candidate{
				Type: channel.WhatsAppBusiness, ExternalID: n.ID, Name: cmp.Or(n.Name, n.Display), Username: n.Display,
				Problem: problem, Needs: registers, Credentials: credentials,
			})
		}
	}
	if len(accounts) == 0 {
		return nil, c.client.Fail(platform.ClassUser, CodeNoNumber, nil,
			"The business account has no phone number. Add one in WhatsApp Manager, then connect again.")
	}
	return accounts, nil
}

// checked returns the credentials of a token that has the needed permissions.
func (c *Connector) checked(ctx context.Context, token string) (channel.Credentials, error) {
	credentials, err := c.dates.Read(ctx, channel.Credentials{AccessToken: token})
	if err != nil {
		failure := platform.FailureOf(err)
		if failure.Class == platform.ClassReconnect {
			return channel.Credentials{}, c.client.Fail(platform.ClassUser, CodeTokenForm, failure.Cause,
				"Meta does not accept this token. Generate it in Meta Business Suite again.")
		}
		return channel.Credentials{}, err
	}
	if c.app.ID != "" && credentials.ClientID != "" && credentials.ClientID != c.app.ID {
		return channel.Credentials{}, c.client.Fail(platform.ClassUser, CodeOtherApp, nil, "The token was generated for another app "+
			"(%s). Generate it for the app %s, whose reports this service can verify.",
			httpcall.Text(credentials.ClientID, longestName), c.app.ID)
	}
	if missing, _ := scopes().Missing(credentials.Scope); len(missing) > 0 {
		return channel.Credentials{}, c.client.Fail(platform.ClassUser, CodeScope, nil,
			"The token lacks %s. Generate it again with this permission.", strings.Join(missing, " and "))
	}
	return credentials, nil
}
