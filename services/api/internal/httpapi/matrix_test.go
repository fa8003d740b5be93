package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// documented is an operation in the OpenAPI document. The test below has no other knowledge of operations.
type documented struct {
	method, path string

	OperationID string                    `json:"operationId"`
	Summary     string                    `json:"summary"`
	Description string                    `json:"description"`
	Tags        []string                  `json:"tags"`
	Security    []map[string][]string     `json:"security"`
	Public      bool                      `json:"x-public"`          //nolint:tagliatelle // OpenAPI extension syntax
	Scopes      []string                  `json:"x-required-scopes"` //nolint:tagliatelle // OpenAPI extension syntax
	Responses   map[string]responseObject `json:"responses"`
	RequestBody *struct {
		Required bool `json:"required"`
		Content  map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
			Examples map[string]struct {
				Value map[string]any `json:"value"`
			} `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Ref         string         `json:"$ref"`
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"schema"`
}

type responseObject struct {
	Ref         string                     `json:"$ref"`
	Description string                     `json:"description"`
	Headers     map[string]json.RawMessage `json:"headers"`
	Content     map[string]struct {
		Schema   json.RawMessage `json:"schema"`
		Example  json.RawMessage `json:"example"`
		Examples map[string]struct {
			Value json.RawMessage `json:"value"`
		} `json:"examples"`
	} `json:"content"`
}

type schema struct {
	Type                 any                 `json:"type"`
	Required             []string            `json:"required"`
	AdditionalProperties json.RawMessage     `json:"additionalProperties"`
	Properties           map[string]property `json:"properties"`
	OneOf                []struct {
		Ref string `json:"$ref"`
	} `json:"oneOf"`
}

type property struct {
	Ref         string `json:"$ref"`
	AllOf       []refs `json:"allOf"`
	Type        any    `json:"type"`
	Nullable    bool   `json:"nullable"`
	Description string `json:"description"`
	Format      string `json:"format"`
	Items       struct {
		Format string `json:"format"`
	} `json:"items"`
}

type refs struct {
	Ref string `json:"$ref"`
}

type document struct {
	OpenAPI    string                           `json:"openapi"`
	Paths      map[string]map[string]documented `json:"paths"`
	Components struct {
		Schemas   map[string]schema          `json:"schemas"`
		Responses map[string]responseObject  `json:"responses"`
		Examples  map[string]json.RawMessage `json:"examples"`
	} `json:"components"`
}

// resolve replaces the references of the document with their targets.
func (d *document) resolve() {
	for _, item := range d.Paths {
		for _, op := range item {
			for status, r := range op.Responses {
				if r.Ref != "" {
					op.Responses[status] = d.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
				}
			}
		}
	}
	for _, s := range d.Components.Schemas {
		for name, p := range s.Properties {
			if len(p.AllOf) == 1 {
				p.Ref = p.AllOf[0].Ref
			}
			if p.Ref != "" {
				p.Type = d.Components.Schemas[strings.TrimPrefix(p.Ref, "#/components/schemas/")].Type
				s.Properties[name] = p
			}
		}
	}
}

func (b *bundle) document(t testing.TB) (doc document, operations []documented) {
	t.Helper()
	read := b.do(t, request{method: http.MethodGet, path: "/v1/openapi.json"})
	require.Equal(t, http.StatusOK, read.status)
	require.NoError(t, json.Unmarshal([]byte(read.body), &doc))
	doc.resolve()
	for path, item := range doc.Paths {
		for method, op := range item {
			op.method, op.path = strings.ToUpper(method), path
			operations = append(operations, op)
		}
	}
	slices.SortFunc(operations, func(a, b documented) int { return strings.Compare(a.OperationID, b.OperationID) })
	return doc, operations
}

func (o documented) bodySchema(doc document) schema {
	return doc.schema(o.RequestBody.Content["application/json"].Schema.Ref)
}

// schema returns the target of a reference, or the first of its variants, which matches the first example.
func (d *document) schema(ref string) schema {
	s := d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
	if len(s.OneOf) > 0 {
		return d.schema(s.OneOf[0].Ref)
	}
	return s
}

// example returns a body from the document that is valid except for its ids.
func (o documented) example(t testing.TB, of tenant) map[string]any {
	t.Helper()
	var names []string
	examples := o.RequestBody.Content["application/json"].Examples
	for name := range examples {
		names = append(names, name)
	}
	require.NotEmpty(t, names, "an example for every body")
	slices.Sort(names)
	value := maps.Clone(examples[names[0]].Value)
	fill(value, of.channelFor(o), of.media)
	of.fillIdeas(value)
	for name, ago := range map[string]time.Duration{"since": time.Hour, "until": time.Minute} {
		if _, ok := value[name]; ok {
			value[name] = time.Now().Add(-ago).Format(time.RFC3339)
		}
	}
	return value
}

// fill replaces an example's ids with existing ones.
func fill(value map[string]any, channel ident.Channel, media ident.Media) {
	for name, id := range map[string]any{
		"channelIds": []string{channel.String()}, "channelId": channel.String(), "mediaIds": []string{media.String()},
		"mediaId": media.String(),
	} {
		if _, ok := value[name]; ok {
			value[name] = id
		}
	}
	for _, list := range []string{"posts", "variants"} {
		items, _ := value[list].([]any)
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				fill(object, channel, media)
			}
		}
	}
}

// fillIdeas replaces an example's ids with those of the tenant's idea board.
func (of tenant) fillIdeas(value map[string]any) {
	for name, id := range map[string]any{
		"columnId": of.ideas.Columns[0].ID, "labelIds": []ident.IdeaLabel{of.ideas.Labels[0].ID},
	} {
		if _, ok := value[name]; ok {
			value[name] = id
		}
	}
}

// channelFor returns a channel that the operation accepts.
func (of tenant) channelFor(o documented) ident.Channel {
	for prefix, typ := range map[string]channel.Type{
		"/v1/posts/youtube": channel.YouTube, "/v1/posts/tiktok": channel.TikTokBusiness,
		"/v1/posts/pinterest": channel.Pinterest, "/v1/posts/linkedin": channel.LinkedInPage,
	} {
		if o.path == prefix {
			return of.channels[typ]
		}
	}
	return of.channel
}

func encode(t testing.TB, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}

// subject is an operation with the data to call it.
type subject struct {
	*bundle

	op  documented
	doc document
	// ids for {id} in the path: one of ours, one of theirs
	mine, foreign string
}

func (s subject) at(id string) string { return strings.ReplaceAll(s.op.path, "{id}", id) }

// call sends a request that the operation accepts, modified by change.
func (s subject) call(t testing.TB, change func(r *request)) response {
	t.Helper()
	r := request{method: s.op.method, path: s.at(s.mine), key: s.ours.key}
	if s.op.RequestBody != nil {
		r.contentType, r.body = "application/json", encode(t, s.op.example(t, s.ours))
	}
	change(&r)
	responded := s.do(t, r)
	s.requireDocumented(t, responded)
	return responded
}

// requireDocumented checks that the document describes the response.
func (s subject) requireDocumented(t testing.TB, a response) {
	t.Helper()
	declared, ok := s.op.Responses[strconv.Itoa(a.status)]
	if !ok {
		declared, ok = s.op.Responses["default"]
	}
	require.True(t, ok, "status %d is not documented: %s", a.status, a.body)
	if a.status < http.StatusBadRequest {
		require.NotContains(t, declared.Content, "application/problem+json")
	}
	if a.status >= http.StatusBadRequest {
		require.Contains(t, declared.Content["application/problem+json"].Examples, text(t, a.object(t), "code"))
	}
}

func (s subject) withBody(t testing.TB, body string) response {
	t.Helper()
	return s.call(t, func(r *request) { r.contentType, r.body = "application/json", body })
}

func TestEveryOperationRefusesMisuse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	doc, operations := b.document(t)
	require.Len(t, operations, 68)
	for _, op := range operations {
		if op.Public {
			continue
		}
		s := subject{bundle: b, doc: doc}
		s.op, s.mine, s.foreign = b.subjects(t, op)
		t.Run(op.OperationID, func(t *testing.T) {
			t.Parallel()
			s.credentials(t)
			s.scopes(t)
			s.negotiation(t)
			s.pathIDs(t)
			switch {
			case op.RequestBody != nil:
				s.malformedBodies(t)
				s.invalidBodies(t)
				s.foreignIDsInBody(t)
			case op.method == http.MethodPost:
				s.unwantedBodies(t)
			}
		})
	}
}

// subjects creates the resource in an operation's path for each tenant. In a path with two ids it replaces the first
// one with our id; tests of the operation itself use others.
func (b *bundle) subjects(t *testing.T, op documented) (found documented, mine, foreign string) {
	t.Helper()
	for name, created := range map[string]func(t testing.TB, of tenant) (endpoint, id string){
		"{deliveryId}": b.delivery, "{replayId}": b.replay, "{blockId}": b.linkBlock,
	} {
		if strings.Contains(op.path, name) {
			endpoint, mine := created(t, b.ours)
			_, foreign := created(t, b.theirs)
			op.path = strings.NewReplacer("{id}", endpoint, name, "{id}").Replace(op.path)
			return op, mine, foreign
		}
	}
	mine, foreign = b.named(t, op)
	if op.OperationID == "order-link-blocks" {
		op.RequestBody.Content["application/json"].Examples["order"].Value["blockIds"] = b.blockIDs(t, mine)
	}
	if op.OperationID == "simulate-posts" {
		op.RequestBody.Content["application/json"].Examples["posts"].Value["postIds"] = []any{b.draft(t, b.ours)}
	}
	return op, mine, foreign
}

// named creates the resource of a path with one id for each tenant.
func (b *bundle) named(t *testing.T, op documented) (mine, foreign string) {
	t.Helper()
	switch {
	case strings.HasPrefix(op.path, "/v1/posts/{id}"), strings.HasPrefix(op.path, "/v1/analytics/posts/{id}"):
		return b.draft(t, b.ours), b.draft(t, b.theirs)
	case strings.HasPrefix(op.path, "/v1/channels/{id}"), strings.HasPrefix(op.path, "/v1/analytics/channels/{id}"):
		return b.ours.channel.String(), b.theirs.channel.String()
	case strings.HasPrefix(op.path, "/v1/webhooks/{id}"):
		return b.webhook(t, b.ours), b.webhook(t, b.theirs)
	case strings.HasPrefix(op.path, "/v1/link-pages/{id}"):
		mine, _ = b.linkBlock(t, b.ours)
		foreign, _ = b.linkBlock(t, b.theirs)
		return mine, foreign
	case strings.HasPrefix(op.path, "/v1/events/{id}"):
		return b.event(t, b.ours), b.event(t, b.theirs)
	case strings.HasPrefix(op.path, "/v1/idea-boards/{id}"):
		return b.ours.ideas.ID.String(), b.theirs.ideas.ID.String()
	case strings.HasPrefix(op.path, "/v1/media/uploads/{id}"):
		return b.startUpload(t, b.ours, picture(t, 1)).MediaID, b.startUpload(t, b.theirs, picture(t, 1)).MediaID
	case strings.HasPrefix(op.path, "/v1/media/{id}"):
		return b.asset(t, b.ours.id, media.Image).String(), b.asset(t, b.theirs.id, media.Image).String()
	default:
		require.NotContains(t, op.path, "{id}", "add the creation of one to this test")
		return "", ""
	}
}

func (s subject) credentials(t *testing.T) {
	t.Helper()
	unknown := credential.APIKey.New()
	for name, c := range map[string]struct {
		header string
		sent   bool
	}{
		"none": {"", false}, "other scheme": {"Basic dXNlcjpwYXNz", false}, "no token": {"Bearer", false},
		"empty token": {"Bearer ", false},
		"garbage":     {"Bearer x", true}, "unknown": {"Bearer " + unknown, true},
		"wrong checksum": {"Bearer " + unknown[:len(unknown)-1] + "!", true},
		"truncated":      {"Bearer " + s.ours.key[:20], true},
		"other prefix":   {"Bearer " + strings.Replace(s.ours.key, "live", "test", 1), true},
		"two tokens":     {"Bearer " + s.ours.key + " " + s.ours.key, true}, "no scheme": {s.ours.key, false},
	} {
		refused := s.call(t, func(r *request) {
			r.key = ""
			if c.header != "" {
				r.header = map[string]string{"Authorization": c.header}
			}
		})
		p := requireProblem(t, refused, http.StatusUnauthorized, "UNAUTHENTICATED")
		require.NotContains(t, refused.body, s.ours.key[:20], name)
		require.NotEmpty(t, p["detail"])
		challenge := refused.header.Get("WWW-Authenticate")
		require.True(t, strings.HasPrefix(challenge, `Bearer realm="`), name)
		require.Equal(t, c.sent, strings.Contains(challenge, `error="invalid_token"`), name)
	}
	requireProblem(t, s.call(t, func(r *request) {
		r.key, r.path = "", r.path+"?access_token="+s.ours.key
	}), http.StatusUnauthorized, "UNAUTHENTICATED")
}

// scopes calls the operation with all other scopes, and with each of its own alone.
func (s subject) scopes(t *testing.T) {
	t.Helper()
	var others []credential.Scope
	for _, scope := range credential.Scopes() {
		if !slices.Contains(s.op.Scopes, string(scope)) {
			others = append(others, scope)
		}
	}
	if len(s.op.Scopes) == 0 {
		return
	}
	// The scope is checked before the invalid body.
	refused := s.call(t, func(r *request) {
		r.key, r.contentType, r.body = s.key(t, s.ours.id, others...), "application/json", "{"
	})
	p := requireProblem(t, refused, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	for _, scope := range s.op.Scopes {
		require.Contains(t, p["detail"], scope)
	}
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="`+s.op.Scopes[0]+`"`)
	for _, scope := range s.op.Scopes {
		key := s.key(t, s.ours.id, credential.Scope(scope))
		allowed := s.call(t, func(r *request) { r.key, r.path = key, s.at(ident.New[ident.Post]().String()) })
		require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, allowed.status)
	}
}

func (s subject) negotiation(t *testing.T) {
	t.Helper()
	for accept, ok := range map[string]bool{
		"text/html": false, "application/problem+json": false, "application/json;q=0, */*": false, "*/*;q=0": false,
		"application/*;q=0.000": false,
	} {
		refused := s.call(t, func(r *request) { r.header = map[string]string{"Accept": accept} })
		require.Equal(t, ok, refused.status != http.StatusNotAcceptable, accept)
		requireProblem(t, refused, http.StatusNotAcceptable, "NOT_ACCEPTABLE")
	}
	for _, accept := range []string{
		"*/*", "application/*", "Application/JSON; charset=utf-8", "text/html, application/json;q=0.1",
		"text/html,*/*;q=0.8",
	} {
		accepted := s.call(t, func(r *request) {
			r.path, r.header = s.at(ident.New[ident.Post]().String()), map[string]string{"Accept": accept}
		})
		require.NotEqual(t, http.StatusNotAcceptable, accepted.status, accept)
	}
}

// pathIDs compares the responses to a foreign id, an unknown id, and an invalid id.
func (s subject) pathIDs(t *testing.T) {
	t.Helper()
	if s.mine == "" {
		return
	}
	var first map[string]any
	for _, id := range []string{
		s.foreign, ident.New[ident.Post]().String(), "x", "00000000-0000-0000-0000-000000000000", "%00", "..%2f",
		"%7B" + s.mine + "%7D", "%FF",
	} {
		p := requireProblem(t, s.call(t, func(r *request) { r.path = s.at(id) }), http.StatusNotFound, "NOT_FOUND")
		require.Equal(t, s.at(id), p["instance"])
		delete(p, "requestId")
		delete(p, "instance")
		if first == nil {
			first = p
		}
		require.Equal(t, first, p, "a foreign id looks like an unknown one")
	}
}

func (s subject) malformedBodies(t *testing.T) {
	t.Helper()
	for name, body := range map[string]string{
		"cut": `{"a":`, "duplicate": `{"x":1,"x":2}`, "trailing": `{} {}`, "NUL": `{"x":"\u0000"}`,
		"UTF-8": "{\"x\":\"\xff\"}", "white space": " ",
		"deep": strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17), "no JSON": "content=x", "comment": "{}//",
	} {
		p := requireProblem(t, s.withBody(t, body), http.StatusBadRequest, "MALFORMED_REQUEST")
		require.Contains(t, p["detail"], "line 1, column", name)
	}
	requireProblem(t, s.call(t, func(r *request) { r.body = "" }), http.StatusBadRequest, "MALFORMED_REQUEST")
	if s.op.RequestBody.Required {
		requireProblem(t, s.call(t, func(r *request) { r.body, r.contentType = "", "" }), http.StatusBadRequest,
			"MALFORMED_REQUEST")
	}
	for _, contentType := range []string{
		"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"application/json; charset=latin1",
		"application/jsonp", "application/problem+json", "application/json, text/plain", "application/json; x=y",
	} {
		requireProblem(t, s.call(t, func(r *request) { r.contentType = contentType }), http.StatusUnsupportedMediaType,
			"UNSUPPORTED_MEDIA_TYPE")
	}
	merged := s.call(t, func(r *request) { r.contentType, r.body = "application/merge-patch+json", "[]" })
	if s.op.method == http.MethodPatch {
		requireProblem(t, merged, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	} else {
		requireProblem(t, merged, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	}
	requireProblem(t, s.call(t, func(r *request) { r.header = map[string]string{"Content-Encoding": "gzip"} }),
		http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	for _, contentType := range []string{
		"application/json; charset=UTF-8", "Application/Json", `application/json;charset="utf-8"`,
	} {
		accepted := s.call(t, func(r *request) { r.contentType, r.body = contentType, "[]" })
		requireProblem(t, accepted, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	}
	requireProblem(t, s.withBody(t, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`), http.StatusRequestEntityTooLarge,
		"PAYLOAD_TOO_LARGE")
}

// invalidBodies sets each property of the schema to values of every other type, and adds unknown properties.
func (s subject) invalidBodies(t *testing.T) {
	t.Helper()
	types := s.op.bodySchema(s.doc)
	require.JSONEq(t, "false", string(types.AdditionalProperties), "bodies of requests are closed")
	for name, member := range types.Properties {
		for _, value := range []any{nil, true, 5, "x", []any{5}, map[string]any{}} {
			absent := value == nil && s.op.method != http.MethodPatch && !slices.Contains(types.Required, name)
			if member.fits(value) || absent {
				continue
			}
			body := s.op.example(t, s.ours)
			body[name] = value
			p := requireProblem(t, s.withBody(t, encode(t, body)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.Contains(t, pointers(t, p), "/"+name)
		}
	}
	for _, name := range []string{"status", "workspaceId", "id", "a.b", "x/y~z", "", "Content"} {
		body := s.op.example(t, s.ours)
		body[name] = "DRAFT"
		p := requireProblem(t, s.withBody(t, encode(t, body)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}, pointers(t, p))
	}
	for _, name := range types.Required {
		body := s.op.example(t, s.ours)
		delete(body, name)
		p := requireProblem(t, s.withBody(t, encode(t, body)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"/" + name}, pointers(t, p))
	}
}

// fits reports whether a property accepts values of the type.
func (p property) fits(value any) bool {
	var name string
	switch value.(type) {
	case nil:
		return p.Nullable
	case bool:
		name = "boolean"
	case int:
		name = "integer"
	case string:
		name = "string"
	case []any:
		name = "array"
	case map[string]any:
		name = "object"
	}
	return p.Type == name
}

// foreignIDsInBody sets each id in the body to one of another tenant.
func (s subject) foreignIDsInBody(t *testing.T) {
	t.Helper()
	for name, member := range s.op.bodySchema(s.doc).Properties {
		many, pointer := member.Items.Format == "uuid", "/"+name
		if !many && member.Format != "uuid" {
			continue
		}
		foreign := s.theirs.channelFor(s.op).String()
		switch {
		case strings.HasPrefix(name, "media"):
			foreign = s.theirs.media.String()
		case name == "blockIds":
			_, foreign = s.linkBlock(t, s.theirs)
		case name == "postIds":
			foreign = s.draft(t, s.theirs)
		case name == "columnId":
			foreign = s.theirs.ideas.Columns[0].ID.String()
		case name == "labelIds":
			foreign = s.theirs.ideas.Labels[0].ID.String()
		}
		value := func(id string) any {
			if many {
				return []string{id}
			}
			return id
		}
		if many {
			pointer += "/0"
		}
		var first map[string]any
		for _, id := range []string{foreign, ident.New[ident.Channel]().String()} {
			body := s.op.example(t, s.ours)
			if name == "postIds" {
				body = map[string]any{}
			}
			body[name] = value(id)
			refused := s.withBody(t, encode(t, body))
			p := s.requireUnknown(t, refused, id)
			if first == nil {
				first = p
			}
			require.Equal(t, first, p, "a foreign id looks like an unknown one")
		}
		body := s.op.example(t, s.ours)
		body[name] = value("x")
		p := requireProblem(t, s.withBody(t, encode(t, body)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{pointer}, pointers(t, p))
	}
}

// requireUnknown checks the response to an unknown id, and returns the parts that must not differ.
func (s subject) requireUnknown(t *testing.T, refused response, id string) map[string]any {
	t.Helper()
	p := requireProblem(t, refused, http.StatusNotFound, "NOT_FOUND")
	p["detail"] = strings.ReplaceAll(text(t, p, "detail"), id, "…")
	delete(p, "requestId")
	return p
}

// unwantedBodies announces or sends a body to operations without one. The action must have no effect.
func (s subject) unwantedBodies(t *testing.T) {
	t.Helper()
	for _, contentType := range []string{
		"application/json", "application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json",
	} {
		requireProblem(t, s.call(t, func(r *request) { r.contentType = contentType }), http.StatusBadRequest,
			"MALFORMED_REQUEST")
	}
	for _, body := range []string{"null", "x", " ", `{"a":1}`, "{}{}"} {
		for _, contentType := range []string{"application/json", "text/plain", ""} {
			requireProblem(t, s.call(t, func(r *request) { r.contentType, r.body = contentType, body }), http.StatusBadRequest,
				"MALFORMED_REQUEST")
		}
	}
	requireProblem(t, s.call(t, func(r *request) { r.body = strings.Repeat("x", 1<<20+1) }),
		http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	for _, accepted := range []request{
		{contentType: "application/x-www-form-urlencoded"},
		{contentType: "application/json", body: "{}"},
		{body: " { }\n"},
		{contentType: "application/json", body: "\uFEFF{}"},
	} {
		requireProblem(t, s.call(t, func(r *request) {
			r.path, r.contentType, r.body = s.at(ident.New[ident.Post]().String()), accepted.contentType, accepted.body
		}), http.StatusNotFound, "NOT_FOUND")
	}
}
