package metaapi

import (
	"errors"
	"net/http"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
)

// Publish publishes a container, once, and responds with the post's id. If the container is published already, it calls
// again, which writes the response.
func (d Door) Publish(w http.ResponseWriter, r Request, made Container, again func()) {
	post, err := d.Stage.Ledger.Publish(ledger.Draft{
		Platform: string(d.Network), Account: r.Account, Author: stage.Username(r.Account), Text: made.Text,
		Media:     made.Media,
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

// Quota returns the number of the account's posts in the last day. The sandbox reports the limit but does not enforce
// it, so that load tests measure the service. Faults simulate the limit.
func (d Door) Quota(w http.ResponseWriter, r Request, total int) {
	const day = 24 * time.Hour
	used := d.Stage.Ledger.List(ledger.Filter{
		Platform: string(d.Network), Account: r.Account, Since: d.Stage.Clock.Now().Add(-day),
	})
	r.Answer(w, map[string]any{"data": []map[string]any{{
		"quota_usage": len(used), "config": map[string]any{"quota_total": total, "quota_duration": int(day.Seconds())},
	}}})
}
