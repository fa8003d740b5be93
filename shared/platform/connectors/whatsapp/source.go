package whatsapp

import (
	"context"
	"errors"
	"net/http"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// SourceOf returns the ID of the number.
func (c *Connector) SourceOf(account platform.Account) string { return account.ExternalID }

// InboundPath returns the path of the address for the reports of all numbers.
func (*Connector) InboundPath() string { return "/meta/whatsapp" }

var errNoBusiness = errors.New("the channel has no business account")

// subscriptions makes a call about the subscriptions of the number's business account.
func (c *Connector) subscriptions(
	ctx context.Context, account platform.Account, request httpcall.Request, into any,
) error {
	if account.Credentials.AccessToken == "" || account.Credentials.Business == "" {
		return c.client.Reconnect(errNoBusiness)
	}
	request.Path = []string{account.Credentials.Business, "subscribed_apps"}
	_, err := c.ask(ctx, account.Credentials, request, into)
	return err
}

// Subscription returns the address to which the application gets the reports of the business account, if it is not the
// one that the application has for all.
func (c *Connector) Subscription(ctx context.Context, account platform.Account) (platform.Subscription, error) {
	var found struct {
		Data httpcall.Some[struct {
			App struct {
				ID string `json:"id"`
			} `json:"whatsapp_business_api_data"`
			Address string `json:"override_callback_uri"`
		}] `json:"data"`
	}
	if err := c.subscriptions(ctx, account, httpcall.Request{}, &found); err != nil {
		return platform.Subscription{}, err
	}
	for _, one := range found.Data {
		if id := account.Credentials.ClientID; id == "" || one.App.ID == id {
			return platform.Subscription{Address: one.Address}, nil
		}
	}
	return platform.Subscription{}, nil
}

// Subscribe subscribes the application to the business account, and then sets the address for its reports, which Meta
// verifies at once with the secret
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override).
func (c *Connector) Subscribe(ctx context.Context, account platform.Account, address, secret string) error {
	var done struct{}
	if err := c.subscriptions(ctx, account, httpcall.Request{Method: http.MethodPost}, &done); err != nil {
		return err
	}
	err := c.subscriptions(ctx, account, httpcall.Request{
		Method: http.MethodPost, JSON: map[string]string{"override_callback_uri": address, "verify_token": secret},
		Secrets: []string{secret},
	}, &done)
	failure, failed := errors.AsType[*platform.Failure](err)
	if failed && failure.Class == platform.ClassRejected {
		return c.client.Fail(platform.ClassOperator, CodeAddressRefused, failure.Cause, "Meta could not verify the address of this "+
			"service for reports. It needs https with a valid certificate, up to 200 characters, and must be reachable from the "+
			"internet.")
	}
	return err
}
