package threads

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/network"
	"socialpub.internal/shared/platform/rules"
)

// Environment locates the API.
type Environment struct {
	APIURL string `env:"THREADS_API_URL" envDefault:"https://graph.threads.net" format:"http-url" desc:"Base address of the Threads API." example:"http://127.0.0.1:8090/threads"`
}

// Declare declares Threads.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkThreads,
		Rules:   []func() rules.Row{row},
		Accounts: []network.Account{{
			Type: channel.Threads, IsNumbered: true,
			Needs: "external id: the account's number. Access token: the long-lived one, renewed automatically.",
		}},
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			NoRefreshToken: "is not used by Threads, whose long-lived access token is renewed automatically",
			Sandbox:        network.WithoutRefreshToken(channel.NetworkThreads),
		},
		UseSandbox: func(base string) { e.APIURL = base + "/threads" },
		Links: func(w network.Wiring) ([]platform.Link, error) {
			c, err := New(Config{Wire: httpcall.At(e.APIURL, w)})
			return []platform.Link{c}, err
		},
	}
}
