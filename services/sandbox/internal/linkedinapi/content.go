package linkedinapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/media"
)

// Limits of a post's content.
const (
	fewestImages, mostImages = 2, 20
	longestAltText           = 4086
	longestCardTitle         = 400
)

// content is the part of a post beside its text: one of the three.
type content struct {
	Media      *contentMedia `json:"media"`
	MultiImage *struct {
		Images []contentMedia `json:"images"`
	} `json:"multiImage"`
	Article *struct {
		Source           string `json:"source"`
		Title            string `json:"title"`
		Description      string `json:"description"`
		Thumbnail        string `json:"thumbnail"`
		ThumbnailAltText string `json:"thumbnailAltText"`
	} `json:"article"`
}

type contentMedia struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	AltText string `json:"altText"`
}

// refusal is LinkedIn's response to content that it does not accept.
type refusal struct {
	status        int
	code, message string
}

func refuse(code, format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, code, fmt.Sprintf(format, args...)}
}

// attach adds the content to the draft of a post. It returns LinkedIn's refusal if the author cannot publish it.
func (a *API) attach(c *content, author string, draft *ledger.Draft) *refusal {
	given := 0
	for _, is := range []bool{c.Media != nil, c.MultiImage != nil, c.Article != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return refuse(invalidRequest, "/content :: union type is not backed by exactly one member")
	}
	switch {
	case c.Article != nil:
		return a.attachArticle(c, author, draft)
	case c.MultiImage != nil:
		images := c.MultiImage.Images
		if len(images) < fewestImages || len(images) > mostImages {
			return refuse("INVALID_VALUE_FOR_FIELD", "multiImage has %d to %d images", fewestImages, mostImages)
		}
		for _, one := range images {
			if one.Title != "" {
				return refuse(invalidRequest, "/content/multiImage/images/title :: unrecognized field found but not allowed")
			}
			if refused := a.attachAsset(one, author, draft, kindImage); refused != nil {
				return refused
			}
		}
		return nil
	default:
		draft.Title = c.Media.Title
		return a.attachAsset(*c.Media, author, draft, kindImage, kindDocument, kindVideo)
	}
}

func (a *API) attachArticle(c *content, author string, draft *ledger.Draft) *refusal {
	source, err := url.Parse(c.Article.Source)
	switch {
	case err != nil || source.Scheme != "http" && source.Scheme != "https" || source.Host == "":
		return refuse(invalidRequest, "/content/article/source :: is not a valid URL")
	case c.Article.Title == "" || utf8.RuneCountInString(c.Article.Title) > longestCardTitle:
		return refuse(invalidRequest, "/content/article/title :: field is required but not found, or too long")
	}
	draft.Link, draft.Title = c.Article.Source, c.Article.Title
	if c.Article.Thumbnail == "" {
		return nil
	}
	thumbnail := contentMedia{ID: c.Article.Thumbnail, AltText: c.Article.ThumbnailAltText}
	return a.attachAsset(thumbnail, author, draft, kindImage)
}

// attachAsset adds an asset of one of the kinds.
func (a *API) attachAsset(one contentMedia, author string, draft *ledger.Draft, kinds ...assetKind) *refusal {
	for _, kind := range kinds {
		id, isKind := strings.CutPrefix(one.ID, "urn:li:"+kind.word()+":")
		if !isKind {
			continue
		}
		asset, ok := a.assets.Of(id)
		state := asset.state(a.now())
		switch {
		case !ok || asset.Kind != kind:
			return refuse("INVALID_URN_ID", "%s does not exist", one.ID)
		case asset.Owner != author:
			return refuse("INVALID_CONTENT_OWNERSHIP",
				"One or more of the contents is not owned by the author. All contents must be owned by the author")
		case state == stateFailed:
			return refuse("MEDIA_ASSET_PROCESSING_FAILED", "Media asset failed processing")
		case state != stateAvailable:
			return refuse("MEDIA_ASSET_WAITING_UPLOAD", "Media asset is waiting upload")
		case kind == kindDocument && one.Title == "":
			return refuse("MISSING_FIELD", "/content/media/title :: is required for a document")
		case utf8.RuneCountInString(one.AltText) > longestAltText:
			return &refusal{http.StatusBadRequest, "FIELD_LENGTH_TOO_LONG", "altText exceeded the maximum allowed"}
		}
		file := asset.Media
		file.AltText = one.AltText
		draft.Media = append(draft.Media, file)
		return nil
	}
	return refuse(invalidRequest, "%s is not a URN of this content", one.ID)
}

// presentContent returns the content of a post, or nil for a text.
func presentContent(post ledger.Post) map[string]any {
	entry := func(file ledger.Media) map[string]any {
		shown := map[string]any{"id": file.ID}
		if file.AltText != "" {
			shown["altText"] = file.AltText
		}
		return shown
	}
	switch {
	case post.Link != "":
		article := map[string]any{"source": post.Link, "title": post.Title}
		if len(post.Media) > 0 {
			article["thumbnail"] = post.Media[0].ID
		}
		return map[string]any{"article": article}
	case len(post.Media) == 1:
		shown := entry(post.Media[0])
		if post.Title != "" && post.Media[0].Type != string(media.Image) {
			shown["title"] = post.Title
		}
		return map[string]any{"media": shown}
	case len(post.Media) > 1:
		images := make([]map[string]any, len(post.Media))
		for i, file := range post.Media {
			images[i] = entry(file)
		}
		return map[string]any{"multiImage": map[string]any{"images": images}}
	default:
		return nil
	}
}

// sum returns a fingerprint of a part.
func sum(body []byte) string {
	hash := sha256.Sum256(body)
	return hex.EncodeToString(hash[:16])
}
