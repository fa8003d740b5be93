package linkedinapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// draft is the request body of create.
type draft struct {
	Author       string  `json:"author"`
	Commentary   *string `json:"commentary"`
	Visibility   string  `json:"visibility"`
	Distribution *struct {
		FeedDistribution string `json:"feedDistribution"`
		TargetEntities   []any  `json:"targetEntities"`
		ThirdParty       []any  `json:"thirdPartyDistributionChannels"`
	} `json:"distribution"`
	Content         *content `json:"content"`
	LifecycleState  string   `json:"lifecycleState"`
	ReshareDisabled bool     `json:"isReshareDisabledByAuthor"`
}

// content is the part of a post beside its text: one of the four.
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
	Poll *poll `json:"poll"`
}

type contentMedia struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	AltText string `json:"altText"`
}

// check returns what LinkedIn rejects in the draft.
func (d draft) check() stage.Rule[string] {
	untitled := d.Commentary == nil || d.Content == nil && strings.TrimSpace(read(*d.Commentary)) == ""
	known := d.Visibility == "PUBLIC" || d.Visibility == "CONNECTIONS" || d.Visibility == "LOGGED_IN"
	return stage.If(untitled, "/commentary :: field is required but not found, or without text").
		Or(!known, "/visibility :: is not a member of the enumeration").
		Or(strings.HasPrefix(d.Author, organization) && d.Visibility != "PUBLIC",
			"/visibility :: posts of an organization must be PUBLIC").
		Or(d.Distribution == nil || d.Distribution.FeedDistribution != "MAIN_FEED",
			"/distribution/feedDistribution :: must be MAIN_FEED").
		Or(d.LifecycleState != "PUBLISHED", "/lifecycleState :: must be PUBLISHED")
}

// create publishes a post. A person may not repeat a text within a day.
func (a *api) create(r stage.Request) stage.Response {
	const textLimit = 3000
	var d draft
	err := r.JSON(&d)
	rule := stage.If(err != nil, fmt.Sprint("unreadable body: ", err))
	if !rule.Broken {
		rule = d.check()
	}
	if rule.Broken {
		return invalid("Data Processing Exception while processing fields: " + rule.Fault)
	}
	if r = actingFor(r, d.Author); !mayPost(r, d.Author) {
		return denied("posts.CREATE as " + d.Author)
	}
	post := a.Draft(r)
	post.Author, post.Text, post.Visibility, post.Origin = name(r.Account), read(*d.Commentary), d.Visibility, d.Author
	if length := figures.UTF16(post.Text); length > textLimit {
		return inputProblem(http.StatusBadRequest, "FIELD_LENGTH_TOO_LONG", fmt.Sprintf(
			"ShareCommentary text length (%d characters) exceeded the maximum allowed (%d characters)", length, textLimit))
	}
	if d.Content != nil {
		if refused := a.attach(d.Content, d.Author, &post); refused.Broken {
			return refused.Fault
		}
	}
	if strings.HasPrefix(d.Author, person) {
		post.UniqueFor = day
	}
	published, err := a.Stage.Ledger.Publish(post)
	if errors.Is(err, ledger.ErrDuplicate) {
		return a.duplicate(post)
	}
	return a.After(err, stage.Empty(http.StatusCreated).With("X-Restli-Id", published.ID))
}

// duplicate rejects a repeated text with the id of the earlier post. If that post was deleted, there is no id, but
// LinkedIn still rejects its text.
func (a *api) duplicate(repeated ledger.Draft) stage.Response {
	message := "Duplicate post is detected"
	for _, post := range a.posts(repeated.Origin, repeated.Account) {
		if strings.TrimSpace(post.Text) == strings.TrimSpace(repeated.Text) {
			message = "Content is a duplicate of " + post.ID
			break
		}
	}
	return inputProblem(http.StatusUnprocessableEntity, "DUPLICATE_POST", message)
}

// posts returns the author's posts, newest first.
func (a *api) posts(author, account string) []ledger.Post {
	var own []ledger.Post
	for _, post := range a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: account}) {
		if post.Origin == author && post.Parent == "" {
			own = append(own, post)
		}
	}
	return own
}

// attach adds the content to the draft of a post, unless the author cannot publish it.
func (a *api) attach(c *content, author string, post *ledger.Draft) stage.Rule[stage.Response] {
	const fewest, most = 2, 20
	members := 0
	for _, is := range []bool{c.Media != nil, c.MultiImage != nil, c.Article != nil, c.Poll != nil} {
		if is {
			members++
		}
	}
	switch {
	case members != 1:
		return stage.If(true, invalid("/content :: union type is not backed by exactly one member"))
	case c.Poll != nil:
		return c.Poll.attach(post)
	case c.Article != nil:
		return a.attachArticle(c, author, post)
	case c.MultiImage == nil:
		post.Title = c.Media.Title
		return a.attachAsset(*c.Media, author, post, kindImage, kindDocument, kindVideo)
	}
	images := c.MultiImage.Images
	rule := stage.If(len(images) < fewest || len(images) > most,
		badRequest("INVALID_VALUE_FOR_FIELD", fmt.Sprintf("multiImage has %d to %d images", fewest, most)))
	for _, one := range images {
		rule = rule.Or(one.Title != "",
			invalid("/content/multiImage/images/title :: unrecognized field found but not allowed"))
		if rule.Broken {
			return rule
		}
		rule = a.attachAsset(one, author, post, kindImage)
	}
	return rule
}

func (a *api) attachArticle(c *content, author string, post *ledger.Draft) stage.Rule[stage.Response] {
	const longestTitle = 400
	source, err := url.Parse(c.Article.Source)
	wrong := err != nil || source.Scheme != "http" && source.Scheme != "https" || source.Host == ""
	rule := stage.If(wrong, invalid("/content/article/source :: is not a valid URL")).
		Or(c.Article.Title == "" || utf8.RuneCountInString(c.Article.Title) > longestTitle,
			invalid("/content/article/title :: field is required but not found, or too long"))
	post.Link, post.Title = c.Article.Source, c.Article.Title
	if rule.Broken || c.Article.Thumbnail == "" {
		return rule
	}
	thumbnail := contentMedia{ID: c.Article.Thumbnail, AltText: c.Article.ThumbnailAltText}
	return a.attachAsset(thumbnail, author, post, kindImage)
}

// attachAsset adds an asset of one of the kinds.
func (a *api) attachAsset(
	one contentMedia, author string, post *ledger.Draft, kinds ...assetKind,
) stage.Rule[stage.Response] {
	const longestAltText = 4086
	for _, kind := range kinds {
		id, isKind := strings.CutPrefix(one.ID, "urn:li:"+kind.word()+":")
		if !isKind {
			continue
		}
		found, ok := a.assets.Get(id)
		state := found.state(a.Stage.Clock.Now())
		found.Media.AltText = one.AltText
		post.Media = append(post.Media, found.Media)
		return stage.If(!ok || found.Kind != kind, badRequest("INVALID_URN_ID", one.ID+" does not exist")).
			Or(found.Owner != author, badRequest("INVALID_CONTENT_OWNERSHIP",
				"One or more of the contents is not owned by the author. All contents must be owned by the author")).
			Or(state == stateFailed, badRequest("MEDIA_ASSET_PROCESSING_FAILED", "Media asset failed processing")).
			Or(state != stateAvailable, badRequest("MEDIA_ASSET_WAITING_UPLOAD", "Media asset is waiting upload")).
			Or(kind == kindDocument && one.Title == "",
				badRequest("MISSING_FIELD", "/content/media/title :: is required for a document")).
			Or(utf8.RuneCountInString(one.AltText) > longestAltText,
				badRequest("FIELD_LENGTH_TOO_LONG", "altText exceeded the maximum allowed"))
	}
	return stage.If(true, invalid(one.ID+" is not a URN of this content"))
}

// presentContent returns the content of a post, or nil for a text.
func presentContent(post ledger.Post) stage.Object {
	files := stage.Each(post.Media, func(file ledger.Media) stage.Object {
		shown := stage.Object{"id": file.ID}
		if file.AltText != "" {
			shown["altText"] = file.AltText
		}
		return shown
	})
	switch {
	case post.Link != "":
		article := stage.Object{"source": post.Link, "title": post.Title}
		if len(files) > 0 {
			article["thumbnail"] = post.Media[0].ID
		}
		return stage.Object{"article": article}
	case len(files) == 0:
		return nil
	case len(files) > 1:
		return stage.Object{"multiImage": stage.Object{"images": files}}
	case post.Title != "" && post.Media[0].Type != string(media.Image):
		files[0]["title"] = post.Title
	}
	return stage.Object{"media": files[0]}
}

// list returns an organization's posts, newest first. Reading a person's posts requires a permission that few
// applications have.
func (a *api) list(r stage.Request) stage.Response {
	author, order := r.Values.Get("author"), r.Values.Get("sortBy")
	start, startOK := r.Int("start", 0, 0, math.MaxInt32)
	size, sizeOK := r.Int("count", 10, 1, 100)
	finder := r.Header.Get("X-Restli-Method") == "FINDER" && r.Values.Get("q") == "author"
	rule := stage.If(!finder, illegal("Posts are found only by their author, with X-RestLi-Method: FINDER.")).
		Or(!startOK || !sizeOK || order != "" && order != "CREATED" && order != "LAST_MODIFIED",
			illegal("The query's start, count or sortBy cannot be used.")).
		Or(author != authorOf(r) || !strings.HasPrefix(author, organization), denied("posts.FINDER-author of "+author))
	if rule.Broken {
		return rule.Fault
	}
	own := a.posts(author, r.Account)
	own = own[min(start, len(own)):]
	return elements(start, size, stage.Each(own[:min(size, len(own))], present))
}

// elements returns a page of a list.
func elements(start, size int, elements []stage.Object) stage.Response {
	return stage.OK(stage.Object{
		"paging":   stage.Object{"start": start, "count": size, "links": []any{}},
		"elements": append([]stage.Object{}, elements...),
	})
}

func present(post ledger.Post) stage.Object {
	at := post.CreatedAt.UnixMilli()
	shown := stage.Object{
		"id": post.ID, "author": post.Origin, "commentary": write(post.Text), "visibility": post.Visibility,
		"lifecycleState": "PUBLISHED", "createdAt": at, "publishedAt": at, "lastModifiedAt": at,
		"isReshareDisabledByAuthor": false, "lifecycleStateInfo": stage.Object{"isEditedByAuthor": false},
		"distribution": stage.Object{"feedDistribution": "MAIN_FEED", "thirdPartyDistributionChannels": []any{}},
	}
	if content := presentContent(post); content != nil {
		shown["content"] = content
	}
	return shown
}

func (a *api) one(r stage.Request) stage.Response {
	post, ok := a.Stage.Ledger.Get(network, r.PathValue("urn"))
	own := post.Origin == authorOf(actingFor(r, post.Origin)) && strings.HasPrefix(post.Origin, organization)
	return stage.If(!ok || post.Parent != "", problem(http.StatusNotFound, 0, "NOT_FOUND", "The post does not exist.")).
		Or(!own, denied("posts.GET")).Else(stage.OK(present(post)))
}

// remove deletes a post. It also succeeds if the post is already deleted.
func (a *api) remove(r stage.Request) stage.Response {
	urn := r.PathValue("urn")
	if post, ok := a.Stage.Ledger.Get(network, urn); ok && !mayPost(actingFor(r, post.Origin), post.Origin) {
		return denied("posts.DELETE")
	}
	_, err := a.Stage.Ledger.Delete(network, urn)
	return a.After(err, stage.Empty(http.StatusNoContent))
}
