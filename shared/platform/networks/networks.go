// Package networks is the list of networks this build can publish to. Adding one is one line here.
package networks

import (
	"time"

	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/telegram"
	"socialpub.internal/shared/platform/threads"
	"socialpub.internal/shared/platform/wire"
	"socialpub.internal/shared/platform/x"
)

// New makes the connectors. CommitTimeout bounds the one irrevocable call; zero leaves each connector its own.
func New(cfg config.Networks, clk clock.Clock, commitTimeout time.Duration) (*platform.Registry, error) {
	at := func(base string) wire.Config {
		return wire.Config{BaseURL: base, Clock: clk, CommitTimeout: commitTimeout}
	}
	xc, err := x.New(x.Config{Wire: at(cfg.XAPIURL), ClientID: cfg.XClientID, ClientSecret: cfg.XClientSecret.Reveal()})
	if err != nil {
		return nil, err
	}
	th, err := threads.New(threads.Config{Wire: at(cfg.ThreadsAPIURL)})
	if err != nil {
		return nil, err
	}
	tg, err := telegram.New(telegram.Config{Wire: at(cfg.TelegramAPIURL)})
	if err != nil {
		return nil, err
	}
	return platform.NewRegistry(xc, th, tg)
}
