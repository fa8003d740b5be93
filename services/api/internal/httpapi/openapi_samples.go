package httpapi

import (
	_ "embed"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// samplesJSON has the samples of operations, by method and path. tools/generate.sh writes it from the recipes of the SDKs.
//
//go:embed samples.json
var samplesJSON []byte

// keySamples is the extension that viewers of documents read.
const keySamples = "x-codeSamples"

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// addSamples adds the samples to the operations. It fails for a sample of an unknown operation.
func addSamples(document *huma.OpenAPI) error {
	var samples map[string][]object
	if err := stdjson.Unmarshal(samplesJSON, &samples); err != nil {
		return fmt.Errorf("samples.json: %w", err)
	}
	for path, item := range document.Paths {
		for method, operation := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
			http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
		} {
			key := method + " " + pathParameter.ReplaceAllString(path, "{}")
			if operation == nil || samples[key] == nil {
				continue
			}
			if operation.Extensions == nil {
				operation.Extensions = make(map[string]any)
			}
			operation.Extensions[keySamples] = samples[key]
			delete(samples, key)
		}
	}
	if len(samples) > 0 {
		return fmt.Errorf("samples.json has samples of unknown operations: %q", slices.Sorted(maps.Keys(samples)))
	}
	return nil
}
