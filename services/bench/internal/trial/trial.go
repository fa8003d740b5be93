// Package trial contains the measurements. Each runs on a lab and returns rows of the result.
package trial

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/ceiling"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

// limit is the maximum duration of any single wait. A longer one fails the measurement.
const limit = 4 * time.Minute

// profileFor is the duration of a CPU profile within a measured phase.
const profileFor = 8 * time.Second

// perSecond returns the rate of n items in the duration.
func perSecond(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

func mean(values ...float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// startAll starts programs of the service. stop stops those that were started, also after an error.
func startAll(ctx context.Context, l *lab.Lab, names ...string) (started []*lab.Process, stop func(), err error) {
	stop = func() {
		for _, p := range started {
			p.Stop()
		}
	}
	for _, name := range names {
		p, err := l.Start(ctx, name)
		if err != nil {
			return started, stop, err
		}
		started = append(started, p)
	}
	return started, stop, nil
}

// startCeiling starts the ceiling's worker and a driver for it.
func startCeiling(ctx context.Context, l *lab.Lab) (*ceiling.Driver, *lab.Process, error) {
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := l.StartSelf(ctx, "ceiling", address, "ceiling-worker",
		"-address", address, "-temporal", l.Temporal, "-namespace", l.CeilingNamespace)
	if err != nil {
		return nil, nil, err
	}
	d, err := ceiling.NewDriver(l.Temporal, l.CeilingNamespace, address, l.Clock)
	if err != nil {
		p.Stop()
		return nil, nil, err
	}
	return d, p, nil
}

// turn is a measurement of one side.
type turn struct {
	side    string
	measure func() (float64, error)
}

// alternate measures one side after the other and returns the rates. One side is idle while another is measured.
func alternate(l *lab.Lab, name, unit string, turns ...turn) ([]float64, error) {
	var rates []float64
	for _, t := range turns {
		rate, err := t.measure()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rates = append(rates, rate)
		l.Say("%s: %s %.0f %s", name, t.side, rate, unit)
	}
	return rates, nil
}

// sandwich measures the ceiling, the service, and the ceiling again, so that a machine that becomes slower or faster
// meanwhile favors neither.
func sandwich(l *lab.Lab, name, unit string, ceil, ours func() (float64, error)) (result.Row, error) {
	ceiling := turn{side: "ceiling", measure: ceil}
	rates, err := alternate(l, name, unit, ceiling, turn{side: "ours", measure: ours}, ceiling)
	if err != nil {
		return result.Row{}, err
	}
	return result.Against(name, rates[1], unit, mean(rates[0], rates[2])), nil
}
