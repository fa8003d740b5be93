package telegram

import (
	"context"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
)

// MarkRead marks a message and those before it as read, which Telegram lets the bot do if the account gave it the right
// (https://core.telegram.org/bots/api#readbusinessmessage).
func (b *Business) MarkRead(ctx context.Context, account platform.Account, read platform.Receipt) error {
	chat, message, _ := strings.Cut(read.ExternalID, "/")
	chatID, err1 := strconv.ParseInt(chat, 10, 64)
	messageID, err2 := strconv.ParseInt(message, 10, 64)
	if err1 != nil || err2 != nil || read.Connection == "" {
		return b.ended(errNoConnection)
	}
	var done bool
	_, err := b.ask(ctx, question{token: account.Credentials.AccessToken, method: "readBusinessMessage", parameters: map[string]any{
		"business_connection_id": read.Connection, "chat_id": chatID, "message_id": messageID,
	}}, &done)
	return err
}
