package trial

import (
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	requestRound  = 8 * time.Second
	requestWarmUp = 2 * time.Second
	requestRounds = 2 // alternating between the service and its ceiling
	listedPosts   = 10_000
	deepPage      = 400 // the last page, with 25 posts per page
)

// site is the API and the baseline, with the same posts of one tenant.
type site struct {
	*lab.Run

	tenant   lab.Tenant
	url      string // of the API's posts
	plainURL string // of the baseline's posts
}

// newSite fills a workspace, copies its posts for the baseline, and starts both.
func newSite(r *lab.Run) *site {
	s := &site{Run: r, tenant: r.Tenant("Creating and listing"), url: r.APIURL + "/v1/posts"}
	r.Posts(s.tenant, listedPosts, nil)
	for _, statement := range []string{
		`DROP TABLE IF EXISTS ` + plainTable, `CREATE TABLE ` + plainTable + ` (LIKE post INCLUDING ALL)`,
		`INSERT INTO ` + plainTable + ` SELECT * FROM post WHERE workspace_id = '` + s.tenant.ID.String() + `'`,
		`ANALYZE`,
	} {
		execute(r, statement)
	}
	r.Start("api")
	s.plainURL = startBaseline(r, Baseline{Workspace: s.tenant.ID.String()}) + "/v1/posts"
	r.EventsNumbered(limit)
	return s
}

// create measures creating drafts, with and without an Idempotency-Key, whose ceiling is the baseline, and the posts of
// sets, whose ceiling is posts created one by one.
func create(r *lab.Run) []Row {
	s := newSite(r)
	request := newPost(r, s.tenant, lab.Content, "draft", 0)
	plain := request
	plain.URL = s.plainURL
	ceiling := vegeta.NewStaticTargeter(plain)
	keyed := func(target *vegeta.Target) error {
		*target = once(request)
		return nil
	}
	return []Row{
		s.alternate("create", vegeta.NewStaticTargeter(request), ceiling).MinRatio(0.5),
		s.alternate("create_once", keyed, ceiling).MinRatio(0.25),
		s.sets(vegeta.NewStaticTargeter(request)).MinRatio(0.9),
	}
}

// sets measures creating sets of drafts, in posts per second, and creating the posts one by one in turn.
func (s *site) sets(single vegeta.Targeter) Row {
	channels := []int{0, 1, 2, 3, 4}
	row := s.alternate("create_set", vegeta.NewStaticTargeter(newPost(s.Run, s.tenant, lab.Content, "draft", channels...)), single)
	return Against(row.Name, float64(len(channels))*row.Value, "posts/s", *row.Ceiling)
}

// list measures listing the first page of many posts, whose ceiling is the baseline, and the last page and filtered pages,
// whose ceiling is the first one.
func list(r *lab.Run) []Row {
	s := newSite(r)
	get := func(url string) vegeta.Targeter {
		return vegeta.NewStaticTargeter(r.Request(http.MethodGet, url, s.tenant.Key, nil))
	}
	first := get(s.url)
	channels := "&channelId=" + s.tenant.Channels[0].ID.String() + "&channelId=" + s.tenant.Channels[1].ID.String()
	return []Row{
		s.alternate("list", first, get(s.plainURL)).MinRatio(0.5),
		// At most 1.2 times as slow as the first page.
		s.alternate("list_deep", get(s.url+"?cursor="+s.cursor(deepPage)), first).MinRatio(0.83),
		s.alternate("list_filtered", get(s.url+"?status=DRAFT&status=SCHEDULED"+channels), first),
		s.alternate("list_changed", get(s.url+"?sort=-updatedAt&updatedSince=2026-01-01T00:00:00Z"), first),
		s.alternate("list_words", get(s.url+"?q=harbour+morning"), first),
	}
}

// cursor follows the cursors to a page and returns its cursor.
func (s *site) cursor(page int) (cursor string) {
	url := s.url
	for range page - 1 {
		var list struct {
			NextCursor string `json:"nextCursor"`
		}
		s.Call(s.Request(http.MethodGet, url, s.tenant.Key, nil), &list)
		if cursor = list.NextCursor; cursor == "" {
			s.Failf("the list ends before page %d", page)
		}
		url = s.url + "?cursor=" + cursor
	}
	return cursor
}

// alternate measures requests and their ceiling in turn.
func (s *site) alternate(name string, requests, ceiling vegeta.Targeter) Row {
	s.Rate(requestWarmUp, requests)
	s.Rate(requestWarmUp, ceiling)
	var rates, ceilings []float64
	for range requestRounds {
		rates = append(rates, s.round(name+": service", requests))
		ceilings = append(ceilings, s.round(name+": ceiling", ceiling))
	}
	return Against(name, mean(rates...), "requests/s", mean(ceilings...))
}

func (s *site) round(what string, requests vegeta.Targeter) float64 {
	before := s.CPU()
	rate := s.Rate(requestRound, requests)
	s.Logf("%s %.0f requests/s, %s", what, rate, s.PerItem(before, int(rate*requestRound.Seconds())))
	return rate
}
