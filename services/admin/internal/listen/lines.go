package listen

import (
	"encoding/json"
	"io"
	"slices"

	"fencepost.internal/shared/domain/event"
)

// line is a delivery in JSON.
type line struct {
	At        string          `json:"at"`
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Genuine   bool            `json:"genuine"`
	Verified  []string        `json:"verified"`
	Problems  []string        `json:"problems"`
	Seen      int             `json:"seen"`
	Duplicate bool            `json:"duplicate"`
	LatencyMs *int64          `json:"latencyMs"`
	Response  int             `json:"response"`
	DelayMs   int64           `json:"delayMs"`
	Body      json.RawMessage `json:"body"`
}

// Lines returns a printer that writes each delivery as one line of JSON. A body that is not JSON is written as a
// string.
func Lines(w io.Writer) Printer {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return lines{encoder}
}

type lines struct{ encoder *json.Encoder }

func (l lines) Print(d Delivery) error {
	body := json.RawMessage(d.Body)
	if !json.Valid(body) {
		quoted, err := json.Marshal(string(d.Body))
		if err != nil {
			return err
		}
		body = quoted
	}
	out := line{
		At: event.FormatTime(d.At), Type: d.Type, ID: d.ID, Genuine: d.Genuine(), Verified: list(d.Verified),
		Problems: list(slices.Concat(d.Refusals, d.Oddities)), Seen: d.Seen, Duplicate: d.Accepted, Response: d.Response,
		DelayMs: d.Delay.Milliseconds(), Body: body,
	}
	if d.Age != nil {
		latency := d.Age.Milliseconds()
		out.LatencyMs = &latency
	}
	return l.encoder.Encode(out)
}

// list never returns nil, so that JSON contains an empty list.
func list(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}
