package httpapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
)

// limits holds the keywords of a documented property.
type limits struct {
	Type      any             `json:"type"`
	Format    string          `json:"format"`
	Enum      []string        `json:"enum"`
	MaxLength *int            `json:"maxLength"`
	MinLength *int            `json:"minLength"`
	Minimum   *int            `json:"minimum"`
	Maximum   *int            `json:"maximum"`
	MaxItems  *int            `json:"maxItems"`
	Items     *limitedObject  `json:"items"`
	Example   json.RawMessage `json:"example"`
	AllOf     []refs          `json:"allOf"`
}

type limitedObject struct {
	Ref        string            `json:"$ref"`
	Enum       []string          `json:"enum"`
	Required   []string          `json:"required"`
	Properties map[string]limits `json:"properties"`
}

// TestBlockSettingsMatchSchemas compares the rules of blocks with their schemas, which are defined elsewhere.
func TestBlockSettingsMatchSchemas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var doc struct {
		Components struct {
			Schemas map[string]limitedObject `json:"schemas"`
		} `json:"components"`
	}
	b.get(t, "/v1/openapi.json").into(t, &doc)
	for typ, raw := range b.wholeSettings(t) {
		name := pascal(string(typ)) + "BlockSettings"
		schema := doc.Components.Schemas[name+"Input"]
		var whole map[string]any
		require.NoError(t, json.Unmarshal([]byte(raw), &whole))
		require.ElementsMatch(t, keys(whole), keys(schema.Properties), name)
		require.ElementsMatch(t, keys(whole), doc.Components.Schemas[name].Required, "answers have every member")
		require.Subset(t, keys(doc.Components.Schemas["LinkPageBlockSettingsChange"].Properties), keys(whole),
			"changes have the members of every type")
		for member, limit := range schema.Properties {
			if len(limit.AllOf) == 1 {
				limit.Enum = doc.Components.Schemas[strings.TrimPrefix(limit.AllOf[0].Ref, "#/components/schemas/")].Enum
				require.NotEmpty(t, limit.Enum)
			}
			requireLimits(t, typ, whole, member, limit)
			without := maps.Clone(whole)
			delete(without, member)
			if member == "price" || member == "currency" { // one requires the other
				delete(without, "price")
				delete(without, "currency")
			}
			requireFault(t, typ, without, "/settings/"+member, slices.Contains(schema.Required, member))
		}
	}
	require.Empty(t, doc.Components.Schemas["LinkPageBlockSettingsChange"].Required)
	items := doc.Components.Schemas["FaqBlockSettingsInput"].Properties["items"]
	require.Equal(t, linkpage.MaxItems, *items.MaxItems)
	for member, limit := range doc.Components.Schemas[strings.TrimPrefix(items.Items.Ref,
		"#/components/schemas/")].Properties {
		item := map[string]any{"question": "A", "answer": "B"}
		whole := map[string]any{"items": []any{item}}
		item[member] = strings.Repeat("ä", *limit.MaxLength)
		requireFault(t, "FAQ", whole, "/settings/items/0/"+member, false)
		item[member] = strings.Repeat("ä", *limit.MaxLength+1)
		requireFault(t, "FAQ", whole, "/settings/items/0/"+member, true)
	}
}

// requireLimits tests a property at its limits and beyond them.
func requireLimits(t *testing.T, typ linkpage.BlockType, whole map[string]any, member string, limit limits) {
	t.Helper()
	try := func(value any, refused bool) {
		t.Helper()
		changed := maps.Clone(whole)
		changed[member] = value
		requireFault(t, typ, changed, "/settings/"+member, refused)
	}
	if limit.Example != nil {
		try(limit.Example, false)
	}
	for _, value := range limit.Enum {
		try(value, false)
	}
	if limit.Enum != nil {
		try("NONSENSE", true)
	}
	if limit.Minimum != nil {
		try(*limit.Minimum, false)
		try(*limit.Maximum, false)
		try(*limit.Minimum-1, true)
		try(*limit.Maximum+1, true)
	}
	if limit.MaxLength == nil {
		return
	}
	switch {
	case limit.Format == "uri":
		try("https://a.example/"+strings.Repeat("a", *limit.MaxLength-18), false)
		try("https://a.example/"+strings.Repeat("a", *limit.MaxLength-17), true)
	case member != "price" && member != "currency":
		try(strings.Repeat("ä", *limit.MaxLength), false)
		try(strings.Repeat("ä", *limit.MaxLength+1), true)
	}
	if limit.MinLength != nil {
		try("", true)
	}
}

func requireFault(t *testing.T, typ linkpage.BlockType, settings map[string]any, pointer string, refused bool) {
	t.Helper()
	raw, err := json.Marshal(settings)
	require.NoError(t, err)
	_, err = linkpage.ReadSettings(typ, raw)
	if refused {
		require.ErrorContains(t, err, pointer, "%s %s", typ, raw)
	} else if err != nil {
		require.NotContains(t, err.Error(), pointer+" ", "%s %s", typ, raw)
	}
}

func keys[V any](of map[string]V) []string { return slices.Collect(maps.Keys(of)) }

// pascal returns the schema name of a type.
func pascal(typ string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(typ, "_") {
		name.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return name.String()
}
