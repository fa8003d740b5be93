package places

import (
	_ "embed" // zones.txt
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the host

	"fencepost.internal/services/internal/problem"
)

// zoneNames lists the time zones that forms suggest, one a line: those of zone1970.tab of the time zone database, and older or
// neighbouring names that browsers report.
//
//go:embed zones.txt
var zoneNames string

// ZoneNames returns the names of the time zones that forms suggest, in alphabetical order.
func ZoneNames() []string { return strings.Fields(zoneNames) }

// LoadZone returns the time zone with an IANA name. It returns false for names that mean another zone, or another count of
// seconds, on other machines.
func LoadZone(name string) (*time.Location, bool) {
	switch folder, _, _ := strings.Cut(name, "/"); folder {
	case "", "Local", "localtime", "posixrules", "posix", "right", "Factory":
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// ZonesNear returns up to three names that were probably meant by an unknown one: those of the same place, and the most similar
// one.
func ZonesNear(unknown string) []string {
	const most = 3
	known := ZoneNames()
	place := folded(placeOf(unknown))
	near := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return folded(placeOf(name)) != place })
	if nearest := problem.Nearest(unknown, known, nil); nearest != "" && !slices.Contains(near, nearest) {
		near = append(near, nearest)
	}
	return near[:min(len(near), most)]
}

// placeOf returns the last part of a name, such as Berlin in Europe/Berlin.
func placeOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func folded(place string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(place))
}
