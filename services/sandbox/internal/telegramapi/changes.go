package telegramapi

import (
	"encoding/json"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// find returns the post that a message belongs to, and the message's number within it. Messages of an album have
// consecutive ids, of which the ledger keeps the first.
func (a *api) find(r stage.Request, id string) (post ledger.Post, number int, found bool) {
	first, err := strconv.ParseInt(id, 10, 64)
	for number := range albumMost {
		post, ok := a.Post(r, strconv.FormatInt(first-int64(number), 10))
		if ok && err == nil && number < max(post.IDs, 1) {
			return post, number, true
		}
	}
	return ledger.Post{}, 0, false
}

// editable returns the message of the call, and its number within its post.
func (a *api) editable(r stage.Request) (ledger.Post, int, stage.Check) {
	post, number, found := a.find(r, r.Values.Get("message_id"))
	return post, number, stage.If(!found, invalid("message to edit not found")).
		Or(post.Origin != "bot:"+r.Grant.Account, invalid("message can't be edited"))
}

// editText replaces the text of a message without a file.
func (a *api) editText(r stage.Request) stage.Response {
	text, given := strings.TrimSpace(r.Values.Get("text")), r.Values.Get("rich_message")
	post, _, bad := a.editable(r)
	if given != "" && !bad.Broken {
		text, bad = rich(given)
	}
	return a.edit(post, text, "text",
		bad.Or(len(post.Media) > 0, invalid("there is no text in the message to edit")).
			Or(text == "", invalid("message text is empty")).
			Or(given == "" && figures.UTF16(text) > textLimit, invalid("MESSAGE_TOO_LONG")))
}

// editCaption replaces the caption of a message with a file. Only the first message of an album has one.
func (a *api) editCaption(r stage.Request) stage.Response {
	caption := strings.TrimSpace(r.Values.Get("caption"))
	post, number, bad := a.editable(r)
	return a.edit(post, caption, "caption",
		bad.Or(len(post.Media) == 0 || number > 0, invalid("there is no caption in the message to edit")).
			Or(figures.UTF16(caption) > captionLimit, invalid("MEDIA_CAPTION_TOO_LONG")))
}

func (a *api) edit(post ledger.Post, text, member string, bad stage.Check) stage.Response {
	bad = bad.Or(text == post.Text, invalid("message is not modified: specified new message content and reply markup are "+
		"exactly the same as a current content and reply markup of the message"))
	if bad.Broken {
		return bad.Fault
	}
	post, ok, err := a.Stage.Ledger.Edit(network, post.ID, text)
	if err != nil || !ok {
		return broken()
	}
	shown := message(post, 0)
	shown["edit_date"], shown[member] = post.EditedAt.Unix(), post.Text
	return result(shown)
}

// remove deletes one message.
func (a *api) remove(r stage.Request) stage.Response {
	post, _, found := a.find(r, r.Values.Get("message_id"))
	bad := stage.If(!found, invalid("message to delete not found")).
		Or(a.tooOld(post), invalid("message can't be deleted for everyone")).
		Or(post.IDs > 1, invalid("message can't be deleted")) // the ledger has an album as one post
	return a.erase(bad, post)
}

// removeSeveral deletes messages and skips those that are not found. Albums are deleted whole.
func (a *api) removeSeveral(r stage.Request) stage.Response {
	var ids []int64
	err := json.Unmarshal([]byte(r.Values.Get("message_ids")), &ids)
	bad := stage.If(err != nil || len(ids) == 0 || len(ids) > deletedMost,
		invalid("message identifiers are not specified"))
	named := make(map[string]int)
	var posts []ledger.Post
	for _, id := range ids {
		post, _, found := a.find(r, strconv.FormatInt(id, 10))
		bad = bad.Or(found && a.tooOld(post), invalid("message can't be deleted for everyone"))
		if named[post.ID]++; found && named[post.ID] == max(post.IDs, 1) {
			posts = append(posts, post)
		}
	}
	return a.erase(bad, posts...)
}

func (a *api) tooOld(post ledger.Post) bool {
	return a.Stage.Clock.Now().Sub(post.CreatedAt) > deletableFor
}

func (a *api) erase(bad stage.Check, posts ...ledger.Post) stage.Response {
	for _, post := range posts {
		if bad.Broken {
			break
		}
		_, err := a.Stage.Ledger.Delete(network, post.ID)
		bad = bad.Or(err != nil, broken())
	}
	return bad.Else(result(true))
}
