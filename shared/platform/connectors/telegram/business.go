package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Business is the connection to Telegram of accounts that let a bot take part in their private conversations. It publishes
// nothing. An account's access token is the bot's token. Its external ID is the bot's number, a colon, and the user's
// number, so that several accounts may share a bot.
type Business struct {
	api     *Connector    // not embedded, because it publishes
	timeout time.Duration // of a call for which Telegram does not wait
}

var (
	_ platform.Recaller = (*Business)(nil)
	_ platform.Puller   = (*Business)(nil)
	_ platform.Replier  = (*Business)(nil)
	_ platform.Remover  = (*Business)(nil)

	_ platform.ReadMarker = (*Business)(nil)
)

// Codes of the failures of business accounts.
const (
	CodeBusinessOff    = "BUSINESS_MODE_OFF"
	CodeNoAccount      = "BUSINESS_ACCOUNT_MISSING"
	CodeBotShared      = "BOT_IN_USE"
	CodeAddressRefused = "INBOUND_ADDRESS_REFUSED"
)

// NewBusiness returns the connection.
func NewBusiness(config Config) (*Business, error) {
	timeout := cmp.Or(max(config.Wire.CallTimeout, 0), httpcall.DefaultCallTimeout)
	config.Wire.CallTimeout = timeout + longestPoll
	api, err := New(config)
	return &Business{api: api, timeout: timeout}, err
}

// Types returns accounts of Telegram Business.
func (b *Business) Types() []channel.Type { return []channel.Type{channel.TelegramBusiness} }

// Refresh returns a failure of ClassReconnect, as Connector.Refresh does.
func (b *Business) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return b.api.Refresh(ctx, account)
}

// Term returns the zero Term: a bot's token does not expire.
func (b *Business) Term(account platform.Account) platform.Term { return b.api.Term(account) }

// Removal returns what a person does at Telegram.
func (*Business) Removal() string {
	return "To end it, remove the bot in Telegram, at Settings, Telegram Business, Chatbots."
}

// bot is the bot of a token.
type bot struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Connects bool   `json:"can_connect_to_business"`
}

// name returns the bot's name for a message.
func (b bot) name() string {
	if username.MatchString(b.Username) {
		return "@" + b.Username
	}
	return "the bot"
}

// Identify reads the bot. Telegram shows no user to it, so that the identity has the account's user.
func (b *Business) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	var me bot
	_, err := b.ask(ctx, question{token: account.Credentials.AccessToken, method: "getMe"}, &me)
	switch {
	case err != nil:
		return platform.Identity{}, err
	case me.ID <= 0:
		return platform.Identity{}, b.api.client.Unavailable(errNoBot)
	case !me.Connects:
		failure := b.api.client.Reconnect(errors.New("the bot has no business mode"))
		failure.Message = businessOff
		return platform.Identity{}, failure
	}
	_, user, _ := strings.Cut(account.ExternalID, ":")
	return platform.Identity{ID: strconv.FormatInt(me.ID, 10) + ":" + user}, nil
}

// question is a call that may be repeated.
type question struct {
	token, method string
	parameters    map[string]any
	wait          time.Duration // for which Telegram waits
}

// ask asks Telegram, and decodes the result into a value. With a failure, it returns Telegram's response.
func (b *Business) ask(ctx context.Context, q question, into any) (apiResponse, error) {
	client := b.api.client
	if !tokenPattern.MatchString(q.token) {
		return apiResponse{}, client.Reconnect(errToken)
	}
	var got struct {
		apiResponse

		Result json.RawMessage `json:"result"` // hides that of a message
	}
	response, err := client.Call(ctx, httpcall.Request{
		Operation: "inbox", Method: http.MethodPost, Path: []string{"bot" + q.token, q.method}, JSON: q.parameters,
		Secrets: []string{q.token}, Timeout: b.timeout + q.wait,
	})
	if err != nil {
		return apiResponse{}, err
	}
	readable := response.Decode(&got) == nil
	switch {
	case response.OK() && readable && got.OK && json.Unmarshal(got.Result, into) == nil:
		return got.apiResponse, nil
	case response.OK() && got.ErrorCode == 0:
		return got.apiResponse, client.Unclear(response, "no result in the response")
	default:
		return got.apiResponse, client.IdentityFailure(b.api.failure(response, got.apiResponse, readable, false))
	}
}

var errNoBot = errors.New("no bot in the response")

const businessOff = "This bot cannot take part in conversations of accounts. Open @BotFather, choose the bot, turn on " +
	"Business Mode in its settings, then connect again."
