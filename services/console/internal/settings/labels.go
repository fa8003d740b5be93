package settings

import (
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

const pathLabels = "/settings/labels"

// labelForm is the form of a label.
type labelForm struct {
	post.Label

	Hint   string // about the name
	Colors []frame.LabelColor
	Faults map[string]string
}

// labelsPage is the data of the labels' page.
type labelsPage struct {
	Form   labelForm
	Labels []postgres.LabelUse
}

// labelPage is the data of a label's page.
type labelPage struct {
	Form   labelForm
	Known  postgres.LabelUse
	Uses   string   // what has it, in words
	Others []string // labels into which it can be merged
	Into   string
}

func (s *settings) labels(v *frame.Visit) error {
	return s.labelsPage(v, http.StatusOK, labelForm{})
}

func (s *settings) labelsPage(v *frame.Visit, status int, form labelForm) error {
	found, err := s.app.LabelUses(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	form.Colors = frame.LabelColors()
	if form.Color == "" {
		form.Color = form.Colors[len(found)%len(form.Colors)].Value
	}
	return v.Page(frame.Page{
		Name: "settings/labels", Title: "Labels", Status: status, Tabs: Tabs("Labels"), Data: labelsPage{form, found},
	})
}

func (s *settings) addLabel(v *frame.Visit) error {
	form := labelForm{Label: post.Label{Name: v.Form("name"), Color: v.Form("color")}}
	err := s.app.AddLabel(v.Request.Context(), v.Principal, form.Label)
	if faults, ok := frame.Faults(err); ok {
		form.Faults = faults
		return s.labelsPage(v, http.StatusUnprocessableEntity, form)
	}
	return s.labelDone(v, err, "Label added.")
}

// label shows a label, which the address names by its name: labels have no ID.
func (s *settings) label(v *frame.Visit) error {
	name := v.Query("label")
	if name == "" {
		v.Redirect(v.Path(pathLabels))
		return nil
	}
	return s.labelPage(v, http.StatusOK, name, labelPage{})
}

func (s *settings) labelPage(v *frame.Visit, status int, name string, page labelPage) error {
	list, err := s.app.LabelUses(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	if page.Known, err = s.app.Label(v.Request.Context(), v.Principal, name); err != nil {
		return err
	}
	for _, l := range list {
		if l.Name != page.Known.Name {
			page.Others = append(page.Others, l.Name)
		}
	}
	if page.Form.Label == (post.Label{}) {
		page.Form.Label = page.Known.Label
	}
	page.Form.Colors, page.Uses = frame.LabelColors(), usesInWords(page.Known)
	if page.Uses != "" {
		page.Form.Hint = "Also changes on " + page.Uses + "."
	}
	return v.Page(frame.Page{Name: "settings/label", Title: page.Known.Name, Status: status, Data: page})
}

// usesInWords returns what has a label: 1 post and 2 files; empty for nothing.
func usesInWords(l postgres.LabelUse) string {
	var list []string
	for _, of := range []struct {
		n    int
		what string
	}{{l.Posts, "post"}, {l.Files, "file"}} {
		switch of.n {
		case 0:
		case 1:
			list = append(list, "1 "+of.what)
		default:
			list = append(list, strconv.Itoa(of.n)+" "+of.what+"s")
		}
	}
	return strings.Join(list, " and ")
}

func (s *settings) changeLabel(v *frame.Visit) error {
	to := post.Label{Name: v.Form("name"), Color: v.Form("color")}
	err := s.app.ChangeLabel(v.Request.Context(), v.Principal, v.Form("label"), to)
	if faults, ok := frame.Faults(err); ok {
		page := labelPage{Form: labelForm{Label: to, Faults: faults}}
		return s.labelPage(v, http.StatusUnprocessableEntity, v.Form("label"), page)
	}
	return s.labelDone(v, err, "Label saved.")
}

func (s *settings) mergeLabel(v *frame.Visit) error {
	into := v.Form("into")
	err := s.app.MergeLabels(v.Request.Context(), v.Principal, v.Form("label"), into)
	if faults, ok := frame.Faults(err); ok {
		page := labelPage{Form: labelForm{Faults: faults}, Into: into}
		return s.labelPage(v, http.StatusUnprocessableEntity, v.Form("label"), page)
	}
	return s.labelDone(v, err, "Merged into “"+into+"”.")
}

func (s *settings) deleteLabel(v *frame.Visit) error {
	return s.labelDone(v, s.app.DeleteLabel(v.Request.Context(), v.Principal, v.Form("label")), "Label deleted.")
}

func (s *settings) labelDone(v *frame.Visit, err error, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathLabels), notice)
}
