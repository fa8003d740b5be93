package problem

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed refusal.html
var refusalSource string

// Refusals makes the page for a person whom a program sent with a request that cannot be answered to the program itself.
type Refusals struct{ source *template.Template }

// NewRefusals reads the template.
func NewRefusals() (*Refusals, error) {
	source, err := template.New("refusal").Parse(refusalSource)
	if err != nil {
		return nil, fmt.Errorf("refusal page: %w", err)
	}
	return &Refusals{source: source}, nil
}

// Page shows an error and what helps the program's makers; both are escaped.
func (r *Refusals) Page(code, detail string) (Page, error) {
	var out bytes.Buffer
	err := r.source.Execute(&out, map[string]any{
		"Code": code, "Detail": detail, "Style": template.CSS(pageStyle), //nolint:gosec // our own file
	})
	return Page{HTML: out.Bytes(), Policy: pagePolicy()}, err
}
