package facebookapi

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// The kinds of objects. An object is invisible until a post contains it.
const (
	kindPhoto = "photo"
	kindReel  = "reel"
	kindStory = "story" // a video
	kindVideo = "video" // in the feed
	kindFile  = "file"  // of the application, which is its account; feed videos are made from it
)

// Limits of Facebook.
const (
	textLimit   = 63_206
	titleLimit  = 255
	photoLimit  = 10 << 20 // bytes
	videoLimit  = 10 << 30
	reelsPerDay = 30
	// uniqueFor is the time in which a Page cannot repeat a text. Facebook's error says "right away" without a duration.
	uniqueFor = time.Minute
)

// detailLink is the detail with the address that a post shows as a card.
const detailLink = "link"

// number returns a parameter that is a number, or zero.
func number(r stage.Request, name string) int64 {
	number, _ := strconv.ParseInt(r.Values.Get(name), 10, 64)
	return number
}

// object returns the account's object with that id. It returns false if there is none, or if it expired unpublished.
func (a *api) object(account, id string) (metaapi.Container, bool) {
	found, ok := a.Of(account, id)
	return found, ok && a.Fresh(found)
}

// posted is the response to photos that a post contains already.
func (a *api) posted() stage.Response {
	return a.Error(1, 1366051, "These photos were already posted.")
}

// create publishes a text, with a link or with uploaded photos. It refuses parameters that the sandbox cannot show, so
// that no post is published incomplete.
func (a *api) create(r stage.Request) stage.Response {
	if r.Values.Has("attached_media") { // texts are written at the same time
		defer a.posting.Lock(r.Account)()
	}
	bad := stage.Check{}
	for _, name := range []string{"object_attachment", "place", "scheduled_publish_time", "child_attachments"} {
		bad = bad.Or(r.Values.Has(name), a.Invalid("(#100) Param "+name+": the sandbox does not show it"))
	}
	published := r.Values.Get("published")
	bad = bad.Or(published != "" && published != "true",
		a.Invalid("(#100) Param published: the sandbox keeps no unpublished posts"))
	photos, unusable := a.attached(r)
	if bad = bad.Also(unusable).Also(a.withText(r, len(photos) > 0)); bad.Broken {
		return bad.Fault
	}
	draft := ledger.Draft{Text: r.Values.Get("message"), UniqueFor: uniqueFor}
	if link := r.Values.Get("link"); link != "" {
		draft.Details = map[string]string{detailLink: link}
	}
	for _, photo := range photos {
		draft.Media = append(draft.Media, photo.Media...)
		draft.Origin, draft.OneOrigin = photos[0].ID, true
	}
	post, err := a.publish(r, draft, photos...)
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		return a.Error(506, 0, "(#506) Duplicate status message")
	case errors.Is(err, ledger.ErrPublished):
		return a.posted()
	default:
		return a.After(err, stage.OK(map[string]string{"id": post.ID}))
	}
}

// withText checks the text and the link of a post.
func (a *api) withText(r stage.Request, pictured bool) stage.Check {
	message, link := r.Values.Get("message"), r.Values.Get("link")
	address, err := url.Parse(link)
	host := ""
	if err == nil && (address.Scheme == "http" || address.Scheme == "https") {
		host = address.Hostname()
	}
	return stage.If(strings.TrimSpace(message) == "" && link == "" && !pictured,
		a.Invalid("(#100) Missing message or attachment")).
		Or(figures.Characters(message) > textLimit, a.Invalid("(#100) Param message is too long")).
		Or(link != "" && pictured, a.Invalid("(#100) Param link cannot be combined with attached_media")).
		Or(link != "" && host == "", a.Error(100, 2061006, "(#100) link URL is not properly formatted")).
		Or(host == "facebook.com" || strings.HasSuffix(host, ".facebook.com"),
			a.Error(100, 1609008, "Posts cannot link to facebook.com."))
}

// attached returns the photos that the parameter attached_media of a post lists.
func (a *api) attached(r stage.Request) (photos []metaapi.Container, bad stage.Check) {
	if !r.Values.Has("attached_media") {
		return nil, bad
	}
	var list []struct {
		ID string `json:"media_fbid"`
	}
	err := json.Unmarshal([]byte(r.Values.Get("attached_media")), &list)
	bad = stage.If(err != nil || len(list) == 0, a.Invalid("(#100) Param attached_media must be an array."))
	for _, one := range list {
		photo, unusable := a.unposted(r, one.ID)
		bad = bad.Also(unusable).
			Or(slices.ContainsFunc(photos, func(p metaapi.Container) bool { return p.ID == one.ID }), a.posted())
		photos = append(photos, photo)
	}
	return photos, bad
}

// unposted returns a photo that no post contains.
func (a *api) unposted(r stage.Request, id string) (metaapi.Container, stage.Check) {
	photo, ok := a.object(r.Account, id)
	return photo, stage.If(!ok || photo.Kind != kindPhoto, a.Invalid("(#100) Invalid photo id "+id)).
		Or(photo.Post != "", a.posted())
}

// publish stores the post that contains the objects.
func (a *api) publish(r stage.Request, draft ledger.Draft, used ...metaapi.Container) (ledger.Post, error) {
	draft.Platform, draft.Account, draft.Author = network, r.Account, r.Account
	draft.RequestID = stage.RequestID(r.Request)
	post, err := a.Stage.Ledger.Publish(draft)
	for _, one := range used {
		if err == nil {
			one.Post, one.PostedAt, one.Text = post.ID, post.CreatedAt, post.Text
			err = a.Keep(one)
		}
	}
	return post, err
}

// photo stores an unpublished photo.
func (a *api) photo(r stage.Request) stage.Response {
	file, ok := r.Form.File("source")
	address := r.Values.Get("url")
	bad := stage.If(r.Form.Err != nil, a.Invalid("(#100) The body is not a whole form")).
		Or(!ok && address == "", a.Error(324, 0, "(#324) Requires upload file")).
		Or(r.Values.Get("published") != "false",
			a.Invalid("(#100) Param published: the sandbox accepts only unpublished photos"))
	if !ok && !bad.Broken {
		file.Item, file.Err = a.Stage.Media.Fetch(r.Context(), address, photoLimit)
	}
	formats := []string{media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF}
	stored := file.Err == nil
	bad = bad.Or(errors.Is(file.Err, mediastore.ErrTooLarge) || errors.Is(file.Err, mediastore.ErrUnsupported) ||
		errors.Is(file.Err, mediastore.ErrEmpty) || stored && !slices.Contains(formats, file.Item.ContentType) ||
		stored && file.Item.Height == 0, a.Error(1, 1366046, "Your photos couldn't be uploaded. Photos should be smaller "+
		"than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.")).
		Or(!stored, a.Broken)
	return a.Store(metaapi.Container{
		Account: r.Account, Kind: kindPhoto, Total: file.Item.Size, EndedAt: a.Stage.Clock.Now(),
		Media: []ledger.Media{file.Item.Media("", r.Values.Get("alt_text_custom"))},
	}, bad)
}

// publishStory publishes a photo as a story.
func (a *api) publishStory(r stage.Request) stage.Response {
	defer a.posting.Lock(r.Account)()
	photo, bad := a.unposted(r, r.Values.Get("photo_id"))
	if bad.Broken {
		return bad.Fault
	}
	post, err := a.publish(r, ledger.Draft{
		Media: photo.Media, Origin: photo.ID, OneOrigin: true, ID: storyID(photo.ID),
	}, photo)
	return a.After(err, stage.OK(stage.Object{"success": true, "post_id": post.ID}))
}

// storyID returns the id of the story of a photo or a video.
func storyID(object string) string { return object + "0" }

// isStory reports whether the post is a story.
func (a *api) isStory(post ledger.Post) bool {
	return post.Origin != "" && post.ID == storyID(post.Origin) || a.Kind(post) == kindStory
}
