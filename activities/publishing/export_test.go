package publishing

// Marker exposes marker to tests.
var Marker = marker
