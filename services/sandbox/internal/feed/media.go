package feed

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/shared/domain/media"
)

// media serves the bytes of a file. They are untrusted: nosniff makes a browser use the detected content type, and the
// policy disables everything if a browser shows them as a page nevertheless.
func (f *Feed) media(w http.ResponseWriter, r *http.Request) {
	file, item, err := f.stage.Media.Open(r.PathValue("sha256"))
	if errors.Is(err, mediastore.ErrUnknown) {
		f.lost(w, r)
		return
	}
	if err != nil {
		f.stage.Logger.ErrorContext(r.Context(), "file not read", slog.Any("error", err))
		http.Error(w, "The file could not be read.", http.StatusInternalServerError)
		return
	}
	defer func() { _ = file.Close() }()
	header := w.Header()
	header.Set("Content-Type", item.ContentType)
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "private, max-age=31536000, immutable")
	header.Set("ETag", `"`+item.SHA256+`"`)
	if item.Type == media.Document {
		header.Set("Content-Disposition", `attachment; filename="document.pdf"`)
	}
	http.ServeContent(w, r, "", time.Time{}, file)
}
