package problem

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed refusal.html
var refusalSource string

// Refusals renders the error page for a user whose OAuth client sent a request that must not be redirected back to the
// client.
type Refusals struct{ source *template.Template }

// NewRefusals parses the template.
func NewRefusals() (*Refusals, error) {
	source, err := template.New("refusal").Parse(refusalSource)
	if err != nil {
		return nil, fmt.Errorf("refusal page: %w", err)
	}
	return &Refusals{source: source}, nil
}

// Page renders an error and a detail for the developers of the client; both are escaped.
func (r *Refusals) Page(code, detail string) (Page, error) {
	var out bytes.Buffer
	err := r.source.Execute(&out, map[string]any{
		"Code": code, "Detail": detail, "Style": template.CSS(pageStyle), //nolint:gosec // embedded file
	})
	return Page{HTML: out.Bytes(), Policy: pagePolicy()}, err
}
