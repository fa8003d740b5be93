package mailing

import (
	"context"
	"errors"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/platform"
)

// Bot writes to chats on Telegram; see telegram.Bot.
type Bot interface {
	// Notify sends a message in Telegram's HTML. The error is platform.ErrChatGone if no other try can send it.
	Notify(ctx context.Context, chat, text string) error
}

// errNoBot is the failure of every message to Telegram while no bot is configured.
var errNoBot = errors.New("no bot is configured: set NOTIFY_TELEGRAM_TOKEN for the worker")

// itemShown bounds an item of a message, in characters: Telegram refuses messages of more than 4,096.
const itemShown = 250

// byBot sends a message to a chat on Telegram. The Bot API has no keys against repetition either; see byHook.
func (m *Mailing) byBot(due mail.Mail) (func(context.Context) error, error) {
	l, err := m.letter(due)
	if err != nil {
		return nil, err
	}
	text := l.shortened(itemShown).chat(styleOf(due.Way))
	return func(ctx context.Context) error {
		if m.Bot == nil {
			return errNoBot
		}
		err := m.Bot.Notify(ctx, due.Content.Hook, text)
		if errors.Is(err, platform.ErrChatGone) {
			return &refused{"The bot may no longer write to this chat on Telegram."}
		}
		return err
	}, nil
}

// shortened returns the letter with items of at most so many characters.
func (l letter) shortened(most int) letter {
	items := make([]string, len(l.Items))
	for i, item := range l.Items {
		items[i] = firstOf(item, most)
	}
	l.Items = items
	return l
}

// firstOf returns the beginning of a text, with at most so many characters.
func firstOf(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
