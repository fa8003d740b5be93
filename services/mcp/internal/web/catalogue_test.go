package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
)

// hints returns the hints of the tools: read-only, destructive, idempotent, open world.
func hints() map[string][4]bool {
	return map[string][4]bool{
		"list_channels":         {true, false, true, false},
		"get_post":              {true, false, true, false},
		"list_posts":            {true, false, true, false},
		"get_analytics":         {true, false, true, false},
		"create_post":           {false, true, false, true}, // may publish at once; two calls create two posts
		"schedule_post":         {false, true, false, true}, // overwrites the post's time; next_slot differs each time
		"publish_post":          {false, true, false, true}, // irreversible
		"unschedule_post":       {false, true, true, false}, // deletes the post's time
		"request_approval":      {false, false, true, false},
		"approve_post":          {false, true, true, true}, // may publish to the network
		"reject_post":           {false, false, true, false},
		"create_media_upload":   {false, false, false, false},
		"complete_media_upload": {false, false, true, false},
		"list_link_pages":       {true, false, true, false},
		"get_link_page":         {true, false, true, false},
		"add_link_block":        {false, false, false, false},
		"update_link_block":     {false, true, true, false}, // overwrites the block
		"publish_link_page":     {false, true, true, true},  // replaces the published version
		"get_channel_schedule":  {true, false, true, false},
		"list_boards":           {true, false, true, true},  // reads the network
		"reschedule_posts":      {false, true, false, true}, // a shift moves again
		"validate_post":         {true, false, true, true},  // networks report quotas
		"update_post":           {false, true, false, true}, // overwrites the content of a post that will be public
		"delete_post":           {false, true, true, false}, // irreversible
		"get_post_timeline":     {true, false, true, false},
		"import_media":          {false, false, false, true}, // requests a foreign server; two calls import twice
		"list_media":            {true, false, true, false},
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tools := b.catalogue(t)
	want := hints()
	require.Len(t, tools, len(want))
	require.ElementsMatch(t, named(), sortedKeys(want))
	for _, tool := range tools {
		t.Log(tool.Name)
		require.Contains(t, named(), tool.Name)
		require.NotEmpty(t, tool.Title)
		require.NotEqual(t, tool.Name, tool.Title)
		require.Greater(t, len(tool.Description), 60)
		hint := want[tool.Name]
		require.Equal(t, object{
			"readOnlyHint": hint[0], "destructiveHint": hint[1], "idempotentHint": hint[2],
			"openWorldHint": hint[3],
		}, tool.Annotations, "all four hints are said")
		input, output := decoded(t, string(tool.InputSchema)), decoded(t, string(tool.OutputSchema))
		resolvedSchema(t, tool.InputSchema)
		resolvedSchema(t, tool.OutputSchema)
		require.NotContains(t, string(tool.InputSchema), `"$ref"`, "models that know no references get it")
		for _, root := range []object{input, output} {
			require.Equal(t, "object", root["type"])
			for _, combination := range []string{"oneOf", "anyOf", "allOf", "not", "$ref"} {
				require.NotContains(t, root, combination)
			}
		}
		require.Equal(t, false, input["additionalProperties"], "what is not known is refused")
		requireDescribed(t, tool.Name, input)
		for name := range input {
			require.False(t, strings.HasPrefix(name, "x-"), name)
		}
	}
}

// TestCatalogueIsSmall limits the size of the catalog, because every request of a model carries it. Each tool is
// listed, each argument is fully described, and each result is outlined.
func TestCatalogueIsSmall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := message(t, newest, "tools/list", nil)
	r.key = b.ours.key
	listed := b.do(t, r)
	require.Equal(t, http.StatusOK, listed.status)
	require.LessOrEqual(t, len(listed.body), 45_000)
	for _, tool := range b.catalogue(t) {
		input, output := decoded(t, string(tool.InputSchema)), decoded(t, string(tool.OutputSchema))
		requireDescribed(t, tool.Name, output)
		require.NotEmpty(t, output["properties"], tool.Name)
		for _, schema := range []string{encode(t, input), encode(t, output)} {
			require.NotContains(t, schema, `"int64"`, tool.Name)
			require.NotContains(t, schema, `"$defs"`, tool.Name)
		}
		everyMember(t, tool.Name, input, func(path string, member object) {
			require.NotEmpty(t, member["description"], path)
			require.True(t, member["type"] != nil || member["anyOf"] != nil, "%s has no type", path)
		})
	}
}

// everyMember visits the properties of an object schema at any depth.
func everyMember(t *testing.T, path string, schema any, visit func(path string, member object)) {
	t.Helper()
	switch schema := schema.(type) {
	case []any:
		for i, one := range schema {
			everyMember(t, fmt.Sprintf("%s/%d", path, i), one, visit)
		}
	case object:
		members, _ := schema["properties"].(object)
		for name, value := range members {
			member, ok := value.(object)
			require.True(t, ok, path)
			visit(path+"/"+name, member)
			everyMember(t, path+"/"+name, member, visit)
		}
		for _, key := range []string{"items", "anyOf"} {
			everyMember(t, path+"/"+key, schema[key], visit)
		}
	}
}

// requireDescribed checks that each argument has a description, and that required arguments exist.
func requireDescribed(t *testing.T, tool string, schema object) {
	t.Helper()
	properties, _ := schema["properties"].(object)
	for name, p := range properties {
		member, ok := p.(object)
		require.True(t, ok)
		require.NotEmpty(t, member["description"], "%s: %s", tool, name)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		text, _ := name.(string)
		require.Contains(t, properties, text, tool)
	}
}

func (b *bundle) listed(t *testing.T, credential string) string {
	t.Helper()
	r := message(t, newest, "tools/list", nil)
	r.key = credential
	a := b.do(t, r)
	require.Equal(t, http.StatusOK, a.status)
	return a.body
}

// TestToolsAreFilteredByScope checks that a tool is in the list of an API key if and only if its scopes allow a call.
func TestToolsAreFilteredByScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calls := b.everyNeed(t)
	for _, granted := range grants() {
		listed := b.listed(t, b.key(t, b.ours.id, granted...))
		require.Contains(t, listed, `"cacheScope":"private"`)
		for _, n := range calls {
			if _, scheduled := n.arguments["schedule"]; scheduled {
				continue // the scopes without arguments count
			}
			require.Equal(t, n.metBy(granted), strings.Contains(listed, `"name":"`+n.tool+`"`), "%s %v", n.tool, granted)
		}
	}
}

func TestCatalogueIsSameForEveryToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.listed(t, b.token(t, toolsURL, credential.Scopes()...).Access)
	other := b.twin(t)
	for range 3 {
		require.Equal(t, first, b.listed(t, b.token(t, toolsURL, credential.PostsWrite).Access))
		require.Equal(t, first, other.listed(t, b.token(t, toolsURL, credential.LinksRead).Access))
	}
	var listed struct {
		Result struct {
			TTL   int    `json:"ttlMs"`
			Scope string `json:"cacheScope"`
			Tools []published
			Next  *string `json:"nextCursor"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(first), &listed))
	require.Positive(t, listed.Result.TTL)
	require.Equal(t, "public", listed.Result.Scope)
	require.Nil(t, listed.Result.Next, "all on one page")
	names := make([]string, len(listed.Result.Tools))
	for i, tool := range listed.Result.Tools {
		names[i] = tool.Name
	}
	require.True(t, slices.IsSorted(names), "in an order that does not change: %v", names)
}

// TestBlockSettingsAreDistinguished checks that a model can see which settings belong to which type, once.
func TestBlockSettingsAreDistinguished(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, tool := range b.catalogue(t) {
		input := decoded(t, string(tool.InputSchema))
		switch tool.Name {
		case "add_link_block":
			forms, ok := at(t, input, "properties", "settings", "anyOf").([]any)
			require.True(t, ok)
			require.Len(t, forms, len(linkpage.BlockTypes()))
			for _, form := range forms {
				require.Contains(t, textAt(t, form, "description"), "Settings of a block of type ")
			}
		case "update_link_block":
			require.Contains(t, textAt(t, input, "properties", "settings", "description"), "as in add_link_block")
			require.Equal(t, "object", textAt(t, input, "properties", "settings", "type"))
		}
	}
}
