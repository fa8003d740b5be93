package pinterestapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Limits of a pin.
const (
	longestTitle, longestDescription, longestAltText, longestLink = 100, 800, 500, 2048
	fewestImages, mostImages                                      = 2, 5
	largestImage                                                  = 20 << 20
	// largestPin is the largest request body: five images in base64, and their texts.
	largestPin = mostImages*largestImage*4/3 + 1<<20
)

// Details of a pin in the ledger.
const (
	detailBoard   = "Board"
	detailSection = "Section"
	detailKind    = "Kind"
)

// pin is the request body of create.
type pin struct {
	BoardID     string     `json:"board_id"`
	SectionID   string     `json:"board_section_id"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Link        string     `json:"link"`
	AltText     string     `json:"alt_text"`
	Source      *pinSource `json:"media_source"`
}

type pinSource struct {
	Type string `json:"source_type"`
	pinImage
	Items       []pinImage `json:"items"`
	Index       int        `json:"index"`
	MediaID     string     `json:"media_id"`
	CoverURL    string     `json:"cover_image_url"`
	CoverType   string     `json:"cover_image_content_type"`
	CoverData   string     `json:"cover_image_data"`
	CoverMoment *float64   `json:"cover_image_key_frame_time"`
}

type pinImage struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
	Data        string `json:"data"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Link        string `json:"link"`
}

var digits = regexp.MustCompile(`^\d+$`)

// create publishes a pin.
func (a *API) create(w http.ResponseWriter, r request) {
	var body pin
	if err := r.decode(&body); err != nil {
		invalid(w, "The request body is not valid: "+err.Error())
		return
	}
	if fault := body.fault(); fault != "" {
		invalid(w, fault)
		return
	}
	if message := boardFault(r.account, body.BoardID, body.SectionID); message != "" {
		apiError(w, http.StatusNotFound, codeBoard, message)
		return
	}
	files, kind, fault := a.media(r, body.Source)
	if fault != "" {
		invalid(w, fault)
		return
	}
	for i := range files {
		files[i].AltText = body.AltText
	}
	details := map[string]string{detailBoard: body.BoardID, detailKind: kind}
	if body.SectionID != "" {
		details[detailSection] = body.SectionID
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: stage.Username(r.account), Text: body.Description, Title: body.Title,
		Link: body.Link, Media: files, RequestID: stage.RequestID(r.Request), Details: details,
	})
	switch {
	case err != nil:
		broken(w)
	case !r.held.Lost(w, r.Request):
		stage.JSON(w, http.StatusCreated, present(post))
	}
}

// fault returns what Pinterest rejects in the members beside the media, or an empty string.
func (p pin) fault() string {
	long := func(text string, most int) bool { return utf8.RuneCountInString(text) > most }
	switch {
	case !digits.MatchString(p.BoardID):
		return fmt.Sprintf("%q does not match '^\\\\d+$'", p.BoardID)
	case p.SectionID != "" && !digits.MatchString(p.SectionID):
		return fmt.Sprintf("%q does not match '^\\\\d+$'", p.SectionID)
	case long(p.Title, longestTitle):
		return "'title' is too long"
	case long(p.Description, longestDescription):
		return "'description' is too long"
	case long(p.AltText, longestAltText):
		return "'alt_text' is too long"
	case long(p.Link, longestLink):
		return "'link' is too long"
	case p.Source == nil:
		return "'media_source' is a required property"
	}
	if p.Link != "" && !isAddress(p.Link) {
		return "'link' is not a valid URL"
	}
	return ""
}

func isAddress(link string) bool {
	parsed, err := url.Parse(link)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
}

// boardFault returns why the account cannot pin to the board or its section, or an empty string.
func boardFault(account, boardID, sectionID string) string {
	own := boardsOf(account)
	at := slices.IndexFunc(own, func(b board) bool { return b.ID == boardID })
	switch {
	case at < 0 || own[at].AdsOnly:
		return "Board not found."
	case sectionID != "" && !slices.ContainsFunc(sectionsOf(boardID), func(s boardSection) bool { return s.ID == sectionID }):
		return "Board section not found."
	default:
		return ""
	}
}

// media returns the files of a pin and Pinterest's kind of them, or what Pinterest rejects.
func (a *API) media(r request, s *pinSource) (files []ledger.Media, kind, fault string) {
	one := func(image pinImage, inline bool) bool {
		file, wrong := a.image(r, image, inline, len(files)+1)
		fault = wrong
		files = append(files, file)
		return wrong == ""
	}
	switch s.Type {
	case "image_base64", "image_url":
		one(s.pinImage, s.Type == "image_base64")
		return files, "image", fault
	case "multiple_image_base64", "multiple_image_urls":
		if len(s.Items) < fewestImages || len(s.Items) > mostImages || s.Index < 0 || s.Index >= len(s.Items) {
			return nil, "", fmt.Sprintf("'items' must have %d to %d images, and 'index' one of them", fewestImages, mostImages)
		}
		for _, image := range s.Items {
			if !one(image, s.Type == "multiple_image_base64") {
				return nil, "", fault
			}
		}
		for _, file := range files {
			if file.Width != files[0].Width || file.Height != files[0].Height {
				return nil, "", "The images of a carousel must have the same size."
			}
		}
		return files, "multiple_images", ""
	case "video_id":
		return a.video(r, s)
	default:
		return nil, "", "'source_type' is not one of the known ones"
	}
}

// video returns the file of a processed video that has a cover.
func (a *API) video(r request, s *pinSource) (files []ledger.Media, kind, fault string) {
	video, ok := a.videos.Of(r.account, s.MediaID)
	switch state := video.state(a.stage.Clock.Now()); {
	case s.CoverMoment == nil && s.CoverURL == "" && (s.CoverData == "" || s.CoverType == ""):
		return nil, "", "Missing parameter: cover_image_url or cover_image_content_type"
	case !ok:
		return nil, "", "The media id is not valid"
	case state != "succeeded":
		return nil, "", "The media is not ready: " + state
	default:
		return []ledger.Media{video.Media}, "video", ""
	}
}

// image stores one image, from its bytes or from its address.
func (a *API) image(r request, image pinImage, inline bool, n int) (ledger.Media, string) {
	const unusable = "The image is invalid or too large"
	id := fmt.Sprintf("image-%d", n)
	if !inline {
		item, err := a.stage.Media.Fetch(r.Context(), image.URL, largestImage)
		switch {
		case err != nil:
			return ledger.Media{}, "Sorry! Unable to reach the URL. Please check and try again"
		case item.Type != media.Image && item.Type != media.GIF:
			return ledger.Media{}, unusable
		}
		return item.Media(id, ""), ""
	}
	raw, err := base64.StdEncoding.DecodeString(image.Data)
	if err != nil || image.ContentType != media.ContentTypeJPEG && image.ContentType != media.ContentTypePNG {
		return ledger.Media{}, "'content_type' is not one of ['image/jpeg', 'image/png'], or 'data' is not base64"
	}
	item, err := a.stage.Media.Put(r.Context(), bytes.NewReader(raw), largestImage)
	if err != nil || item.ContentType != image.ContentType {
		return ledger.Media{}, unusable
	}
	return item.Media(id, ""), ""
}

// present returns a pin in Pinterest's JSON. Its time has no zone, and empty texts are null.
func present(post ledger.Post) map[string]any {
	alt := ""
	if len(post.Media) > 0 {
		alt = post.Media[0].AltText
	}
	return map[string]any{
		"id": post.ID, "created_at": post.CreatedAt.UTC().Format("2006-01-02T15:04:05"), "title": nullable(post.Title),
		"description": nullable(post.Text), "link": nullable(post.Link), "alt_text": nullable(alt),
		"board_id": post.Details[detailBoard], "board_section_id": nullable(post.Details[detailSection]),
		"creative_type": "REGULAR", "is_owner": true, "parent_pin_id": nil,
		"board_owner": map[string]string{"username": stage.Username(post.Account)},
		"media":       map[string]any{"media_type": post.Details[detailKind]},
	}
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// list returns the pins of a board, or of a section of it, newest first.
func (a *API) list(w http.ResponseWriter, r request) {
	boardID, sectionID := r.PathValue("board"), r.PathValue("section")
	if message := boardFault(r.account, boardID, sectionID); message != "" {
		apiError(w, http.StatusNotFound, codeBoard, message)
		return
	}
	all := a.stage.Ledger.List(ledger.Filter{Platform: network, Account: r.account})
	own := slices.DeleteFunc(all, func(p ledger.Post) bool {
		return p.Details[detailBoard] != boardID || sectionID != "" && p.Details[detailSection] != sectionID
	})
	a.page(w, r, len(own), func(from, to int) any {
		shown := make([]map[string]any, 0, to-from)
		for _, post := range own[from:to] {
			shown = append(shown, present(post))
		}
		return shown
	})
}

// one returns a pin.
func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	switch {
	case !ok || post.Account != r.account:
		apiError(w, http.StatusNotFound, codePin, "Pin not found.")
	case !r.held.Lost(w, r.Request):
		stage.JSON(w, http.StatusOK, present(post))
	}
}

// remove deletes a pin.
func (a *API) remove(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || post.Account != r.account {
		apiError(w, http.StatusNotFound, codePin, "Pin not found.")
		return
	}
	if _, err := a.stage.Ledger.Delete(network, post.ID); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		w.WriteHeader(http.StatusNoContent)
	}
}

// decode parses the body strictly.
func (r request) decode(into any) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return errors.New("the content type must be application/json")
	}
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func invalid(w http.ResponseWriter, message string) {
	apiError(w, http.StatusBadRequest, codeInvalid, message)
}

func broken(w http.ResponseWriter) {
	apiError(w, http.StatusInternalServerError, http.StatusInternalServerError, "The sandbox's files cannot be written.")
}
