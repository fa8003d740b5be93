package control

import (
	"maps"
	"net/http"
	"slices"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// longestReview limits the duration of a review, in seconds.
const longestReview = 30 * 24 * 60 * 60

func (a *API) reviews(w http.ResponseWriter, _ *http.Request) {
	stage.JSON(w, http.StatusOK, a.stage.Reviews())
}

// setReview sets how a network reviews the posts of an account, including those that it shows already.
func (a *API) setReview(w http.ResponseWriter, r *http.Request) {
	var want stage.Review
	if !decode(w, r, &want, "a review") {
		return
	}
	platform, _ := a.networkOf(string(want.Platform))
	want.Platform = channel.Network(platform)
	var faults []field
	ends, reviews := a.stage.ReviewEnds[want.Platform]
	if !reviews {
		faults = append(faults, field{"/platform", "must be " + oneOf(slices.Sorted(maps.Keys(a.stage.ReviewEnds)))})
	} else if !slices.Contains(ends, want.End) {
		faults = append(faults, field{"/end", "must be " + oneOf(ends)})
	}
	if want.AfterSeconds < 0 || want.AfterSeconds > longestReview {
		faults = append(faults, field{"/afterSeconds", "must be from 0 to 2592000"})
	}
	if faults != nil {
		problem(w, r, http.StatusUnprocessableEntity, "The review is invalid.", faults)
		return
	}
	a.stage.SetReview(want)
	stage.JSON(w, http.StatusCreated, want)
}

func (a *API) deleteReviews(w http.ResponseWriter, _ *http.Request) {
	a.stage.ClearReviews()
	w.WriteHeader(http.StatusNoContent)
}
