package mediastore

import (
	"errors"
	"regexp"
	"strconv"
)

// Range is the Content-Range of a request: the bytes From to To of Total. A status request has no bytes.
type Range struct {
	From, To, Total int64
	Status          bool // bytes */Total
}

// Length returns the number of bytes.
func (r Range) Length() int64 { return r.To - r.From + 1 }

var (
	rangePattern  = regexp.MustCompile(`^bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})$`)
	statusPattern = regexp.MustCompile(`^bytes \*/([0-9]{1,15})$`)

	// ErrRange is returned for a header that is no range of a file.
	ErrRange = errors.New("mediastore: not a range")
)

// ParseRange parses a Content-Range header.
func ParseRange(header string) (Range, error) {
	if parts := statusPattern.FindStringSubmatch(header); parts != nil {
		total, err := strconv.ParseInt(parts[1], 10, 64)
		return Range{Total: total, Status: true}, err
	}
	parts := rangePattern.FindStringSubmatch(header)
	if parts == nil {
		return Range{}, ErrRange
	}
	var numbers [3]int64
	for i := range numbers {
		number, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return Range{}, ErrRange
		}
		numbers[i] = number
	}
	r := Range{From: numbers[0], To: numbers[1], Total: numbers[2]}
	if r.From > r.To || r.To >= r.Total {
		return Range{}, ErrRange
	}
	return r, nil
}
