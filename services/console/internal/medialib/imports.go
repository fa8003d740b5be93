package medialib

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

// longestAddress is that of the API.
const longestAddress = 2048

// importPage is the data of the page that takes a file from an address.
type importPage struct {
	Address, Name string
	Faults        map[string]string
}

func (l *library) askForAddress(v *frame.Visit) error {
	return showImport(v, http.StatusOK, importPage{})
}

func showImport(v *frame.Visit, status int, data importPage) error {
	return v.Page(frame.Page{Name: "medialib/import", Title: "From an address", Status: status, Data: data})
}

// take imports a file from an address.
func (l *library) take(v *frame.Visit) error {
	data := importPage{Address: v.Form("address"), Name: v.Form("name"), Faults: map[string]string{}}
	switch {
	case data.Address == "":
		data.Faults["address"] = "Enter the address of a file."
	case len(data.Address) > longestAddress:
		data.Faults["address"] = "The address is too long."
	}
	switch {
	case data.Name == "":
	case len([]rune(data.Name)) > media.LongestName:
		data.Faults["name"] = "Use at most 255 characters."
	case media.NameFault(data.Name) != "":
		data.Faults["name"] = frame.Sentence(media.NameFault(data.Name))
	}
	if fault := data.Faults["address"]; fault != "" && v.Form("json") != "" {
		return response(v, nil, apperr.New(apperr.ValidationFailed, "%s", fault))
	}
	if len(data.Faults) > 0 {
		return showImport(v, http.StatusUnprocessableEntity, data)
	}
	created, _, err := l.app.ImportMedia(v.Request.Context(), v.Principal, app.ImportMedia{URL: data.Address, Name: data.Name})
	if v.Form("json") != "" { // the composer asks
		return response(v, map[string]string{"id": created.ID.String()}, err)
	}
	switch code := apperr.CodeOf(err); {
	case err == nil:
		return v.Done(v.Path("/media/"+created.ID.String()), "Imported.")
	case code == apperr.ImportFailed, code == apperr.QuotaExceeded, code == apperr.RateLimited:
		reason, err := reasonOf(err)
		if err != nil {
			return err
		}
		data.Faults["address"] = reason
		return showImport(v, http.StatusUnprocessableEntity, data)
	default:
		return err
	}
}
