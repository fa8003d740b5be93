package mastodonapi

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// Limits of Mastodon's own software.
const (
	longestText        = 500
	longestDescription = 1500
	mostFiles          = 4
	largestImage       = 16 << 20
	largestVideo       = 99 << 20
	mostListed         = 40
	mostPixels         = 33_177_600 // of an image
	mostVideoPixels    = 8_294_400
)

// types returns the accepted types of files.
func types() []string {
	return []string{
		media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF, media.ContentTypeWebP, media.ContentTypeHEIC,
		media.ContentTypeMP4, media.ContentTypeMOV, media.ContentTypeWebM,
	}
}

// create publishes a status. A repeated Idempotency-Key returns the first status.
func (a *API) create(w http.ResponseWriter, r request) {
	var body struct {
		Status     string   `json:"status"`
		Media      []string `json:"media_ids"`
		Visibility string   `json:"visibility"`
	}
	if json.Unmarshal(r.body, &body) != nil {
		refuse(w, http.StatusBadRequest, "The body is not JSON")
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key != "" {
		defer a.lock(r.account(), key)()
	}
	if id, again := a.kept.first(r.account(), key); again {
		if post, ok := a.stage.Ledger.Get(network, id); ok {
			r.answer(w, http.StatusOK, a.show(r, post))
			return
		}
	}
	files, ok := a.attached(w, r, body.Media)
	switch {
	case !ok:
		return
	case strings.TrimSpace(body.Status) == "" && len(files) == 0:
		invalid(w, "Text can't be blank")
		return
	case count.Mastodon(body.Status) > longestText:
		invalid(w, "Text character limit of "+strconv.Itoa(longestText)+" exceeded")
		return
	case !slices.Contains([]string{"", "public", "unlisted", "private", "direct"}, body.Visibility):
		invalid(w, "Visibility is not included in the list")
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account(), Author: r.name, Text: body.Status, Media: files,
		Visibility: body.Visibility, RequestID: stage.RequestID(r.Request),
	})
	if err == nil && key != "" {
		err = a.kept.remember(r.account(), key, post.ID)
	}
	if err != nil {
		broken(w)
		return
	}
	r.answer(w, http.StatusOK, a.show(r, post))
}

// lock locks the account's key, and returns the function that unlocks it.
func (a *API) lock(account, key string) func() {
	one, _ := a.creating.LoadOrStore([2]string{account, key}, new(sync.Mutex))
	mutex, _ := one.(*sync.Mutex) // the map holds nothing else
	mutex.Lock()
	return mutex.Unlock
}

// attached returns the files of a status. If they cannot be attached, it writes the error response.
func (a *API) attached(w http.ResponseWriter, r request, ids []string) ([]ledger.Media, bool) {
	if len(ids) > mostFiles {
		invalid(w, "Cannot attach more than 4 files")
		return nil, false
	}
	files := make([]ledger.Media, 0, len(ids))
	for _, id := range ids {
		found, ok := a.kept.of(r.account(), id)
		switch {
		case !ok:
			missing(w)
			return nil, false
		case !found.ready(a.stage.Clock.Now()):
			invalid(w, "Cannot attach files that have not finished processing. Try again in a moment!")
			return nil, false
		case len(ids) > 1 && found.Media.Type != string(media.Image):
			invalid(w, "Cannot attach a video to a post that already contains images")
			return nil, false
		}
		files = append(files, found.Media)
	}
	return files, true
}

// show returns a status in Mastodon's JSON.
func (a *API) show(r request, post ledger.Post) map[string]any {
	so := figures.OfPost(post, a.stage.Clock.Now())
	quotes := so.Shares / 3
	files := make([]map[string]any, len(post.Media))
	for i, file := range post.Media {
		files[i] = map[string]any{"id": file.ID, "type": kind(file.Type), "description": file.AltText}
	}
	link := a.base(r.Request) + "/@" + post.Author + "/" + post.ID
	return map[string]any{
		"id": post.ID, "uri": link, "url": link, "created_at": post.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
		"visibility": post.Visibility, "content": markup(post.Text), "media_attachments": files,
		"account":       map[string]string{"id": post.Author, "username": post.Author},
		"replies_count": so.Comments, "reblogs_count": so.Shares - quotes, "quotes_count": quotes,
		"favourites_count": so.Likes,
	}
}

func kind(of string) string {
	switch media.Type(of) {
	case media.Video:
		return "video"
	case media.GIF:
		return "gifv"
	case media.Image, media.Document:
	}
	return "image"
}

// markup returns a text as Mastodon formats it: paragraphs, line breaks, and links in parts.
func markup(text string) string {
	var out strings.Builder
	at := 0
	for _, link := range count.MastodonLinks(text) {
		address := text[link.Start:link.End]
		protocol, rest, _ := strings.Cut(address, "://")
		out.WriteString(html.EscapeString(text[at:link.Start]))
		out.WriteString(`<a href="` + html.EscapeString(address) + `" target="_blank" rel="nofollow noopener"><span class="invisible">` +
			protocol + `://</span><span class="">` + html.EscapeString(rest) + `</span></a>`)
		at = link.End
	}
	out.WriteString(html.EscapeString(text[at:]))
	if out.Len() == 0 {
		return ""
	}
	broken := strings.ReplaceAll(strings.ReplaceAll(out.String(), "\n\n", "</p><p>"), "\n", "<br />")
	return "<p>" + broken + "</p>"
}

func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || !r.has(post) {
		missing(w)
		return
	}
	r.answer(w, http.StatusOK, a.show(r, post))
}

// list returns the statuses of an account, newest first.
func (a *API) list(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("limit"))
	if err != nil || size < 1 {
		size = 20
	}
	filter := ledger.Filter{Platform: network, Account: hostOf(r.Request) + "/" + r.PathValue("id"), Limit: min(size, mostListed)}
	if before := query.Get("max_id"); before != "" {
		post, ok := a.stage.Ledger.Get(network, before)
		if !ok {
			missing(w)
			return
		}
		filter.Before = post.Seq
	}
	shown := []map[string]any{}
	for _, post := range a.stage.Ledger.List(filter) {
		shown = append(shown, a.show(r, post))
	}
	r.answer(w, http.StatusOK, shown)
}

// upload stores a file. Videos and animations are processed after the response, 202.
func (a *API) upload(w http.ResponseWriter, r *http.Request) {
	grant, ok := a.access(w, r, scopeMedia)
	if !ok {
		return
	}
	form, err := a.stage.ReadForm(r, largestVideo)
	if err != nil || len(form.Files) != 1 || form.Files[0].Field != "file" {
		invalid(w, "File can't be blank")
		return
	}
	item, description := form.Files[0].Item, form.Values.Get("description")
	held, ok := a.enter(w, r, fault.StepUpload, grant)
	switch {
	case !ok:
		return
	case form.Files[0].Err != nil && !errors.Is(form.Files[0].Err, mediastore.ErrUnsupported):
		invalid(w, "File file size must be less than 99 MB")
		return
	case form.Files[0].Err != nil, !slices.Contains(types(), item.ContentType):
		invalid(w, "File content type is invalid")
		return
	case item.Type != media.Video && item.Size > largestImage:
		invalid(w, "File file size must be less than 16 MB")
		return
	case item.Type != media.Video && item.Width*item.Height > mostPixels:
		invalid(w, "File "+strconv.Itoa(item.Width)+"x"+strconv.Itoa(item.Height)+" images are not supported")
		return
	case len([]rune(description)) > longestDescription:
		invalid(w, "Description is too long (maximum is 1500 characters)")
		return
	}
	added, err := a.kept.add(accountOf(grant.Account), description, item)
	if err != nil {
		broken(w)
		return
	}
	status := http.StatusAccepted
	if added.ready(added.At) {
		status = http.StatusOK
	}
	if !held.Lost(w, r) {
		stage.JSON(w, status, a.showFile(added, added.At))
	}
}

// media returns an uploaded file: 206 while it is processed.
func (a *API) media(w http.ResponseWriter, r request) {
	found, ok := a.kept.of(r.account(), r.PathValue("id"))
	if !ok {
		missing(w)
		return
	}
	now, status := a.stage.Clock.Now(), http.StatusOK
	if !found.ready(now) {
		status = http.StatusPartialContent
	}
	r.answer(w, status, a.showFile(found, now))
}

func (a *API) showFile(f file, now time.Time) map[string]any {
	shown := map[string]any{
		"id": f.ID, "type": kind(f.Media.Type), "url": nil, "description": f.Media.AltText,
	}
	if f.ready(now) {
		shown["url"] = "https://files.sandbox.test/" + f.Media.SHA256
	}
	return shown
}
