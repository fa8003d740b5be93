package queue

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// mostMoves is the number of posts that one form moves: more than a queue of twelve weeks has.
const mostMoves = 1000

// move moves a post to another place of the queue. With several posts, which undo a change, each gets its time back.
func (q *queue) move(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	requested, fault := movesOf(v)
	if fault != "" {
		return q.respond(v, c, nil, fault)
	}
	ctx := v.Request.Context()
	var results []app.UpdateResult
	if len(requested) == 1 {
		requested, results, err = q.app.MoveInQueue(ctx, v.Principal, c.ID, requested[0])
	} else {
		results, err = q.app.MovePosts(ctx, v.Principal, requested)
	}
	return q.moved(v, c, requested, results, err)
}

// movesOf reads the moves of a form.
func movesOf(v *frame.Visit) (moves []app.PostMove, fault string) {
	form := v.Fields()
	ids, from, to := form["post"], form["from"], form["to"]
	if len(ids) == 0 || len(ids) > mostMoves || len(from) != len(ids) || len(to) != len(ids) {
		return nil, "Choose a post and its new time."
	}
	for i, text := range ids {
		id, err := ident.Parse[ident.Post](text)
		if err != nil {
			return nil, "This post does not exist."
		}
		m := app.PostMove{ID: id}
		if m.From, err = time.Parse(time.RFC3339, from[i]); err == nil {
			m.To, err = time.Parse(time.RFC3339, to[i])
		}
		if err != nil {
			return nil, "Choose a post and its new time."
		}
		moves = append(moves, m)
	}
	return moves, ""
}

func (q *queue) shuffle(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	moves, results, err := q.app.ShuffleQueue(v.Request.Context(), v.Principal, c.ID, until(v, c.zone))
	if err == nil && len(moves) == 0 {
		return q.respond(v, c, nil, "There are not two posts at different times to shuffle.")
	}
	return q.moved(v, c, moves, results, err)
}

// moved responds with what a use case moved, or with why it did not.
func (q *queue) moved(
	v *frame.Visit, of chosen, moves []app.PostMove, results []app.UpdateResult, err error,
) error {
	var fault string
	if err == nil {
		fault, err = poststate.Refusal(results)
	} else if apperr.Is(err, apperr.ValidationFailed) {
		fault, err = "A post is in the form twice. Reload the page and try again.", nil
	}
	if err != nil {
		return err
	}
	changes := make([]change, len(moves))
	for i, m := range moves {
		changes[i] = change{PostMove: m}
		if fault == "" {
			changes[i].words = poststate.Words(results[i].Post)
		}
	}
	return q.respond(v, of, changes, fault)
}

// change is a move that was made.
type change struct {
	app.PostMove

	words string
}

// respond says what changed, or why nothing did: a script gets the words and the moves that undo the change.
func (q *queue) respond(v *frame.Visit, of chosen, changes []change, fault string) error {
	script := v.Request.Header.Get("Hx-Request") != ""
	text := summary(changes, v.Now().In(of.zone))
	switch {
	case fault != "" && script:
		v.Out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		v.Out.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = v.Out.Write([]byte(fault)) // an error concerns only the client's connection
		return nil
	case fault != "":
		return q.refused(v, func(p *page) { p.Fault = fault })
	case !script:
		return v.Done(of.path(v), text)
	}
	type undo struct {
		Post string `json:"post"`
		From string `json:"from"`
		To   string `json:"to"`
	}
	said := struct {
		Text string `json:"text"`
		Undo []undo `json:"undo"`
	}{Text: text, Undo: make([]undo, len(changes))}
	for i, c := range changes {
		back := c.Back()
		said.Undo[i] = undo{back.ID.String(), stamp(back.From), stamp(back.To)}
	}
	document, err := json.Marshal(said)
	if err == nil {
		v.JSON(document)
	}
	return err
}

// summary says what changed: the first posts by name, the others by number.
func summary(changes []change, now time.Time) string {
	const named, longest = 3, 32
	var parts []string
	for _, c := range changes[:min(len(changes), named)] {
		words := []rune(c.words)
		if len(words) > longest {
			words = append(words[:longest-1:longest-1], '…')
		}
		parts = append(parts, "“"+string(words)+"” is now "+said(c.To.In(now.Location()), now))
	}
	text := strings.Join(parts, ", ")
	if n := len(changes) - named; n == 1 {
		text += ", and 1 more post has a new time"
	} else if n > 1 {
		text += fmt.Sprintf(", and %d more posts have new times", n)
	}
	return text + "."
}
