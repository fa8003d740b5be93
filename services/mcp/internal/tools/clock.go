package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/services/internal/app"
)

// Clock has what a model would otherwise guess: the present time, the day of the week, and the zone in which people
// of the workspace mean a time.
type Clock struct {
	Now      string `json:"now" format:"date-time" example:"2026-03-01T09:00:00+01:00" doc:"The present time."`
	Weekday  string `json:"weekday" example:"SUNDAY" doc:"The present day of the week."`
	Timezone string `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the workspace."`
}

// Timed is embedded in results that concern times.
type Timed struct {
	Clock Clock `json:"clock" doc:"The present time."`
}

func (t *Timed) setClock(now time.Time, zone *time.Location) {
	at := now.In(zone)
	t.Clock = Clock{
		Now: at.Format(time.RFC3339), Weekday: strings.ToUpper(at.Weekday().String()), Timezone: zone.String(),
	}
}

// hasClock is a result with a Clock.
type hasClock interface {
	setClock(now time.Time, zone *time.Location)
}

// zone returns the time zone of the client's workspace.
func (t *Tools) zone(ctx context.Context, p app.Principal) (*time.Location, error) {
	name, err := t.cfg.App.Timezone(ctx, p)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone of workspace %s: %w", p.WorkspaceID, err)
	}
	return zone, nil
}
