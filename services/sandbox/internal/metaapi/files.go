package metaapi

import (
	"context"
	"errors"
	"slices"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Verdict is the result of a network's check of a fetched file.
type Verdict int

// The verdicts.
const (
	Good Verdict = iota
	Unreachable
	TooLarge
	WrongFormat
	WrongShape
)

// Wanted holds a network's requirements for a file.
type Wanted struct {
	Video   bool
	Formats []string // MIME types, detected from the bytes
	Limit   int64    // bytes
	// Narrow and Wide limit the aspect ratio (width/height) of an image; zero means any.
	Narrow, Wide float64
}

// Fetch fetches the file at the address and checks it by its bytes.
func Fetch(ctx context.Context, s *stage.Stage, address string, wanted Wanted) (ledger.Media, Verdict) {
	for _, r := range address {
		if r <= ' ' || r > '~' {
			return ledger.Media{}, Unreachable // addresses contain only ASCII characters
		}
	}
	item, err := s.Media.Fetch(ctx, address, wanted.Limit)
	switch {
	case errors.Is(err, mediastore.ErrTooLarge):
		return ledger.Media{}, TooLarge
	case errors.Is(err, mediastore.ErrUnsupported):
		return ledger.Media{}, WrongFormat
	case err != nil:
		return ledger.Media{}, Unreachable
	}
	return item.Media("", ""), wanted.judge(item)
}

func (w Wanted) judge(item mediastore.Item) Verdict {
	switch {
	case !slices.Contains(w.Formats, item.ContentType), w.Video != (item.Type == media.Video), !w.Video &&
		item.Height == 0:
		return WrongFormat
	case w.Narrow > 0 && outside(float64(item.Width)/float64(item.Height), w.Narrow, w.Wide):
		return WrongShape
	default:
		return Good
	}
}

// outside reports whether the ratio is outside the limits, with a tolerance for rounded pixels.
func outside(ratio, narrow, wide float64) bool {
	const slack = 0.01
	return ratio < narrow-slack || ratio > wide+slack
}
