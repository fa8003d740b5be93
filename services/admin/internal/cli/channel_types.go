package cli

import (
	"fmt"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// channelCreateText returns the help of "channel create", which the connectors of this build and the channel types
// determine.
func channelCreateText() string {
	forms, named := sandboxTokens()
	return fmt.Sprintf(channelCreateLong, needs(), unpublished(registry()), forms, join(named))
}

// needs describes what a channel of each type needs, one type after the other.
func needs() string {
	var text strings.Builder
	for _, declared := range connectors.Networks() {
		for _, account := range declared.Accounts {
			name := string(account.Type)
			for line := range strings.Lines(account.Needs) {
				fmt.Fprintf(&text, "  %-22s  %s\n", name, strings.TrimSuffix(line, "\n"))
				name = ""
			}
		}
	}
	return text.String()
}

// registry returns the connectors of this build. They are never called.
func registry() *platform.Registry {
	linked, err := connectors.New(connectors.Environment{SandboxURL: "http://sandbox.invalid"}, clock.System(), 0)
	if err != nil {
		return new(platform.Registry)
	}
	return linked
}

// unpublished names the types that cannot be published to, with the reason.
func unpublished(linked *platform.Registry) string {
	var never, notYet []channel.Type
	for _, t := range channel.Types() {
		if _, publishes := linked.For(channel.Channel{Type: t}); !t.Capabilities().Publish {
			never = append(never, t)
		} else if !publishes {
			notYet = append(notYet, t)
		}
	}
	text := "The networks of these types do not support publishing; they can be created:\n  " + join(never) + "\n"
	if len(notYet) > 0 {
		text += "This version does not publish to these types yet; they can be created:\n  " + join(notYet) + "\n"
	}
	return text
}

// sandboxTokens returns the forms of access tokens on the sandbox network that a network declares for itself, and the
// networks of which the tokens contain the name of the account.
func sandboxTokens() (forms string, named []channel.Network) {
	for _, declared := range connectors.Networks() {
		if form := declared.Tokens.SandboxForm; form == "" {
			named = append(named, declared.Network)
		} else {
			forms += fmt.Sprintf("  %s for %s\n", form, declared.Accounts[0].Type)
		}
		for _, account := range declared.Accounts {
			if account.SandboxRole != "" {
				forms += fmt.Sprintf("  ACCOUNT@%s instead of ACCOUNT for %s\n", account.SandboxRole, account.Type)
			}
		}
	}
	return forms, named
}
