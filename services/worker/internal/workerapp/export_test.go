package workerapp

import (
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/platform"
)

// Known checks WORKER_NETWORKS.
var Known = known

// NewSealer returns the sealer of handles.
func NewSealer(box *secretbox.Keyring) platform.Sealer { return sealer{box} }
