package mastodonapi

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

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

	// keyLife is the time in which a repeated Idempotency-Key returns the first status.
	keyLife = time.Hour
	// fileLife is the time in which a status can use a file.
	fileLife = 24 * time.Hour
	// processFor is the duration of the simulated processing of a video or an animation.
	processFor = 300 * time.Millisecond
)

// types returns the accepted types of files.
func types() []string {
	return []string{
		media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF, media.ContentTypeWebP, media.ContentTypeHEIC,
		media.ContentTypeMP4, media.ContentTypeMOV, media.ContentTypeWebM,
	}
}

func (a *api) own(r stage.Request) stage.Response {
	if !r.Grant.Has(scopeProfile) && !r.Grant.Has(scopeAccount) {
		return outsideScopes()
	}
	name := nameOf(r.Account)
	return stage.OK(stage.Object{
		"id": name, "username": name, "acct": name, "display_name": name, "url": a.base(r.Request) + "/@" + name,
		"avatar":          a.Stage.Avatar(r.Request, r.Account),
		"followers_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()), "following_count": 0,
		"statuses_count": len(a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: r.Account})),
	})
}

// instance describes the server.
func (a *api) instance(r stage.Request) stage.Response {
	return stage.OK(stage.Object{
		"domain": hostOf(r.Request), "title": "Sandbox", "version": "4.5.0",
		"configuration": stage.Object{
			"statuses": map[string]int{
				"max_characters": longestText, "max_media_attachments": mostFiles, "characters_reserved_per_url": 23,
			},
			"media_attachments": stage.Object{
				"supported_mime_types": types(), "image_size_limit": largestImage, "video_size_limit": largestVideo,
				"description_limit": longestDescription, "image_matrix_limit": mostPixels, "video_matrix_limit": mostVideoPixels,
			},
			"polls": map[string]int{
				"max_options": mostChoices, "max_characters_per_option": longestChoice, "min_expiration": shortestPoll,
				"max_expiration": longestPoll,
			},
		},
	})
}

// create publishes a status. A repeated Idempotency-Key returns the first status.
func (a *api) create(r stage.Request) stage.Response {
	var body struct {
		Status     string   `json:"status"`
		Media      []string `json:"media_ids"`
		Visibility string   `json:"visibility"`
		ReplyTo    string   `json:"in_reply_to_id"`

		settings
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return refuse(http.StatusBadRequest, "The body is not JSON")
	}
	key, now := r.Header.Get("Idempotency-Key"), a.Stage.Clock.Now()
	name := "key " + r.Account + " " + key
	if key != "" {
		defer a.creating.Lock(name)()
		if first, ok := a.records.Get(name); ok && now.Sub(first.At) < keyLife {
			if post, ok := a.Post(r, first.Status); ok {
				return stage.OK(a.show(r, post))
			}
		}
	}
	draft := a.Draft(r)
	bad := a.attach(r, &draft, body.Media)
	bad = bad.Or(strings.TrimSpace(body.Status) == "" && len(body.Media) == 0, invalid("Text can't be blank")).
		Or(figures.Mastodon(body.Status)+figures.Characters(body.Warning) > longestText,
			invalid("Text character limit of "+strconv.Itoa(longestText)+" exceeded")).
		Or(!slices.Contains([]string{"", "public", "unlisted", "private", "direct"}, body.Visibility),
			invalid("Visibility is not included in the list")).
		Also(body.check(len(body.Media) > 0))
	above, toPerson := a.comment(r, body.ReplyTo)
	if body.ReplyTo != "" {
		_, own := a.Post(r, body.ReplyTo)
		bad = bad.Or(!toPerson && !own,
			refuse(http.StatusNotFound, "The post you are trying to reply to does not appear to exist."))
		draft.Detail(replyTo, body.ReplyTo)
		if own {
			draft.Parent = body.ReplyTo
		}
	}
	if bad.Broken {
		return bad.Fault
	}
	body.set(&draft)
	draft.Author, draft.Text, draft.Visibility = nameOf(r.Account), body.Status, body.Visibility
	post, err := a.Stage.Ledger.Publish(draft)
	if err == nil && toPerson {
		err = a.recordReply(post, above)
	}
	if err == nil && key != "" {
		err = a.records.Keep(record{ID: name, Account: r.Account, At: now, Status: post.ID})
	}
	return a.After(err, stage.OK(a.show(r, post)))
}

// attach adds files to a status.
func (a *api) attach(r stage.Request, draft *ledger.Draft, ids []string) stage.Check {
	bad := stage.If(len(ids) > mostFiles, invalid("Cannot attach more than 4 files"))
	for _, id := range ids {
		file, ok := a.fileOf(r, id)
		bad = bad.Or(!ok, missing()).
			Or(!a.ready(file),
				invalid("Cannot attach files that have not finished processing. Try again in a moment!")).
			Or(len(ids) > 1 && file.Media.Type != string(media.Image),
				invalid("Cannot attach a video to a post that already contains images"))
		draft.Media = append(draft.Media, file.Media)
	}
	return bad
}

// fileOf returns the account's file with that id. It returns false if there is none or if it was deleted.
func (a *api) fileOf(r stage.Request, id string) (record, bool) {
	file, ok := a.records.Get(id)
	return file, ok && file.Account == r.Account && file.Media.ID == id && a.Stage.Clock.Now().Sub(file.At) < fileLife
}

// ready reports whether the server has processed the file.
func (a *api) ready(file record) bool {
	return file.Media.Type == string(media.Image) || a.Stage.Clock.Now().Sub(file.At) >= processFor
}

// show returns a status in Mastodon's JSON.
func (a *api) show(r stage.Request, post ledger.Post) stage.Object {
	so := figures.OfPost(post, a.Stage.Clock.Now())
	quotes, link := so.Shares/3, a.base(r.Request)+"/@"+post.Author+"/"+post.ID
	return stage.Object{
		"id": post.ID, "uri": link, "url": link, "created_at": post.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
		"visibility": post.Visibility, "content": markup(post.Text), "in_reply_to_id": emptyNull(post.Details[replyTo]),
		"spoiler_text": post.Details[warning], "sensitive": post.Details[sensitive] != "", "language": emptyNull(post.Details[language]),
		"account":       map[string]string{"id": post.Author, "username": post.Author},
		"replies_count": so.Comments, "reblogs_count": so.Shares - quotes, "quotes_count": quotes,
		"favourites_count": so.Likes,
		"media_attachments": stage.Each(post.Media, func(file ledger.Media) stage.Object {
			return stage.Object{"id": file.ID, "type": kind(file), "description": file.AltText}
		}),
	}
}

func kind(file ledger.Media) string {
	switch file.Type {
	case string(media.Video):
		return "video"
	case string(media.GIF):
		return "gifv"
	default:
		return "image"
	}
}

// markup returns a text as Mastodon formats it: paragraphs, line breaks, and links in parts.
func markup(text string) string {
	var out strings.Builder
	at := 0
	for _, link := range figures.MastodonLinks(text) {
		address := text[link.Start:link.End]
		protocol, rest, _ := strings.Cut(address, "://")
		out.WriteString(html.EscapeString(text[at:link.Start]))
		out.WriteString(`<a href="` + html.EscapeString(address) + `" target="_blank" rel="nofollow noopener">` +
			`<span class="invisible">` + protocol + `://</span><span class="">` + html.EscapeString(rest) + `</span></a>`)
		at = link.End
	}
	out.WriteString(html.EscapeString(text[at:]))
	if out.Len() == 0 {
		return ""
	}
	return "<p>" + strings.NewReplacer("\n\n", "</p><p>", "\n", "<br />").Replace(out.String()) + "</p>"
}

func (a *api) one(r stage.Request) stage.Response {
	if m, written := a.comment(r, r.PathValue("id")); written {
		return stage.OK(a.written(r, m))
	}
	post, ok := a.Stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || !isOf(r.Request, post.Account) {
		return missing()
	}
	return stage.OK(a.show(r, post))
}

// list returns the statuses of an account, newest first.
func (a *api) list(r stage.Request) stage.Response {
	size, err := strconv.Atoi(r.Values.Get("limit"))
	if err != nil || size < 1 {
		size = 20
	}
	filter := ledger.Filter{
		Platform: network, Account: hostOf(r.Request) + "/" + r.PathValue("id"), Limit: min(size, mostListed),
	}
	if before := r.Values.Get("max_id"); before != "" {
		post, ok := a.Stage.Ledger.Get(network, before)
		if !ok {
			return missing()
		}
		filter.Before = post.Seq
	}
	posts := a.Stage.Ledger.List(filter)
	return stage.OK(stage.Each(posts, func(post ledger.Post) stage.Object { return a.show(r, post) }))
}

// upload stores a file. Videos and animations are processed after the response, 202.
func (a *api) upload(r stage.Request) stage.Response {
	form := r.Form
	if len(form.Files) != 1 || form.Files[0].Field != "file" {
		return invalid("File can't be blank")
	}
	file, item, description := form.Files[0], form.Files[0].Item, form.Values.Get("description")
	bad := stage.If(file.Err != nil && !errors.Is(file.Err, mediastore.ErrUnsupported),
		invalid("File file size must be less than 99 MB")).
		Or(!slices.Contains(types(), item.ContentType), invalid("File content type is invalid")).
		Or(item.Type != media.Video && item.Size > largestImage, invalid("File file size must be less than 16 MB")).
		Or(item.Type != media.Video && item.Width*item.Height > mostPixels,
			invalid("File "+strconv.Itoa(item.Width)+"x"+strconv.Itoa(item.Height)+" images are not supported")).
		Or(len([]rune(description)) > longestDescription, invalid("Description is too long (maximum is 1500 characters)"))
	if bad.Broken {
		return bad.Fault
	}
	now := a.Stage.Clock.Now()
	id := a.records.Next(firstID(now))
	added := record{ID: id, Account: r.Account, At: now, Media: item.Media(id, description)}
	return a.After(a.records.Keep(added), a.showFile(added, http.StatusAccepted))
}

// file returns an uploaded file: 206 while it is processed.
func (a *api) file(r stage.Request) stage.Response {
	found, ok := a.fileOf(r, r.PathValue("id"))
	if !ok {
		return missing()
	}
	return a.showFile(found, http.StatusPartialContent)
}

// showFile returns a file, with the status while it is processed.
func (a *api) showFile(file record, processing int) stage.Response {
	shown := stage.Object{"id": file.ID, "type": kind(file.Media), "url": nil, "description": file.Media.AltText}
	if !a.ready(file) {
		return stage.Response{Status: processing, Body: shown}
	}
	shown["url"] = "https://files.sandbox.test/" + file.Media.SHA256
	return stage.OK(shown)
}
