package medialib

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// refused is the response to a script whose request was refused.
type refused struct {
	Code   apperr.Code `json:"code"`
	Detail string      `json:"detail"` // for the person
}

// response responds to a script with a value, or with the reason of a refusal.
func response(v *frame.Visit, value any, err error) error {
	known, ok := errors.AsType[*apperr.Error](err)
	status := http.StatusOK
	switch {
	case err == nil:
	case !ok || known.Code == apperr.Internal || known.Code == apperr.NotFound && v.Request.PathValue("media") == "":
		return err
	default:
		status, value = problem.KindOf(known.Code).Status, refused{known.Code, known.Message}
	}
	document, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("medialib: %w", err)
	}
	v.Out.Header().Set("Content-Type", "application/json")
	v.Out.WriteHeader(status)
	v.JSON(document)
	return nil
}

// start starts an upload. The script sends the name, the size and the first bytes of a file, from which the type is detected
// before anything is sent: browsers know few types, and take them from the name.
func (l *library) start(v *frame.Visit) error {
	in, err := requested(v)
	if err != nil {
		return response(v, nil, err)
	}
	started, err := l.app.StartUpload(v.Request.Context(), v.Principal, in)
	if err != nil {
		return response(v, nil, err)
	}
	return response(v, apiforms.ToAPIUpload(started), nil)
}

func requested(v *frame.Visit) (app.StartUpload, error) {
	head, err := base64.StdEncoding.DecodeString(v.Form("head"))
	size, wrong := strconv.ParseInt(v.Form("size"), 10, 64)
	switch {
	case err != nil || wrong != nil || size < 0:
		return app.StartUpload{}, apperr.New(apperr.ValidationFailed, "The file was not understood. Reload the page and try again.")
	case size == 0:
		return app.StartUpload{}, apperr.New(apperr.ValidationFailed, "The file is empty.")
	}
	declared := typeOf(v.Form("name"), head)
	if declared == "" {
		return app.StartUpload{}, apperr.New(apperr.ValidationFailed,
			"Networks do not take this type of file. Save a picture as JPEG or PNG, a video as MP4, a document as PDF.")
	}
	return app.StartUpload{FileName: media.CleanName(v.Form("name"), declared), ContentType: declared, Size: size}, nil
}

// typeOf returns the content type of a file from its first bytes, and that of an office document from its name, because its
// first bytes do not show; empty for an unknown one.
func typeOf(name string, head []byte) string {
	if _, sniffed, ok := media.Sniff(head); ok {
		return sniffed
	}
	if !media.NeedsFile(head) {
		return ""
	}
	sample := "file" + strings.ToLower(path.Ext(name))
	for _, contentType := range media.ContentTypes() {
		if !media.Opens(contentType) && media.CleanName(sample, contentType) == sample {
			return contentType
		}
	}
	return ""
}

func (l *library) complete(v *frame.Visit) error {
	id, err := frame.PathID(v, "media", ident.Parse[ident.Media])
	if err != nil {
		return err
	}
	asset, err := l.app.CompleteUpload(v.Request.Context(), v.Principal, id)
	if err != nil {
		return response(v, nil, err)
	}
	return response(v, apiforms.ToAPIMedia(asset), nil)
}

func (l *library) cancel(v *frame.Visit) error {
	id, err := frame.PathID(v, "media", ident.Parse[ident.Media])
	if err != nil {
		return err
	}
	if err := l.app.CancelUpload(v.Request.Context(), v.Principal, id); err != nil {
		return response(v, nil, err)
	}
	v.Out.WriteHeader(http.StatusNoContent)
	return nil
}
