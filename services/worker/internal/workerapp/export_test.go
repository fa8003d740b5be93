package workerapp

// Known checks WORKER_NETWORKS.
var Known = known
