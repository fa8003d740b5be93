package blueskyapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Limits of the lexicons.
const (
	longestText      = 300
	longestTextBytes = 3000
	longestTag       = 64
	mostImages       = 4
	mostInGallery    = 10
	largestImage     = 2_000_000
	largestVideo     = 300_000_000
)

// keyPattern matches the keys of posts (atproto.com/specs/tid), didPattern the ids of accounts.
var (
	keyPattern = regexp.MustCompile(`^[234567a-j][234567a-z]{12}$`)
	didPattern = regexp.MustCompile(`^did:[a-z]+:[A-Za-z0-9._:%-]+$`)
)

// body is the body of createRecord.
type body struct {
	Repo       string `json:"repo"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Record     struct {
		Type      string  `json:"$type"`
		Text      *string `json:"text"`
		CreatedAt string  `json:"createdAt"`
		Facets    []facet `json:"facets"`
		Embed     *embed  `json:"embed"`
	} `json:"record"`
}

type facet struct {
	Index struct {
		Start int `json:"byteStart"`
		End   int `json:"byteEnd"`
	} `json:"index"`
	Features []struct {
		Type string `json:"$type"`
		URI  string `json:"uri"`
		DID  string `json:"did"`
		Tag  string `json:"tag"`
	} `json:"features"`
}

type embed struct {
	Type   string     `json:"$type"`
	Images []image    `json:"images"`
	Items  []image    `json:"items"` // of a gallery
	Video  *reference `json:"video"`
	Alt    string     `json:"alt"`
	Aspect *aspect    `json:"aspectRatio"`
}

type image struct {
	Type   string     `json:"$type"`
	Image  *reference `json:"image"`
	Alt    *string    `json:"alt"`
	Aspect *aspect    `json:"aspectRatio"`
}

// gallery is the type of an embed of more than four images, and with a suffix that of its items.
const gallery = "app.bsky.embed.gallery"

// images returns the images of an embed.
func (e embed) images() ([]image, *refusal) {
	switch {
	case e.Type == gallery && len(e.Items) > mostInGallery:
		return nil, faulty("array too big (maximum %d, got %d) at $.record.embed.items", mostInGallery, len(e.Items))
	case e.Type == gallery && slices.ContainsFunc(e.Items, func(i image) bool {
		return i.Type != gallery+"#image" || i.Aspect == nil
	}):
		return nil, faulty(`Missing required key "aspectRatio" at $.record.embed.items`)
	case e.Type == gallery && len(e.Items) > 0:
		return e.Items, nil
	case e.Type != "app.bsky.embed.images", len(e.Images) == 0:
		return nil, faulty("Neither images nor a video at $.record.embed")
	case len(e.Images) > mostImages:
		return nil, faulty("array too big (maximum %d, got %d) at $.record.embed.images", mostImages, len(e.Images))
	}
	return e.Images, nil
}

type aspect struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// reference refers to an uploaded file.
type reference struct {
	Type string `json:"$type"`
	Ref  struct {
		Link string `json:"$link"`
	} `json:"ref"`
	MimeType string `json:"mimeType"`
	Size     int64  `json:"size"`
}

// refusal is an error in the network's words.
type refusal struct{ code, message string }

func faulty(format string, args ...any) *refusal {
	return &refusal{"InvalidRequest", "Invalid " + collection + " record: " + fmt.Sprintf(format, args...)}
}

// create publishes a post under the client's key. A second record under a key is the error that the reference server
// makes of it, 500.
func (a *API) create(w http.ResponseWriter, r request) {
	var given body
	switch {
	case !r.decode(w, &given):
		return
	case given.Repo != r.did() && given.Repo != r.name+domain:
		refuse(w, http.StatusUnauthorized, "AuthenticationRequired", "Authentication Required")
		return
	case given.Collection != collection:
		invalid(w, "The sandbox has no other collection than "+collection)
		return
	case !keyPattern.MatchString(given.Key):
		invalid(w, fmt.Sprintf("Invalid record key for %s: Invalid TID string (got %q) at $", collection, given.Key))
		return
	}
	if refused := given.check(); refused != nil {
		refuse(w, http.StatusBadRequest, refused.code, refused.message)
		return
	}
	files, media, refused := a.attached(r.did(), given.Record.Embed)
	if refused != nil {
		refuse(w, http.StatusBadRequest, refused.code, refused.message)
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.did(), Author: r.name, Text: *given.Record.Text, Media: media, ID: given.Key,
		RequestID: stage.RequestID(r.Request), Origin: uriOf(r.did(), given.Key), OneOrigin: true,
	})
	if err == nil {
		err = a.use(files)
	}
	switch {
	case err != nil && !errors.Is(err, ledger.ErrPublished):
		a.stage.Logger.Warn("record not stored")
		broken(w)
	case err != nil:
		broken(w)
	default:
		r.answer(w, map[string]any{
			"uri": post.Origin, "cid": recordCID(post), "validationStatus": "valid",
			"commit": map[string]string{"cid": recordCID(post), "rev": post.ID},
		})
	}
}

// use marks files as referred to, so that they are kept.
func (a *API) use(files []stored) error {
	for _, file := range files {
		file.Used = true
		if err := a.blobs.keep(file); err != nil {
			return err
		}
	}
	return nil
}

// check validates a record against the lexicon.
func (b body) check() *refusal {
	record := b.Record
	switch {
	case record.Type != collection:
		return faulty("Expected %q at $.record.$type", collection)
	case record.Text == nil:
		return faulty(`Missing required key "text" at $.record`)
	case len(*record.Text) > longestTextBytes:
		return faulty("string too big (maximum %d, got %d) at $.record.text", longestTextBytes, len(*record.Text))
	case count.Graphemes(*record.Text) > longestText:
		return faulty("grapheme too big (maximum %d, got %d) at $.record.text", longestText, count.Graphemes(*record.Text))
	}
	if _, err := time.Parse(time.RFC3339Nano, record.CreatedAt); err != nil {
		return faulty("Invalid datetime (got %q) at $.record.createdAt", record.CreatedAt)
	}
	for i, f := range record.Facets {
		if fault := f.fault(*record.Text); fault != "" {
			return faulty("The facet %s at $.record.facets[%d]", fault, i)
		}
	}
	return nil
}

// fault returns the fault of a facet. The reference server does not compare a facet with the text; the sandbox does,
// because applications do not show a facet that is misplaced.
func (f facet) fault(text string) string {
	start, end := f.Index.Start, f.Index.End
	if start < 0 || end <= start || end > len(text) || !utf8.RuneStart(text[start]) ||
		end < len(text) && !utf8.RuneStart(text[end]) {
		return "is not a range of characters of the text"
	}
	marked := text[start:end]
	for _, feature := range f.Features {
		link, err := url.Parse(feature.URI)
		switch {
		case feature.Type == "app.bsky.richtext.facet#link" && err == nil && link.Host != "" &&
			strings.HasSuffix(feature.URI, marked):
		case feature.Type == "app.bsky.richtext.facet#mention" && didPattern.MatchString(feature.DID) &&
			strings.HasPrefix(marked, "@") && feature.DID == plc+strings.TrimSuffix(strings.ToLower(marked[1:]), domain):
		case feature.Type == "app.bsky.richtext.facet#tag" && feature.Tag != "" &&
			count.Graphemes(feature.Tag) <= longestTag && (marked == "#"+feature.Tag || marked == "＃"+feature.Tag):
		default:
			return "has a feature that does not fit " + marked
		}
	}
	if len(f.Features) == 0 {
		return "has no features"
	}
	return ""
}

// attached returns the files that the record embeds.
func (a *API) attached(did string, given *embed) ([]stored, []ledger.Media, *refusal) {
	if given == nil {
		return nil, nil, nil
	}
	var files []stored
	var media []ledger.Media
	add := func(ref *reference, limit int64, kind, alt string, size *aspect) *refusal {
		if size != nil && (size.Width < 1 || size.Height < 1) {
			return faulty("integer too small (minimum 1) at $.record.embed.aspectRatio")
		}
		file, refused := a.fileOf(did, ref, limit, kind)
		if refused != nil {
			return refused
		}
		item, err := a.stage.Media.Get(file.SHA256)
		if err != nil {
			return &refusal{"BlobNotFound", "Could not find blob: " + file.cid()}
		}
		files, media = append(files, file), append(media, item.Media(file.cid(), alt))
		return nil
	}
	if given.Type == "app.bsky.embed.video" && given.Video != nil {
		return files, media, add(given.Video, largestVideo, "video/mp4", given.Alt, given.Aspect)
	}
	images, refused := given.images()
	if refused != nil {
		return nil, nil, refused
	}
	for i, image := range images {
		if image.Alt == nil {
			return nil, nil, faulty(`Missing required key "alt" at $.record.embed at image %d`, i)
		}
		if refused := add(image.Image, largestImage, "image/", *image.Alt, image.Aspect); refused != nil {
			return nil, nil, refused
		}
	}
	return files, media, nil
}

// fileOf returns the uploaded file of a reference, which must describe it correctly.
func (a *API) fileOf(did string, ref *reference, limit int64, kind string) (stored, *refusal) {
	if ref == nil || ref.Type != "blob" {
		return stored{}, faulty("Expected a blob at $.record.embed")
	}
	file, ok := a.blobs.of(did, ref.Ref.Link)
	switch {
	case !ok:
		return stored{}, &refusal{"BlobNotFound", "Could not find blob: " + ref.Ref.Link}
	case file.Size > limit:
		return stored{}, &refusal{
			"BlobTooLarge", fmt.Sprintf("This file is too large. It is %d bytes but the maximum size is %d.", file.Size, limit),
		}
	case file.Type != ref.MimeType || file.Size != ref.Size:
		return stored{}, &refusal{
			"InvalidMimeType", "Referenced Mimetype does not match stored blob. Expected: " + file.Type + ", Got: " + ref.MimeType,
		}
	case !strings.HasPrefix(file.Type, kind):
		return stored{}, &refusal{"InvalidMimeType", "Wrong mimetype. It is " + file.Type + " but it must match " + kind}
	default:
		return file, nil
	}
}

// record returns a post by its key.
func (a *API) record(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	uri := "at://" + query.Get("repo") + "/" + query.Get("collection") + "/" + query.Get("rkey")
	post, ok := a.find(uri)
	if !ok {
		refuse(w, http.StatusBadRequest, "RecordNotFound", "Could not locate record: "+uri)
		return
	}
	r.answer(w, map[string]any{"uri": uri, "cid": recordCID(post), "value": value(post)})
}

// value returns the record of a post, as far as the ledger has it.
func value(post ledger.Post) map[string]any {
	return map[string]any{"$type": collection, "text": post.Text, "createdAt": stamp(post.CreatedAt)}
}

// recordCID returns an identifier of a record that changes with its content.
func recordCID(post ledger.Post) string {
	const dagCBOR = 0x71
	sum := sha256.Sum256([]byte(post.Origin + post.Text))
	return identifier(dagCBOR, hex.EncodeToString(sum[:]))
}
