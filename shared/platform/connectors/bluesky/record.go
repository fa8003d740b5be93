package bluesky

import (
	"regexp"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// record is a post (lexicon app.bsky.feed.post).
type record struct {
	Type      string  `json:"$type"`
	Text      string  `json:"text"` // required, even if empty
	CreatedAt string  `json:"createdAt"`
	Facets    []facet `json:"facets,omitempty"`
	Embed     *embed  `json:"embed,omitempty"`

	Reply     *replyRef   `json:"reply,omitempty"`
	Languages []string    `json:"langs,omitempty"`
	Labels    *selfLabels `json:"labels,omitempty"`
}

// embed holds the attachments: up to four images, up to ten images of a gallery, or one video (lexicons
// app.bsky.embed.images, app.bsky.embed.gallery and app.bsky.embed.video).
type embed struct {
	Type   string  `json:"$type"`
	Images []image `json:"images,omitempty"`
	Items  []image `json:"items,omitempty"` // of a gallery
	Video  *blob   `json:"video,omitempty"`
	Alt    string  `json:"alt,omitempty"` // of the video
	Aspect *aspect `json:"aspectRatio,omitempty"`
	// Presentation asks applications to loop a video that was a GIF, without sound.
	Presentation string `json:"presentation,omitempty"`
	// Record is the post that is quoted: a strongRef, or a quotedRecord beside Media.
	Record any    `json:"record,omitempty"`
	Media  *embed `json:"media,omitempty"`
}

// quotedRecord is a quote beside attachments (lexicon app.bsky.embed.record).
type quotedRecord struct {
	Type   string    `json:"$type"`
	Record strongRef `json:"record"`
}

// quoting returns the embed of a quote with the attachments.
func quoting(quote *strongRef, attached *embed) *embed {
	const alone = "app.bsky.embed.record"
	switch {
	case quote == nil:
		return attached
	case attached == nil:
		return &embed{Type: alone, Record: *quote}
	default:
		return &embed{Type: "app.bsky.embed.recordWithMedia", Record: quotedRecord{alone, *quote}, Media: attached}
	}
}

type image struct {
	Type   string  `json:"$type,omitempty"` // in a gallery
	Image  blob    `json:"image"`
	Alt    string  `json:"alt"`                   // required, even if empty
	Aspect *aspect `json:"aspectRatio,omitempty"` // required in a gallery
}

type aspect struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// blob refers to an uploaded file (atproto.com/specs/data-model, blob type).
type blob struct {
	Type string `json:"$type"`
	Ref  struct {
		Link string `json:"$link"`
	} `json:"ref"`
	MimeType string `json:"mimeType"`
	Size     int64  `json:"size"`
}

// cidPattern matches the identifiers of files, in base 32.
var cidPattern = regexp.MustCompile(`^b[a-z2-7]{20,200}$`)

func (b blob) valid() bool {
	return b.Type == "blob" && cidPattern.MatchString(b.Ref.Link) && b.MimeType != "" && b.Size > 0
}

// recordOf returns the record of a prepared post whose files have these references.
func recordOf(content platform.Content, prepared state, blobs []blob, now time.Time) record {
	return record{
		Type: collection, Text: content.Text, CreatedAt: stamp(now), Facets: facetsOf(content.Text, prepared.DIDs),
		Embed: quoting(prepared.Quote, embedOf(content.Media, blobs)), Languages: languagesOf(content.Options.Language),
		Labels: labelsOf(content.Options.ContentLabel), Reply: prepared.Reply,
	}
}

// stamp returns a time as records have it (atproto.com/specs/lexicon, datetime).
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func embedOf(assets []media.Asset, blobs []blob) *embed {
	if len(assets) == 0 {
		return nil
	}
	if first := assets[0]; first.Type != media.Image {
		video := &embed{Type: "app.bsky.embed.video", Video: &blobs[0], Alt: first.AltText, Aspect: aspectOf(first.Probe)}
		if first.Type == media.GIF {
			video.Presentation = "gif"
		}
		return video
	}
	images := make([]image, len(assets))
	for i, asset := range assets {
		images[i] = image{Image: blobs[i], Alt: asset.AltText, Aspect: aspectOf(asset.Probe)}
	}
	if len(images) <= mostImages {
		return &embed{Type: "app.bsky.embed.images", Images: images}
	}
	for i := range images {
		images[i].Type = "app.bsky.embed.gallery#image"
		if images[i].Aspect == nil {
			images[i].Aspect = &aspect{Width: 1, Height: 1}
		}
	}
	return &embed{Type: "app.bsky.embed.gallery", Items: images}
}

// aspectOf returns the dimensions, by which clients reserve the space of a file. It returns nil if they are unknown.
func aspectOf(probe media.Probe) *aspect {
	if probe.Width < 1 || probe.Height < 1 {
		return nil
	}
	return &aspect{Width: probe.Width, Height: probe.Height}
}

// recordKey returns the key of the post's record, a TID (atproto.com/specs/tid): the time of the post's id in
// microseconds and ten bits of its random part, in a base 32 that sorts like the number. It depends on nothing but the
// id, so that every attempt to publish the post, on any machine, uses the same key.
func recordKey(id ident.Post) string {
	const (
		alphabet = "234567abcdefghijklmnopqrstuvwxyz"
		length   = 13
		micros   = 1000 // in a millisecond
	)
	// A UUIDv7 has 48 bits of milliseconds, 4 of the version, 12 of a fraction or random, 2 of the variant, 62 random.
	milliseconds, fraction := uint64(0), uint64(id[6]&0x0F)<<8|uint64(id[7])
	for _, b := range id[:6] {
		milliseconds = milliseconds<<8 | uint64(b)
	}
	clockID := uint64(id[14]&0x03)<<8 | uint64(id[15])
	number := ((milliseconds*micros+fraction*micros>>12)<<10 | clockID) &^ (1 << 63)
	key := make([]byte, length)
	for i := range key {
		key[length-1-i] = alphabet[number&0x1F]
		number >>= 5
	}
	return string(key)
}

// keyPattern matches the keys of posts.
var keyPattern = regexp.MustCompile(`^[234567a-j][234567a-z]{12}$`)

// uriOf returns the URI of the account's post.
func uriOf(account platform.Account, key string) string {
	return "at://" + account.ExternalID + "/" + collection + "/" + key
}

// keyIn returns the key in the URI of the account's post.
func keyIn(uri string, account platform.Account) (string, bool) {
	key, ok := strings.CutPrefix(uri, uriOf(account, ""))
	return key, ok && keyPattern.MatchString(key)
}
