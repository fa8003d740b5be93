package control

import (
	"fmt"
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
)

// farthest limits how far the networks' time can be moved.
const farthest = 20 * 365 * 24 * time.Hour

func (a *API) clock(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, map[string]any{
		"now": stamp(a.stage.Clock.Now()), "offsetSeconds": int64(a.stage.Clock.Offset() / time.Second),
	})
}

// moveClock sets the difference between the networks' time and the process's clock. A restart sets it to zero.
func (a *API) moveClock(w http.ResponseWriter, r *http.Request) {
	var want struct {
		OffsetSeconds *int64 `json:"offsetSeconds"`
	}
	if !decode(w, r, &want, "a clock") {
		return
	}
	if most := int64(farthest / time.Second); want.OffsetSeconds == nil || *want.OffsetSeconds < -most ||
		*want.OffsetSeconds > most {
		problem(w, r, http.StatusUnprocessableEntity, "The clock is invalid.", []field{{
			"/offsetSeconds", fmt.Sprintf("must be from %d to %d", -most, most),
		}})
		return
	}
	a.stage.Clock.Move(time.Duration(*want.OffsetSeconds) * time.Second)
	a.clock(w, r)
}

// stamp returns a time in the control API's format. It is nil for a zero time.
func stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
