package telegramapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
)

const (
	deletableFor = 48 * time.Hour
	deletedMost  = 100 // messages of one call
)

// part returns the post that a message belongs to, and the message's number within it. Messages of an album have
// consecutive ids, of which the ledger keeps the first.
func (a *API) part(chat, id string) (post ledger.Post, number int, found bool) {
	wanted, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return ledger.Post{}, 0, false
	}
	for number := range albumMost {
		post, ok := a.stage.Ledger.Get(network, strconv.FormatInt(wanted-int64(number), 10))
		if ok && post.Account == chat && number < max(post.IDs, 1) {
			return post, number, true
		}
	}
	return ledger.Post{}, 0, false
}

// editText replaces the text of a message without a file.
func (a *API) editText(w http.ResponseWriter, r request) {
	text, isRich := strings.TrimSpace(r.values["text"]), r.values["rich_message"] != ""
	post, _, ok := a.editable(w, r)
	if ok && isRich {
		text, ok = rich(w, r.values["rich_message"])
	}
	switch {
	case !ok:
	case len(post.Media) > 0:
		refuse(w, http.StatusBadRequest, "Bad Request: there is no text in the message to edit")
	case text == "":
		refuse(w, http.StatusBadRequest, "Bad Request: message text is empty")
	case !isRich && count.UTF16(text) > textLimit:
		refuse(w, http.StatusBadRequest, "Bad Request: MESSAGE_TOO_LONG")
	default:
		a.rewrite(w, r, post, text, "text")
	}
}

// editCaption replaces the caption of a message with a file. Only the first message of an album has one.
func (a *API) editCaption(w http.ResponseWriter, r request) {
	caption := strings.TrimSpace(r.values["caption"])
	post, number, ok := a.editable(w, r)
	switch {
	case !ok:
	case len(post.Media) == 0 || number > 0:
		refuse(w, http.StatusBadRequest, "Bad Request: there is no caption in the message to edit")
	case count.UTF16(caption) > captionLimit:
		refuse(w, http.StatusBadRequest, "Bad Request: MEDIA_CAPTION_TOO_LONG")
	default:
		a.rewrite(w, r, post, caption, "caption")
	}
}

// editable returns the message of the call. If there is none that the bot may edit, it writes the error response.
func (a *API) editable(w http.ResponseWriter, r request) (ledger.Post, int, bool) {
	if !a.mayPost(w, r.chat) {
		return ledger.Post{}, 0, false
	}
	post, number, found := a.part(r.chat, r.values["message_id"])
	switch {
	case !found:
		refuse(w, http.StatusBadRequest, "Bad Request: message to edit not found")
	case post.Origin != "bot:"+r.bot:
		refuse(w, http.StatusBadRequest, "Bad Request: message can't be edited")
	default:
		return post, number, true
	}
	return ledger.Post{}, 0, false
}

func (a *API) rewrite(w http.ResponseWriter, r request, post ledger.Post, text, member string) {
	if text == post.Text {
		refuse(w, http.StatusBadRequest, "Bad Request: message is not modified: specified new message content and reply "+
			"markup are exactly the same as a current content and reply markup of the message")
		return
	}
	post, ok, err := a.stage.Ledger.Edit(network, post.ID, text)
	if err != nil || !ok {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	message := describeMessage(post, 0)
	message["edit_date"], message[member] = post.EditedAt.Unix(), post.Text
	r.answer(w, message)
}

// remove deletes one message.
func (a *API) remove(w http.ResponseWriter, r request) {
	if !a.mayPost(w, r.chat) {
		return
	}
	post, _, found := a.part(r.chat, r.values["message_id"])
	switch {
	case !found:
		refuse(w, http.StatusBadRequest, "Bad Request: message to delete not found")
	case a.tooOld(post):
		refuse(w, http.StatusBadRequest, "Bad Request: message can't be deleted for everyone")
	case post.IDs > 1: // the ledger has an album as one post
		refuse(w, http.StatusBadRequest, "Bad Request: message can't be deleted")
	default:
		a.erase(w, r, post)
	}
}

// removeSeveral deletes messages and skips those that are not found. Albums are deleted whole.
func (a *API) removeSeveral(w http.ResponseWriter, r request) {
	if !a.mayPost(w, r.chat) {
		return
	}
	var ids []int64
	if json.Unmarshal([]byte(r.values["message_ids"]), &ids) != nil || len(ids) == 0 || len(ids) > deletedMost {
		refuse(w, http.StatusBadRequest, "Bad Request: message identifiers are not specified")
		return
	}
	named := make(map[string]int)
	var posts []ledger.Post
	for _, id := range ids {
		post, _, found := a.part(r.chat, strconv.FormatInt(id, 10))
		if !found {
			continue
		}
		if a.tooOld(post) {
			refuse(w, http.StatusBadRequest, "Bad Request: message can't be deleted for everyone")
			return
		}
		if named[post.ID]++; named[post.ID] == max(post.IDs, 1) {
			posts = append(posts, post)
		}
	}
	a.erase(w, r, posts...)
}

func (a *API) tooOld(post ledger.Post) bool {
	return a.stage.Clock.Now().Sub(post.CreatedAt) > deletableFor
}

func (a *API) erase(w http.ResponseWriter, r request, posts ...ledger.Post) {
	for _, post := range posts {
		if _, err := a.stage.Ledger.Delete(network, post.ID); err != nil {
			refuse(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	r.answer(w, true)
}
