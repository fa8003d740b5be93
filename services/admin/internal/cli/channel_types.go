package cli

import (
	"fmt"
	"slices"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors"
)

// channelCreateText returns the help of "channel create". The types that can be published to are taken from the channel
// types and from the connectors of this build.
func channelCreateText() string {
	return fmt.Sprintf(channelCreateLong, unpublished(registry()), join(tokenNetworks()))
}

// registry returns the connectors of this build. They are never called.
func registry() *platform.Registry {
	linked, err := connectors.New(config.Networks{SandboxURL: "http://sandbox.invalid", LinkedInVersion: "202609"}, clock.System(), 0)
	if err != nil {
		return new(platform.Registry)
	}
	return linked
}

// unpublished names the types that cannot be published to, with the reason.
func unpublished(linked *platform.Registry) string {
	var never, notYet []channel.Type
	for _, t := range channel.Types() {
		if _, publishes := linked.For(t); !t.Capabilities().Publish {
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

// tokenNetworks returns the networks whose sandbox tokens contain the name of the account.
func tokenNetworks() []channel.Network {
	var found []channel.Network
	for _, t := range channel.Types() {
		if n := t.Network(); t.Capabilities().Publish && n != channel.NetworkTelegram && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	return found
}
