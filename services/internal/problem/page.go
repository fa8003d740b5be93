package problem

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

// Page is a rendered HTML page.
type Page struct {
	HTML []byte
	// Policy is the page's Content-Security-Policy. It allows only the page's own style.
	Policy string
}

// Pages renders the page of every code, by slug.
func Pages() (map[string]Page, error) {
	source, err := template.New("problem").Funcs(template.FuncMap{"text": parts, "isCode": isCode}).Parse(pageSource)
	if err != nil {
		return nil, fmt.Errorf("problem page: %w", err)
	}
	policy := pagePolicy()
	pages := make(map[string]Page)
	for _, kind := range Kinds() {
		var out bytes.Buffer
		err := source.Execute(&out, map[string]any{
			"Kind": kind, "StatusText": http.StatusText(kind.Status),
			"Style": template.CSS(pageStyle), //nolint:gosec // embedded file
		})
		if err != nil {
			return nil, fmt.Errorf("problem page %s: %w", kind.Code, err)
		}
		pages[kind.Slug()] = Page{HTML: out.Bytes(), Policy: policy}
	}
	return pages, nil
}

//go:embed index.html
var indexSource string

// Index renders the list of all codes.
func Index() (Page, error) {
	source, err := template.New("problems").Parse(indexSource)
	if err != nil {
		return Page{}, fmt.Errorf("problem index: %w", err)
	}
	var out bytes.Buffer
	err = source.Execute(&out, map[string]any{
		"Kinds": Kinds(), "Path": Path, "Style": template.CSS(pageStyle), //nolint:gosec // embedded file
	})
	if err != nil {
		return Page{}, fmt.Errorf("problem index: %w", err)
	}
	return Page{HTML: out.Bytes(), Policy: pagePolicy()}, nil
}

// pagePolicy returns a policy that allows only the pages' own style.
func pagePolicy() string {
	digest := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// parts splits a text at its backticks: every second part is code.
func parts(text string) []string { return strings.Split(text, "`") }

func isCode(part int) bool { return part%2 == 1 }
