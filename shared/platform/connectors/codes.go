package connectors

import (
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes returns the codes of failures that the network's connector reports, sorted. Metrics start at zero for each.
func Codes(n channel.Network) []string {
	codes := append([]string{httpcall.CodeRequestInvalid}, Of(n).Codes...)
	slices.Sort(codes)
	return slices.Compact(codes)
}
