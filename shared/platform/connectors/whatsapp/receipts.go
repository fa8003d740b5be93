package whatsapp

import (
	"context"
	"net/http"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// MarkRead marks a message and those before it as read
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/mark-message-as-read).
func (c *Connector) MarkRead(ctx context.Context, account platform.Account, read platform.Receipt) error {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return c.client.Reconnect(errAccount)
	}
	var done struct{}
	_, err := c.ask(ctx, account.Credentials, httpcall.Request{
		Method: http.MethodPost, Path: []string{account.ExternalID, "messages"},
		JSON: map[string]string{"messaging_product": "whatsapp", "status": "read", "message_id": read.ExternalID},
	}, &done)
	return err
}
