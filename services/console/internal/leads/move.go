package leads

import (
	"errors"
	"net/http"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// movePage is the data of the page that moves a lead.
type movePage struct {
	card

	Path       string
	Back       string
	Stages     []option // to which it can be moved without a question
	To         string   // that was chosen
	Value      string
	Currency   string
	Currencies []string
	Reason     string
	Own        string   // a reason of its own
	Reasons    []string // that leads of the workspace were lost for
	Fault      string
	Faults     map[string]string
}

// Title returns the present stage in words.
func (m movePage) Title() string { return frame.Words(m.Stage) }

// moving shows the stages to which a lead can be moved: a won one has a value, a lost one a reason.
func (p *pages) moving(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	return p.movePage(v, id, http.StatusOK, func(m *movePage) { m.To = v.Query("to") })
}

func (p *pages) movePage(v *frame.Visit, id ident.Lead, status int, with func(*movePage)) error {
	ctx := v.Request.Context()
	l, err := p.desk.Lead(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	data := movePage{
		card: cardOf(v, l, nil), Path: v.Path(path + "/" + id.String()), Back: backOf(v, id), Value: string(l.Value), Currency: l.Currency,
		Reason: l.LostReason,
	}
	for _, s := range stages() {
		if to := lead.Stage(s.Value); to.Open() && to != l.Stage {
			data.Stages = append(data.Stages, s)
		}
	}
	if data.Reasons, err = p.desk.Reasons(ctx, v.Principal); err != nil {
		return err
	}
	var f form
	if err := p.choices(v, &f); err != nil {
		return err
	}
	data.Currencies = f.Currencies
	with(&data)
	return page(v, status, "move", "Move "+l.Name, data)
}

// backOf returns the page to which a move leads back.
func backOf(v *frame.Visit, id ident.Lead) string {
	if v.Query("back") == "lead" {
		return v.Path(path + "/" + id.String())
	}
	return v.Path(path)
}

// move moves a lead. It responds to the page's script with a text.
func (p *pages) move(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	in := app.LeadMove{
		To: lead.Stage(v.Form("to")), From: lead.Stage(v.Form("from")), Value: v.Form("value"), Currency: strings.ToUpper(v.Form("currency")),
	}
	if in.To == lead.StageLost {
		if in.Reason = v.Form("own"); in.Reason == "" {
			in.Reason = v.Form("reason")
		}
	}
	if in.To != lead.StageWon || in.Value == "" {
		in.Value, in.Currency = "", ""
	}
	_, err = p.desk.Move(v.Request.Context(), v.Principal, id, in)
	faults, refused := frame.Faults(err)
	fault := ""
	switch {
	case errors.Is(err, lead.ErrChanged):
		fault = "Another member moved the lead meanwhile."
	case refused:
		fault = "The lead was not moved."
		if faults["stage"] != "" {
			fault = "Choose a stage."
		}
	case err != nil && (!v.ByScript() || !apperr.Is(err, apperr.NotFound)):
		return err
	case err != nil:
		fault = "The lead is not here any more."
	}
	status := http.StatusUnprocessableEntity
	if errors.Is(err, lead.ErrChanged) {
		status = http.StatusConflict
	}
	switch {
	case fault != "" && v.ByScript():
		return v.Plain(status, fault)
	case fault != "":
		return p.movePage(v, id, status, func(m *movePage) {
			m.To, m.Fault, m.Faults, m.Own = string(in.To), fault, faults, v.Form("own")
			if in.To == lead.StageWon {
				m.Value, m.Currency = v.Form("value"), v.Form("currency")
			}
			if in.To == lead.StageLost {
				m.Reason = v.Form("reason")
			}
		})
	case v.ByScript():
		return v.Plain(http.StatusOK, "Moved to "+frame.Words(in.To)+".")
	}
	return v.Done(backOf(v, id), "Moved to "+frame.Words(in.To)+".")
}
