// Package preview draws a post as its network shows it. Pages embed the drawing as HTML, with the style sheet preview.css
// beside that of wide pages.
package preview

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/presentation"
)

// Style is the style sheet of previews, for the Styles of a wide page.
const Style = "preview.css"

//go:embed templates/preview.html
var files embed.FS

var templates = template.Must(template.New("preview").Funcs(template.FuncMap{
	"icon": frame.Icon, "mark": frame.Mark, "initial": frame.Initial, "upper": strings.ToUpper,
}).ParseFS(files, "templates/preview.html"))

// Preview is a post to draw.
type Preview struct {
	View    presentation.View
	Account Account
	// Pictures are those of the attachments, in the order of the post.
	Pictures []Picture
	At       time.Time // of the publication, in the time zone of the reader; zero: now
	Head     bool      // the kind of post is named above the drawing
	Notes    bool      // what people should know is said below it
	// Parts are the other parts of the thread, and Comment is the text of the first comment.
	Parts   []Preview
	Comment string
}

// Account is the account that publishes the post.
type Account struct {
	Name, Username string
	Picture        string // address; empty: it has none, and shows its initial
}

// Picture is the look of an attachment.
type Picture struct {
	URL      string // address; empty until there is a picture
	VideoURL string // address of a video; empty: its frames cannot be shown
	Alt      string
	Name     string // of the file
}

// AccountOf returns the account of a channel with the address of its picture, which may be empty.
func AccountOf(c channel.Channel, picture string) Account {
	return Account{Name: c.Name, Username: strings.TrimPrefix(c.Username, "@"), Picture: picture}
}

// PicturesOf returns the pictures of a post's attachments.
func PicturesOf(assets []app.DeliveredAsset) []Picture {
	pictures := make([]Picture, len(assets))
	for i, asset := range assets {
		pictures[i] = PictureOf(asset, asset.AltText)
	}
	return pictures
}

// PictureOf returns the picture of an attachment with a description.
func PictureOf(asset app.DeliveredAsset, alt string) Picture {
	p := Picture{URL: asset.ThumbnailURL, Alt: alt, Name: asset.Name}
	if asset.Type == media.Video {
		p.VideoURL = asset.URL
	}
	return p
}

// Render returns the drawing.
func Render(p Preview) (template.HTML, error) {
	d := drawingOf(p)
	for _, part := range p.Parts {
		d.Below = append(d.Below, drawingOf(part))
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "preview", d); err != nil {
		return "", fmt.Errorf("preview: %w", err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // G203: the output of a template
}

func drawingOf(p Preview) drawing {
	d := drawing{Preview: p, Acts: acts(p.View), Lines: linesOf(p)}
	for i, shown := range p.View.Tiles {
		d.Tiles = append(d.Tiles, p.tile(shown, i, len(p.View.Tiles)))
	}
	if card := p.View.Card; card != nil {
		shown := p.tile(presentation.Tile{Picture: card.Picture, Shape: card.Shape}, 0, 1)
		d.Card = &shown
	}
	for _, run := range p.View.Text {
		if run.Rest {
			d.Rest = append(d.Rest, run)
		} else {
			d.Shown = append(d.Shown, run)
		}
	}
	return d
}

// drawing is the data of the template.
type drawing struct {
	Preview

	Lines       lines
	Acts        []string // icons
	Tiles       []tile
	Card        *tile // the picture of the card
	Shown, Rest []presentation.Run
	Below       []drawing // the other parts of the thread
}

// lines are the texts beside the account's picture.
type lines struct{ Name, Beside, Below string }
