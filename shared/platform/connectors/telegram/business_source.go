package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// longestPoll is the longest time for which Telegram waits for an update.
	longestPoll = 50 * time.Second
	// pullAtOnce bounds the updates of one response, so that it stays below the size that httpcall reads: a message of 4,096
	// characters that answers another one takes up to 50 kB, because Telegram escapes most scripts.
	pullAtOnce = 15
	// mostConnections is the number of requests that Telegram makes at a time.
	mostConnections = 20
	longestFault    = 200
)

// SourceOf returns the number of the account's bot.
func (b *Business) SourceOf(account platform.Account) string {
	number, _, _ := strings.Cut(account.ExternalID, ":")
	return number
}

// Subscription asks for the bot's webhook.
func (b *Business) Subscription(ctx context.Context, account platform.Account) (platform.Subscription, error) {
	var hook struct {
		URL     string `json:"url"`
		Waiting int    `json:"pending_update_count"`
		Fault   string `json:"last_error_message"`
	}
	_, err := b.ask(ctx, question{token: account.Credentials.AccessToken, method: "getWebhookInfo"}, &hook)
	s := platform.Subscription{Address: hook.URL, Waiting: hook.Waiting}
	if hook.Waiting > 0 { // otherwise, a later report arrived
		s.Fault = httpcall.Text(hook.Fault, longestFault)
	}
	return s, err
}

// Subscribe sets the bot's webhook. Telegram sends the secret in the header X-Telegram-Bot-Api-Secret-Token.
func (b *Business) Subscribe(ctx context.Context, account platform.Account, address, secret string) error {
	var done bool
	refused, err := b.ask(ctx, question{token: account.Credentials.AccessToken, method: "setWebhook", parameters: map[string]any{
		"url": address, "secret_token": secret, "allowed_updates": updateKinds(), "max_connections": mostConnections,
	}}, &done)
	failure, failed := errors.AsType[*platform.Failure](err)
	if failed && failure.Class == platform.ClassRejected {
		return b.api.client.Fail(platform.ClassOperator, CodeAddressRefused, failure.Cause, "Telegram does not report to the "+
			"address of this service (%s). It needs https with a valid certificate, on port 443, 80, 88 or 8443.",
			httpcall.Text(refused.Description, longestFault))
	}
	return err
}

// Pull asks for updates, and deletes those before the cursor. A webhook of the bot ends.
func (b *Business) Pull(
	ctx context.Context, account platform.Account, cursor int64, wait time.Duration,
) ([]inbox.Event, int64, error) {
	wait = min(max(wait, 0), longestPoll).Truncate(time.Second)
	updates, err := b.updates(ctx, account.Credentials.AccessToken, map[string]any{"offset": cursor, "limit": pullAtOnce}, wait)
	if err != nil {
		return nil, cursor, err
	}
	events, now := make([]inbox.Event, 0, len(updates)), b.api.client.Now()
	for i, body := range updates {
		var id struct {
			ID int64 `json:"update_id"`
		}
		// Their order is that of their times, if they have no other.
		split, err := Receiver{}.Split(b.SourceOf(account), body, now.Add(time.Duration(i)*time.Microsecond))
		if err == nil {
			err = json.Unmarshal(body, &id)
		}
		if err != nil {
			return nil, cursor, b.api.client.Unavailable(fmt.Errorf("pull: %w", err))
		}
		events, cursor = append(events, split...), max(cursor, id.ID+1)
	}
	return events, cursor, nil
}

// updates calls getUpdates. If the bot has a webhook, it deletes it and calls again.
func (b *Business) updates(
	ctx context.Context, token string, parameters map[string]any, wait time.Duration,
) ([]json.RawMessage, error) {
	parameters["timeout"], parameters["allowed_updates"] = int(wait.Seconds()), updateKinds()
	q := question{token: token, method: "getUpdates", parameters: parameters, wait: wait}
	var found []json.RawMessage
	refused, err := b.ask(ctx, q, &found)
	if refused.ErrorCode == http.StatusConflict && refused.has("webhook") {
		var done bool
		if _, err := b.ask(ctx, question{token: token, method: "deleteWebhook", parameters: map[string]any{"drop_pending_updates": false}},
			&done); err != nil {
			return nil, err
		}
		refused, err = b.ask(ctx, q, &found)
	}
	if refused.ErrorCode == http.StatusConflict {
		return nil, b.api.client.Fail(platform.ClassUser, CodeBotShared, errConflict, "Another program reads the messages of this "+
			"bot. End it, or connect the account with a bot of its own.")
	}
	return found, err
}

var errConflict = errors.New("getUpdates: 409 Conflict")
