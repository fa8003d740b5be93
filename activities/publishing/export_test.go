package publishing

// Marker is marker.
var Marker = marker
