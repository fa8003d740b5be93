package ledger

import "strings"

// Media is a file that a post carries. Its bytes are in the media store.
type Media struct {
	ID          string `json:"id"` // the network's own, of the shape that it uses
	Type        string `json:"type"`
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`            // bytes
	Width       int    `json:"width,omitempty"` // pixels; zero when unknown
	Height      int    `json:"height,omitempty"`
	AltText     string `json:"altText"`
}

// textKey names a text of an account with the files beside it: the same words under another picture are another post.
func textKey(platform, account, text string, files []Media) key {
	name := account + "\n" + strings.TrimSpace(text)
	for _, file := range files {
		name += "\n" + file.SHA256
	}
	return key{platform, name}
}
