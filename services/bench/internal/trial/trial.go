// Package trial holds the measurements: each runs on a lab and gives rows of the result.
package trial

import (
	"context"
	"fmt"
	"time"

	"socialpub.internal/services/bench/internal/ceiling"
	"socialpub.internal/services/bench/internal/lab"
	"socialpub.internal/services/bench/internal/result"
)

// limit is how long any one wait may take before the measurement counts as broken.
const limit = 4 * time.Minute

// profileFor is how long a CPU profile is taken within a measured phase.
const profileFor = 8 * time.Second

// perSecond is a rate.
func perSecond(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }

func mean(values ...float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
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

// sandwich measures the ceiling, ours, and the ceiling again, so that a machine that gets slower or faster meanwhile does
// not favour either. What runs rests while the other is measured.
func sandwich(l *lab.Lab, name, unit string, ceil, ours func() (float64, error)) (result.Row, error) {
	var rates [3]float64
	for i, measure := range []func() (float64, error){ceil, ours, ceil} {
		rate, err := measure()
		if err != nil {
			return result.Row{}, fmt.Errorf("%s: %w", name, err)
		}
		rates[i] = rate
		l.Say("%s: %s %.0f %s", name, []string{"ceiling", "ours", "ceiling"}[i], rate, unit)
	}
	return result.Against(name, rates[1], unit, mean(rates[0], rates[2])), nil
}
