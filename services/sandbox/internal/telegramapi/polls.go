package telegramapi

import (
	"encoding/json"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// sendPoll publishes a poll.
func (a *api) sendPoll(r stage.Request) stage.Response {
	const longestQuestion, longestChoice, fewest, most = 300, 100, 2, 12
	var options []struct{ Text string }
	err := json.Unmarshal([]byte(r.Values.Get("options")), &options)
	question := strings.TrimSpace(r.Values.Get("question"))
	bad := stage.If(question == "", invalid("poll question must be non-empty")).
		Or(figures.Characters(question) > longestQuestion, invalid("poll question length must not exceed 300")).
		Or(err != nil, invalid("can't parse options JSON object")).
		Or(len(options) < fewest, invalid("poll must have at least 2 option")).
		Or(len(options) > most, invalid("poll can't have more than 12 options"))
	texts, shown := make([]string, len(options)), make([]stage.Object, len(options))
	for i, one := range options {
		texts[i], shown[i] = one.Text, stage.Object{"text": one.Text, "voter_count": 0}
		bad = bad.Or(strings.TrimSpace(one.Text) == "", invalid("poll options must be non-empty")).
			Or(figures.Characters(one.Text) > longestChoice, invalid("poll options length must not exceed 100"))
	}
	draft := ledger.Draft{Text: question}
	draft.Detail("poll", strings.Join(texts, " / "))
	draft.Detail("allows_multiple_answers", r.Values.Get("allows_multiple_answers"))
	return a.publish(r, bad, draft, func(post ledger.Post) any {
		sent := message(post, 0)
		sent["poll"] = stage.Object{"id": post.ID, "question": question, "options": shown, "type": "regular"}
		return sent
	})
}
