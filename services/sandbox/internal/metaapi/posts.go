package metaapi

import (
	"errors"
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Publish publishes a container, once, and responds with the post's id. If the container is published already, it calls
// again, which writes the response. If the sandbox is strict, an account has a number of posts a day.
func (d Door) Publish(w http.ResponseWriter, r Request, made Container, again func()) {
	if d.Stage.Strict() && d.used(r.Account) >= d.Posts {
		d.Error(w, http.StatusBadRequest, 9, 2207042, "Application request limit reached: the account has published the "+
			"maximum number of posts that its daily publishing quota allows")
		return
	}
	post, err := d.Stage.Ledger.Publish(ledger.Draft{
		Platform: string(d.Network), Account: r.Account, Author: stage.Username(r.Account), Text: made.Text,
		Media: made.Media, Details: made.Details,
		RequestID: stage.RequestID(r.Request), Origin: made.ID, OneOrigin: true,
	})
	switch {
	case errors.Is(err, ledger.ErrPublished):
		again()
	case err != nil:
		d.Unavailable(w)
	default:
		r.Answer(w, map[string]string{"id": post.ID})
	}
}

// day is the window of the publishing quota.
const day = 24 * time.Hour

// used returns the number of the account's posts in the last day.
func (d Door) used(account string) int {
	return len(d.Stage.Ledger.List(ledger.Filter{
		Platform: string(d.Network), Account: account, Since: d.Stage.Clock.Now().Add(-day),
	}))
}

// Quota returns the number of the account's posts in the last day, and the limit. The sandbox enforces it only if it is
// strict, so that load tests measure the service.
func (d Door) Quota(w http.ResponseWriter, r Request) {
	r.Answer(w, map[string]any{"data": []map[string]any{{
		"quota_usage": d.used(r.Account),
		"config":      map[string]any{"quota_total": d.Posts, "quota_duration": int(day.Seconds())},
	}}})
}
