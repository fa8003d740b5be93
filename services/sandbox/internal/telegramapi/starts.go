package telegramapi

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"fencepost.internal/services/sandbox/internal/stage"
)

// start is a person's message that starts a bot.
type start struct {
	id        int64
	bot, text string
	chat      stage.Object
}

// starts are the messages to bots that no bot has deleted.
type starts struct {
	mu   sync.Mutex
	last int64
	list []start
}

// press is the page of a bot at t.me, on which a person presses Start at once: opening it sends the code to the bot.
func (s *starts) press(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	sent := start{id: s.last, bot: r.PathValue("bot")}
	if code := r.URL.Query().Get("startgroup"); code != "" {
		sent.text = "/start@" + sent.bot + " " + code
		sent.chat = stage.Object{"id": -s.last, "type": "group", "title": "Group " + strconv.FormatInt(s.last, 10)}
	} else {
		sent.text = "/start " + r.URL.Query().Get("start")
		sent.chat = stage.Object{"id": s.last, "type": "private", "first_name": "Person " + strconv.FormatInt(s.last, 10)}
	}
	s.list = append(s.list, sent)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, "Started. Go back to the application.")
}

// updates returns the messages to the bot from an offset on, and deletes those before it.
func (a *api) updates(r stage.Request) stage.Response {
	from, _ := strconv.ParseInt(r.Values.Get("offset"), 10, 64)
	bot := r.Grant.Account + "_bot"
	s := a.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	found, kept := []stage.Object{}, s.list[:0:0]
	for _, one := range s.list {
		if one.bot == bot && one.id < from {
			continue
		}
		kept = append(kept, one)
		if one.bot == bot {
			found = append(found, stage.Object{
				"update_id": one.id, "message": stage.Object{"message_id": one.id, "chat": one.chat, "text": one.text},
			})
		}
	}
	s.list = kept
	return result(found)
}

// Clear deletes the messages.
func (s *starts) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
	return nil
}

// Close does nothing.
func (s *starts) Close() error { return nil }
