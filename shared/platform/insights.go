package platform

import (
	"context"

	"fencepost.internal/shared/domain/analytics"
)

// Insighter is a link whose network reports figures of an account and its posts. A figure that the network does not
// report is nil. Nil means "not known", and is distinct from zero. Both methods only read, so a caller may repeat them.
//
// A connection that may publish but may not read figures results in a Failure of class user with
// CodeInsightsNotGranted. This does not affect publishing. As everywhere, the class reconnect means that the whole
// connection is lost.
type Insighter interface {
	// AccountInsights returns the account's figures for the days from since to until, both included. It returns one
	// entry per day for which the network has figures, oldest first. A network that reports only current figures yields
	// one entry with today's date in UTC, if that date is in the range. The latest days may be incomplete or missing; a
	// later call returns them. CollectedAt is zero.
	AccountInsights(ctx context.Context, account Account, since, until analytics.Date) ([]analytics.ChannelDay, error)

	// PostInsights returns the current figures of the published posts with these platform ids, each counted since
	// publication. It omits a post that the network no longer has or reports nothing about. The number of ids is not
	// limited: the method makes as many calls as needed. If a call fails, it returns the figures read so far with the
	// error.
	PostInsights(ctx context.Context, account Account, posts []string) (map[string]analytics.PostFigures, error)
}

// Codes of failures to read figures.
const (
	// CodeInsightsNotGranted is the code for a connection that may not read figures. Its user must grant the
	// permission.
	CodeInsightsNotGranted = "INSIGHTS_NOT_GRANTED"
	// CodeInsightsRefused is the code for a network that refuses to report figures for a reason of its own.
	CodeInsightsRefused = "INSIGHTS_REFUSED"
)
