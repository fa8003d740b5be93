package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/platform"
)

// startLife is the time in which a person starts the bot with a code.
const startLife = 30 * time.Minute

// longestPlace is the maximum length of a place's name, in characters.
const longestPlace = 80

// Bot is the operator's bot on Telegram; see telegram.Bot.
type Bot interface {
	Address(ctx context.Context, code string, group bool) (string, error)
	Starts(ctx context.Context, keep func(context.Context, []platform.Start) error) error
}

// OfferTelegram lets people connect chats with the operator's bot. It is called before the first request.
func (a *identityUseCases) OfferTelegram(bot Bot) { a.bot = bot }

// OffersTelegram reports whether the operator has set up a bot.
func (a *identityUseCases) OffersTelegram() bool { return a.bot != nil }

func noBot() error { return apperr.New(apperr.NotFound, "Telegram is not set up here.") }

// botDown is the error of a call to Telegram that failed. It hides the reason, which may concern the operator's bot.
func botDown() error {
	return apperr.Invalid([]apperr.Field{{Pointer: "/telegram", Message: "Telegram can’t be reached right now. Try again in a minute."}})
}

// StartTelegram returns a code, and the address at which the person starts the bot with it: in a chat, or in a group that
// becomes a chat of the workspace.
func (a *identityUseCases) StartTelegram(ctx context.Context, p Principal, shared bool) (code, address string, err error) {
	if a.bot == nil {
		return "", "", noBot()
	}
	if _, err := a.placesOf(ctx, p, shared); err != nil {
		return "", "", err
	}
	code = rand.Text()
	if address, err = a.TelegramAddress(ctx, code, shared); err != nil {
		return "", "", err
	}
	c := mail.Code{UserID: p.Person.ID, ExpiresAt: a.now().Add(startLife)}
	if shared {
		c.WorkspaceID = p.WorkspaceID
	}
	return code, address, a.notices.AddCode(ctx, sha256.Sum256([]byte(code)), c)
}

// TelegramAddress returns the address at which a person starts the bot with a code.
func (a *identityUseCases) TelegramAddress(ctx context.Context, code string, shared bool) (string, error) {
	if a.bot == nil || !startCode.MatchString(code) {
		return "", noBot()
	}
	address, err := a.bot.Address(ctx, code, shared)
	if err != nil {
		a.log.WarnContext(ctx, "the bot for notifications does not respond", slog.Any("error", err))
		return "", botDown()
	}
	return address, nil
}

// startCode matches codes as rand.Text makes them.
var startCode = regexp.MustCompile(`^[A-Z2-7]{26,64}$`)

// FinishTelegram adds the chat in which the person started the bot with the code. It reads the messages to the bot, and stores
// those of other people until they finish. VALIDATION_FAILED if the bot was not started with the code.
func (a *identityUseCases) FinishTelegram(ctx context.Context, p Principal, code string, shared bool) error {
	if a.bot == nil {
		return noBot()
	}
	own, err := a.placesOf(ctx, p, shared)
	if err != nil {
		return err
	}
	fault := func(text string) error { return apperr.Invalid([]apperr.Field{{Pointer: "/telegram", Message: text}}) }
	if len(own) >= mail.MaxPlaces {
		return fault("You have 10 already. Remove one first.")
	}
	if err := a.bot.Starts(ctx, func(ctx context.Context, starts []platform.Start) error {
		for _, s := range starts {
			if err := a.notices.ArriveCode(ctx, sha256.Sum256([]byte(s.Code)), s.Chat, s.Name, a.now()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		a.log.WarnContext(ctx, "the bot for notifications does not respond", slog.Any("error", err))
		return botDown()
	}
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		c, err := a.notices.TakeCode(ctx, sha256.Sum256([]byte(code)), p.Person.ID, a.now())
		switch {
		case apperr.Is(err, apperr.NotFound):
			return fault("Telegram has no message from you yet. Press Start in the chat, then try again.")
		case err != nil:
			return err
		case shared != (c.WorkspaceID == p.WorkspaceID):
			return fault("This code has ended. Connect Telegram again.")
		case slices.ContainsFunc(own, func(one mail.Place) bool { return one.Way == mail.Telegram && one.Address == c.Chat }):
			return nil
		}
		return a.insertPlace(ctx, p, mail.Place{Way: mail.Telegram, Name: placeName(c.Name, "Telegram"), Address: c.Chat}, shared)
	})
}

// placeName returns a name that another program gave, as one line.
func placeName(given, other string) string {
	if name, fault := plaintext.Line(beginning(given, longestPlace), longestPlace); fault == "" && name != "" {
		return name
	}
	return other
}

// PushKey returns the public key of the service, which browsers need before they accept messages (RFC 8292).
func (a *identityUseCases) PushKey(ctx context.Context) (string, error) {
	key, err := a.notices.PushKey(ctx)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), nil
}

// AddDevice adds the person's device. One that the person added before gets its new keys. VALIDATION_FAILED for a malformed
// subscription, and for an address that the service may not reach.
func (a *identityUseCases) AddDevice(ctx context.Context, p Principal, name string, s mail.Subscription) error {
	own, err := a.notices.Places(ctx, p.Person.ID, ident.Workspace{})
	if err != nil {
		return err
	}
	fault := func(text string) error { return apperr.Invalid([]apperr.Field{{Pointer: "/device", Message: text}}) }
	if !s.Valid() || hookFault(a.egress, s.Endpoint) != "" {
		return fault("This browser can’t get notifications from here. Try another one.")
	}
	address, err := json.Marshal(s)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(own, func(one mail.Place) bool {
		var known mail.Subscription
		return one.Way == mail.Push && json.Unmarshal([]byte(one.Address), &known) == nil && known.Endpoint == s.Endpoint
	})
	switch {
	case at >= 0:
		return a.notices.SetPlaceAddress(ctx, own[at].ID, string(address))
	case len(own) >= mail.MaxPlaces:
		return fault("You have 10 already. Remove one first.")
	}
	return a.insertPlace(ctx, p, mail.Place{Way: mail.Push, Name: placeName(name, "This device"), Address: string(address)}, false)
}
