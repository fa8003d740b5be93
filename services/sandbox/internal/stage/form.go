package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/mediastore"
)

// Form is a multipart body whose files are in the media store.
type Form struct {
	Values url.Values
	Files  []FormFile // in the order of the body
	Err    error      // why the body is no whole form
}

// FormFile is one file of a form.
type FormFile struct {
	Field       string
	Name        string // as in the request
	ContentType string // as in the request
	Item        mediastore.Item
	// why the store did not accept it: mediastore.ErrTooLarge, ErrUnsupported, ErrEmpty or a disk error
	Err error
}

// File returns the first file of that field. It returns false if there is none.
func (f Form) File(field string) (FormFile, bool) {
	for _, file := range f.Files {
		if file.Field == field {
			return file, true
		}
	}
	return FormFile{}, false
}

// errForm reports a body that is not a complete form.
var errForm = errors.New("the body is not a whole multipart form")

// IsMultipart reports whether the request's body is a form that can contain files.
func IsMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

// ReadForm reads a multipart body to its end and stores each of its files, up to fileLimit bytes, in the media store
// while it reads. It continues after a file that the store rejects, so that faults still apply to the call and the
// client receives the response. It returns an error if the body is not a form or is incomplete.
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

// MediaPath returns the path at which the sandbox serves the bytes with that hash.
func MediaPath(sum string) string { return "/media/" + sum }

// Parameters returns the parameters of a call, from the query and from the body, which has precedence: a form, or a JSON
// object, whose members stay as they were written.
func Parameters(r *http.Request, body []byte) url.Values {
	values := r.URL.Query()
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		form, _ := url.ParseQuery(string(body))
		maps.Copy(values, form)
		return values
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values.Set(name, text)
	}
	return values
}

// AccessToken returns the token of such a call: a parameter or, without one, a bearer token. It is empty if there is
// neither.
func AccessToken(r *http.Request, parameters url.Values) string {
	if sent := parameters.Get("access_token"); sent != "" {
		return sent
	}
	return Bearer(r)
}

// Username returns the user name of an account: the account without a leading @. A numeric account gets the prefix
// "user".
func Username(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "user" + account
	}
	return strings.TrimPrefix(account, "@")
}
