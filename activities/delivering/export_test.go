package delivering

// What tests of this package may look into.
type Outage = outage

// NewOutage is newOutage.
var NewOutage = newOutage

// Note is note.
var Note = (*outage).note
