// Package pictures serves the page on which people choose pictures of the media library for a place: the workspace's
// logo, or the avatar or a part of the brand kit of a channel.
package pictures

import (
	"embed"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const (
	offered = 60 // newest images of the library
	// MaxForm is the size of a form with one picture of the largest size.
	MaxForm = app.MaxPicture + 64<<10
)

// Feature returns the page, which other features serve under their own addresses.
func Feature() frame.Feature { return frame.Feature{Name: "pictures", Templates: templates} }

// Place is a place for pictures, as people know it.
type Place struct {
	Use         app.PictureUse
	Title, Hint string
	Path        string // of the page, within the workspace
	Back        frame.Link
	Tabs        []frame.Tab
}

// tile is a picture to choose.
type tile struct {
	app.DeliveredAsset

	Chosen bool
}

// page is the data of the page.
type page struct {
	Place

	Many  bool
	Most  int
	Tiles []tile
	Fault string
}

// Show responds with the page.
func Show(v *frame.Visit, a *app.App, place Place) error {
	chosen, err := a.Pictures(v.Request.Context(), v.Principal, place.Use)
	if err != nil {
		return err
	}
	ids := make([]ident.Media, len(chosen))
	for i, one := range chosen {
		ids[i] = one.ID
	}
	return show(v, a, place, http.StatusOK, ids, "")
}

func show(v *frame.Visit, a *app.App, place Place, status int, chosen []ident.Media, fault string) error {
	current, err := a.Pictures(v.Request.Context(), v.Principal, place.Use)
	if err != nil {
		return err
	}
	library, err := a.MediaList(v.Request.Context(), v.Principal, postgres.MediaFilter{Type: media.Image, Limit: offered})
	if err != nil {
		return err
	}
	data := page{Place: place, Many: place.Use.Most() > 1, Most: place.Use.Most(), Fault: fault}
	seen := make(map[ident.Media]bool)
	for _, one := range append(current, library...) {
		if !seen[one.ID] {
			seen[one.ID] = true
			data.Tiles = append(data.Tiles, tile{one, slices.Contains(chosen, one.ID)})
		}
	}
	return v.Page(frame.Page{Name: "pictures/choose", Title: place.Title, Status: status, Tabs: place.Tabs, Data: data})
}

// Save stores the uploaded pictures and the choice.
func Save(v *frame.Visit, a *app.App, place Place) error {
	ctx := v.Request.Context()
	if _, err := a.Pictures(ctx, v.Principal, place.Use); err != nil { // before anything is uploaded
		return err
	}
	var chosen []ident.Media
	for _, text := range v.Fields()["picture"] {
		if id, err := ident.Parse[ident.Media](text); err == nil {
			chosen = append(chosen, id)
		}
	}
	var uploads []*multipart.FileHeader
	if form := v.Request.MultipartForm; form != nil {
		uploads = form.File["file"]
	}
	for _, upload := range uploads {
		if upload.Size == 0 {
			continue // a form without a chosen file
		}
		content, err := read(upload)
		if err != nil {
			return err
		}
		id, err := a.UploadPicture(ctx, v.Principal, upload.Filename, content)
		if faults, ok := frame.Faults(err); ok {
			return show(v, a, place, http.StatusUnprocessableEntity, chosen, faults["file"])
		}
		if err != nil {
			return err
		}
		if place.Use.Most() == 1 {
			chosen = nil
		}
		chosen = append(chosen, id)
	}
	err := a.SetPictures(ctx, v.Principal, place.Use, chosen)
	if faults, ok := frame.Faults(err); ok {
		return show(v, a, place, http.StatusUnprocessableEntity, chosen, faults["pictures"])
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(place.Back.Path), place.Title+" saved.")
}

func read(upload *multipart.FileHeader) ([]byte, error) {
	file, err := upload.Open()
	if err != nil {
		return nil, fmt.Errorf("pictures: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("pictures: %w", err)
	}
	return content, nil
}
