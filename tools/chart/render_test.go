package main

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

const (
	root      = "../.."
	chart     = root + "/deploy/helm"
	release   = "social"
	namespace = "publishing"
)

// programs returns the programs that the chart runs as Deployments.
func programs() []string {
	return []string{"api", "console", "files", "inbound", "mcp", "pages", "worker"}
}

// values returns the values of a file in deploy/helm/ci with overrides, which are YAML.
func values(t *testing.T, file string, overrides ...string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(chart, "ci", file))
	require.NoError(t, err)
	var merged map[string]any
	require.NoError(t, sigsyaml.Unmarshal(raw, &merged))
	for _, override := range overrides {
		var more map[string]any
		require.NoError(t, sigsyaml.Unmarshal([]byte(override), &more))
		merged = loader.MergeMaps(merged, more)
	}
	return merged
}

// tryRender renders the chart with Helm 4, as `helm template` does, and returns the text of each template.
func tryRender(t *testing.T, given map[string]any, checkSchema bool) (map[string]string, error) {
	t.Helper()
	loaded, err := loader.Load(chart)
	require.NoError(t, err)
	options := common.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true, Revision: 1}
	rendered, err := util.ToRenderValuesWithSchemaValidation(loaded, given, options, nil, !checkSchema)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, rendered)
}

// objects is a rendered chart: its objects by kind/name.
type objects map[string]*unstructured.Unstructured

// render returns the objects of the chart with these values.
func render(t *testing.T, given map[string]any) objects {
	t.Helper()
	templates, err := tryRender(t, given, true)
	require.NoError(t, err)
	return parse(t, manifest(templates))
}

// refusal returns the error with which the chart rejects these values.
func refusal(t *testing.T, given map[string]any) string {
	t.Helper()
	_, err := tryRender(t, given, true)
	require.Error(t, err)
	return err.Error()
}

// manifest joins the templates that contain objects.
func manifest(templates map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		if strings.HasSuffix(name, ".yaml") {
			text.WriteString("\n---\n" + templates[name])
		}
	}
	return text.String()
}

func parse(t *testing.T, manifest string) objects {
	t.Helper()
	found := make(objects)
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		var content map[string]any
		require.NoError(t, sigsyaml.UnmarshalStrict(document, &content), string(document))
		if len(content) == 0 {
			continue
		}
		object := &unstructured.Unstructured{Object: content}
		id := object.GetKind() + "/" + object.GetName()
		require.NotContains(t, found, id)
		found[id] = object
	}
}

// kind returns the objects of a kind, by name without the prefix of the release.
func (o objects) kind(kind string) map[string]*unstructured.Unstructured {
	found := make(map[string]*unstructured.Unstructured)
	for _, object := range o {
		if object.GetKind() == kind {
			found[strings.TrimPrefix(strings.TrimPrefix(object.GetName(), release+"-fencepost"), "-")] = object
		}
	}
	return found
}

// into converts an object to its type.
func into[T any](t *testing.T, o objects, kind, name string) T {
	t.Helper()
	var typed T
	object := o.kind(kind)[name]
	require.NotNil(t, object, "%s/%s: only %v", kind, name, slices.Sorted(maps.Keys(o.kind(kind))))
	raw, err := object.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, sigsyaml.UnmarshalStrict(raw, &typed), "%s/%s", kind, name)
	return typed
}

func names[T any](found map[string]T) []string { return slices.Sorted(maps.Keys(found)) }
