package whatsapp

import (
	"cmp"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// content is what a message contains: the member that Type names.
type content struct {
	Type string `json:"type"`
	Text struct {
		Body string `json:"body"`
	} `json:"text"`
	Button struct {
		Text string `json:"text"`
	} `json:"button"`
	Interactive struct {
		Button struct {
			Title string `json:"title"`
		} `json:"button_reply"`
		List struct {
			Title string `json:"title"`
		} `json:"list_reply"`
		Flow struct {
			Body string `json:"body"`
		} `json:"nfm_reply"`
	} `json:"interactive"`
	Reaction struct {
		Emoji   string `json:"emoji"`
		Message string `json:"message_id"`
	} `json:"reaction"`
	Order struct {
		Text string `json:"text"`
	} `json:"order"`
	Image    *file `json:"image"`
	Video    *file `json:"video"`
	Audio    *file `json:"audio"`
	Document *file `json:"document"`
	Sticker  *file `json:"sticker"`
}

// file is a file that the network returns for seven days.
type file struct {
	ID      string `json:"id"`
	Name    string `json:"filename"`
	Type    string `json:"mime_type"`
	Caption string `json:"caption"`
}

func (c content) text() string {
	text := cmp.Or(c.Text.Body, c.Button.Text, c.Interactive.Button.Title, c.Interactive.List.Title, c.Interactive.Flow.Body,
		c.Reaction.Emoji, c.Order.Text)
	for _, f := range []*file{c.Image, c.Video, c.Document} {
		if f != nil {
			text = cmp.Or(text, f.Caption)
		}
	}
	return text
}

func (c content) files() []inbox.File {
	var files []inbox.File
	for _, part := range []struct {
		*file

		name, contentType string
	}{
		{c.Image, "photo.jpg", "image/jpeg"},
		{c.Video, "video.mp4", "video/mp4"},
		{c.Audio, "audio.ogg", "audio/ogg"},
		{c.Document, "document", "application/octet-stream"},
		{c.Sticker, "sticker.webp", "image/webp"},
	} {
		if part.file == nil || !httpcall.Token(part.ID) {
			continue
		}
		files = append(files, inbox.File{
			Reference: part.ID, Name: cmp.Or(httpcall.Text(part.Name, longestName), part.name),
			Type: cmp.Or(httpcall.Text(part.Type, longestName), part.contentType),
		})
	}
	return files
}

// unsupported describes content without text and files.
func (c content) unsupported() string {
	switch c.Type {
	case "location":
		return "a location"
	case "contacts":
		return "a contact"
	case "order":
		return "an order"
	case "edit", "revoke":
		return "a change of a message"
	default:
		return "a message of another kind"
	}
}
