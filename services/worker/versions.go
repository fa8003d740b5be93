package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/platform/network"
)

// measureVersions registers the ends of the API versions in use, for an alert long before them. Versions whose ends are not
// known have none.
func measureVersions(reg prometheus.Registerer, networks []network.Declaration) {
	ends := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "api_version_end_timestamp_seconds",
		Help: "When a network ends the API version that the variable sets.",
	}, []string{"network", "variable", "version"})
	reg.MustRegister(ends)
	for _, declared := range networks {
		for _, v := range declared.Versions {
			if !v.Ends.IsZero() {
				ends.WithLabelValues(string(declared.Network), v.Variable, v.Value).Set(float64(v.Ends.Unix()))
			}
		}
	}
}
