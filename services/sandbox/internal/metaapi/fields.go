package metaapi

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Node is a type of object of Meta's APIs, as one call returns it: an edge can add fields to a node.
type Node struct {
	Name string
	// Fields maps each field to the type of the objects in it, or to nil if it has a plain value.
	Fields map[string]*Node
}

// NewNode returns the type that a text describes: NAME{field,field:NAME{…}}. Every type has an id.
func NewNode(text string) *Node {
	name, fields, _ := strings.Cut(strings.TrimSuffix(text, "}"), "{")
	n := &Node{Name: name, Fields: map[string]*Node{"id": nil}}
	for _, part := range SplitFields(fields) {
		field, of, object := strings.Cut(part, ":")
		if n.Fields[field] = nil; object {
			n.Fields[field] = NewNode(of)
		}
	}
	return n
}

// Refusal returns Meta's message for the first requested field that does not exist. It is empty if every field exists.
func (n *Node) Refusal(fields string) string {
	if fields == "" {
		return ""
	}
	for _, part := range SplitFields(fields) {
		name := FieldName(part)
		of, ok := n.Fields[name]
		if !ok {
			return fmt.Sprintf("(#100) Tried accessing nonexisting field (%s) on node type (%s)", name, n.Name)
		}
		_, inner, nested := strings.Cut(part, "{")
		if !nested {
			continue
		}
		if of == nil {
			return "(#100) Subfields are not supported by " + name
		}
		if refusal := of.Refusal(strings.TrimSuffix(inner, "}")); refusal != "" {
			return refusal
		}
	}
	return ""
}

// Fields returns the names of the requested fields, or the preset. It returns Meta's error for a field that the node
// does not have.
func (a *API) Fields(r stage.Request, of *Node, preset ...string) ([]string, stage.Check) {
	requested := r.Values.Get("fields")
	if requested == "" {
		return preset, stage.Check{}
	}
	refusal := of.Refusal(requested)
	return stage.Each(SplitFields(requested), FieldName), stage.If(refusal != "", a.Invalid(refusal))
}

// Show responds with the requested fields of an object, or the preset; all if there is none. It always includes the id.
func (a *API) Show(r stage.Request, of *Node, object stage.Object, preset ...string) stage.Response {
	fields, bad := a.Fields(r, of, preset...)
	switch {
	case bad.Broken:
		return bad.Fault
	case fields == nil:
		return stage.OK(object)
	default:
		return stage.OK(stage.Pick(append(fields, "id"), object))
	}
}

// List is a page of a list of posts.
type List struct {
	Data          []stage.Object
	Before, After string // cursors of the first and the last element; empty without elements
	More          bool
}

// List returns the page of the list that the call requests, newest first. It has the fields, or all if they are
// nil, of the objects that show returns for posts, unless it returns nil.
func (a *API) List(r stage.Request, filter ledger.Filter, fields []string, show func(ledger.Post) stage.Object) List {
	const usual, most = 25, 100
	filter.Platform, filter.Account = string(a.Network), r.Account
	filter.Before, _ = strconv.ParseUint(r.Values.Get("after"), 10, 64)
	if since, _ := strconv.ParseInt(r.Values.Get("since"), 10, 64); since > filter.Since.Unix() {
		filter.Since = time.Unix(since, 0)
	}
	until, _ := strconv.ParseInt(r.Values.Get("until"), 10, 64)
	size, _ := strconv.Atoi(r.Values.Get("limit"))
	if size = min(size, most); size < 1 {
		size = usual
	}
	list := List{Data: []stage.Object{}}
	for _, post := range a.Stage.Ledger.List(filter) {
		object := show(post)
		if object == nil || until > 0 && post.CreatedAt.Unix() > until {
			continue
		}
		if list.More = len(list.Data) == size; list.More {
			break
		}
		if fields != nil {
			object = stage.Pick(fields, object)
		}
		list.Data = append(list.Data, object)
		list.After = strconv.FormatUint(post.Seq, 10)
		list.Before = cmp.Or(list.Before, list.After)
	}
	return list
}

// Cursors returns the member paging with both cursors.
func (l List) Cursors() stage.Object {
	return stage.Object{"cursors": map[string]string{"before": l.Before, "after": l.After}}
}

// FieldName returns the name of a requested field, without its modifiers and the fields in it.
func FieldName(field string) string {
	if end := strings.IndexAny(field, ".{("); end >= 0 {
		return field[:end]
	}
	return field
}

// SplitFields splits a list of fields at the commas outside of braces and parentheses.
func SplitFields(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, text[from:i]), i+1
			}
		}
	}
	return append(parts, text[from:])
}

// The types that Facebook Login returns. A Page has no tasks of its own: me/accounts adds those of the person, and the
// edges of a business add those of the business
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts,
// …/marketing-api/reference/business/client_pages).
const (
	instagramUser = "IGUser{username,name,profile_picture_url,followers_count,follows_count,media_count,biography,website"
	page          = "Page{name,username,access_token,category,about,link,followers_count,fan_count," +
		"picture:ProfilePictureSource{url,width,height,is_silhouette,cache_key},instagram_business_account:" +
		instagramUser + "}"
)

// PageNode returns the type of a Page, with fields that an edge adds.
func PageNode(more string) *Node { return NewNode(page + "," + more + "}") }

// InstagramUserNode returns the type of an Instagram account at the Graph API of Facebook, with more fields.
func InstagramUserNode(more string) *Node { return NewNode(instagramUser + "," + more + "}") }

// InsightsNode returns the type of a metric, with more fields.
func InsightsNode(more string) *Node {
	return NewNode("InsightsResult{name,period,values,title,description,total_value," + more + "}")
}

// LimitNode returns the type of a publishing limit.
func LimitNode(name string) *Node { return NewNode(name + "{quota_usage,config}") }
