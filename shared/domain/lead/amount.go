package lead

import (
	"errors"
	"math/big"
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

// Sum returns the sum of amounts, which may have more digits than one.
func Sum(text string) Amount {
	if whole, fraction, has := strings.Cut(text, "."); has {
		if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
			return Amount(whole + "." + fraction)
		}
		return Amount(whole)
	}
	return Amount(text)
}

// Grouped returns the amount for people: 1,200 or 1,200.50.
func (a Amount) Grouped() string {
	whole, fraction, _ := strings.Cut(string(a), ".")
	var grouped []byte
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			grouped = append(grouped, ',')
		}
		grouped = append(grouped, whole[i])
	}
	if len(fraction) == 1 {
		fraction += "0"
	}
	if fraction != "" {
		grouped = append(append(grouped, '.'), fraction...)
	}
	return string(grouped)
}

// Add returns the exact sum of amounts.
func Add(amounts ...Amount) Amount {
	total := new(big.Rat)
	for _, a := range amounts {
		if one, ok := new(big.Rat).SetString(string(a)); ok {
			total.Add(total, one)
		}
	}
	const digits = 4 // behind the point, of every amount
	return Sum(total.FloatString(digits))
}
