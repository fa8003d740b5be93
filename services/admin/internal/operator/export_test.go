package operator

import "fencepost.internal/shared/domain/channel/slot"

// ParseSlots parses the slots of an operator's list for tests.
func ParseSlots(list string) ([]slot.Slot, error) {
	var f faults
	slots := f.slots(list)
	return slots, f.err()
}
