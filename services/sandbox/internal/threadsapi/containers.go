package threadsapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/shared/domain/media"
)

// The kinds of containers.
const (
	kindText     = "TEXT"
	kindImage    = "IMAGE"
	kindVideo    = "VIDEO"
	kindCarousel = "CAROUSEL"
)

// Limits of Threads.
const (
	textLimit           = 500
	attachedLimit       = 10_000
	mostLinks           = 5
	fewest, most        = 2, 20 // items of a carousel
	pictureLimit        = 8 << 20
	videoLimit          = 1 << 30
	narrowest, broadest = 0.1, 10 // aspect ratio (width/height)
	altTextLimit        = 1_000   // characters
)

// detailAttached is the detail with the long text that is attached to a post.
const detailAttached = "text_attachment"

// create creates a container. With auto_publish_text, Threads publishes a text in the same call.
func (a *API) create(w http.ResponseWriter, r metaapi.Request) {
	made := metaapi.Container{
		Account: r.Account, Kind: r.Values.Get("media_type"), Text: r.Values.Get("text"),
		Item: r.Values.Get("is_carousel_item") == "true",
	}
	described := r.Values.Get("alt_text")
	switch {
	case count.Threads(made.Text) > textLimit:
		a.refuse(w, "Param text must be at most 500 characters long.")
		return
	case count.ThreadsLinks(made.Text) > mostLinks:
		a.refuse(w, "THREADS_API__LINK_LIMIT_EXCEEDED")
		return
	case r.Values.Has("text_attachment") && made.Kind != kindText:
		a.refuse(w, "Param text_attachment is allowed for text posts only")
		return
	case described != "" && made.Kind != kindImage && made.Kind != kindVideo:
		a.refuse(w, "Param alt_text is allowed for images and videos only")
		return
	case count.Characters(described) > altTextLimit:
		a.refuse(w, "Param alt_text must be at most 1000 characters long.")
		return
	}
	ok := false
	switch made.Kind {
	case kindText:
		ok = a.text(w, r, &made)
	case kindImage, kindVideo:
		ok = a.file(w, r, &made)
	case kindCarousel:
		ok = a.carousel(w, r, &made)
	default:
		a.refuse(w, "Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}")
	}
	if !ok {
		return
	}
	made, err := a.containers.Add(made)
	if err != nil {
		a.Unavailable(w)
		return
	}
	if made.Kind == kindText && r.Values.Get("auto_publish_text") == "true" {
		a.release(w, r, made)
		return
	}
	r.Answer(w, map[string]string{"id": made.ID})
}

func (a *API) refuse(w http.ResponseWriter, message string) {
	a.Error(w, http.StatusBadRequest, 100, 0, message)
}

// text checks a text, and the long text that is attached to it.
func (a *API) text(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	if strings.TrimSpace(made.Text) == "" || made.Item {
		a.refuse(w, "Param text must not be empty, and a text is no item of a carousel")
		return false
	}
	if !r.Values.Has("text_attachment") {
		return true
	}
	var attached struct {
		Text string `json:"plaintext"`
	}
	if json.Unmarshal([]byte(r.Values.Get("text_attachment")), &attached) != nil || attached.Text == "" ||
		count.Characters(attached.Text) > attachedLimit {
		a.refuse(w, "Param text_attachment must have a plaintext of at most 10000 characters")
		return false
	}
	made.Details = map[string]string{detailAttached: attached.Text}
	return true
}

// file fetches an image or a video. A faulty image is rejected at once, a faulty video sets the container's Problem.
func (a *API) file(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	wanted, name := metaapi.Wanted{
		Formats: []string{media.ContentTypeJPEG, media.ContentTypePNG}, Limit: pictureLimit, Narrow: narrowest,
		Wide: broadest,
	}, "image_url"
	if made.Kind == kindVideo {
		wanted, name = metaapi.Wanted{
			Video: true, Formats: []string{media.ContentTypeMP4, media.ContentTypeMOV}, Limit: videoLimit,
		}, "video_url"
	}
	address := r.Values.Get(name)
	if address == "" {
		a.refuse(w, "Param "+name+" is required for media_type "+made.Kind)
		return false
	}
	file, verdict := metaapi.Fetch(r.Context(), a.Stage, address, wanted)
	if verdict == metaapi.Good {
		file.AltText = r.Values.Get("alt_text")
		made.Media = []ledger.Media{file}
		return true
	}
	if wanted.Video {
		made.Problem = videoProblem(verdict)
		return true
	}
	a.Error(w, http.StatusBadRequest, 100, pictureProblem(verdict), "The image cannot be used.")
	return false
}

func videoProblem(verdict metaapi.Verdict) string {
	if verdict == metaapi.Unreachable {
		return "FAILED_DOWNLOADING_VIDEO"
	}
	return "FAILED_PROCESSING_VIDEO"
}

// pictureProblem returns the subcode of a rejected image. The subcodes are Instagram's.
func pictureProblem(verdict metaapi.Verdict) int {
	subcodes := map[metaapi.Verdict]int{
		metaapi.Unreachable: 2207052, metaapi.TooLarge: 2207004, metaapi.WrongFormat: 2207005, metaapi.WrongShape: 2207009,
	}
	return subcodes[verdict]
}

// carousel collects the files of its items.
func (a *API) carousel(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	children := strings.Split(r.Values.Get("children"), ",")
	if len(children) < fewest || len(children) > most || made.Item {
		a.refuse(w, "Param children must have 2 to 20 items")
		return false
	}
	for i, id := range children {
		item, ok := a.containers.Of(r.Account, id)
		if !ok || !item.Item || slices.Contains(children[:i], id) || a.containers.State(item) != metaapi.Finished {
			a.notFound(w)
			return false
		}
		made.Media = append(made.Media, item.Media...)
	}
	return true
}

// notFound writes the response for a container that does not exist or is not finished.
func (a *API) notFound(w http.ResponseWriter) {
	a.Error(w, http.StatusBadRequest, 24, 4279009, "The requested resource does not exist: Media Not Found")
}
