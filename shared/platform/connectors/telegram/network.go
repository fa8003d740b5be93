package telegram

import (
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL string `env:"TELEGRAM_API_URL" envDefault:"https://api.telegram.org" format:"http-url" desc:"Base address of the Telegram Bot API." example:"http://127.0.0.1:8090/telegram"`
}

// givenToken and givenChat match the only formats that the Bot API accepts. Without this check, the first post would be
// the first to fail.
var (
	givenToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)
	givenChat  = regexp.MustCompile(`^(@[A-Za-z0-9_]{1,64}|-?[0-9]{1,20})$`)
)

// sandboxBot is the prefix of a bot's tokens on the sandbox network. Any number works.
const sandboxBot = "100200300"

// Declare declares Telegram.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkTelegram,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.TelegramChannel, Title: "Telegram", About: "A channel or group, through a bot of yours.",
			Figures: analytics.Coverage{
				Channel: []analytics.Figure{analytics.Followers},
			},
			IDFault: chatFault,
			Needs: "external id: the chat's @name, or its number (-100…). Access token: the bot's, from\n" +
				"@BotFather. The bot must be an administrator of the channel, or a member of the group.",
		}, {
			Type: channel.TelegramBusiness, Title: "Telegram Business", About: "Your private conversations, through a bot of yours.",
			Needs: "external id: the bot's number, a colon, and the user's number. Access token: the bot's, from\n" +
				"@BotFather, with Business Mode. The user must have added the bot at Telegram Business.",
			Sandbox: sandboxBusiness,
		}},
		Receiver: Receiver{}, ReplyFiles: replyFiles(),
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			Fault:          tokenFault,
			NoRefreshToken: "is not used by Telegram, whose bot tokens work until they are revoked",
			SandboxForm:    "1:sandbox-BOT",
			Sandbox:        sandboxAccount,
		},
		Codes: []string{
			CodeRefused, CodeTopicClosed, CodeChatForm, CodeTokenForm, CodeFixed, CodeBusinessOff, CodeNoAccount, CodeBotShared,
			CodeAddressRefused,
		},
		UseSandbox: func(base string) { e.APIURL = base + "/telegram" },
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{Wire: httpcall.At(e.APIURL, w)})
			if err != nil {
				return nil, err
			}
			b, err := NewBusiness(Config{Wire: httpcall.At(e.APIURL, w)})
			return []platform.Link{c, b}, err
		},
	}
}

func chatFault(id string) string {
	if givenChat.MatchString(id) {
		return ""
	}
	return "is not a Telegram chat; give its @name or its number, such as -1001234567890"
}

func tokenFault(token string) string {
	if givenToken.MatchString(token) {
		return ""
	}
	return "is not a bot token, which looks like 123456789:AAH4…; @BotFather shows it"
}

// sandboxAccount returns a chat by name, with a bot that is an administrator of it.
func sandboxAccount(name string) network.SandboxAccount {
	name = strings.TrimPrefix(name, "@")
	return network.SandboxAccount{
		ID: "@" + name, Credentials: channel.Credentials{AccessToken: sandboxBot + ":sandbox-" + name},
	}
}

// sandboxBusiness returns an account that has added the bot of the same name. The number of the user is that of the sandbox.
func sandboxBusiness(name string) network.SandboxAccount {
	const floor, room = 1_000_000_000, 1_000_000_000
	sum := int64(0)
	for _, r := range name {
		sum = (sum*31 + int64(r)) % room //nolint:mnd // a hash
	}
	return network.SandboxAccount{
		ID: sandboxBot + ":" + strconv.FormatInt(floor+sum, 10), Credentials: channel.Credentials{AccessToken: sandboxBot + ":sandbox-" + name},
	}
}
