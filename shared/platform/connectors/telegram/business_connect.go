package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
)

// Fields returns the bot's token.
func (b *Business) Fields() []platform.Field {
	return []platform.Field{{
		Name: "token", Label: "Bot token", Secret: true,
		Hint: "From @BotFather, such as 123456789:AAH4…. Turn on the bot’s Business Mode there, and add the bot in Telegram at " +
			"Settings, Telegram Business, Chatbots.",
		Codes: []string{CodeTokenForm, CodeBusinessOff, CodeNoAccount, CodeBotShared},
	}}
}

// Enter returns the accounts that have added the bot, as far as Telegram still reports it: for 24 hours, and until the
// report is stored as an event. It leaves the reports at Telegram.
func (b *Business) Enter(ctx context.Context, values map[string]string) ([]channel.Candidate, error) {
	client, token := b.api.client, strings.TrimSpace(values["token"])
	if fault := tokenFault(token); fault != "" {
		return nil, client.Fail(platform.ClassUser, CodeTokenForm, nil, "The token %s.", fault)
	}
	var me bot
	if _, err := b.ask(ctx, question{token: token, method: "getMe"}, &me); err != nil {
		return nil, b.api.refusedValue(err)
	}
	if !me.Connects {
		return nil, client.Fail(platform.ClassUser, CodeBusinessOff, nil, businessOff)
	}
	updates, err := b.updates(ctx, token, map[string]any{}, 0)
	if err != nil {
		return nil, err
	}
	accounts := candidates(strconv.FormatInt(me.ID, 10), updates)
	if len(accounts) == 0 {
		return nil, client.Fail(platform.ClassUser, CodeNoAccount, nil, "No account has added %[1]s in the last 24 hours. In "+
			"Telegram, open Settings, Telegram Business, Chatbots, and add %[1]s; if it is there, turn it off and on again. Then "+
			"connect again.", me.name())
	}
	for i := range accounts {
		accounts[i].Credentials = channel.Credentials{AccessToken: token, IssuedAt: client.Now()}
	}
	return accounts, nil
}

// candidates returns the accounts that let the bot take part at the end of the updates.
func candidates(number string, updates []json.RawMessage) []channel.Candidate {
	var accounts []channel.Candidate
	for _, body := range updates {
		change, err := Receiver{}.Read(inbox.Event{Account: number, Kind: kindConnection, Body: body})
		if err != nil { // of another kind
			continue
		}
		state := change.Connection
		accounts = slices.DeleteFunc(accounts, func(a channel.Candidate) bool { return a.ExternalID == state.ExternalID })
		if state.Enabled {
			accounts = append(accounts, channel.Candidate{
				Type: channel.TelegramBusiness, ExternalID: state.ExternalID, Name: cmp.Or(state.Name, state.Username),
				Username: state.Username,
			})
		}
	}
	return accounts
}
