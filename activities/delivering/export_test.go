package delivering

import "context"

// What tests of this package may look into.
type Outage = outage

// NewOutage is newOutage.
var NewOutage = newOutage

// Note is note.
var Note = (*outage).note

// SetRepeated replaces what tells whether Temporal runs the activity again.
func SetRepeated(d *Deliverer, repeated func(ctx context.Context) bool) { d.repeated = repeated }
