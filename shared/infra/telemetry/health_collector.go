package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// collector exports the results of the checks on each scrape.
type collector struct {
	checks *Checks
	passes *prometheus.Desc
}

// Collector returns the metric check_passes: 1 for each check that passes, otherwise 0.
func (c *Checks) Collector() prometheus.Collector {
	return &collector{checks: c, passes: prometheus.NewDesc("check_passes",
		"1 if the check of /readyz passes, otherwise 0.", []string{"check"}, nil)}
}

// Describe lists the metric.
func (c *collector) Describe(out chan<- *prometheus.Desc) { out <- c.passes }

// Collect runs the checks.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	for name, result := range c.checks.Report(context.Background()).Checks {
		passes := 0.0
		if result.OK {
			passes = 1
		}
		out <- prometheus.MustNewConstMetric(c.passes, prometheus.GaugeValue, passes, name)
	}
}
