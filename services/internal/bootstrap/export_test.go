package bootstrap

// Serve runs a service beside its listener for machines.
var Serve = serve
