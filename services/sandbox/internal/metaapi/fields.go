package metaapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Node is a type of object of Meta's APIs, as one call returns it: an edge can add fields to a node.
type Node struct {
	Name string
	// Fields maps each field to the type of the objects in it, or to nil if it has a plain value.
	Fields map[string]*Node
}

// NewNode returns a type whose fields have plain values.
func NewNode(name string, fields ...string) *Node {
	n := &Node{Name: name, Fields: map[string]*Node{"id": nil}}
	for _, field := range fields {
		n.Fields[field] = nil
	}
	return n
}

// With returns the type with a further field that has objects.
func (n *Node) With(field string, of *Node) *Node {
	fields := maps.Clone(n.Fields)
	fields[field] = of
	return &Node{Name: n.Name, Fields: fields}
}

// Plus returns the type with the fields that an edge adds.
func (n *Node) Plus(fields ...string) *Node {
	more := n
	for _, field := range fields {
		more = more.With(field, nil)
	}
	return more
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

// Refuses writes Meta's error if the call requests a field that the node does not have. It returns false if every field
// exists.
func (n *Node) Refuses(
	w http.ResponseWriter, values url.Values, write func(w http.ResponseWriter, status, code, subcode int, message string),
) bool {
	refusal := n.Refusal(values.Get("fields"))
	if refusal != "" {
		write(w, http.StatusBadRequest, codeParameter, 0, refusal)
	}
	return refusal != ""
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
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts, …/marketing-api/reference/business/client_pages).

// PageNode returns the type of a Page.
func PageNode() *Node {
	return NewNode("Page", "name", "username", "access_token", "category", "about", "link", "followers_count", "fan_count").
		With("picture", NewNode("ProfilePictureSource", "url", "width", "height", "is_silhouette", "cache_key")).
		With("instagram_business_account", InstagramUserNode())
}

// InstagramUserNode returns the type of an Instagram account at the Graph API of Facebook.
func InstagramUserNode() *Node {
	return NewNode("IGUser", "username", "name", "profile_picture_url", "followers_count", "follows_count", "media_count",
		"biography", "website")
}

func accountsNode() *Node      { return PageNode().Plus("tasks") }
func businessPagesNode() *Node { return PageNode().Plus("permitted_tasks") }
func businessNode() *Node      { return NewNode("Business", "name") }

// InsightsNode returns the type of a metric.
func InsightsNode() *Node {
	return NewNode("InsightsResult", "name", "period", "values", "title", "description", "total_value")
}

// LimitNode returns the type of a publishing limit.
func LimitNode(name string) *Node { return NewNode(name, "quota_usage", "config") }
