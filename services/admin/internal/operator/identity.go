package operator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

// FlagSkipCheck is the flag that stores credentials without checking them with the network.
const FlagSkipCheck = "skip-check"

// identityTimeout bounds how long a network may take to report an account, because a person waits for it.
const identityTimeout = 20 * time.Second

// verify checks with the channel's network that the credentials work for the channel's account. It returns
// INVALID_STATE, with the network's response, if they do not or if the network cannot be reached. It does not verify
// channels without credentials, or of networks that this build has no link to.
func (o *Operator) verify(ctx context.Context, c channel.Channel, credentials channel.Credentials) error {
	link, linked := o.networks.Link(c)
	if !linked || credentials.AccessToken == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, identityTimeout)
	defer cancel()
	found, err := link.Identify(ctx, platform.Account{
		ChannelID: c.ID, Type: c.Type, ExternalID: c.ExternalID, Username: c.Username, Credentials: credentials,
	})
	switch {
	case err != nil:
		return unverified(c, platform.FailureOf(err))
	case found.ID != c.ExternalID:
		return apperr.New(apperr.InvalidState,
			"The access token works for the %s account %s, not for %s. Nothing was stored. Give the token of account %s, or "+
				"the account's own id with --%s",
			c.Type, named(found), c.ExternalID, c.ExternalID, MemberExternalID)
	default:
		return nil
	}
}

// named formats the account's id, and its name if that differs. Quoting prevents text from a network from controlling
// the terminal.
func named(found platform.Identity) string {
	if found.Username == "" || found.Username == found.ID {
		return strconv.Quote(found.ID)
	}
	return fmt.Sprintf("%q (%q)", found.ID, found.Username)
}

// unverified returns the error for credentials that the network refused or could not check.
func unverified(c channel.Channel, failure *platform.Failure) error {
	verb, remedy := "refuses", "Give a token that works"
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassUnknown:
		verb, remedy = "could not check", "Try again later"
	case platform.ClassRejected, platform.ClassRefresh, platform.ClassReconnect, platform.ClassUser, platform.ClassOperator:
	}
	response := "none"
	if failure.Cause != nil {
		response = failure.Cause.Error()
	}
	return apperr.Wrap(failure, apperr.InvalidState,
		"The network %s the access token of the %s account %s. Nothing was stored.\n  %s\n  Response: %s\n%s, or store it "+
			"unchecked with --%s",
		verb, c.Type, c.ExternalID, failure.Message, response, remedy, FlagSkipCheck)
}
