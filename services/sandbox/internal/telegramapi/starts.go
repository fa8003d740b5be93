package telegramapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"fencepost.internal/services/sandbox/internal/stage"
)

// starts are the chats of people who started bots.
type starts struct {
	bots *bots

	mu   sync.Mutex
	last int64
}

// press is the page of a bot at t.me, on which a person presses Start at once: opening it sends the code to the bot.
func (s *starts) press(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.last++
	id := s.last
	s.mu.Unlock()
	bot, text := r.PathValue("bot"), "/start "+r.URL.Query().Get("start")
	chat := stage.Object{"id": id, "type": "private", "first_name": "Person " + strconv.FormatInt(id, 10)}
	if code := r.URL.Query().Get("startgroup"); code != "" {
		text = "/start@" + bot + " " + code
		chat = stage.Object{"id": -id, "type": "group", "title": "Group " + strconv.FormatInt(id, 10)}
	}
	s.bots.report(strings.TrimSuffix(bot, "_bot"), "message", "", stage.Object{"message_id": id, "chat": chat, "text": text})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, "Started. Go back to the application.")
}
