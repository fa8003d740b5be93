package telegram

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	_ platform.Enterer = (*Connector)(nil)
	_ platform.Remover = (*Connector)(nil)
)

// Codes of entered values that Telegram refuses.
const (
	CodeTokenForm = "BOT_TOKEN_INVALID" //nolint:gosec // a code, not a credential
	CodeChatForm  = "CHAT_INVALID"
)

// Fields returns the bot's token and the channel.
func (c *Connector) Fields() []platform.Field {
	return []platform.Field{
		{Name: "token", Label: "Bot token", Secret: true, Hint: "From @BotFather, such as 123456789:AAH4…", Codes: []string{CodeTokenForm}},
		{
			Name: "chat", Label: "Channel or group",
			Hint:  "@name, t.me address, or number. The bot must be an administrator with the right to post.",
			Codes: []string{CodeChatForm},
		},
	}
}

// Enter checks that the bot may post in the chat, and returns the chat by its @name, or by its number if it has none.
func (c *Connector) Enter(ctx context.Context, values map[string]string) ([]channel.Candidate, error) {
	token, chosen := strings.TrimSpace(values["token"]), chatName(values["chat"])
	if fault := tokenFault(token); fault != "" {
		return nil, c.client.Fail(platform.ClassUser, CodeTokenForm, nil, "The token %s.", fault)
	}
	if fault := chatFault(chosen); fault != "" {
		return nil, c.client.Fail(platform.ClassUser, CodeChatForm, nil, "The channel %s.", fault)
	}
	var found struct {
		chat

		Title string `json:"title"`
	}
	response, err := c.describe(ctx, token, "getChat", map[string]any{"chat_id": chatID(chosen)}, &found)
	if err != nil {
		return nil, c.refusedValue(err)
	}
	if found.ID == 0 {
		return nil, c.client.Unclear(response, "no chat in the response")
	}
	number, _, _ := strings.Cut(token, ":")
	var bot member
	_, err = c.describe(ctx, token, "getChatMember",
		map[string]any{"chat_id": chatID(chosen), "user_id": json.Number(number)}, &bot)
	if err != nil {
		return nil, c.refusedValue(err)
	}
	if !bot.mayPost(found.Type) {
		return nil, c.client.Fail(platform.ClassUser, CodeChatForm, nil, "The bot may not post there: its status is %s. Make it "+
			"an administrator with the right to post messages.", httpcall.Text(bot.Status, longestStatus))
	}
	candidate := channel.Candidate{
		Type: channel.TelegramChannel, ExternalID: strconv.FormatInt(found.ID, 10), Name: found.Title,
		Username: found.Username, Credentials: channel.Credentials{AccessToken: token, IssuedAt: c.client.Now()},
	}
	if found.Username != "" { // as channels that the operator connects
		candidate.ExternalID = "@" + found.Username
	}
	return []channel.Candidate{candidate}, nil
}

// refusedValue says which of the entered values Telegram refused. Other failures stay as they are.
func (c *Connector) refusedValue(err error) error {
	failure := platform.FailureOf(err)
	switch {
	case failure.Class != platform.ClassReconnect:
		return err
	case failure.Message == chatLostMessage:
		return c.client.Fail(platform.ClassUser, CodeChatForm, failure.Cause,
			"Telegram does not find this chat for the bot. Check its name, and make the bot an administrator there.")
	default:
		return c.client.Fail(platform.ClassUser, CodeTokenForm, failure.Cause,
			"Telegram does not accept this token. Copy it from @BotFather again.")
	}
}

// chatName returns the chat of an @name, a name, an address at t.me, or a number.
func chatName(given string) string {
	name := strings.TrimSpace(given)
	for _, prefix := range []string{"https://", "http://", "t.me/", "telegram.me/"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimRight(name, "/")
	if _, err := strconv.ParseInt(name, 10, 64); err == nil || strings.HasPrefix(name, "@") {
		return name
	}
	return "@" + name
}

// Removal returns what a person does at Telegram, where bots leave no channel by themselves.
func (*Connector) Removal() string {
	return "To end it, remove the bot from the channel's administrators on Telegram."
}
