package linkedinapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	textLimit = 3000
	// uniqueFor is the time in which a person cannot repeat a text.
	uniqueFor = 24 * time.Hour
	public    = "PUBLIC"
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

// readDraft parses and validates the request body. The error says what LinkedIn would reject.
func readDraft(r request) (draft, error) {
	var d draft
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&d); {
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return d, errors.New("the content type must be application/json")
	case err != nil:
		return d, fmt.Errorf("unreadable body: %w", err)
	case d.Commentary == nil || d.Content == nil && strings.TrimSpace(read(*d.Commentary)) == "":
		return d, errors.New("/commentary :: field is required but not found, or without text")
	case d.Visibility != public && d.Visibility != "CONNECTIONS" && d.Visibility != "LOGGED_IN":
		return d, errors.New("/visibility :: is not a member of the enumeration")
	case strings.HasPrefix(d.Author, organization) && d.Visibility != public:
		return d, errors.New("/visibility :: posts of an organization must be PUBLIC")
	case d.Distribution == nil || d.Distribution.FeedDistribution != "MAIN_FEED":
		return d, errors.New("/distribution/feedDistribution :: must be MAIN_FEED")
	case d.LifecycleState != "PUBLISHED":
		return d, errors.New("/lifecycleState :: must be PUBLISHED")
	default:
		return d, nil
	}
}

// create publishes a post. A person may not repeat a text within a day.
func (a *API) create(w http.ResponseWriter, r request) {
	d, err := readDraft(r)
	if err != nil {
		problem(w, http.StatusBadRequest, 0, "INVALID_INPUT",
			"Data Processing Exception while processing fields: "+err.Error())
		return
	}
	r = r.actingFor(d.Author)
	if !r.mayPost(d.Author) {
		denied(w, "posts.CREATE as "+d.Author)
		return
	}
	text := read(*d.Commentary)
	if length := count.UTF16(text); length > textLimit {
		inputProblem(w, http.StatusBadRequest, "FIELD_LENGTH_TOO_LONG",
			fmt.Sprintf("ShareCommentary text length (%d characters) exceeded the maximum allowed (%d characters)", length,
				textLimit))
		return
	}
	wanted := ledger.Draft{
		Platform: network, Account: r.account, Author: name(r.account), Text: text, Visibility: d.Visibility,
		RequestID: stage.RequestID(r.Request), Origin: d.Author,
	}
	if d.Content != nil {
		if refused := a.attach(d.Content, d.Author, &wanted); refused != nil {
			problem(w, refused.status, 0, refused.code, refused.message)
			return
		}
	}
	if strings.HasPrefix(d.Author, person) {
		wanted.UniqueFor = uniqueFor
	}
	post, err := a.stage.Ledger.Publish(wanted)
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		a.duplicate(w, d.Author, r.account, text)
	case err != nil:
		problem(w, http.StatusInternalServerError, 0, "INTERNAL_SERVER_ERROR", "The sandbox's ledger cannot be written.")
	case !r.held.Lost(w, r.Request):
		w.Header().Set("X-Restli-Id", post.ID)
		w.WriteHeader(http.StatusCreated)
	}
}

// duplicate rejects a repeated text with the id of the earlier post. If that post was deleted, there is no id, but
// LinkedIn still rejects its text.
func (a *API) duplicate(w http.ResponseWriter, author, account, text string) {
	message := "Duplicate post is detected"
	for _, post := range a.posts(author, account) {
		if strings.TrimSpace(post.Text) == strings.TrimSpace(text) {
			message = "Content is a duplicate of " + post.ID
			break
		}
	}
	inputProblem(w, http.StatusUnprocessableEntity, "DUPLICATE_POST", message)
}

// posts returns the author's posts, newest first.
func (a *API) posts(author, account string) []ledger.Post {
	var own []ledger.Post
	for _, post := range a.stage.Ledger.List(ledger.Filter{Platform: network, Account: account}) {
		if post.Origin == author {
			own = append(own, post)
		}
	}
	return own
}

// list returns an organization's posts, newest first. Reading a person's posts requires a permission that few
// applications have.
func (a *API) list(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	author, order := query.Get("author"), query.Get("sortBy")
	start, startErr := number(query.Get("start"), 0)
	count, countErr := number(query.Get("count"), 10)
	if r.Header.Get("X-Restli-Method") != "FINDER" || query.Get("q") != "author" {
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT",
			"Posts are found only by their author, with X-RestLi-Method: FINDER.")
		return
	}
	if startErr != nil || countErr != nil || count < 1 || count > 100 ||
		order != "" && order != "CREATED" && order != "LAST_MODIFIED" {
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "The query's start, count or sortBy cannot be used.")
		return
	}
	if author != r.author() || !strings.HasPrefix(author, organization) {
		denied(w, "posts.FINDER-author of "+author)
		return
	}
	own := a.posts(author, r.account)
	own = own[min(start, len(own)):]
	own = own[:min(count, len(own))]
	elements := make([]map[string]any, 0, len(own))
	for _, post := range own {
		elements = append(elements, present(post))
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"paging": map[string]any{"start": start, "count": count, "links": []any{}}, "elements": elements,
		})
	}
}

// number parses a count in the query.
func number(text string, preset int) (int, error) {
	if text == "" {
		return preset, nil
	}
	value, err := strconv.ParseUint(text, 10, 31)
	return int(value), err
}

func present(post ledger.Post) map[string]any {
	at := post.CreatedAt.UnixMilli()
	shown := map[string]any{
		"id": post.ID, "author": post.Origin, "commentary": write(post.Text), "visibility": post.Visibility,
		"lifecycleState": "PUBLISHED", "createdAt": at, "publishedAt": at, "lastModifiedAt": at,
		"isReshareDisabledByAuthor": false,
		"distribution": map[string]any{
			"feedDistribution": "MAIN_FEED", "thirdPartyDistributionChannels": []any{},
		},
		"lifecycleStateInfo": map[string]any{"isEditedByAuthor": false},
	}
	if content := presentContent(post); content != nil {
		shown["content"] = content
	}
	return shown
}

func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("urn"))
	r = r.actingFor(post.Origin)
	switch {
	case !ok:
		problem(w, http.StatusNotFound, 0, "NOT_FOUND", "The post does not exist.")
	case post.Origin != r.author() || !strings.HasPrefix(post.Origin, organization):
		denied(w, "posts.GET")
	case !r.held.Lost(w, r.Request):
		stage.JSON(w, http.StatusOK, present(post))
	}
}

// remove deletes a post. It also succeeds if the post is already deleted.
func (a *API) remove(w http.ResponseWriter, r request) {
	urn := r.PathValue("urn")
	if post, ok := a.stage.Ledger.Get(network, urn); ok && !r.actingFor(post.Origin).mayPost(post.Origin) {
		denied(w, "posts.DELETE")
		return
	}
	if _, err := a.stage.Ledger.Delete(network, urn); err != nil {
		problem(w, http.StatusInternalServerError, 0, "INTERNAL_SERVER_ERROR", "The sandbox's ledger cannot be written.")
		return
	}
	if !r.held.Lost(w, r.Request) {
		w.WriteHeader(http.StatusNoContent)
	}
}
