package plan

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/infra/postgres"
)

// perPage is the number of rows of a page.
const perPage = 50

// importPage is the data of an import's page.
type importPage struct {
	*reading

	Path     string
	Filters  []filter
	Shown    []shownRow
	Page     int
	Earlier  string // address of the page before; empty on the first one
	Later    string
	Faulty   int // rows
	Fix      string
	Posts    int // that ready rows create
	Mapping  []mapped
	Unmapped bool // the columns of the texts or of the channels are not known
	Choices  []channel.Channel
	Chosen   []pick
	Fetching progress
	Back     string // this page, for forms
	Filter   string
}

type filter struct {
	Text, Href, Tone string
	Current          bool
	Count            int
}

// mapped is a column of the file.
type mapped struct {
	Index   int
	Name    string // its heading, or its place
	Example string
	Options []choice
}

// pick is the channel that a person chose for a name.
type pick struct{ Name, Channel string }

// progress is the state of the files of the web.
type progress struct{ All, Done, Running, Failed, Missing int }

// Busy reports whether files are on their way, or wait for others.
func (p progress) Busy() bool { return p.Running > 0 || p.Missing > 0 && p.Done+p.Failed > 0 }

// shownRow is a row of the page.
type shownRow struct {
	*row

	Words  string
	Fields []field
	Posts  []link
	Glyph  string
}

type link struct{ Text, Href string }

// field is a cell that a person can change.
type field struct {
	ID, Name, Label, Value string
	Long                   bool
	Faulty                 bool
}

// Networks names the networks of the row's channels.
func (r shownRow) Networks() string {
	var names []string
	for _, c := range r.Channels {
		if name := c.Type.Network().Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Open reports whether the form of the row is open: something in it is to be changed.
func (r shownRow) Open() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Faulty })
}

func (f *feature) show(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	r, err := f.read(v, id)
	if err != nil {
		return err
	}
	page := importPage{reading: r, Path: v.Path(Path + "/" + id.String()), Choices: r.find.channels, Filter: v.Query("show")}
	page.map0(r)
	page.count()
	page.fill(v)
	for name, chosen := range r.Settings.Channels {
		page.Chosen = append(page.Chosen, pickOf(name, chosen, r.find.channels))
	}
	slices.SortFunc(page.Chosen, func(a, b pick) int { return strings.Compare(a.Name, b.Name) })
	return v.Page(frame.Page{Name: "plan/import", Title: r.Name, Wide: true, Styles: []string{"plan.css"}, Data: page})
}

func pickOf(name, chosen string, channels []channel.Channel) pick {
	out := pick{Name: name, Channel: "left out"}
	for _, c := range channels {
		if c.ID.String() == chosen {
			out.Channel = label(c)
		}
	}
	return out
}

// map0 fills the columns of the file.
func (p *importPage) map0(r *reading) {
	var example []string
	if len(r.Rows) > 0 {
		example = r.Rows[0].Cells
	}
	for i, c := range r.Settings.Columns {
		m := mapped{Index: i, Name: "Column " + number(i+1), Options: []choice{{Value: "", Text: "Ignore", Chosen: c == ""}}}
		if i < len(r.header) && r.header[i] != "" {
			m.Name = r.header[i]
		}
		if i < len(example) {
			m.Example = poststate.Clipped(example[i], 60) //nolint:mnd // as much as a line shows
		}
		for _, option := range domain.Columns() {
			m.Options = append(m.Options, choice{Value: string(option), Text: title(option), Chosen: c == option})
		}
		p.Mapping = append(p.Mapping, m)
	}
	has := func(c domain.Column) bool { return r.Settings.Index(c) >= 0 }
	p.Unmapped = !has(domain.Text) && !has(domain.Media) || !has(domain.Channel) && len(r.Unknown) > 0
}

// count counts the rows by their state, and the files of the web.
func (p *importPage) count() {
	counts := make(map[string]int)
	for _, one := range p.Rows {
		counts[one.State]++
		if one.State == ready {
			p.Posts += len(one.Channels)
		}
	}
	p.Faulty, p.Fix = counts[faulty], p.address(faulty, 0)
	for _, f := range []struct{ state, text, tone string }{
		{"", "All", ""},
		{faulty, "To fix", "stopped"},
		{ready, "Ready", ""},
		{imported, "Imported", ""},
		{there, "Already there", ""},
		{out, "Left out", ""},
	} {
		n := counts[f.state]
		if f.state == "" {
			n = len(p.Rows)
		}
		if n == 0 && f.state != ready && f.state != "" && p.Filter != f.state {
			continue
		}
		p.Filters = append(p.Filters, filter{f.text, p.address(f.state, 0), f.tone, p.Filter == f.state, n})
	}
	for _, address := range p.Addresses {
		p.Fetching.All++
		switch p.Files[address].State {
		case media.ImportDone:
			p.Fetching.Done++
		case media.ImportRunning:
			p.Fetching.Running++
		case media.ImportFailed:
			p.Fetching.Failed++
		default:
			p.Fetching.Missing++
		}
	}
}

// address returns the address of a page of the rows in a state.
func (p *importPage) address(state string, page int) string {
	values := url.Values{}
	if state != "" {
		values.Set("show", state)
	}
	if page > 0 {
		values.Set("page", strconv.Itoa(page))
	}
	if len(values) == 0 {
		return p.Path
	}
	return p.Path + "?" + values.Encode()
}

// fill fills the rows of the page.
func (p *importPage) fill(v *frame.Visit) {
	rows := p.Rows
	if p.Filter != "" {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.State != p.Filter })
	}
	at, err := strconv.Atoi(v.Query("page"))
	if err != nil || at < 0 || at*perPage >= len(rows) {
		at = 0
	}
	p.Page, p.Back = at, p.address(p.Filter, at)
	if at > 0 {
		p.Earlier = p.address(p.Filter, at-1)
	}
	if (at+1)*perPage < len(rows) {
		p.Later = p.address(p.Filter, at+1)
	}
	for _, one := range rows[at*perPage : min((at+1)*perPage, len(rows))] {
		p.Shown = append(p.Shown, p.shown(v, one))
	}
}

// shown returns a row as the page shows it.
func (p *importPage) shown(v *frame.Visit, one *row) shownRow {
	s := shownRow{row: one, Glyph: "scheduled"}
	if one.Draft {
		s.Glyph = "draft"
	}
	for _, column := range []domain.Column{domain.Text, domain.Title, domain.Media} {
		if s.Words == "" {
			s.Words = poststate.Clipped(p.cell(one.Row, column), 160) //nolint:mnd // as much as lists show
		}
	}
	for _, k := range one.Existing {
		s.Posts = append(s.Posts, link{p.nameOf(k), v.Path("/posts/" + k.ID.String())})
	}
	if one.State == faulty || one.State == ready {
		for i, c := range p.Settings.Columns {
			if c == "" || c == domain.PostID || i >= len(one.Cells) {
				continue
			}
			id := "cell-" + number(one.Line) + "-" + number(i)
			s.Fields = append(s.Fields, field{
				ID: id, Name: "cell-" + number(i), Label: title(c), Value: one.Cells[i],
				Long:   c == domain.Text || c == domain.AltText || strings.Contains(one.Cells[i], "\n"),
				Faulty: slices.ContainsFunc(one.Findings, func(f finding) bool { return f.Column == c && !f.Warning }),
			})
		}
	}
	return s
}

// nameOf returns the name of the channel of a post that exists.
func (p *importPage) nameOf(k postgres.KnownPost) string {
	for _, c := range p.Choices {
		if c.ID == k.ChannelID {
			return c.Name
		}
	}
	return "Post"
}
