package lead

import (
	"errors"
	"regexp"
	"strings"
)

// Amount is an exact amount of money: up to 12 digits before the decimal point and 4 after it, without leading and
// trailing zeros. It is text because a binary fraction would not be exact. Empty means that there is none.
type Amount string

var errAmount = errors.New("not an amount")

var amountPattern = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,4})?$`)

// ParseAmount parses an amount, such as 1200 or 1200.50.
func ParseAmount(text string) (Amount, error) {
	if !amountPattern.MatchString(text) {
		return "", errAmount
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return Amount(whole), nil
}
