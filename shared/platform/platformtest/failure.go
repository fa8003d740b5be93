package platformtest

import (
	"regexp"
	"slices"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/platform"
)

// goesOn are the classes after which the service goes on by itself.
func goesOn() []platform.Class {
	return []platform.Class{platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh, platform.ClassUnknown}
}

// advice matches an invitation to act, or a promise of what the service does next.
var advice = regexp.MustCompile(`(?i)\b(again|look|check|try|wait|please|sign in|open|remove|replace|change|convert|exchange|shorten)\b`)

// Failure returns the failure of an error, and ends the test when there is no error: platform.FailureOf reads nil as a failure of
// unknown outcome, so an assertion about its class could hold for a success. Where the service goes on by itself, the message says
// what happened and gives no advice: the service adds what it does next, and advice when the post has failed.
func Failure(t require.TestingT, err error) *platform.Failure {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	require.Error(t, err)
	failure := platform.FailureOf(err)
	if slices.Contains(goesOn(), failure.Class) {
		require.NotRegexp(t, advice, failure.Message, "advice in a failure of class %s", failure.Class)
	}
	return failure
}
