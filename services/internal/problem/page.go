package problem

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

//go:embed page.css
var pageStyle string

// Page is a rendered HTML page.
type Page struct {
	HTML []byte
	// Policy is the page's Content-Security-Policy. It allows only the page's own style.
	Policy string
}

// pagePolicy returns a policy that allows only the pages' own style.
func pagePolicy() string {
	digest := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
