package queue

import (
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/ident"
)

// slots adds a time to weekdays, or removes one.
func (q *queue) slots(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	added, removed, fault := slotsOf(v)
	again := func(fault string) error {
		return q.refused(v, func(p *page) { p.SlotFault, p.SlotDay, p.SlotTime = fault, v.Form("day"), v.Form("time") })
	}
	if fault != "" {
		return again(fault)
	}
	err = q.app.EditSchedule(v.Request.Context(), v.Principal, c.ID, func(present []slot.Slot) []slot.Slot {
		present = slices.DeleteFunc(present, func(s slot.Slot) bool { return slices.Contains(removed, s) || slices.Contains(added, s) })
		return append(present, added...)
	})
	if faults, ok := frame.Faults(err); ok {
		return again(faults["slots"])
	}
	if err != nil {
		return err
	}
	return v.Done(c.path(v), saidOf(added, removed))
}

// slotsOf reads a form: a time to remove, or one to add on weekdays.
func slotsOf(v *frame.Visit) (added, removed []slot.Slot, fault string) {
	form := v.Fields()
	if text := form.Get("remove"); text != "" {
		on, at, _ := strings.Cut(text, " ")
		parsed, faults := slot.Parse(slot.Text{Weekday: on, Time: at})
		if len(faults) > 0 {
			return nil, nil, "This time does not exist."
		}
		return nil, []slot.Slot{parsed}, ""
	}
	switch {
	case v.Form("time") == "":
		return nil, nil, "Choose a time."
	case len(form["weekday"]) == 0:
		return nil, nil, "Choose at least one day."
	}
	for _, on := range form["weekday"] {
		parsed, faults := slot.Parse(slot.Text{Weekday: on, Time: v.Form("time")})
		if len(faults) > 0 {
			return nil, nil, "Enter a time from 00:00 to 23:59."
		}
		if !slices.Contains(added, parsed) {
			added = append(added, parsed)
		}
	}
	return added, nil, ""
}

func saidOf(added, removed []slot.Slot) string {
	if len(removed) > 0 {
		s := removed[0]
		return s.Weekday.String()[:3] + " " + s.Text().Time + " removed. Posts keep their times."
	}
	days := make([]string, len(added))
	for i, s := range added {
		days[i] = s.Weekday.String()[:3]
	}
	return added[0].Text().Time + " added on " + strings.Join(days, ", ") + "."
}

// copy gives other channels the weekly times of this one.
func (q *queue) copy(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	var to []ident.Channel
	for _, text := range v.Fields()["to"] {
		id, err := ident.Parse[ident.Channel](text)
		if err != nil {
			return q.refused(v, func(p *page) { p.CopyFault = "Choose channels of the list." })
		}
		to = append(to, id)
	}
	if len(to) == 0 {
		return q.refused(v, func(p *page) { p.CopyFault = "Choose at least one channel." })
	}
	if err := q.app.CopySchedule(v.Request.Context(), v.Principal, c.ID, to); err != nil {
		return err
	}
	return v.Done(c.path(v), "Weekly times copied. Posts keep their times.")
}
