package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/network"
)

const (
	// endsSoon is the rest of an API version's life that is left for an upgrade.
	endsSoon = 60 * 24 * time.Hour
	// identifyLimit bounds the call to one network.
	identifyLimit = 20 * time.Second
)

// networks checks the versions of the networks' APIs, the credentials of the applications, and those of one channel of
// each type.
func (e *exam) networks(ctx context.Context) {
	cfg, valid := load[connectors.Environment](e)
	if !valid {
		return
	}
	before := len(e.findings)
	counts, err := e.counts(ctx)
	if err != nil {
		return
	}
	cfg = e.filled(ctx, cfg)
	if cfg.SandboxURL != "" {
		e.report(Finding{
			Check: checkNetworks, Level: Warning, Code: "NETWORKS_SANDBOX", Text: "Posts go to the sandbox network.",
			Cause: "NETWORKS_SANDBOX_URL replaces every network by " + cfg.SandboxURL + ".", Remedy: "Unset it in production.",
		})
	}
	for _, declared := range cfg.Declared() {
		for _, version := range declared.Versions {
			e.version(version, cfg.SandboxURL != "")
		}
		if cfg.SandboxURL == "" {
			e.applications(cfg, declared, counts)
		}
	}
	e.reconnections(counts)
	e.channels(ctx, cfg)
	if len(e.findings) == before {
		e.ok(checkNetworks, "versions, applications and a channel of each type work")
	}
}

// filled adds the credentials of applications in the database. The check of secrets reports those that cannot be opened.
func (e *exam) filled(ctx context.Context, cfg connectors.Environment) connectors.Environment {
	if e.db == nil || e.ring == nil {
		return cfg
	}
	if stored, err := postgres.NewAppCredentials(e.db, e.ring).All(ctx); err == nil {
		return cfg.Filled(stored)
	}
	return cfg
}

// counts returns the connected channels by type; none without a database.
func (e *exam) counts(ctx context.Context) ([]postgres.TypeCount, error) {
	if e.db == nil {
		return nil, nil
	}
	return postgres.NewChannels(e.db, nil).ConnectedByType(ctx)
}

// version reports a version that its network has ended or will end soon.
func (e *exam) version(v network.Version, played bool) {
	if v.Ends.IsZero() || played {
		return
	}
	remaining, day := v.Ends.Sub(e.Clock.Now()), v.Ends.Format(time.DateOnly)
	f := Finding{
		Check: checkNetworks, Level: Warning, Code: "VERSION_ENDS", Text: fmt.Sprintf("%s is %s.", v.Variable, v.Value),
		Cause:  "The network ends this version on " + day + ".",
		Remedy: "Upgrade the service, or set " + v.Variable + " to a newer version and test a post.",
	}
	switch {
	case remaining <= 0:
		f.Level, f.Code, f.Cause = Problem, "VERSION_ENDED", "The network ended this version on "+day+"."
	case remaining > endsSoon:
		return
	}
	e.report(f)
}

// applications reports incomplete credentials, and missing ones that connected channels need.
func (e *exam) applications(
	cfg connectors.Environment, declared network.Declaration, counts []postgres.TypeCount,
) {
	for _, app := range declared.Applications {
		hasID, hasSecret := cfg.IsSet(app.ID), cfg.IsSet(app.Secret)
		if hasID != hasSecret {
			set, missing := app.ID, app.Secret
			if hasSecret {
				set, missing = missing, set
			}
			e.report(Finding{
				Check: checkNetworks, Code: "APPLICATION_INCOMPLETE", Text: set + " is set, but " + missing + " is not.",
				Cause:  "The network accepts the credentials of an application only together.",
				Remedy: "Set both, from the developer portal of " + string(declared.Network) + ".",
			})
			continue
		}
		for _, s := range counts {
			if hasID || !app.Renews || cfg.IsSet(app.Instead) || !slices.Contains(app.Types, s.Type) {
				continue
			}
			e.report(Finding{
				Check: checkNetworks, Level: Warning, Code: "APPLICATION_MISSING",
				Text:   fmt.Sprintf("The tokens of %d %s channels cannot be renewed.", s.Count, s.Type),
				Cause:  app.ID + " and " + app.Secret + " are not set.",
				Remedy: "Set them, from the developer portal of " + string(declared.Network) + ".",
			})
		}
	}
}

// reconnections reports channels that only a person can connect again.
func (e *exam) reconnections(counts []postgres.TypeCount) {
	for _, s := range counts {
		if s.Reconnect == 0 {
			continue
		}
		e.report(Finding{
			Check: checkNetworks, Level: Warning, Code: "CHANNELS_RECONNECT",
			Text:   fmt.Sprintf("%d of %d %s channels need to be reconnected.", s.Reconnect, s.Count, s.Type),
			Cause:  "The network refused their credentials (NEEDS_RECONNECT). Their posts fail.",
			Remedy: `"admin channel timeline" shows when and why, "admin channel connect" connects them again.`,
		})
	}
}

// channels asks each network for the account of one channel of each type.
func (e *exam) channels(ctx context.Context, cfg connectors.Environment) {
	if e.db == nil || e.ring == nil {
		return
	}
	registry, err := connectors.New(cfg, e.Clock, 0)
	if err != nil {
		e.report(Finding{Check: checkNetworks, Code: "CONFIGURATION", Text: "The settings of a network are not valid.", Cause: err.Error()})
		return
	}
	store := postgres.NewChannels(e.db, e.ring)
	samples, err := store.Samples(ctx)
	if err != nil {
		e.report(Finding{Check: checkNetworks, Code: "CHANNELS_UNREADABLE", Text: "The channels cannot be read.", Cause: causeOf(err)})
		return
	}
	for _, c := range samples {
		link, linked := registry.Link(c)
		credentials, _, err := store.Credentials(ctx, c.ID)
		if !linked || err != nil || credentials.AccessToken == "" { // the check of secrets reports the error
			continue
		}
		e.identify(ctx, link, c, credentials)
	}
}

func (e *exam) identify(ctx context.Context, link platform.Link, c channel.Channel, credentials channel.Credentials) {
	ctx, cancel := context.WithTimeout(ctx, identifyLimit)
	defer cancel()
	_, err := link.Identify(ctx, platform.Account{
		ChannelID: c.ID, Type: c.Type, ExternalID: c.ExternalID, Username: c.Username, Credentials: credentials,
	})
	if err == nil {
		return
	}
	failure := platform.FailureOf(err)
	f := Finding{
		Check: checkNetworks, Level: Warning, Code: "CHANNEL_REFUSED",
		Text:   fmt.Sprintf("%s refuses the credentials of the channel %s (%s).", c.Type.Network(), c.ID, c.Type),
		Cause:  failure.Message,
		Remedy: `Connect the channel again ("admin channel connect"). If all channels are refused, check the application.`,
	}
	if failure.Cause != nil {
		f.Cause += " Response: " + causeOf(failure.Cause)
	}
	switch failure.Class {
	case platform.ClassRefresh:
		if credentials.RefreshToken != "" {
			return // the next use renews it
		}
	case platform.ClassTransient, platform.ClassUnknown, platform.ClassRateLimited:
		f.Level, f.Code = Problem, "NETWORK_UNREACHABLE"
		f.Text = fmt.Sprintf("%s does not respond as expected.", c.Type.Network())
		f.Remedy = "Check the way out of the workers (DNS, firewall, proxy), the address of the network and its status page."
	case platform.ClassOperator:
		f.Level, f.Code = Problem, "NETWORK_OPERATOR"
		f.Text = fmt.Sprintf("%s refuses the service.", c.Type.Network())
		f.Remedy = "Check the application in the developer portal: its access, its plan and its spending limit."
	case platform.ClassRejected, platform.ClassReconnect, platform.ClassUser:
	}
	e.report(f)
}
