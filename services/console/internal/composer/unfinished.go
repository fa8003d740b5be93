package composer

import (
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/ident"
)

// unfinished is a scratch in the list.
type unfinished struct {
	ID      ident.Scratch
	Words   string
	At      time.Time
	Address string
}

// unfinished returns the person's other scratches, last changed first.
func (c *composer) unfinished(v *frame.Visit, except ident.Scratch) ([]unfinished, error) {
	all, err := c.app.Scratches(v.Request.Context(), v.Principal)
	if err != nil {
		return nil, err
	}
	var list []unfinished
	for _, one := range all {
		if one.ID == except {
			continue
		}
		d, err := restored(one.Content)
		if err != nil {
			return nil, err
		}
		list = append(list, unfinished{one.ID, d.words(), one.UpdatedAt, address(v, one.ID.String())})
	}
	return list, nil
}

// words returns the first words of a draft.
func (d draft) words() string {
	texts := []string{d.Text, d.Title}
	for _, id := range d.Channels {
		if own := d.Own[id.String()]; own.Text != nil {
			texts = append(texts, *own.Text)
		}
	}
	for _, text := range texts {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			const most = 80
			if letters := []rune(text); len(letters) > most {
				return string(letters[:most]) + "…"
			}
			return text
		}
	}
	return "Without a text"
}

// Heading returns the title of the page.
func (l *look) Heading() string {
	if words := l.draft.words(); words != "Without a text" {
		return words
	}
	return "New post"
}

// discard deletes a scratch.
func (c *composer) discard(v *frame.Visit) error {
	id, err := ident.Parse[ident.Scratch](v.Form("scratch"))
	if err != nil {
		return noPage()
	}
	if err := c.app.DeleteScratch(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	if of, err := readOrigin(v.Form("origin")); err == nil && of != nil && !of.Post.IsZero() {
		return v.Done(v.Path("/posts/"+of.Post.String()), "Changes discarded.")
	}
	return v.Done(v.Path(path), "Discarded.")
}
