package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yannh/kubeconform/pkg/validator"
	helm3loader "helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	helm3engine "helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sigsyaml "sigs.k8s.io/yaml"
)

// examples returns the files of values with which the chart is tested.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(chart, "ci", "*.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	for i, file := range files {
		files[i] = filepath.Base(file)
	}
	return files
}

// versions returns the versions of Kubernetes with schemas in this folder.
func versions(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("schemas/v*")
	require.NoError(t, err)
	require.Len(t, folders, 2)
	for i, folder := range folders {
		folders[i] = filepath.Base(folder)
	}
	return folders
}

// validate returns the errors of kubeconform.
func validate(t *testing.T, version, manifest string) []string {
	t.Helper()
	checker, err := validator.New([]string{
		"schemas/{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json",
		"schemas/custom/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json",
	}, validator.Opts{KubernetesVersion: strings.TrimPrefix(version, "v"), Strict: true})
	require.NoError(t, err)
	var problems []string
	for _, result := range checker.Validate("manifest.yaml", io.NopCloser(strings.NewReader(manifest))) {
		if result.Status == validator.Empty || result.Status == validator.Valid {
			continue
		}
		problem := string(result.Resource.Bytes)
		if result.Err != nil {
			problem = result.Err.Error() + "\n" + problem
		}
		problems = append(problems, problem)
	}
	return problems
}

func TestObjectsFollowTheSchemasOfKubernetes(t *testing.T) {
	t.Parallel()
	for _, file := range examples(t) {
		templates, err := tryRender(t, values(t, file), true)
		require.NoError(t, err, file)
		for _, version := range versions(t) {
			require.Empty(t, validate(t, version, manifest(templates)), "%s, Kubernetes %s", file, version)
		}
	}
}

// TestTheSchemasRejectWrongObjects guards the converted schemas: a schema that accepts everything finds nothing.
func TestTheSchemasRejectWrongObjects(t *testing.T) {
	t.Parallel()
	templates, err := tryRender(t, values(t, "production.yaml"), true)
	require.NoError(t, err)
	right := manifest(templates)
	for _, change := range []struct{ old, changed string }{
		{"revisionHistoryLimit: 5", "revisionHistoryLimit: five"},
		{"revisionHistoryLimit: 5", "revisionHistory: 5"},
		{"apiVersion: apps/v1\nkind: Deployment\nmetadata:", "apiVersion: apps/v1\nkind: Deploymnt\nmetadata:"},
		{"failureThreshold: 60", "failureTreshold: 60"},
		{"maxReplicaCount: 20", "maxReplicas: 20"},
		{"cidr: 0.0.0.0/0", "cdir: 0.0.0.0/0"},
		{"scrapeTimeout: 10s", "scrapeTimeout: ten"},
		{"parentRefs:", "parents:"},
		{"suspend: true", "suspend: yes please"},
	} {
		require.Contains(t, right, change.old, change.old)
		for _, version := range versions(t) {
			require.Len(t, validate(t, version, strings.Replace(right, change.old, change.changed, 1)), 1,
				"%s, Kubernetes %s", change.changed, version)
		}
	}
}

// TestTheOldestVersionIsTheOneOfTheChart compares the schemas with Chart.yaml and README.md.
func TestTheOldestVersionIsTheOneOfTheChart(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	require.NoError(t, err)
	minor := regexp.MustCompile(`kubeVersion: ">=(1\.\d+)\.0-0"`).FindSubmatch(raw)
	require.NotNil(t, minor)
	require.True(t, strings.HasPrefix(versions(t)[0], "v"+string(minor[1])+"."), versions(t)[0])
	readme, err := os.ReadFile(filepath.Join(chart, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "Kubernetes "+string(minor[1])+" or newer")
}

func TestLint(t *testing.T) {
	t.Parallel()
	for _, file := range examples(t) {
		linter := lint.RunAll(chart, values(t, file), namespace)
		for _, message := range linter.Messages {
			require.LessOrEqual(t, message.Severity, support.InfoSev, "%s: %s", file, message.Error())
		}
	}
}

// TestHelm3RendersTheSame covers operators who have not updated Helm.
func TestHelm3RendersTheSame(t *testing.T) {
	t.Parallel()
	for _, file := range examples(t) {
		loaded, err := helm3loader.Load(chart)
		require.NoError(t, err)
		options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true, Revision: 1}
		given, err := chartutil.ToRenderValues(loaded, values(t, file), options, nil)
		require.NoError(t, err)
		old, err := helm3engine.Render(loaded, given)
		require.NoError(t, err)
		rendered, err := tryRender(t, values(t, file), true)
		require.NoError(t, err)
		require.Equal(t, rendered, old, file)
	}
}

// TestPodsAreRestricted evaluates the Pod Security Standard "restricted" as Kubernetes' admission does.
func TestPodsAreRestricted(t *testing.T) {
	t.Parallel()
	latest := api.LatestVersion()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	level := api.LevelVersion{Level: api.LevelRestricted, Version: latest}
	for _, file := range examples(t) {
		found := pods(t, render(t, values(t, file)))
		for _, program := range append(programsOf(found), "migrate", "admin") {
			pod := found[program]
			require.Len(t, pod.Spec.Containers, 1, program)
			result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec))
			require.True(t, result.Allowed, "%s: %s", program, result.ForbiddenDetail())
			container := pod.Spec.Containers[0]
			require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem, program)
			require.Equal(t, []corev1.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop, program)
			require.False(t, *pod.Spec.AutomountServiceAccountToken, program)
			require.Equal(t, int64(65532), *pod.Spec.SecurityContext.RunAsUser, "the user of the Dockerfile")
			require.NotEmpty(t, container.Resources.Limits.Memory(), program)
		}
		// Without its setting a pod would not be restricted.
		pod := found["api"].DeepCopy()
		pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
		require.False(t, policy.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec)).Allowed)
	}
}

// pods returns the pod templates of the chart, and its test pods, by the name of the object.
func pods(t *testing.T, o objects) map[string]*corev1.PodTemplateSpec {
	t.Helper()
	found := make(map[string]*corev1.PodTemplateSpec)
	for name := range o.kind("Deployment") {
		deployment := into[appsv1.Deployment](t, o, "Deployment", name)
		found[name] = &deployment.Spec.Template
	}
	for name := range o.kind("Job") {
		job := into[batchv1.Job](t, o, "Job", name)
		found[name] = &job.Spec.Template
	}
	for name := range o.kind("CronJob") {
		job := into[batchv1.CronJob](t, o, "CronJob", name)
		found[name] = &job.Spec.JobTemplate.Spec.Template
	}
	for name := range o.kind("Pod") {
		pod := into[corev1.Pod](t, o, "Pod", name)
		found[name] = &corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	}
	return found
}

// programsOf returns the names of the pods, other than those of the migration and the operator.
func programsOf(found map[string]*corev1.PodTemplateSpec) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool {
		return name == "migrate" || name == "admin"
	})
}

// TestExamplesAreYAMLWithoutDuplicates reads values strictly, as Helm does not.
func TestExamplesAreYAMLWithoutDuplicates(t *testing.T) {
	t.Parallel()
	for _, file := range append(examples(t), "../values.yaml") {
		raw, err := os.ReadFile(filepath.Join(chart, "ci", file))
		require.NoError(t, err)
		var content map[string]any
		require.NoError(t, sigsyaml.UnmarshalStrict(bytes.TrimSpace(raw), &content), file)
	}
}
