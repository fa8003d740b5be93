package stage

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"socialpub.internal/services/sandbox/internal/mediastore"
)

// Form is a multipart body, its files in the media store.
type Form struct {
	Values url.Values
	Files  []FormFile // in the order in which they came
}

// FormFile is one file of a form.
type FormFile struct {
	Field       string
	Name        string // that the sender gave it
	ContentType string // that the sender claimed
	Item        mediastore.Item
	Err         error // why the store did not take it: mediastore.ErrTooLarge, ErrUnsupported, ErrEmpty or its disk
}

// File is the first file of that field; false when there is none.
func (f Form) File(field string) (FormFile, bool) {
	for _, file := range f.Files {
		if file.Field == field {
			return file, true
		}
	}
	return FormFile{}, false
}

// errForm is the error of a body that is no form.
var errForm = errors.New("the body is not a whole multipart form")

// IsMultipart reports whether the request's body is a form that can hold files.
func IsMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

// ReadForm reads a multipart body to its end and keeps each of its files, of so many bytes at most, in the media store as it
// comes. A file that is refused does not end the reading, so that faults still meet the call and its answer arrives. The
// error says that the body is no form or broke off.
func (s *Stage) ReadForm(r *http.Request, fileLimit int64) (Form, error) {
	reader, err := r.MultipartReader()
	if err != nil {
		return Form{}, errForm
	}
	form := Form{Values: make(url.Values)}
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return Form{}, fmt.Errorf("%w: %w", errForm, err)
		}
		if err := s.readPart(r, &form, part, fileLimit); err != nil {
			return Form{}, fmt.Errorf("%w: %w", errForm, err)
		}
	}
}

func (s *Stage) readPart(r *http.Request, form *Form, part *multipart.Part, fileLimit int64) error {
	if part.FileName() == "" {
		value, err := io.ReadAll(io.LimitReader(part, maxBody))
		form.Values.Add(part.FormName(), string(value))
		return err
	}
	file := FormFile{Field: part.FormName(), Name: part.FileName(), ContentType: part.Header.Get("Content-Type")}
	file.Item, file.Err = s.Media.Put(r.Context(), part, fileLimit)
	form.Files = append(form.Files, file)
	_, err := io.Copy(io.Discard, part)
	return err
}

// MediaPath is the path at which the sandbox serves the bytes of that hash.
func MediaPath(sum string) string { return "/media/" + sum }
