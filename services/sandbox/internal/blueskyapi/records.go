package blueskyapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Limits of the lexicons.
const (
	longestText      = 300
	longestTextBytes = 3000
	longestTag       = 64
	mostImages       = 4
	mostInGallery    = 10
	largestImage     = 2_000_000
)

// keyPattern matches the keys of posts (atproto.com/specs/tid), didPattern the ids of accounts.
var (
	keyPattern = regexp.MustCompile(`^[234567a-j][234567a-z]{12}$`)
	didPattern = regexp.MustCompile(`^did:[a-z]+:[A-Za-z0-9._:%-]+$`)
)

// body is the body of createRecord.
type body struct {
	Repo, Collection, RKey string
	Record                 struct {
		Type      string `json:"$type"`
		Text      *string
		CreatedAt string
		Facets    []facet
		Embed     *embed
		Reply     *reply
		Langs     []string
		Labels    *labels
	}
}

type facet struct {
	Index    struct{ ByteStart, ByteEnd int }
	Features []struct {
		Type          string `json:"$type"`
		URI, DID, Tag string
	}
}

type embed struct {
	Type          string  `json:"$type"`
	Images, Items []image // Items are those of a gallery
	Video         *reference
	Alt           string
	AspectRatio   *aspect
	Record        *quoted // and Media beside it
	Media         *embed
}

type image struct {
	Type        string `json:"$type"`
	Image       *reference
	Alt         *string
	AspectRatio *aspect
}

type aspect struct{ Width, Height int }

// reference refers to an uploaded file.
type reference struct {
	Type string `json:"$type"`
	Ref  struct {
		Link string `json:"$link"`
	}
	MimeType string
	Size     int64
}

// gallery is the type of an embed of more than four images, and with a suffix that of its items.
const gallery = "app.bsky.embed.gallery"

func faulty(format string, args ...any) stage.Response {
	return invalid("Invalid " + collection + " record: " + fmt.Sprintf(format, args...))
}

// create publishes a post under the client's key. A second record under a key is the error that the reference server
// makes of it, 500.
func (a *api) create(r stage.Request) stage.Response {
	var given body
	err := json.Unmarshal(r.Body, &given)
	return a.publish(r, given, err, nil)
}

// publish publishes a post, with the record who may reply; nil: everyone may.
func (a *api) publish(r stage.Request, given body, err error, limit *gate) stage.Response {
	record := given.Record
	text := ""
	if record.Text != nil {
		text = *record.Text
	}
	_, timeErr := time.Parse(time.RFC3339Nano, record.CreatedAt)
	bad := stage.If(err != nil, invalid("Unexpected value in the request body")).
		Or(given.Repo != r.Account && given.Repo != r.Grant.Account+domain,
			refuse(http.StatusUnauthorized, "AuthenticationRequired", "Authentication Required")).
		Or(given.Collection != collection, invalid("The sandbox has no other collection than "+collection)).
		Or(!keyPattern.MatchString(given.RKey),
			invalid(fmt.Sprintf("Invalid record key for %s: Invalid TID string (got %q) at $", collection, given.RKey))).
		Or(record.Type != collection, faulty("Expected %q at $.record.$type", collection)).
		Or(record.Text == nil, faulty(`Missing required key "text" at $.record`)).
		Or(len(text) > longestTextBytes,
			faulty("string too big (maximum %d, got %d) at $.record.text", longestTextBytes, len(text))).
		Or(figures.Graphemes(text) > longestText,
			faulty("grapheme too big (maximum %d, got %d) at $.record.text", longestText, figures.Graphemes(text))).
		Or(timeErr != nil, faulty("Invalid datetime (got %q) at $.record.createdAt", record.CreatedAt))
	for i, f := range record.Facets {
		fault := f.fault(text)
		bad = bad.Or(fault != "", faulty("The facet %s at $.record.facets[%d]", fault, i))
	}
	draft := a.Draft(r)
	bad = bad.Also(a.below(r, record.Reply, &draft))
	bad = bad.Also(given.set(&draft, limit))
	draft.Author, draft.Text, draft.ID = r.Grant.Account, text, given.RKey
	draft.Origin, draft.OneOrigin = uriOf(r.Account, given.RKey), true
	var files []file
	if record.Embed != nil && !bad.Broken {
		var attached *embed
		if attached, bad = a.quote(&draft, record.Embed); attached != nil && !bad.Broken {
			files, bad = a.attach(&draft, *attached)
		}
	}
	if bad.Broken {
		return bad.Fault
	}
	post, err := a.Stage.Ledger.Publish(draft)
	if err == nil && record.Reply != nil {
		err = a.recordReply(r, post)
	}
	for _, one := range files {
		if one.Used = true; err == nil { // so that it is kept
			err = a.files.Keep(one)
		}
	}
	return a.After(err, stage.OK(created(post, limit)))
}

// fault returns the fault of a facet. The reference server does not compare a facet with the text; the sandbox does,
// because applications do not show a facet that is misplaced.
func (f facet) fault(text string) string {
	start, end := f.Index.ByteStart, f.Index.ByteEnd
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
			figures.Graphemes(feature.Tag) <= longestTag && (marked == "#"+feature.Tag || marked == "＃"+feature.Tag):
		default:
			return "has a feature that does not fit " + marked
		}
	}
	if len(f.Features) == 0 {
		return "has no features"
	}
	return ""
}

// attach adds the files that the record embeds to the draft.
func (a *api) attach(draft *ledger.Draft, given embed) (files []file, bad stage.Check) {
	add := func(ref *reference, limit int64, kind, alt string, size *aspect) {
		if size != nil {
			bad = bad.Or(size.Width < 1 || size.Height < 1,
				faulty("integer too small (minimum 1) at $.record.embed.aspectRatio"))
		}
		found, refused := a.referred(draft.Account, ref, limit, kind)
		item, err := a.Stage.Media.Get(found.SHA256)
		bad = bad.Also(refused).
			Or(err != nil, refuse(http.StatusBadRequest, "BlobNotFound", "Could not find blob: "+found.cid()))
		files, draft.Media = append(files, found), append(draft.Media, item.Media(found.cid(), alt))
	}
	if given.Type == "app.bsky.embed.video" && given.Video != nil {
		add(given.Video, largestVideo, media.ContentTypeMP4, given.Alt, given.AspectRatio)
		return files, bad
	}
	images, bad := given.images()
	for i, image := range images {
		alt := ""
		if image.Alt != nil {
			alt = *image.Alt
		}
		bad = bad.Or(image.Alt == nil, faulty(`Missing required key "alt" at $.record.embed at image %d`, i))
		add(image.Image, largestImage, "image/", alt, image.AspectRatio)
	}
	return files, bad
}

// images returns the images of an embed.
func (e embed) images() ([]image, stage.Check) {
	images, most, member := e.Images, mostImages, "images"
	if e.Type == gallery {
		images, most, member = e.Items, mostInGallery, "items"
	}
	incomplete := func(i image) bool { return i.Type != gallery+"#image" || i.AspectRatio == nil }
	return images, stage.If(len(images) > most,
		faulty("array too big (maximum %d, got %d) at $.record.embed.%s", most, len(images), member)).
		Or(e.Type == gallery && slices.ContainsFunc(images, incomplete),
			faulty(`Missing required key "aspectRatio" at $.record.embed.items`)).
		Or(e.Type != gallery && e.Type != "app.bsky.embed.images" || len(images) == 0,
			faulty("Neither images nor a video at $.record.embed"))
}

// referred returns the uploaded file of a reference, which must describe it correctly.
func (a *api) referred(did string, ref *reference, limit int64, kind string) (file, stage.Check) {
	if ref == nil || ref.Type != "blob" {
		return file{}, stage.Refused(faulty("Expected a blob at $.record.embed"))
	}
	f, ok := a.blob(did, ref.Ref.Link)
	unfit := func(code, message string) stage.Response { return refuse(http.StatusBadRequest, code, message) }
	return f, stage.If(!ok, unfit("BlobNotFound", "Could not find blob: "+ref.Ref.Link)).
		Or(f.Size > limit, unfit("BlobTooLarge",
			fmt.Sprintf("This file is too large. It is %d bytes but the maximum size is %d.", f.Size, limit))).
		Or(f.Type != ref.MimeType || f.Size != ref.Size, unfit("InvalidMimeType",
			"Referenced Mimetype does not match stored blob. Expected: "+f.Type+", Got: "+ref.MimeType)).
		Or(!strings.HasPrefix(f.Type, kind), unfit("InvalidMimeType",
			"Wrong mimetype. It is "+f.Type+" but it must match "+kind))
}

// recordCID returns an identifier of a record that changes with its content.
func recordCID(post ledger.Post) string {
	const dagCBOR = 0x71
	sum := sha256.Sum256([]byte(post.Origin + post.Text))
	return identifier(dagCBOR, hex.EncodeToString(sum[:]))
}
