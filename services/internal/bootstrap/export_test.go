package bootstrap

// Serve runs a service beside its operations listener.
var Serve = serve
