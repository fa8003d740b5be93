package whatsapp

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var pinPattern = regexp.MustCompile(`^[0-9]{6}$`)

// RegistrationField returns the PIN of a number that is not registered for the Cloud API.
func (*Connector) RegistrationField() platform.Field {
	return platform.Field{
		Name: "pin", Label: "Six-digit PIN", Secret: true,
		Hint: "The PIN of the number’s two-step verification. If it has none, choose one and keep it.",
	}
}

// Register registers a number for the Cloud API, which sets its PIN if it has none
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/registration).
func (c *Connector) Register(ctx context.Context, account platform.Account, pin string) error {
	pin = strings.TrimSpace(pin)
	if !pinPattern.MatchString(pin) {
		return c.client.Fail(platform.ClassUser, CodePIN, nil, "Enter six digits.")
	}
	var done struct{}
	_, err := c.client.AskIdentity(ctx, c.signed(account.Credentials, httpcall.Request{
		Method: http.MethodPost, Path: []string{account.ExternalID, "register"},
		JSON: map[string]string{"messaging_product": "whatsapp", "pin": pin}, Secrets: []string{pin},
	}), c.registration, &done)
	return err
}

// registration classifies the refusal of a registration
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes).
func (c *Connector) registration(response httpcall.Response) *platform.Failure {
	var shown struct {
		Error fault `json:"error"`
	}
	_ = response.Decode(&shown) // otherwise, it is zero
	var code, message string
	switch shown.Error.Code {
	case 133005:
		code, message = CodePIN, "This is not the PIN of the number. Enter the one that was set before, or turn two-step verification off "+
			"in WhatsApp Manager and choose a new one."
	case 133008, 133009, 133016:
		code, message = CodePINWait, "WhatsApp has had too many tries for this number. Wait some hours, then try again."
	case 133006:
		code, message = CodeUnverified, "The number must be verified again. Verify it in WhatsApp Manager, then connect again."
	case 133010, 133000, 133015:
		code, message = CodeRegistration, "WhatsApp cannot register this number now: it is not added to the account, or was removed a short "+
			"time ago. Look in WhatsApp Manager, wait some minutes, then try again."
	default:
		return c.failure(response)
	}
	return c.client.Fail(platform.ClassUser, code, response.Cause("refused"), "%s", message)
}
