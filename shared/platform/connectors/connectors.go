// Package connectors lists the networks that this build supports. A new network needs two lines here: its environment
// and its declaration. Everything else is in its package.
package connectors

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/bluesky"
	"fencepost.internal/shared/platform/connectors/facebook"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/connectors/mastodon"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/connectors/whatsapp"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/shared/platform/rules"
)

// Config describes the API of one network to its connector.
type Config = httpcall.Config

// Environment configures the connections to the networks. Its order is that of the variables in
// docs/reference/configuration.md.
type Environment struct {
	// SandboxURL replaces the addresses of all networks.
	SandboxURL string `env:"NETWORKS_SANDBOX_URL" format:"http-url" desc:"Development only: address of a sandbox network that replaces every social network; their own addresses are then not used." example:"http://127.0.0.1:8090"`

	X              x.Environment
	Threads        threads.Environment
	Telegram       telegram.Environment
	LinkedIn       linkedin.Environment
	Facebook       facebook.Environment
	Instagram      instagram.Environment
	GoogleBusiness googlebusiness.Environment
	YouTube        youtube.Environment
	Google         google.Environment // of both networks above
	Pinterest      pinterest.Environment
	TikTok         tiktok.Environment
	XApplication   x.Application
	Bluesky        bluesky.Environment
	Mastodon       mastodon.Environment
	WhatsApp       whatsapp.Environment
}

// declare returns the declarations of all networks, with these settings.
func (e *Environment) declare() []network.Declaration {
	return []network.Declaration{
		x.Declare(&e.X, &e.XApplication),
		threads.Declare(&e.Threads),
		telegram.Declare(&e.Telegram),
		linkedin.Declare(&e.LinkedIn),
		facebook.Declare(&e.Facebook),
		instagram.Declare(&e.Instagram, graph.App{ID: &e.Facebook.AppID, Secret: &e.Facebook.AppSecret}),
		googlebusiness.Declare(&e.GoogleBusiness, e.Google),
		youtube.Declare(&e.YouTube, e.Google),
		pinterest.Declare(&e.Pinterest),
		tiktok.Declare(&e.TikTok),
		bluesky.Declare(&e.Bluesky),
		mastodon.Declare(&e.Mastodon),
		whatsapp.Declare(&e.WhatsApp),
	}
}

// Option changes the wiring of the connectors.
type Option func(*network.Wiring)

// Through calls the servers that users chose under this policy. Without it, the strictest policy applies.
func Through(policy *egress.Policy) Option {
	return func(w *network.Wiring) {
		w.Servers = network.Servers{
			Check: func(url string) error {
				_, err := policy.ParseGate(egress.Webhook, url)
				return err
			},
			Dial: policy.Dialer(egress.Webhook, nil),
		}
	}
}

// Registering stores the applications that connectors register at independent servers.
func Registering(store platform.Registrations) Option {
	return func(w *network.Wiring) { w.Registrations = store }
}

// Sealing encrypts secrets in handles with the sealer.
func Sealing(sealer platform.Sealer) Option { return func(w *network.Wiring) { w.Sealer = sealer } }

// Testing serves test channels by the links that onTest returns in place of the live ones.
func Testing(onTest func(live platform.Link) platform.Link) Option {
	return func(w *network.Wiring) { w.OnTest = onTest }
}

// New returns a registry with every link. CommitTimeout bounds the irrevocable call. If it is zero, each connector uses
// its own default.
func New(cfg Environment, clk clock.Clock, commitTimeout time.Duration, options ...Option) (*platform.Registry, error) {
	strict, err := egress.NewPolicy(egress.PolicyConfig{})
	if err != nil {
		return nil, err
	}
	wiring := network.Wiring{Clock: clk, CommitTimeout: commitTimeout}
	for _, apply := range append([]Option{Through(strict)}, options...) {
		apply(&wiring)
	}
	var links []platform.Link
	var errs []error
	for _, declared := range cfg.declare() {
		if cfg.SandboxURL != "" {
			declared.UseSandbox(strings.TrimRight(cfg.SandboxURL, "/"))
		}
		created, err := declared.Links(wiring)
		links, errs = append(links, created...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	registry, err := platform.NewRegistry(links...)
	if err != nil {
		return nil, err
	}
	return registry.WithTest(wiring.OnTest), nil
}

// Bot returns the operator's bot on Telegram with this token, at the address of the environment. It is nil without a token.
func (e *Environment) Bot(token string, clk clock.Clock) (*telegram.Bot, error) {
	if token == "" {
		return nil, nil //nolint:nilnil // Telegram is not offered
	}
	at := e.Telegram
	if e.SandboxURL != "" {
		telegram.Declare(&at).UseSandbox(strings.TrimRight(e.SandboxURL, "/"))
	}
	return telegram.NewBot(telegram.Config{Wire: httpcall.At(at.APIURL, network.Wiring{Clock: clk})}, token)
}

// Networks returns the declarations of all networks.
func Networks() []network.Declaration { return new(Environment).declare() }

// Declared returns the declarations of all networks with their settings.
func (e *Environment) Declared() []network.Declaration { return e.declare() }

// Of returns the declaration of the network. It declares nothing else if this build has no connection to the network.
func Of(n channel.Network) network.Declaration {
	for _, declared := range Networks() {
		if declared.Network == n {
			return declared
		}
	}
	return network.Declaration{Network: n}
}

// Receivers returns what reads the reports of the networks whose conversations this build has.
func Receivers() map[channel.Network]platform.Receiver {
	receivers := make(map[channel.Network]platform.Receiver)
	for _, declared := range Networks() {
		if declared.Receiver != nil {
			receivers[declared.Network] = declared.Receiver
		}
	}
	return receivers
}

// Readers returns what reads the events of the networks whose conversations this build has.
func Readers() map[channel.Network]platform.Reader {
	readers := make(map[channel.Network]platform.Reader)
	for _, declared := range Networks() {
		switch {
		case declared.Receiver != nil:
			readers[declared.Network] = declared.Receiver
		case declared.Reader != nil:
			readers[declared.Network] = declared.Reader
		}
	}
	return readers
}

// ReplyFiles describes the files that answers at a network can have.
func ReplyFiles(n channel.Network) inbox.ReplyFiles { return Of(n).ReplyFiles }

// Coverage describes what the network of a channel type reports about accounts and posts; zero if nothing.
func Coverage(t channel.Type) analytics.Coverage { return Of(t.Network()).Account(t).Figures }

// Rules returns the rules of all networks.
func Rules() rules.Table {
	var rows []func() rules.Row
	for _, declared := range Networks() {
		rows = append(rows, declared.Rules...)
	}
	return rules.NewTable(rows...)
}

// Variables lists the variables with the ids and the secrets of applications, each once.
func Variables() []string {
	var names []string
	for _, declared := range Networks() {
		for _, app := range declared.Applications {
			for _, name := range []string{app.ID, app.Secret} {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Filled returns the environment with stored values, by the names of their variables, for the ids and secrets of
// applications that the environment does not set.
func (e *Environment) Filled(stored map[string]string) Environment {
	filled := *e
	filled.each(func(variable string, field any) {
		value, ok := stored[variable]
		if !ok {
			return
		}
		switch field := field.(type) {
		case *string:
			if *field == "" {
				*field = value
			}
		case *config.Secret:
			if !field.IsSet() {
				*field = config.NewSecret(value)
			}
		}
	})
	return filled
}

// IsSet reports whether the variable with the id or the secret of an application has a value.
func (e *Environment) IsSet(name string) (set bool) {
	e.each(func(variable string, field any) {
		switch field := field.(type) {
		case *string:
			set = set || variable == name && *field != ""
		case *config.Secret:
			set = set || variable == name && field.IsSet()
		}
	})
	return set
}

// each calls visit with the variables of the networks' settings and pointers to their fields.
func (e *Environment) each(visit func(variable string, field any)) {
	networks := reflect.ValueOf(e).Elem()
	for i := range networks.NumField() {
		settings := networks.Field(i)
		if settings.Kind() != reflect.Struct {
			continue
		}
		for j := range settings.NumField() {
			if variable := settings.Type().Field(j).Tag.Get("env"); variable != "" {
				visit(variable, settings.Field(j).Addr().Interface())
			}
		}
	}
}
