package frame

import (
	"errors"
	"slices"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
)

// LateChoice returns the decision of a form about late posts, or the fault of a form without one.
func LateChoice(v *Visit) (late app.LatePosts, fault string) {
	if late = app.LatePosts(v.Form("late")); !late.Known() {
		return "", "Choose what happens to the late posts."
	}
	return late, ""
}

// Refusal returns the message of an error with a code, for the form that caused it; empty for other errors.
func Refusal(err error, codes ...apperr.Code) string {
	if known, ok := errors.AsType[*apperr.Error](err); ok && slices.Contains(codes, known.Code) {
		return known.Message
	}
	return ""
}
