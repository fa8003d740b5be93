package workerapp

import (
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform"
)

// Known checks WORKER_NETWORKS.
var Known = known

// MeasureVersions registers the ends of API versions.
var MeasureVersions = measureVersions

// NewSealer returns the sealer of handles.
func NewSealer(box *secretbox.Keyring) platform.Sealer { return sealer{box} }
