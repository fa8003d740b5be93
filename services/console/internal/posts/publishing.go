package posts

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
)

// publishingPage is the data of the page on which all publishing is stopped and resumed.
type publishingPage struct {
	app.Pauses

	Count int // posts that became due while all publishing was stopped
	Fault string
}

func (p *posts) publishing(v *frame.Visit) error { return p.publishingPage(v, http.StatusOK, "") }

func (p *posts) publishingPage(v *frame.Visit, status int, fault string) error {
	ctx := v.Request.Context()
	pauses, err := p.app.Pauses(ctx, v.Principal)
	if err != nil {
		return err
	}
	channels, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	page := publishingPage{Pauses: pauses, Fault: fault}
	for _, c := range channels {
		if !c.IsQueuePaused { // the others stay paused
			page.Count += pauses.Late[c.ID]
		}
	}
	return v.Page(frame.Page{Name: "posts/publishing", Title: "Publishing", Status: status, Data: page})
}

func (p *posts) stop(v *frame.Visit) error {
	if err := p.app.StopPublishing(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	return v.Done(v.Path("/posts"), "All publishing stopped.")
}

func (p *posts) resume(v *frame.Visit) error {
	late, fault := frame.LateChoice(v)
	if fault == "" {
		err := p.app.ResumePublishing(v.Request.Context(), v.Principal, late)
		if err == nil {
			return v.Done(v.Path("/posts"), "Publishing resumed.")
		}
		if fault = frame.Refusal(err, apperr.NoFreeSlot, apperr.InvalidState); fault == "" {
			return err
		}
	}
	return p.publishingPage(v, http.StatusUnprocessableEntity, fault)
}
