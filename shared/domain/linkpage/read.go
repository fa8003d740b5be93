package linkpage

import (
	"regexp"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/apperr"
)

func chosen[S ~string](o object, name string, known []S) S {
	before := len(*o.faults)
	given, _ := read[string](o, name, "text")
	if len(*o.faults) > before {
		return ""
	}
	return oneOf(o.faults, o.pointer(name), S(given), known)
}

// faulty reports whether a fault of the field itself was found.
func (o object) faulty(name string) bool {
	return slices.ContainsFunc(*o.faults, func(f apperr.Field) bool { return f.Pointer == o.pointer(name) })
}

var (
	amountPattern   = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,2})?$`)
	currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)
)

// price reads an amount with its currency.
func (o object) price() (amount, currency string) {
	amount, currency = o.line("price", MaxCode, optional), o.line("currency", MaxCode, optional)
	if o.faulty("price") || o.faulty("currency") {
		return "", ""
	}
	if amount != "" && !amountPattern.MatchString(amount) {
		o.faults.add(o.pointer("price"),
			"is not an amount, such as 19 or 19.90: up to 9 digits before the point and 2 after it")
	}
	switch {
	case amount == "" && currency != "":
		o.faults.add(o.pointer("currency"), "requires price")
	case amount != "" && currency == "":
		o.faults.add(o.pointer("currency"), "is required with price")
	case currency != "" && !currencyPattern.MatchString(currency):
		o.faults.add(o.pointer("currency"), "is not a currency code, such as EUR (ISO 4217)")
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" && amount != "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + (fraction + "0")[:2]
	}
	return whole, currency
}
