package leads

import (
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
)

// boardPage is the data of the pipeline.
type boardPage struct {
	head

	Columns []column
}

// column is a stage of the pipeline.
type column struct {
	Stage  lead.Stage
	Count  int
	Sum    string
	Cards  []card
	Add    string // address of a new lead in it; empty: none is added
	More   string // address of all; empty: they are shown
	Folded bool
	Fold   string // address of the pipeline with the column folded or open; empty: it is always open
}

// Title returns the stage in words.
func (c column) Title() string { return frame.Words(c.Stage) }

// Won reports whether it is the column of won leads.
func (c column) Won() bool { return c.Stage == lead.StageWon }

// Asks returns what follows the address of the page that asks before a lead is moved into the column; empty: nothing is asked.
func (c column) Asks() string {
	if c.Stage.Open() {
		return ""
	}
	return "?to=" + string(c.Stage) + "#" + strings.ToLower(string(c.Stage))
}

// columnCards is the number of leads that a column shows.
const columnCards = 50

// headOf reads what the pipeline and the list have in common.
func (p *pages) headOf(v *frame.Visit, here, address string, q query) (head, []postgres.StageSum, error) {
	f := q.filter(v)
	sums, counts, err := p.desk.Overview(v.Request.Context(), v.Principal, f)
	h := head{
		Here: here, Query: q, Chips: q.chips(address, counts), None: counts.All == 0, MayManage: v.Principal.Allows(credential.LeadsManage),
		Tail: query{view: q.view, text: q.text, sort: postgres.LeadsByChange, page: 1}.suffix(), Address: address + q.suffix(),
		ExportHref: v.Path(path+"/export") + q.suffix(),
	}
	if err == nil {
		h.Suggested, err = p.agent.Count(v.Request.Context(), v.Principal)
	}
	_, h.Open = sumsOf(sums, lead.Stage.Open)
	if err == nil {
		now := v.Now().In(v.Zone())
		var won []postgres.StageSum
		f.WonSince = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
		won, err = p.desk.Sums(v.Request.Context(), v.Principal, f)
		_, h.Won = sumsOf(won, func(lead.Stage) bool { return true })
	}
	return h, sums, err
}

func (p *pages) board(v *frame.Visit) error {
	ctx, q := v.Request.Context(), queryOf(v)
	q.stage, q.page, q.sort = "", 1, postgres.LeadsByChange
	address := v.Path(path)
	common, sums, err := p.headOf(v, "pipeline", address, q)
	if err != nil {
		return err
	}
	owners, err := p.desk.Owners(ctx, v.Principal)
	if err != nil {
		return err
	}
	data, byID := boardPage{head: common}, names(owners)
	for _, stage := range lead.Stages() {
		c := column{Stage: stage}
		c.Count, c.Sum = sumsOf(sums, func(s lead.Stage) bool { return s == stage })
		if stage == lead.StageLost {
			to := q
			to.lost = !q.lost
			c.Folded, c.Fold = !q.lost, address+to.suffix()
		}
		if data.MayManage && stage != lead.StageLost { // a lost one needs a reason
			c.Add = v.Path(path+"/new") + "?stage=" + string(stage)
		}
		if c.Count > 0 && !c.Folded {
			f := q.filter(v)
			f.Stage, f.Limit = stage, columnCards
			if q.view == viewOverdue {
				f.Sort = postgres.LeadsByFollowUp
			}
			found, err := p.desk.Leads(ctx, v.Principal, f)
			if err != nil {
				return err
			}
			for _, l := range found {
				c.Cards = append(c.Cards, cardOf(v, l, byID))
			}
			if c.Count > len(found) {
				to := q
				to.stage = stage
				c.More = v.Path(path+"/list") + to.suffix()
			}
		}
		data.Columns = append(data.Columns, c)
	}
	return page(v, http.StatusOK, "board", "Leads", data)
}

// listPage is the data of the list.
type listPage struct {
	head

	Cards          []card
	Stages         []option
	Sorts          []sortLink
	Count          int
	Previous, Next string
}

// sortLink is the heading of a column by which the list can be sorted.
type sortLink struct {
	Text, Href string
	Here       bool
}

// listed is the number of leads on a page of the list.
const listed = 50

func (p *pages) list(v *frame.Visit) error {
	ctx, q := v.Request.Context(), queryOf(v)
	address := v.Path(path + "/list")
	common, sums, err := p.headOf(v, "list", address, q)
	if err != nil {
		return err
	}
	owners, err := p.desk.Owners(ctx, v.Principal)
	if err != nil {
		return err
	}
	f := q.filter(v)
	f.Offset, f.Limit = (q.page-1)*listed, listed+1
	found, err := p.desk.Leads(ctx, v.Principal, f)
	if err != nil {
		return err
	}
	data := listPage{head: common, Stages: stages()}
	data.Count, _ = sumsOf(sums, func(lead.Stage) bool { return true })
	at := func(page int) string {
		to := q
		to.page = page
		return address + to.suffix()
	}
	if len(found) > listed {
		found, data.Next = found[:listed], at(q.page+1)
	}
	if q.page > 1 {
		data.Previous = at(q.page - 1)
	}
	byID := names(owners)
	for _, l := range found {
		data.Cards = append(data.Cards, cardOf(v, l, byID))
	}
	for i, sort := range sorts() {
		to := q
		to.sort, to.page = sort, 1
		data.Sorts = append(data.Sorts, sortLink{
			[]string{"Changed", "Name", "Stage", "Value", "Follow-up"}[i], address + to.suffix(), sort == q.sort,
		})
	}
	return page(v, http.StatusOK, "list", "Leads", data)
}
