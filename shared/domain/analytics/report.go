package analytics

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/wallclock"
)

// Month is a month of a year.
type Month struct {
	Year  int
	Month time.Month
}

// MonthOf returns the month of a day.
func MonthOf(d Date) Month { return Month{d.Year, d.Month} }

// ParseMonth parses a month, such as 2026-03.
func ParseMonth(text string) (Month, bool) {
	d, err := ParseDate(text + "-01")
	return MonthOf(d), err == nil && d.Year > 1
}

// String returns the month as ParseMonth reads it.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, int(m.Month)) }

// Name returns the month in words.
func (m Month) Name() string { return fmt.Sprintf("%s %d", m.Month, m.Year) }

// Range returns the days of the month.
func (m Month) Range() Range {
	next := DateOf(time.Date(m.Year, m.Month+1, 1, 0, 0, 0, 0, time.UTC))
	return Range{From: Date{m.Year, m.Month, 1}, To: next.Add(-1)}
}

// Previous returns the month before.
func (m Month) Previous() Month { return MonthOf(m.Range().From.Add(-1)) }

const (
	// reportDay and reportHour are those of the next month at which the report of a month is sent: until then the networks have
	// completed its figures.
	reportDay  = 4
	reportHour = 8
	// MaxReportAddresses is the number of addresses that get the report of a workspace.
	MaxReportAddresses = 10
)

// ReportAt returns when the report of the month is due in a zone.
func (m Month) ReportAt(zone *time.Location) time.Time {
	return wallclock.In(zone, time.Date(m.Year, m.Month+1, reportDay, reportHour, 0, 0, 0, time.UTC))
}

// LastReport returns the last month whose report is due, and when it was.
func LastReport(now time.Time, zone *time.Location) (Month, time.Time) {
	m := MonthOf(DateOf(now.In(zone))).Previous()
	if now.Before(m.ReportAt(zone)) {
		m = m.Previous()
	}
	return m, m.ReportAt(zone)
}

// ErrReportChanged is returned for a change of a ReportSetting that another member has changed meanwhile.
var ErrReportChanged = errors.New("another member has changed the report")

// ReportSetting says who gets the report of a workspace each month.
type ReportSetting struct {
	On        bool
	Addresses []email.Address
	Revision  int             // grows with each change
	ChangedBy string          // name of the person
	Stopped   []email.Address // of Addresses, whose owners want no more reports
}

// ReadAddresses reads the addresses of a text, one in a line. The fault names the first that is wrong.
func ReadAddresses(text string) (list []email.Address, fault string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		address, ok := email.Parse(part)
		if !ok {
			return list, fmt.Sprintf("“%.80s” is not an email address.", part)
		}
		known := false
		for _, a := range list {
			known = known || a.Same(address)
		}
		if !known {
			list = append(list, address)
		}
	}
	if len(list) > MaxReportAddresses {
		return list, fmt.Sprintf("Enter up to %d addresses.", MaxReportAddresses)
	}
	return list, ""
}

// Check returns VALIDATION_FAILED if the report has no address although it is on, or too many.
func (s ReportSetting) Check() error {
	switch {
	case s.On && len(s.Addresses) == 0:
		return apperr.Invalid([]apperr.Field{{Pointer: "addresses", Message: "Enter the address that gets the report."}})
	case len(s.Addresses) > MaxReportAddresses:
		return apperr.Invalid([]apperr.Field{{Pointer: "addresses", Message: fmt.Sprintf("Enter up to %d addresses.", MaxReportAddresses)}})
	}
	return nil
}
