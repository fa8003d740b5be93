package control

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/stage"
)

func (a *API) limits(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, map[string]bool{"strict": a.stage.Strict()})
}

// setLimits switches the networks' own rate limits on or off. They are off after a restart.
func (a *API) setLimits(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Strict *bool `json:"strict"`
	}
	if !decode(w, r, &want, "a setting of limits") {
		return
	}
	if want.Strict == nil {
		problem(w, r, http.StatusUnprocessableEntity, "The setting is invalid.",
			[]field{{"/strict", "must be true or false"}})
		return
	}
	a.stage.SetStrict(*want.Strict)
	a.limits(w, r)
}
