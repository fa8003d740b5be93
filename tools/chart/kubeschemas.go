package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// kubernetes are the validated versions: the oldest that Chart.yaml allows, and the newest.
var kubernetes = []string{"v1.31.14", "v1.37.2"}

// kinds are the built-in kinds of the chart, as group/version/kind.
var kinds = []string{
	"/v1/Pod", "/v1/Service", "/v1/ServiceAccount", "/v1/ConfigMap", "apps/v1/Deployment", "batch/v1/CronJob",
	"batch/v1/Job", "autoscaling/v2/HorizontalPodAutoscaler", "networking.k8s.io/v1/Ingress", "networking.k8s.io/v1/NetworkPolicy",
	"policy/v1/PodDisruptionBudget",
}

// custom are the custom resources of the chart: module and file of each definition.
var custom = [][2]string{
	{"github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases/keda.sh_scaledobjects.yaml"},
	{"sigs.k8s.io/gateway-api@v1.6.3", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"},
	{
		"github.com/prometheus-operator/prometheus-operator@v0.85.0",
		"example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
	},
	{
		"github.com/prometheus-operator/prometheus-operator@v0.85.0",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
	},
}

type schema = map[string]any

// writeSchemas writes the schemas from the documents that Kubernetes and the makers of custom resources publish in their
// Go modules. Only the kinds that the chart creates are kept, without descriptions. Objects with declared properties
// reject others.
func writeSchemas(folder string) error {
	for _, version := range kubernetes {
		if err := builtIn(version, folder); err != nil {
			return err
		}
	}
	for _, source := range custom {
		if err := definition(source[0], source[1], folder); err != nil {
			return err
		}
	}
	return nil
}

// read returns a file of a module, which it downloads into the module cache.
func read(module, file string) ([]byte, error) {
	command := exec.CommandContext(context.Background(), "go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside of any module
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("download %s: %w\n%s", module, err, out)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(found.Dir, file))
}

// builtIn writes the schemas of the built-in kinds of a version.
func builtIn(version, folder string) error {
	raw, err := read("k8s.io/kubernetes@"+version, "api/openapi-spec/swagger.json")
	if err != nil {
		return err
	}
	var document struct{ Definitions map[string]schema }
	if err := json.Unmarshal(raw, &document); err != nil {
		return err
	}
	missing := slices.Clone(kinds)
	for _, s := range document.Definitions {
		for _, declared := range list(s["x-kubernetes-group-version-kind"]) {
			id := fmt.Sprintf("%s/%s/%s", declared["group"], declared["version"], declared["kind"])
			if !slices.Contains(kinds, id) {
				continue
			}
			missing = slices.DeleteFunc(missing, func(kind string) bool { return kind == id })
			if err := writeKind(filepath.Join(folder, version), declared, s, document.Definitions); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s lacks %s", version, strings.Join(missing, ", "))
	}
	return nil
}

// writeKind writes the schema of a kind with the definitions that it refers to.
func writeKind(folder string, id, s schema, definitions map[string]schema) error {
	reached := make(schema)
	converted := convert(s, definitions, reached)
	pin(converted, id)
	converted["definitions"] = reached
	name := strings.ToLower(fmt.Sprint(id["kind"]))
	if group := fmt.Sprint(id["group"]); group != "" {
		name += "-" + strings.ToLower(strings.Split(group, ".")[0])
	}
	return write(filepath.Join(folder, name+"-"+fmt.Sprint(id["version"])+".json"), converted)
}

// definition writes the schemas of a custom resource, one per version.
func definition(module, file, folder string) error {
	raw, err := read(module, file)
	if err != nil {
		return err
	}
	var resource struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(raw, &resource); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	spec := resource.Spec
	if len(spec.Versions) == 0 {
		return errors.New(file + " declares no version")
	}
	for _, version := range spec.Versions {
		s := convert(version.Schema.OpenAPIV3Schema, nil, nil)
		properties, _ := s["properties"].(schema)
		properties["metadata"] = schema{"type": "object"} // declared without properties
		pin(s, schema{"group": spec.Group, "version": version.Name, "kind": spec.Names.Kind})
		name := strings.ToLower(spec.Names.Kind) + "_" + version.Name + ".json"
		if err := write(filepath.Join(folder, "custom", spec.Group, name), s); err != nil {
			return err
		}
	}
	return nil
}

// pin requires the type of the object.
func pin(s, id schema) {
	version := fmt.Sprint(id["version"])
	if group := fmt.Sprint(id["group"]); group != "" {
		version = group + "/" + version
	}
	properties, _ := s["properties"].(schema)
	properties["apiVersion"], properties["kind"] = schema{"const": version}, schema{"const": id["kind"]}
	required, _ := s["required"].([]any)
	for _, name := range []any{"apiVersion", "kind", "metadata"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	s["required"] = required
}

func write(path string, s schema) error {
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o600)
}

// list returns the elements of a list of maps.
func list(value any) []schema {
	elements, _ := value.([]any)
	maps := make([]schema, 0, len(elements))
	for _, element := range elements {
		if m, ok := element.(map[string]any); ok {
			maps = append(maps, m)
		}
	}
	return maps
}
