package jsonbody_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/kernel/rfc3339"
)

type person struct {
	Name    string   `json:"name" minLength:"2" maxLength:"5"`
	IDs     []string `json:"ids" format:"uuid" minItems:"1" maxItems:"3" uniqueItems:"true"`
	Kind    string   `json:"kind,omitempty" enum:"A,B"`
	At      string   `json:"at,omitempty" format:"date-time"`
	Note    *string  `json:"note,omitempty" nullable:"true" minLength:"1"`
	Active  bool     `json:"active,omitempty"`
	Address address  `json:"address,omitzero"`
	Size    int64    `json:"size,omitempty" minimum:"1" maximum:"1000"`
	Any     int64    `json:"any,omitempty"`
}

type address struct {
	City string `json:"city"`
}

const (
	id1 = "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
	id2 = "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d11"
)

func reader(t testing.TB) *jsonbody.Reader[person] {
	t.Helper()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[person](), true, "")
	for _, s := range registry.Map() {
		for _, property := range s.Properties {
			if property.Type == huma.TypeArray {
				property.Nullable = false
			}
		}
	}
	r, err := jsonbody.New[person](registry, schema, false)
	require.NoError(t, err)
	return r
}

func TestRead(t *testing.T) {
	t.Parallel()
	got, faults, err := reader(t).Read([]byte(` {"name":"\u00e9🙂x","ids":["` + id1 + `","` + id2 + `"],"kind":"B",
		"at":"2026-03-01T09:00:00Z","note":null,"active":true,"address":{"city":"x\\u0000"}} `))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Equal(t, person{
		Name: "é🙂x", IDs: []string{id1, id2}, Kind: "B", At: "2026-03-01T09:00:00Z", Active: true,
		Address: address{City: `x\u0000`},
	}, got)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		ok      = `"name":"Ann","ids":["` + id1 + `"]`
		unknown = "is not a field of this object, which has active, address, any, at, ids, kind, name, note, size"
	)
	tests := []struct {
		name, body string
		want       []string // pointer: message
	}{
		{"missing", `{}`, []string{"/name: is missing", "/ids: is missing"}},
		{"not an object", `[]`, []string{": must be an object, not an array"}},
		{"null", `null`, []string{": must be an object, not null"}},
		{"wrong types", `{"name":5,"ids":{"a":[]},"kind":7,"active":"x","note":[],"address":true}`, []string{
			"/name: must be a string, not a number", "/ids: must be an array, not an object",
			"/kind: must be a string, not a number",
			"/active: must be true or false, not a string", "/note: must be a string or null, not an array",
			"/address: must be an object, not a boolean",
		}},
		{
			"unknown members", `{` + ok + `,"a.b":1,"x/y~z":{"k":[1]},"address":{"city":"c","zip":"1"},"":0,"Name":"x"}`,
			[]string{
				"/a.b: " + unknown, "/x~1y~0z: " + unknown, "/address/zip: is not a field of this object, which has city",
				"/: " + unknown,
				"/Name: " + unknown + "; did you mean name?",
			},
		},
		{"nested missing", `{` + ok + `,"address":{}}`, []string{"/address/city: is missing"}},
		{"lengths", `{"name":"🙂","ids":[]}`, []string{
			"/name: must have at least 2 characters", "/ids: must have at least 1 item",
		}},
		{"required and empty", `{"name":"","ids":null}`, []string{
			"/name: must have at least 2 characters", "/ids: must be an array, not null",
		}},
		{"normalized length", `{"name":"ab\r\ncd\r\ne","ids":["` + id1 + `"]}`, []string{
			"/name: must have at most 5 characters, not 7",
		}},
		{"too long", `{"name":"ababab","ids":["` + id1 + `"]}`, []string{"/name: must have at most 5 characters, not 6"}},
		{"items", `{"name":"Ann","ids":[{},"x","` + id1 + `","` + strings.ToUpper(id1) + `"]}`, []string{
			"/ids/0: must be a string, not an object", "/ids/1: must be a UUID, for example " + id1,
			"/ids/3: is in the list already", "/ids: must have at most 3 items, not 4",
		}},
		{"numbers", `{` + ok + `,"size":0.0,"any":1.5}`, []string{
			"/size: must be a whole number from 1 to 1000", "/any: must be a whole number",
		}},
		{"large numbers", `{` + ok + `,"size":1001,"any":9223372036854775808}`, []string{
			"/size: must be a whole number from 1 to 1000", "/any: must be at most 9223372036854775807",
		}},
		{"small numbers", `{` + ok + `,"size":-9223372036854775809,"any":1e300}`, []string{
			"/size: must be a whole number from 1 to 1000", "/any: must be a whole number",
		}},
		{
			"smallest number", `{` + ok + `,"any":-9223372036854775809}`,
			[]string{"/any: must be at least -9223372036854775808"},
		},
		{"no numbers", `{` + ok + `,"size":"5","any":[]}`, []string{
			"/size: must be a whole number, not a string", "/any: must be a whole number, not an array",
		}},
		{"enum and time", `{` + ok + `,"kind":"a","at":"2026-03-01T09:00:00"}`, []string{
			"/kind: must be one of A, B", "/at: has no offset: add Z for UTC or an offset such as +02:00",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults, err := reader(t).Read([]byte(test.body))
			require.NoError(t, err)
			var got []string
			for _, f := range faults {
				got = append(got, f.Pointer+": "+f.Message)
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestValidMembersSurviveFaults(t *testing.T) {
	t.Parallel()
	r := reader(t)
	got, faults, err := r.Read([]byte("{ \"x\" : 1 ,\n\t\"na\\u006de\" : \"Ann\" , \"ids\" : 3 , \"kind\":\"B\" }"))
	require.NoError(t, err)
	require.Len(t, faults, 2)
	require.Equal(t, person{Name: "Ann", Kind: "B"}, got)
}

// TestAbsentMembers reads null and empty texts as absent, wherever they are in an object, except in a patch.
func TestAbsentMembers(t *testing.T) {
	t.Parallel()
	const name, ids = `"name":"Ann"`, `"ids":["` + id1 + `"]`
	want := person{Name: "Ann", IDs: []string{id1}}
	for _, body := range []string{
		`{` + name + `,` + ids + `,"kind":null}`,
		`{"kind":null,` + name + `,` + ids + `}`,
		`{ "kind" : null , "at" : "" , ` + name + ` , ` + ids + ` , "size" : null , "any" : "" }`,
		`{` + name + `,"kind":"","active":null,` + ids + `,"at":null,"note":""}`,
		`{"active":"",` + ids + `,"address":null,` + name + `}`,
		"\uFEFF" + `{` + ids + `,"address":"",` + name + `}`,
	} {
		got, faults, err := reader(t).Read([]byte(body))
		require.NoError(t, err, body)
		require.Empty(t, faults, body)
		require.Equal(t, want, got, body)
	}
	got, faults, err := reader(t).Read([]byte(`{"kind":null,"x":1,` + name + `,"at":"",` + ids + `}`))
	require.NoError(t, err)
	require.Len(t, faults, 1)
	require.Equal(t, want, got, "beside a fault")

	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	type change struct {
		Kind *string `json:"kind,omitempty" enum:"A,B"`
		Note *string `json:"note,omitempty" nullable:"true" minLength:"1"`
	}
	patch, err := jsonbody.New[change](registry, registry.Schema(reflect.TypeFor[change](), true, ""), true)
	require.NoError(t, err)
	_, faults, err = patch.Read([]byte(`{"kind":null,"note":null}`))
	require.NoError(t, err)
	require.Equal(t, []apperr.Field{{Pointer: "/kind", Message: "must be a string, not null"}}, faults)
	_, faults, err = patch.Read([]byte(`{"kind":"","note":""}`))
	require.NoError(t, err)
	require.Len(t, faults, 2)
}

// TestNormalizedValues reads texts and numbers as they are stored.
func TestNormalizedValues(t *testing.T) {
	t.Parallel()
	got, faults, err := reader(t).Read([]byte(`{"name":"a\r\nb\rc","ids":["` + id1 +
		`"],"address":{"city":"x\u001b\u007f\ty\n\u0085"},"size":1000.00,"any":-1.2e3}`))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Equal(t, person{
		Name: "a\nb\nc", IDs: []string{id1}, Address: address{City: "x\ty\n"}, Size: 1000, Any: -1200,
	}, got)
	for text, want := range map[string]int64{"-0.0": 0, "1e3": 1000, "25.0": 25, "9007199254740993.0": 9007199254740993} {
		got, faults, err = reader(t).Read([]byte(`{"name":"Ann","ids":["` + id1 + `"],"any":` + text + `}`))
		require.NoError(t, err)
		require.Empty(t, faults, text)
		require.Equal(t, want, got.Any, text)
	}
}

// TestUnreportedFaultyValuesAreOmitted checks that a faulty value is not decoded when its fault is not reported.
func TestUnreportedFaultyValuesAreOmitted(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range jsonbody.MaxFaults {
		fmt.Fprintf(&body, `"x%d":0,`, i)
	}
	got, faults, err := reader(t).Read([]byte("{" + body.String() + `"name":7,"any":3}`))
	require.NoError(t, err)
	require.Len(t, faults, jsonbody.MaxFaults)
	require.Equal(t, person{Any: 3}, got)
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, jsonbody.MaxDepth+1) + "1" + strings.Repeat("}", jsonbody.MaxDepth+1)
	tests := []struct{ name, body, want string }{
		{"white space", " \n ", "only white space (line 1, column 1)"},
		{"cut", `{"name":"Ann"`, "is not valid JSON (line 1, column 14)"},
		{"no JSON", `name=Ann`, "is not valid JSON (line 1, column 2)"},
		{"byte order mark within", "{\uFEFF}", "is not valid JSON (line 1, column 2)"},
		{"comma", `{"name":"Ann",}`, "is not valid JSON (line 1, column 14)"},
		{"comment", `{/* */}`, "is not valid JSON (line 1, column 2)"},
		{"single quotes", `{'name':1}`, "is not valid JSON (line 1, column 2)"},
		{"NaN", `{"name":NaN}`, "is not valid JSON (line 1, column 9)"},
		{"line", "{\n  \"é\": x}", "is not valid JSON (line 2, column 8)"},
		{"duplicate", "{\"kind\":\"A\",\n\"kind\":\"B\"}", "the same field twice (line 2, column 1)"},
		{"duplicate by escape", `{"kind":"A","k\u0069nd":"B"}`, "the same field twice (line 1, column 13)"},
		{"duplicate deep", `{"x":[{"secret-name":1,"secret-name":1}]}`, "the same field twice"},
		{"trailing value", `{} {}`, "data follows the JSON value"},
		{"trailing garbage", `{} x`, "is not valid JSON (line 1, column 4)"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "is not valid UTF-8 (line 1, column 10)"},
		{"half of an emoji", `{"name":"a \ud83d"}`, "half of a character, such as an emoji"},
		{"second half of an emoji", `{"name":"\uDE42 b"}`, "half of a character"},
		{"half of an emoji in a name", `{"\ud83d":1}`, "half of a character"},
		{"unknown escape", `{"name":"\x"}`, "is not valid JSON"},
		{"NUL", `{"name":"a\u0000"}`, "the character U+0000"},
		{"NUL in a name", `{"\u0000":1}`, "the character U+0000"},
		{"NUL in an unknown member", `{"x":[{"y":"\u0000"}]}`, "the character U+0000"},
		{"raw NUL", "{\"name\":\"\x00\"}", "is not valid JSON"},
		{"raw control character", "{\"name\":\"\n\"}", "is not valid JSON"},
		{"depth", deep, "more than 16 deep"},
		{"many values", `{"x":[` + strings.Repeat("0,", jsonbody.MaxValues) + `0]}`, "more than 10000 values"},
		{"faults do not hide it", `{"x":1,"name":2,"ids":{]}`, "is not valid JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults, err := reader(t).Read([]byte(test.body))
			require.Empty(t, faults)
			var failure *apperr.Error
			require.ErrorAs(t, err, &failure)
			require.Equal(t, apperr.MalformedRequest, failure.Code)
			require.Contains(t, failure.Message, test.want)
			require.NotContains(t, failure.Message, "secret-name")
		})
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range jsonbody.MaxValues - 2 {
		fmt.Fprintf(&body, `,"x%d":0`, i)
	}
	_, faults, err := reader(t).Read([]byte("{" + body.String()[1:] + "}"))
	require.NoError(t, err)
	require.Len(t, faults, jsonbody.MaxFaults)
}

func TestPointersAreBounded(t *testing.T) {
	t.Parallel()
	_, faults, err := reader(t).Read([]byte(`{"name":"Ann","ids":["` + id1 + `"],"` + strings.Repeat("é",
		100_000) + `":1}`))
	require.NoError(t, err)
	require.Len(t, faults, 1)
	require.Less(t, len(faults[0].Pointer), 300)
	require.True(t, strings.HasSuffix(faults[0].Pointer, "é…"))
}

// labels is an object whose members have any UUID as their name.
type labels map[ident.Media]string

func (labels) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString, MaxLength: new(3)},
		Extensions: map[string]any{jsonbody.ExtensionNames: "uuid"},
	}
}

// TestObjectsWithAdditionalProperties checks the names and the values of objects whose members are not listed in the schema.
func TestObjectsWithAdditionalProperties(t *testing.T) {
	t.Parallel()
	type body struct {
		Labels labels `json:"labels,omitzero"`
		After  string `json:"after,omitempty"`
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r, err := jsonbody.New[body](registry, registry.Schema(reflect.TypeFor[body](), true, ""), false)
	require.NoError(t, err)
	one, err := ident.Parse[ident.Media](id1)
	require.NoError(t, err)
	two, err := ident.Parse[ident.Media](id2)
	require.NoError(t, err)
	got, faults, err := r.Read([]byte(`{"labels":{"` + id1 + `":"äöü","` + strings.ToUpper(id2) + `":""},"after":"x"}`))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Equal(t, body{Labels: labels{one: "äöü", two: ""}, After: "x"}, got)

	const notUUID = "has a name that must be a UUID, for example " + id1
	for text, want := range map[string][]string{
		`{}`:                                nil,
		`{"labels":{}}`:                     nil,
		`{"labels":[]}`:                     {"/labels: must be an object, not an array"},
		`{"labels":null}`:                   nil,
		`{"labels":{"` + id1 + `":null}}`:   nil,
		`{"labels":{"x/y":"a","":1}}`:       {"/labels/x~1y: " + notUUID, "/labels/: must be a string, not a number", "/labels/: " + notUUID},
		`{"labels":{"` + id1 + `":4}}`:      {"/labels/" + id1 + ": must be a string, not a number"},
		`{"labels":{"` + id1 + `":"abcd"}}`: {"/labels/" + id1 + ": must have at most 3 characters, not 4"},
		`{"labels":{"` + id1 + `":"a","` + strings.ToUpper(id1) + `":"b"}}`: {
			"/labels/" + strings.ToUpper(id1) + ": is in the object already",
		},
	} {
		got, faults, err := r.Read([]byte(text))
		require.NoError(t, err, text)
		var found []string
		for _, f := range faults {
			found = append(found, f.Pointer+": "+f.Message)
		}
		require.Equal(t, want, found, text)
		require.Empty(t, got.Labels, "a faulty field is zero")
	}
	_, _, err = r.Read([]byte(`{"labels":{"` + id1 + `":"a","` + id1 + `":"b"}}`))
	require.Equal(t, apperr.MalformedRequest, apperr.CodeOf(err))
}

func TestUnsupportedSchemas(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	for _, schema := range []*huma.Schema{
		{Type: huma.TypeString},
		{Type: huma.TypeObject},
		{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeNumber}},
		{
			Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString},
			Extensions: map[string]any{jsonbody.ExtensionNames: "email"},
		},
		{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"n": {Type: huma.TypeNumber}},
		},
		{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"n": {Type: huma.TypeInteger, MultipleOf: new(2.0)}},
		},
		{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"s": {Type: huma.TypeString, Pattern: "x"}},
		},
		{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"s": {Type: huma.TypeString, Format: "email"}},
		},
		{
			Type: huma.TypeObject, AdditionalProperties: false,
			Properties: map[string]*huma.Schema{"s": {Type: huma.TypeString, Enum: []any{1}}},
		},
	} {
		_, err := jsonbody.New[person](registry, schema, false)
		require.Error(t, err)
	}
}

// TestConcurrentReads checks that a parsed value never contains another request's body.
func TestConcurrentReads(t *testing.T) {
	t.Parallel()
	r := reader(t)
	var group errgroup.Group
	for _, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		group.Go(func() error {
			name := strings.Repeat(letter, 4)
			body := []byte(`{"x":0,"name":"` + name + `","ids":["` + id1 + `"]}`)
			for range 500 {
				got, faults, err := r.Read(body)
				if err != nil || len(faults) != 1 || got.Name != name {
					return fmt.Errorf("got %q, %v, %w", got.Name, faults, err)
				}
			}
			clear(body)
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

// FuzzRead compares Read with the decoder of the JSON package: a body that Read accepts without faults is also accepted
// by the decoder. The value satisfies the schema, and does not change with the bytes that it was parsed from.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"name":"Ann","ids":["` + id1 + `"]}`))
	f.Add([]byte(`{"name":"é🙂x","ids":["` + id1 + `","` + id2 +
		`"],"kind":"B","at":"2026-03-01T09:00:00Z","note":null,"address":{"city":""}}`))
	f.Add([]byte(`{"name":"Ann","ids":["` + id1 + `"],"size":7,"any":-3}`))
	f.Add([]byte(`{"x":[{"y":"\u0000"}],"name":1}`))
	f.Add([]byte("{ \"x\" : 1 ,\n\t\"na\\u006de\" : \"Ann\" , \"ids\" : 3 }"))
	f.Add([]byte(`{"x":1e400,"name":"Ann"}`))
	f.Add([]byte(`{"kind":null,"at":"","name":"A\r\nb","ids":["` + id1 + `"],"size":7.0,"address":{"city":"\u0007"}}`))
	r := reader(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		lent := bytes.Clone(body)
		got, faults, err := r.Read(lent)
		require.Equal(t, body, lent, "a body is only read")
		for i := range lent { // the connection reuses the buffer
			lent[i] = '#'
		}
		if err != nil {
			require.Equal(t, apperr.MalformedRequest, apperr.CodeOf(err))
			require.Empty(t, faults)
			return
		}
		require.True(t, jsontext.Value(jsonbody.WithoutMark(body)).IsValid())
		require.LessOrEqual(t, len(faults), jsonbody.MaxFaults)
		for _, fault := range faults {
			require.True(t, fault.Pointer == "" || fault.Pointer[0] == '/', fault.Pointer)
			require.True(t, utf8.ValidString(fault.Pointer))
			require.NotEmpty(t, fault.Message)
		}
		if len(faults) == 0 {
			var want person // the decoder of the package accepts neither fractions nor "" for a list
			err := json.Unmarshal(jsonbody.WithoutMark(body), &want, json.RejectUnknownMembers(true))
			if err == nil && plaintext.ManyLines(want.Name+want.Address.City+value(want.Note)) {
				want.Note = present(want.Note)
				require.Equal(t, want, got)
			}
			requireSound(t, got)
		}
	})
}

// present returns nil for an empty text, which counts as an absent one.
func present(text *string) *string {
	if value(text) == "" {
		return nil
	}
	return text
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// requireSound checks that a person satisfies the schema.
func requireSound(t *testing.T, p person) {
	t.Helper()
	length := utf8.RuneCountInString(p.Name)
	require.True(t, length >= 2 && length <= 5, p.Name)
	require.True(t, len(p.IDs) >= 1 && len(p.IDs) <= 3)
	seen := map[ident.Post]bool{}
	for _, text := range p.IDs {
		id, err := ident.Parse[ident.Post](text)
		require.NoError(t, err)
		require.False(t, seen[id], text)
		seen[id] = true
	}
	require.Contains(t, []string{"", "A", "B"}, p.Kind)
	if p.At != "" {
		_, err := rfc3339.Parse(p.At)
		require.NoError(t, err)
	}
	require.True(t, p.Note == nil || *p.Note != "")
}

func BenchmarkRead(b *testing.B) {
	r := reader(b)
	body := []byte(`{"name":"Ann","ids":["` + id1 + `"],"kind":"A","at":"2026-03-01T09:00:00Z"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, faults, err := r.Read(body); err != nil || len(faults) > 0 {
			b.Fatal(err, faults)
		}
	}
}

// TestReadSeparateObject checks that an object left to the operation still obeys the grammar and the limits.
func TestReadSeparateObject(t *testing.T) {
	t.Parallel()
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	type whole struct {
		Name  string         `json:"name"`
		Apart jsontext.Value `json:"apart"`
	}
	schema := &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: false, Required: []string{"apart"}, Properties: map[string]*huma.Schema{
			"name": {Type: huma.TypeString}, "apart": {
				Type: huma.TypeObject, Extensions: map[string]any{jsonbody.ExtensionApart: true},
			},
		},
	}
	r, err := jsonbody.New[whole](registry, schema, false)
	require.NoError(t, err)
	value, faults, err := r.Read([]byte(`{"name":"x","apart":{"any":[1,{"b":null}]}}`))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.JSONEq(t, `{"any":[1,{"b":null}]}`, string(value.Apart))
	for body, want := range map[string]string{
		`{"apart":[]}`: "must be an object, not an array", `{"apart":null}`: "must be an object, not null",
		`{}`: "is missing",
	} {
		_, faults, err = r.Read([]byte(body))
		require.NoError(t, err)
		require.Equal(t, []apperr.Field{{Pointer: "/apart", Message: want}}, faults)
	}
	for _, body := range []string{
		`{"apart":{"a":1,"a":2}}`, `{"apart":{"a":"\u0000"}}`,
		`{"apart":{"a":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}}`,
	} {
		_, _, err = r.Read([]byte(body))
		require.True(t, apperr.Is(err, apperr.MalformedRequest), body)
	}
}
