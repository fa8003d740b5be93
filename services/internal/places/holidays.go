// Package places knows the time zones that people and programs may send, and the national holidays of countries.
package places

import (
	"cmp"
	"slices"
	"time"

	"github.com/rickar/cal/v2"
	"github.com/rickar/cal/v2/ar"
	"github.com/rickar/cal/v2/at"
	"github.com/rickar/cal/v2/be"
	"github.com/rickar/cal/v2/bg"
	"github.com/rickar/cal/v2/br"
	"github.com/rickar/cal/v2/ca"
	"github.com/rickar/cal/v2/ch"
	"github.com/rickar/cal/v2/cz"
	"github.com/rickar/cal/v2/de"
	"github.com/rickar/cal/v2/dk"
	"github.com/rickar/cal/v2/es"
	"github.com/rickar/cal/v2/fr"
	"github.com/rickar/cal/v2/gb"
	"github.com/rickar/cal/v2/gr"
	"github.com/rickar/cal/v2/hr"
	"github.com/rickar/cal/v2/ie"
	"github.com/rickar/cal/v2/it"
	"github.com/rickar/cal/v2/jp"
	"github.com/rickar/cal/v2/lt"
	"github.com/rickar/cal/v2/lv"
	"github.com/rickar/cal/v2/nl"
	"github.com/rickar/cal/v2/no"
	"github.com/rickar/cal/v2/nz"
	"github.com/rickar/cal/v2/pl"
	"github.com/rickar/cal/v2/ro"
	"github.com/rickar/cal/v2/se"
	"github.com/rickar/cal/v2/si"
	"github.com/rickar/cal/v2/sk"
	"github.com/rickar/cal/v2/ua"
	"github.com/rickar/cal/v2/us"
	"github.com/rickar/cal/v2/za"
)

// Country is a country whose holidays are known.
type Country struct {
	Code string // ISO 3166-1, two letters
	Name string // in English

	days []*cal.Holiday
}

// Countries returns the countries by their names, from the data of github.com/rickar/cal. Countries whose holidays that
// package has only by region are left out.
func Countries() []Country {
	return []Country{
		{"AR", "Argentina", ar.Holidays},
		{"AT", "Austria", at.Holidays},
		{"BE", "Belgium", be.Holidays},
		{"BR", "Brazil", br.Holidays},
		{"BG", "Bulgaria", bg.Holidays},
		{"CA", "Canada", ca.Holidays},
		{"HR", "Croatia", hr.Holidays},
		{"CZ", "Czechia", cz.Holidays},
		{"DK", "Denmark", dk.Holidays},
		{"FR", "France", fr.Holidays},
		{"DE", "Germany", de.Holidays},
		{"GR", "Greece", gr.Holidays},
		{"IE", "Ireland", ie.Holidays},
		{"IT", "Italy", it.Holidays},
		{"JP", "Japan", jp.Holidays},
		{"LV", "Latvia", lv.Holidays},
		{"LT", "Lithuania", lt.Holidays},
		{"NL", "Netherlands", nl.Holidays},
		{"NZ", "New Zealand", nz.Holidays},
		{"NO", "Norway", no.Holidays},
		{"PL", "Poland", pl.Holidays},
		{"RO", "Romania", ro.Holidays},
		{"SK", "Slovakia", sk.Holidays},
		{"SI", "Slovenia", si.Holidays},
		{"ZA", "South Africa", za.Holidays},
		{"ES", "Spain", es.Holidays},
		{"SE", "Sweden", se.Holidays},
		{"CH", "Switzerland", ch.Holidays},
		{"UA", "Ukraine", ua.Holidays},
		{"GB", "United Kingdom", gb.Holidays},
		{"US", "United States", us.Holidays},
	}
}

// KnownCountry reports whether there is a country with a code.
func KnownCountry(code string) bool {
	return slices.ContainsFunc(Countries(), func(c Country) bool { return c.Code == code })
}

// Holiday is a day on which a country has a holiday.
type Holiday struct {
	Day     string // 2006-01-02
	Name    string
	Country string // code
}

// HolidaysBetween returns the holidays of countries from a day on, before another one, by day.
func HolidaysBetween(codes []string, from, to time.Time) []Holiday {
	first, end := from.Format(time.DateOnly), to.Format(time.DateOnly)
	var found []Holiday
	for _, c := range Countries() {
		if !slices.Contains(codes, c.Code) {
			continue
		}
		for year := from.Year(); year <= to.Year(); year++ {
			for _, one := range c.days {
				actual, _ := one.Calc(year)
				day := Holiday{actual.Format(time.DateOnly), one.Name, c.Code}
				if !actual.IsZero() && day.Day >= first && day.Day < end {
					found = append(found, day)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Holiday) int { return cmp.Compare(a.Day, b.Day) })
	return found
}
