package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/event"
)

const eventSchemas = "../../../../docs/events.schema.json"

// TestCommittedEventSchemas checks that docs/events.schema.json matches the code.
func TestCommittedEventSchemas(t *testing.T) {
	t.Parallel()
	created, err := httpapi.EventSchemas()
	require.NoError(t, err)
	committed, err := os.ReadFile(eventSchemas)
	require.NoError(t, err)
	require.True(t, bytes.Equal(created, committed), "docs/events.schema.json is old: run `make generate`")
}

// definitions returns the schemas of the file by name.
func definitions(t *testing.T) (definitions map[string]map[string]any, created []byte) {
	t.Helper()
	created, err := httpapi.EventSchemas()
	require.NoError(t, err)
	var file struct {
		Definitions map[string]map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(created, &file))
	return file.Definitions, created
}

// TestEveryEventHasSchema checks that each type has a schema, in the published order, and that its example is valid.
func TestEveryEventHasSchema(t *testing.T) {
	t.Parallel()
	all, raw := definitions(t)
	validator, err := harness.NewEventValidator(raw)
	require.NoError(t, err)
	require.Equal(t, event.Types(), validator.Types())
	seen := make(map[event.Type]bool)
	for name, schema := range all {
		examples, ok := schema["examples"].([]any)
		if !ok || !strings.HasSuffix(name, "Event") {
			continue
		}
		require.Len(t, examples, 1)
		body, err := json.Marshal(examples[0])
		require.NoError(t, err)
		require.NoError(t, validator.Check(unescaped(body)), name)
		var envelope struct{ Type event.Type }
		require.NoError(t, json.Unmarshal(body, &envelope))
		seen[envelope.Type] = true
	}
	require.Len(t, seen, len(event.Types()))
}

// unescaped reverts the HTML escapes of package json.
func unescaped(body []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(body)))
}

// TestDocumentHasSameSchemas checks that the OpenAPI document has an operation for each type, with the schema of
// the file.
func TestDocumentHasSameSchemas(t *testing.T) {
	t.Parallel()
	all, _ := definitions(t)
	b := setup(t)
	var document struct {
		Webhooks map[string]struct {
			Post struct {
				OperationID string
				RequestBody struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
		} `json:"x-webhooks"` //nolint:tagliatelle // OpenAPI extension syntax
		Components struct{ Schemas map[string]outline }
	}
	response := b.get(t, "/v1/openapi.json")
	require.NoError(t, json.Unmarshal([]byte(response.body), &document))
	var want []string
	for _, typ := range event.Types() {
		want = append(want, strings.NewReplacer(".", "-", "_", "-").Replace(string(typ)))
	}
	require.ElementsMatch(t, want, slices.Collect(maps.Keys(document.Webhooks)))
	for slug, item := range document.Webhooks {
		name := strings.TrimPrefix(item.Post.RequestBody.Content["application/json"].Schema.Ref, "#/components/schemas/")
		require.Contains(t, all, name, slug)
		require.Equal(t, "receive-"+slug, item.Post.OperationID)
	}
	var mapped []string
	for typ, ref := range document.Components.Schemas["WebhookEvent"].Discriminator.Mapping {
		mapped = append(mapped, typ)
		require.Contains(t, all, strings.TrimPrefix(ref, "#/components/schemas/"))
	}
	require.ElementsMatch(t, event.Types(), asTypes(mapped), "the schema of any event distinguishes all types")
	for name, schema := range all {
		properties, _ := schema["properties"].(map[string]any)
		if properties == nil {
			continue // enumerations
		}
		same := document.Components.Schemas[name]
		require.ElementsMatch(t, keys(properties), keys(same.Properties), name)
		require.ElementsMatch(t, schema["required"], same.Required, name)
	}
}

// outline holds the parts that a schema of the document has in common with that of the file, which is in another
// dialect.
type outline struct {
	Required      []any
	Properties    map[string]json.RawMessage
	Discriminator struct{ Mapping map[string]string }
}

func asTypes(names []string) []event.Type {
	types := make([]event.Type, len(names))
	for i, name := range names {
		types[i] = event.Type(name)
	}
	return types
}

// TestPublishedSchemasStayOpen checks that receivers accept additional properties.
func TestPublishedSchemasStayOpen(t *testing.T) {
	t.Parallel()
	all, _ := definitions(t)
	for name, schema := range all {
		require.NotContains(t, schema, "additionalProperties", name)
		properties, _ := schema["properties"].(map[string]any)
		for member, property := range properties {
			require.Contains(t, property, "description", name+"."+member)
			if member == "mode" {
				require.NotContains(t, schema["required"], member, "live events have none: "+name)
				continue
			}
			require.Contains(t, schema["required"], member, "every member is always there: "+name)
		}
	}
}

// TestValidatorDetectsInvalidEvents checks that the validator used for events detects invalid ones.
func TestValidatorDetectsInvalidEvents(t *testing.T) {
	t.Parallel()
	_, raw := definitions(t)
	validator, err := harness.NewEventValidator(raw)
	require.NoError(t, err)
	const good = `{"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82","type":"channel.connected","createdAt":"2026-03-01T07:00:00.000Z",` +
		`"workspaceId":"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10","data":{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","type":"TWITTER","name":"A & B \\u0026"},"sequence":1207}`
	require.NoError(t, validator.Check([]byte(good)))
	for name, change := range map[string][2]string{
		"another member":           {`"data":{`, `"data":{"more":1,`},
		"a member of the envelope": {`"type":"channel`, `"more":1,"type":"channel`},
		"a missing member":         {`"type":"TWITTER",`, ``},
		"no text":                  {`"A & B \\u0026"`, `1`},
		"null":                     {`"A & B \\u0026"`, `null`},
		"an unknown value":         {`"TWITTER"`, `"twitter"`},
		"an id without a prefix":   {`"evt_`, `"`},
		"no id":                    {`0190a3c5-1b02`, `0190a3c5_1b02`},
		"a time with an offset":    {`07:00:00.000Z`, `07:00:00.000+00:00`},
		"a time of whole seconds":  {`07:00:00.000Z`, `07:00:00Z`},
		"escaped for HTML":         {`A & B`, `A \u0026 B`},
		"a line break":             {`,"data"`, ",\n\"data\""},
		"something behind":         {`1207}`, `1207}{}`},
		"no number":                {`,"sequence":1207`, ``},
		"null as the number":       {`1207`, `null`},
		"zero as the number":       {`1207`, `0`},
		"another type":             {`channel.connected`, `channel.painted`},
		"the data of another":      {`channel.connected`, `post.created`},
		"too much":                 {`A & B`, strings.Repeat("a", event.MaxBody)},
	} {
		require.Contains(t, good, change[0], name)
		require.Error(t, validator.Check([]byte(strings.Replace(good, change[0], change[1], 1))), name)
	}
	for _, broken := range []string{
		``, `{`, `{"oneOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{}}}`, `{"$defs":{"A":{"type":7}},"oneOf":1}`,
	} {
		_, err := harness.NewEventValidator([]byte(broken))
		require.Error(t, err)
	}
}
