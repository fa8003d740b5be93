package platformtest

import (
	"regexp"
	"slices"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

// goesOn returns the classes after which the service continues without human action.
func goesOn() []platform.Class {
	return []platform.Class{
		platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh, platform.ClassUnknown,
	}
}

// advice matches advice to the reader, and announcements of what the service does next.
var advice = regexp.MustCompile(
	`(?i)\b(again|look|check|try|wait|please|sign in|open|remove|replace|change|convert|exchange|shorten)\b`)

// Failure returns the failure of err. It ends the test if err is nil, because platform.FailureOf reads nil as a failure
// of unknown outcome, and an assertion about its class could pass for a success. If the service continues by itself,
// the message must say what happened and give no advice: the service adds its next step, and adds advice once the post
// has failed.
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
