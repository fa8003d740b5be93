package frame

import (
	_ "embed" // zones.txt
	"strings"
)

// zoneNames lists the time zones that forms suggest, one a line: those of zone1970.tab of the time zone database, and older
// or neighbouring names that browsers report.
//
//go:embed zones.txt
var zoneNames string

// Zones returns the names of the time zones that forms suggest, in alphabetical order.
func Zones() []string { return strings.Fields(zoneNames) }
