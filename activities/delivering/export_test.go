package delivering

// Outage exposes outage to tests.
type Outage = outage

// NewOutage exposes newOutage to tests.
var NewOutage = newOutage

// Note exposes outage.note to tests.
var Note = (*outage).note
