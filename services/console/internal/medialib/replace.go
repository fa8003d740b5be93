package medialib

import (
	"cmp"
	"errors"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// replacedPage is the data of the page that says which posts kept their file.
type replacedPage struct {
	Name    string // of the other file
	Changed int
	Kept    []kept
	More    bool // there are posts that were not tried
	Back    string
}

type kept struct {
	Text, Href, Reason string
}

// replace gives the posts that are not published another file.
func (l *library) replace(v *frame.Visit) error {
	of, err := l.fileOf(v)
	if err != nil {
		return err
	}
	to, err := ident.Parse[ident.Media](v.Form("with"))
	if err != nil || to == of.ID {
		of.Fault = "Choose another file of the library."
		return l.show(v, http.StatusUnprocessableEntity, of)
	}
	other, err := l.app.Media(v.Request.Context(), v.Principal, to)
	if err != nil {
		return err
	}
	results, more, err := l.app.ReplaceMedia(v.Request.Context(), v.Principal, of.ID, to)
	if err != nil {
		return err
	}
	data := replacedPage{Name: other.Name, More: more, Back: of.Here}
	for _, one := range results {
		if one.Err == nil {
			data.Changed++
			continue
		}
		reason, err := reasonOf(one.Err)
		if err != nil {
			return err
		}
		data.Kept = append(data.Kept, kept{
			cmp.Or(one.Post.Title, one.Post.Content, "Post without a text"), v.Path("/posts/" + one.Post.ID.String()), reason,
		})
	}
	if len(data.Kept) == 0 && !more {
		return v.Done(of.Here, count(data.Changed, "post")+" changed to "+other.Name+".")
	}
	return v.Page(frame.Page{Name: "medialib/replaced", Title: "Replace", Styles: []string{"sheet.css", "medialib.css", "picker.css"}, Data: data})
}

// reasonOf returns the words of an error for a person; err is an error of the service itself.
func reasonOf(failure error) (reason string, err error) {
	known, ok := errors.AsType[*apperr.Error](failure)
	switch {
	case !ok, known.Code == apperr.Unavailable, known.Code == apperr.Internal:
		return "", failure
	case len(known.Fields) > 0:
		return frame.Sentence(known.Fields[0].Message), nil
	}
	return frame.Sentence(known.Message), nil
}
