package medialib

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Values of the parameter only.
const (
	unused = "unused"
	untold = "untold"
	// mostLabels is the number of labels of an address that are read.
	mostLabels = 20
)

// query holds the parameters of an address.
type query struct {
	Text   string
	Fault  string // of the search
	Kind   media.Type
	Only   string
	Labels []string // any of them
	Sort   postgres.MediaSort

	search post.Search
	cursor string
}

func queryOf(v *frame.Visit) query {
	q := query{Text: strings.TrimSpace(v.Query("q")), Kind: typeIn(v), cursor: v.Query("cursor")}
	q.search, q.Fault = searchIn(v)
	for _, name := range v.Request.URL.Query()["label"] {
		if name != "" && len(q.Labels) < mostLabels && !q.Labelled(name) {
			q.Labels = append(q.Labels, name)
		}
	}
	if only := v.Query("only"); only == unused || only == untold {
		q.Only = only
	}
	sorts := []postgres.MediaSort{postgres.OldestMedia, postgres.LargestMedia, postgres.MediaByName}
	if sort := postgres.MediaSort(strings.ToUpper(v.Query("sort"))); slices.Contains(sorts, sort) {
		q.Sort = sort
	}
	return q
}

// Labelled reports whether the query asks for a label.
func (q query) Labelled(name string) bool {
	return slices.Contains(post.LabelKeys(q.Labels), post.LabelKey(name))
}

// filter returns the filter for a page of files and one more.
func (q query) filter() postgres.MediaFilter {
	f := postgres.MediaFilter{
		Type: q.Kind, Search: q.search, Unused: q.Only == unused, Untold: q.Only == untold, Labels: q.Labels, Sort: q.Sort,
		Limit: perPage + 1,
	}
	id, rest, _ := strings.Cut(q.cursor, ".")
	before, err := ident.Parse[ident.Media](id)
	if err != nil {
		return f
	}
	f.AfterSize, err = strconv.ParseInt(rest, 10, 64)
	if q.Sort == postgres.LargestMedia && err != nil {
		return f
	}
	f.Before, f.AfterName = before, rest
	return f
}

// after returns the cursor of the files after one.
func (q query) after(last app.DeliveredAsset) string {
	switch q.Sort {
	case postgres.LargestMedia:
		return last.ID.String() + "." + strconv.FormatInt(last.Size, 10)
	case postgres.MediaByName:
		return last.ID.String() + "." + last.Name
	case postgres.NewestMedia, postgres.OldestMedia:
	}
	return last.ID.String()
}

// of returns the query for another choice of files, from their beginning.
func (q query) of(kind media.Type, only string) query {
	q.Kind, q.Only, q.cursor = kind, only, ""
	return q
}

// without returns the query without one of its labels, from its beginning.
func (q query) without(label string) query {
	q.Labels, q.cursor = slices.DeleteFunc(slices.Clone(q.Labels), func(one string) bool { return one == label }), ""
	return q
}

// at returns the query for the files after a cursor.
func (q query) at(cursor string) query {
	q.cursor = cursor
	return q
}

// address returns the address of the library, or of a file beside it, with this query.
func (q query) address(v *frame.Visit, within string) string {
	values := url.Values{}
	for _, label := range q.Labels {
		values.Add("label", label)
	}
	for name, value := range map[string]string{
		"q": q.Text, "type": string(q.Kind), "only": q.Only, "sort": strings.ToLower(string(q.Sort)), "cursor": q.cursor,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return v.Path("/media" + within)
	}
	return v.Path("/media"+within) + "?" + values.Encode()
}
