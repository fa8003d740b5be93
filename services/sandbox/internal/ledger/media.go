package ledger

import "strings"

// Media is a media file of a post. Its bytes are in the media store.
type Media struct {
	ID          string `json:"id"` // in the network's own format
	Type        string `json:"type"`
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`            // bytes
	Width       int    `json:"width,omitempty"` // pixels; zero if unknown
	Height      int    `json:"height,omitempty"`
	AltText     string `json:"altText"`
}

// textKey identifies an account's text with its files: the same text with other files is another post.
func textKey(platform, account, text string, files []Media) key {
	name := account + "\n" + strings.TrimSpace(text)
	for _, file := range files {
		name += "\n" + file.SHA256
	}
	return key{platform, name}
}
