package plan

import (
	"errors"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
)

// examine adds what the use cases find about the rows that can be read. Drafts may break the rules of networks.
func (f *feature) examine(v *frame.Visit, r *reading) error {
	var requested []*row
	var items []app.CreatePosts
	for _, one := range r.Rows {
		if one.State == "" && !one.Faulty() {
			requested, items = append(requested, one), append(items, one.Posts.Create)
		}
	}
	found, faults, err := f.app.CheckPosts(v.Request.Context(), v.Principal, items)
	if err != nil {
		return err
	}
	for i, one := range requested {
		one.refuse(faults[i])
		for _, of := range found[i] {
			one.add(of)
		}
	}
	for _, one := range r.Rows {
		switch {
		case one.State != "":
		case one.Faulty():
			one.State = faulty
		default:
			one.State = ready
		}
	}
	return nil
}

// add adds the findings about the post of a channel, with its name if the row has several.
func (r *row) add(of app.ChannelFindings) {
	for _, found := range of.Findings {
		one := finding{
			Column: columnOf(found.Member), Text: found.Message, Warning: found.Warning || r.Draft,
		}
		one.Label = title(one.Column)
		switch found.Code { //nolint:exhaustive // the others are about the content
		case apperr.ValidationFailed:
		case apperr.ScheduledInPast:
			one.Text = "has passed; choose a later time, or make it a draft"
		case apperr.ChannelDisconnected:
			one.Text = of.Channel.Name + " is disconnected; reconnect it first, or make it a draft"
			if found.Warning {
				one.Text = of.Channel.Name + " must be reconnected before its time"
			}
		case apperr.QueuePaused:
			one.Text = of.Channel.Name + " is paused: the post waits until a person resumes it"
			one.Label = ""
		default:
			one.Label, one.Text = "", frame.Sentence(found.Message)
		}
		if len(r.Channels) > 1 && found.Code == apperr.ValidationFailed {
			one.Text += " (" + of.Channel.Type.Name() + ")"
		}
		r.Findings = append(r.Findings, one)
	}
}

// refuse adds the faults of an error that concerns the whole row.
func (r *row) refuse(err error) {
	known, ok := errors.AsType[*apperr.Error](err)
	switch {
	case !ok:
	case len(known.Fields) == 0:
		r.Findings = append(r.Findings, finding{Text: frame.Sentence(known.Message)})
	default:
		for _, field := range known.Fields {
			r.fault(columnOf(field.Pointer), field.Message)
		}
	}
}
