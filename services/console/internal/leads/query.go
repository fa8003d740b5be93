package leads

import (
	"net/url"
	"slices"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
)

// The views of leads, as addresses have them.
const (
	viewAll     = ""
	viewOverdue = "overdue"
	viewHot     = "hot"
	viewMine    = "mine"
)

// longestSearch is the longest text that is searched for.
const longestSearch = 200

// query has the parameters of an address.
type query struct {
	view, text string
	stage      lead.Stage        // in the list
	sort       postgres.LeadSort // in the list
	page       int               // of the list, from 1
	lost       bool              // the pipeline shows the lost leads
}

// sorts are the orders of the list.
func sorts() []postgres.LeadSort {
	return []postgres.LeadSort{
		postgres.LeadsByChange, postgres.LeadsByName, postgres.LeadsByStage, postgres.LeadsByValue, postgres.LeadsByFollowUp,
	}
}

func queryOf(v *frame.Visit) query {
	q := query{view: v.Query("view"), stage: lead.Stage(v.Query("stage")), sort: postgres.LeadSort(v.Query("sort")), lost: v.Query("lost") != ""}
	if text := []rune(v.Query("q")); len(text) <= longestSearch {
		q.text = string(text)
	}
	if !slices.Contains([]string{viewOverdue, viewHot, viewMine}, q.view) {
		q.view = viewAll
	}
	if !q.stage.Known() {
		q.stage = ""
	}
	if !slices.Contains(sorts(), q.sort) {
		q.sort = postgres.LeadsByChange
	}
	const most = 1000
	q.page, _ = strconv.Atoi(v.Query("page"))
	q.page = min(max(q.page, 1), most)
	return q
}

// filter returns the leads of the query.
func (q query) filter(v *frame.Visit) postgres.LeadFilter {
	f := postgres.LeadFilter{Search: q.text, Stage: q.stage, Sort: q.sort}
	switch q.view {
	case viewOverdue:
		f.OverdueAt = v.Now().UTC()
	case viewHot:
		f.Temperature = lead.TemperatureHot
	case viewMine:
		f.Owner = v.Principal.Person.ID
	}
	return f
}

// suffix returns the query of an address.
func (q query) suffix() string {
	values := url.Values{}
	set := func(name, value, usual string) {
		if value != usual {
			values.Set(name, value)
		}
	}
	set("view", q.view, "")
	set("q", q.text, "")
	set("stage", string(q.stage), "")
	set("sort", string(q.sort), string(postgres.LeadsByChange))
	if q.page > 1 {
		values.Set("page", strconv.Itoa(q.page))
	}
	if q.lost {
		values.Set("lost", "open")
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// chip is a view as a link.
type chip struct {
	Text, Icon, Tone, Href string
	N                      int
	Here                   bool
}

// chips returns the views with the numbers of their leads.
func (q query) chips(address string, n postgres.LeadCounts) []chip {
	list := []chip{
		{Text: "All", N: n.All},
		{Text: "Follow-up overdue", Icon: "alarm-clock", N: n.Overdue},
		{Text: "Hot", Icon: "flame", N: n.Hot},
		{Text: "Mine", N: n.Mine},
	}
	if n.Overdue > 0 {
		list[1].Tone = "stopped"
	}
	for i, view := range []string{viewAll, viewOverdue, viewHot, viewMine} {
		to := q
		to.view, to.page = view, 1
		list[i].Href, list[i].Here = address+to.suffix(), view == q.view
	}
	return list
}

// head is the data of what the pipeline and the list have in common.
type head struct {
	Here       string // pipeline or list
	Tail       string // of the addresses of both
	Query      query
	Chips      []chip
	Open, Won  string // sums
	None       bool   // the workspace has no lead at all
	MayManage  bool
	Suggested  int // people whom the agent suggests
	Address    string
	ExportHref string
}

// View, Text, Stage, Sort and Lost are those of the address.
func (h head) View() string  { return h.Query.view }
func (h head) Text() string  { return h.Query.text }
func (h head) Stage() string { return string(h.Query.stage) }
func (h head) Sort() string  { return string(h.Query.sort) }
func (h head) Lost() bool    { return h.Query.lost }
