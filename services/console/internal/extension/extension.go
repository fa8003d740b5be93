// Package extension serves the browser extension by which members capture leads: its archive, and the page that says how to
// install it. The extension itself is in files.
package extension

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
)

//go:embed files
var files embed.FS

//go:embed templates
var templates embed.FS

// Path is the address of the page.
const Path = "/extension"

const archiveName = "fencepost-extension.zip"

// Feature returns the page and the archive.
func Feature(appURL string) (frame.Feature, error) {
	archive, err := Archive()
	if err != nil {
		return frame.Feature{}, err
	}
	return frame.Feature{
		Name: "extension", Templates: templates,
		Routes: []frame.Route{
			{Pattern: "GET " + Path, Access: frame.Anyone, Handle: func(v *frame.Visit) error {
				return v.Page(frame.Page{
					Name: "extension/extension", Title: "Browser extension", Bare: true,
					Data: struct{ Address, Archive string }{appURL, Path + "/" + archiveName},
				})
			}},
			{Pattern: "GET " + Path + "/" + archiveName, Access: frame.Outside, Handle: func(v *frame.Visit) error {
				v.Out.Header().Set("Content-Type", "application/zip")
				v.Out.Header().Set("Content-Disposition", `attachment; filename="`+archiveName+`"`)
				v.Out.WriteHeader(http.StatusOK)
				_, _ = v.Out.Write(archive) // an error concerns only the client's connection
				return nil
			}},
			{Pattern: "GET " + PathCapture, Access: frame.Anyone, Handle: capture},
		},
	}, nil
}

// Archive returns the extension as a zip file: the same bytes for the same files.
func Archive() ([]byte, error) {
	root, err := fs.Sub(files, "files")
	if err != nil {
		return nil, fmt.Errorf("extension: %w", err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := w.AddFS(root); err != nil { // in the order of names, without times
		return nil, fmt.Errorf("extension: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("extension: %w", err)
	}
	return out.Bytes(), nil
}
