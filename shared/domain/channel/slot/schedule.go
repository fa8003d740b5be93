package slot

import (
	"fmt"
	"slices"
	"strconv"

	"fencepost.internal/shared/kernel/apperr"
)

// ParseAll parses a schedule and returns its slots in the order of Compare. It returns every fault, with pointers below
// base, the location of the list (such as /slots): invalid slots, and slots that repeat an earlier one. If there are
// more than MaxSlots slots, that is the only fault. If there is any fault, no slots are returned.
func ParseAll(texts []Text, base string) ([]Slot, []apperr.Field) {
	if len(texts) > MaxSlots {
		return nil, []apperr.Field{
			{Pointer: base, Message: fmt.Sprintf("must have at most %d slots, not %d", MaxSlots, len(texts))},
		}
	}
	var faults []apperr.Field
	slots := make([]Slot, 0, len(texts))
	first := make(map[Slot]int, len(texts))
	for i, text := range texts {
		pointer := base + "/" + strconv.Itoa(i)
		s, wrong := Parse(text)
		for _, fault := range wrong {
			faults = append(faults, apperr.Field{Pointer: pointer + fault.Pointer, Message: fault.Message})
		}
		if len(wrong) > 0 {
			continue
		}
		if earlier, repeated := first[s]; repeated {
			faults = append(faults, apperr.Field{Pointer: pointer, Message: fmt.Sprintf("repeats %s/%d", base, earlier)})
			continue
		}
		first[s] = i
		slots = append(slots, s)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	slices.SortFunc(slots, Compare)
	return slots, nil
}
