package telegram

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Bot is the operator's bot, which notifies people. It is not a channel: nothing is published through it.
type Bot struct {
	connector *Connector
	token     string
}

// NewBot returns the bot. The error reports a malformed token.
func NewBot(config Config, token string) (*Bot, error) {
	if !tokenPattern.MatchString(token) {
		return nil, errors.New("telegram: NOTIFY_TELEGRAM_TOKEN " + tokenFault(token))
	}
	c, err := New(config)
	return &Bot{c, token}, err
}

// Address returns the address at which a person starts the bot with a code: in a chat with it, or in a group.
func (b *Bot) Address(ctx context.Context, code string, group bool) (string, error) {
	var me struct {
		Username string `json:"username"`
	}
	if _, err := b.connector.describe(ctx, b.token, "getMe", map[string]any{}, &me); err != nil {
		return "", err
	}
	if !username.MatchString(me.Username) {
		return "", errors.New("telegram: the bot has no name")
	}
	parameter := "start"
	if group {
		parameter = "startgroup"
	}
	return b.connector.permalink + "/" + me.Username + "?" + parameter + "=" + code, nil
}

// update is a message to the bot.
type update struct {
	ID      int64 `json:"update_id"`
	Message struct {
		Text string `json:"text"`
		Chat struct {
			ID        int64  `json:"id"`
			Title     string `json:"title"`
			FirstName string `json:"first_name"`
			Username  string `json:"username"`
		} `json:"chat"`
	} `json:"message"`
}

// start returns what the message says; false if it does not start the bot with a code.
func (u update) start() (platform.Start, bool) {
	words, chat := strings.Fields(u.Message.Text), u.Message.Chat
	if len(words) != 2 || words[0] != "/start" && !strings.HasPrefix(words[0], "/start@") {
		return platform.Start{}, false
	}
	name := chat.Title
	for _, other := range []string{chat.FirstName, chat.Username, "Telegram"} {
		if name == "" {
			name = other
		}
	}
	return platform.Start{Chat: strconv.FormatInt(chat.ID, 10), Name: name, Code: words[1]}, true
}

// mostPages bounds the messages that one call of Starts reads. A page has 100.
const mostPages = 10

// Starts passes the messages since the last call to the function, and then deletes them at Telegram. If the function fails, the
// next call gets them again.
func (b *Bot) Starts(ctx context.Context, keep func(context.Context, []platform.Start) error) error {
	var after int64
	for range mostPages {
		var page []update
		// The offset deletes the messages before it.
		_, err := b.connector.describe(ctx, b.token, "getUpdates",
			map[string]any{"offset": after, "timeout": 0, "allowed_updates": []string{"message"}}, &page)
		if err != nil || len(page) == 0 {
			return err
		}
		var starts []platform.Start
		for _, u := range page {
			after = max(after, u.ID+1)
			if s, ok := u.start(); ok {
				starts = append(starts, s)
			}
		}
		if err := keep(ctx, starts); err != nil {
			return err
		}
	}
	return nil
}

// Notify sends a message to a chat, in Telegram's HTML. A message whose response is lost may be sent again, because the
// Bot API has no keys against repetition. The error is platform.ErrChatGone if no other try can send the message.
func (b *Bot) Notify(ctx context.Context, chat, text string) error {
	response, err := b.connector.client.Call(ctx, httpcall.Request{
		Operation: "notify", Method: http.MethodPost, Path: []string{"bot" + b.token, "sendMessage"}, Secrets: []string{b.token},
		JSON: map[string]any{
			"chat_id": chatID(chat), "text": text, "parse_mode": "HTML", "link_preview_options": map[string]bool{"is_disabled": true},
		},
	})
	if err != nil {
		return err
	}
	var a apiResponse
	readable := response.Decode(&a) == nil
	if response.OK() && readable && a.OK {
		return nil
	}
	failure := b.connector.failure(response, a, readable, false)
	if failure.Class == platform.ClassRejected || failure.Message == chatLostMessage {
		return platform.ErrChatGone
	}
	return failure
}
