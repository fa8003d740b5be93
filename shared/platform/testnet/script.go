package testnet

import (
	"fmt"
	"slices"
	"strings"
)

// The scripts. An empty one is ScriptAccept.
const (
	ScriptAccept             = "accept"
	ScriptRefuse             = "refuse"
	ScriptSlow               = "slow"
	ScriptProcessing         = "processing"
	ScriptRateLimited        = "rate_limited"
	ScriptUnavailableOnce    = "unavailable_once"
	ScriptUnavailable        = "unavailable"
	ScriptTokenExpired       = "token_expired"
	ScriptTokenRevoked       = "token_revoked"
	ScriptTimeoutAfterAccept = "timeout_after_accept"
	ScriptTimeoutLost        = "timeout_lost"
	ScriptLostForGood        = "lost_for_good"
	ScriptReviewAccepted     = "review_accepted"
	ScriptReviewRefused      = "review_refused"
	ScriptRemovedLater       = "removed_later"
)

// Script says what the test network does with a post.
type Script struct{ Name, Does string }

// Scripts lists the scripts in the published order. Except where a script says always, it concerns the first call for the
// post; the network accepts the next one.
func Scripts() []Script {
	return []Script{
		{ScriptAccept, "Accepts the post. The default."},
		{ScriptRefuse, "Always refuses the post: FAILED with `TEST_REFUSED`."},
		{ScriptSlow, "Always responds after 10 seconds, then accepts."},
		{ScriptProcessing, "Always processes the upload for 10 seconds (`platform_processing`), then accepts."},
		{ScriptRateLimited, "Limits the channel for 10 seconds (`rate_limited`)."},
		{ScriptUnavailableOnce, "Is down for the first call (`retrying`)."},
		{ScriptUnavailable, "Is always down: after a minute FAILED with `PLATFORM_UNAVAILABLE`."},
		{ScriptTokenExpired, "Has let the access token expire; the service renews it."},
		{ScriptTokenRevoked, "Refuses the connection: the channel is `NEEDS_RECONNECT`, the post waits (`channel_reconnect`) " +
			"until a person reconnects the channel in the application."},
		{ScriptTimeoutAfterAccept, "Accepts the post, and the response is lost (`reconciling`): found, PUBLISHED."},
		{ScriptTimeoutLost, "Does not receive the post, and the response is lost (`reconciling`): absent, sent again."},
		{ScriptLostForGood, "Always loses the response and does not show the account's posts: after a minute FAILED with " +
			"`OUTCOME_UNKNOWN`."},
		{ScriptReviewAccepted, "Always reviews the post for 10 seconds (`platform_review`), then shows it."},
		{ScriptReviewRefused, "Always reviews the post for 10 seconds (`platform_review`), then refuses it: FAILED with " +
			"`TEST_REFUSED`."},
		{ScriptRemovedLater, "Always removes the published post after 30 seconds: FAILED with `PLATFORM_REMOVED`, on channels " +
			"with analytics."},
	}
}

// ScriptFault returns the fault of a script's name, or an empty string.
func ScriptFault(name string) string {
	names := make([]string, 0, len(Scripts()))
	for _, s := range Scripts() {
		names = append(names, s.Name)
	}
	if slices.Contains(names, name) {
		return ""
	}
	return fmt.Sprintf("There is no test script %q. Choose one of %s, or leave the member out.", name, strings.Join(names, ", "))
}
