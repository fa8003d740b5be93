package plan

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// The states of rows.
const (
	ready    = "ready"
	faulty   = "fault"
	there    = "there"    // every post of it exists
	imported = "imported" // by this import
	out      = "out"      // left out
)

// reading is an import with what its rows would create.
type reading struct {
	domain.Import

	Rows      []*row
	Asks      bool // the order of dates is not decided
	Inferred  domain.Order
	Unknown   []question
	Files     map[string]app.PlanFile
	Addresses []string // of the web that rows need
	header    []string
	byKey     map[string][]postgres.KnownPost
	byID      map[string]postgres.KnownPost
	media     map[string][]ident.Media // by their names and ids
	find      directory
	zone      *time.Location
	may       func(credential.Permission) bool
	check     func(address string) error
}

// question asks for the channel of a name.
type question struct {
	Name      string // empty: rows without a channel
	Rows      int
	Ambiguous bool
}

// row is a row of an import.
type row struct {
	domain.Row

	State    string
	Findings []finding
	Posts    app.PlannedPosts
	Channels []channel.Channel
	Existing []postgres.KnownPost
	At       time.Time
	Draft    bool
	Why      string // a row is left out
	keyed    bool   // the file has the external id
}

// finding is a fault of a row, or a remark about it.
type finding struct {
	Column  domain.Column
	Label   string // the column in words, before a text that continues the sentence
	Text    string
	Warning bool
}

func (r *row) fault(column domain.Column, text string) {
	r.Findings = append(r.Findings, finding{Column: column, Label: title(column), Text: text})
}

func (r *row) warn(column domain.Column, text string) {
	r.Findings = append(r.Findings, finding{Column: column, Label: title(column), Text: text, Warning: true})
}

// Faulty reports whether the row cannot be imported.
func (r *row) Faulty() bool {
	return slices.ContainsFunc(r.Findings, func(f finding) bool { return !f.Warning })
}

// read returns what an import would create. It changes nothing.
func (f *feature) read(v *frame.Visit, id ident.PlanImport) (*reading, error) {
	ctx := v.Request.Context()
	stored, rows, err := f.app.PlanImport(ctx, v.Principal, id)
	if err != nil {
		return nil, err
	}
	r := &reading{Import: stored, zone: v.Zone(), may: v.Principal.Allows, check: f.app.CheckPlanFile}
	channels, err := f.app.Channels(ctx, v.Principal)
	if err != nil {
		return nil, err
	}
	r.find = directory{channels: publishable(channels), chosen: stored.Settings.Channels, known: make(map[string]result)}
	if r.Files, err = f.app.PlanFiles(ctx, v.Principal, stored.Settings); err != nil {
		return nil, err
	}
	if stored.Settings.Header && len(rows) > 0 {
		r.header, rows = rows[0].Cells, rows[1:]
	}
	r.orders(rows)
	for _, one := range rows {
		r.Rows = append(r.Rows, &row{Row: one})
	}
	if err := f.lookUp(v, r); err != nil {
		return nil, err
	}
	for _, one := range r.Rows {
		r.interpret(one)
	}
	r.ask()
	r.twins()
	return r, f.examine(v, r)
}

// publishable returns the channels to which posts can be published.
func publishable(channels []channel.Channel) []channel.Channel {
	return slices.DeleteFunc(slices.Clone(channels), func(c channel.Channel) bool { return !c.Type.Capabilities().Publish })
}

// cell returns the text of a column in a row; empty if the file lacks it.
func (r *reading) cell(of domain.Row, c domain.Column) string {
	if i := r.Settings.Index(c); i >= 0 && i < len(of.Cells) {
		return of.Cells[i]
	}
	return ""
}

// orders decides how dates are read.
func (r *reading) orders(rows []domain.Row) {
	dates := make([]string, len(rows))
	for i, one := range rows {
		dates[i] = r.cell(one, domain.Date)
	}
	inferred, two := sheet.Evidence(dates)
	if r.Inferred = inferred; !r.Settings.Order.Known() {
		r.Settings.Order, r.Asks = inferred, two && inferred == ""
	}
}

// lookUp reads the posts and the assets that rows name.
func (f *feature) lookUp(v *frame.Visit, r *reading) error {
	ctx := v.Request.Context()
	var external, names []string
	var posts []ident.Post
	var assets []ident.Media
	for _, one := range r.Rows {
		one.Key, one.keyed = r.keyOf(one.Row)
		external = append(external, one.Key)
		if id, err := ident.Parse[ident.Post](strings.ToLower(r.cell(one.Row, domain.PostID))); err == nil {
			posts = append(posts, id)
		}
		for _, name := range mediaIn(r.cell(one.Row, domain.Media)) {
			if id, err := ident.Parse[ident.Media](strings.ToLower(name)); err == nil {
				assets = append(assets, id)
			} else if !isAddress(name) {
				names = append(names, name)
			}
		}
	}
	known, err := f.app.KnownPosts(ctx, v.Principal, external, posts)
	if err != nil {
		return err
	}
	r.byKey, r.byID = make(map[string][]postgres.KnownPost), make(map[string]postgres.KnownPost)
	for _, k := range known {
		r.byID[k.ID.String()] = k
		if k.ExternalID != "" {
			r.byKey[k.ExternalID] = append(r.byKey[k.ExternalID], k)
		}
	}
	if len(names)+len(assets) == 0 {
		return nil
	}
	named, err := f.app.NamedMedia(ctx, v.Principal, names, assets)
	r.media = make(map[string][]ident.Media)
	for _, m := range named {
		r.media[m.Name] = append(r.media[m.Name], m.ID)
		r.media[m.ID.String()] = []ident.Media{m.ID}
	}
	return err
}

// keyOf returns the external id of a row, and whether the file has it.
func (r *reading) keyOf(of domain.Row) (key string, given bool) {
	if id := r.cell(of, domain.ExternalID); id != "" {
		return id, true
	}
	return of.Key, false
}

// ask collects the names for which a person chooses a channel.
func (r *reading) ask() {
	at := make(map[string]int)
	for _, one := range r.Rows {
		if one.State == there || one.State == imported || one.State == out {
			continue
		}
		names := namesIn(r.cell(one.Row, domain.Channel), r.find)
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			_, m := r.find.find(name)
			if m == found || m == leftOut {
				continue
			}
			key := folded(name)
			if _, known := at[key]; !known {
				at[key] = len(r.Unknown)
				r.Unknown = append(r.Unknown, question{Name: name, Ambiguous: m == ambiguous})
			}
			r.Unknown[at[key]].Rows++
		}
	}
}

// twins leaves out rows that repeat an earlier one.
func (r *reading) twins() {
	first := make(map[string]*row)
	for _, one := range r.Rows {
		if one.State != "" || one.Key == "" {
			continue
		}
		earlier, again := first[one.Key]
		switch {
		case !again:
			first[one.Key] = one
		case !one.keyed:
			one.State, one.Why = out, "The same as line "+number(earlier.Line)+"."
		case overlaps(one.Channels, earlier.Channels):
			one.fault(domain.ExternalID, "is that of line "+number(earlier.Line)+" too; give each post its own")
		}
	}
}

func overlaps(a, b []channel.Channel) bool {
	return slices.ContainsFunc(a, func(c channel.Channel) bool {
		return slices.ContainsFunc(b, func(d channel.Channel) bool { return c.ID == d.ID })
	})
}
