package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// operations returns the cells of the rows of docs/operations.md whose first cell names programs, by program, of the
// table whose heading begins with a text.
func operations(t *testing.T, heading string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(raw), "\n"+heading)
	require.True(t, found, heading)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := make(map[string][]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		for _, program := range regexp.MustCompile("[a-z]+").FindAllString(cells[0], -1) {
			rows[program] = cells[1:]
		}
	}
	return rows
}

func TestEveryProgramRunsWithProbesOnItsPorts(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml"))
	require.Equal(t, programs(), names(found.kind("Deployment")))
	table := operations(t, "| Program | Purpose |")
	for _, program := range programs() {
		deployment := into[appsv1.Deployment](t, found, "Deployment", program)
		pod := deployment.Spec.Template
		container := pod.Spec.Containers[0]
		require.Equal(t, "fencepost/"+program+":"+appVersion(t), container.Image)
		require.Empty(t, container.Args)
		ports := make(map[string]string)
		for _, port := range container.Ports {
			ports[port.Name] = strconv.Itoa(int(port.ContainerPort))
		}
		want := map[string]string{"http": table[program][1], "ops": table[program][2]}
		if program == "worker" {
			delete(want, "http")
		}
		require.Equal(t, want, ports, program)
		require.Equal(t, "/livez", container.StartupProbe.HTTPGet.Path)
		require.Equal(t, "/livez", container.LivenessProbe.HTTPGet.Path)
		require.Equal(t, "ops", container.ReadinessProbe.HTTPGet.Port.String())
		ready := "/readyz"
		if program == "pages" {
			ready = "/livez" // it serves from memory without its database
		}
		require.Equal(t, ready, container.ReadinessProbe.HTTPGet.Path, program)
		budget := container.StartupProbe.PeriodSeconds * container.StartupProbe.FailureThreshold
		require.Greater(t, budget, int32(60), "programs wait a minute for the database")
		require.Equal(t, deployment.Spec.Selector.MatchLabels, matching(pod.Labels, deployment.Spec.Selector.MatchLabels))
		require.Equal(t, int32(2), *deployment.Spec.Replicas)
		require.Len(t, pod.Spec.TopologySpreadConstraints, 2)
		for _, spread := range pod.Spec.TopologySpreadConstraints {
			require.Equal(t, deployment.Spec.Selector.MatchLabels, spread.LabelSelector.MatchLabels)
		}
		disruption := into[policyv1.PodDisruptionBudget](t, found, "PodDisruptionBudget", program)
		require.Equal(t, "1", disruption.Spec.MaxUnavailable.String())
		require.Equal(t, deployment.Spec.Selector, disruption.Spec.Selector)
	}
}

// matching returns the part of labels whose keys a selector has.
func matching(labels, selector map[string]string) map[string]string {
	part := make(map[string]string)
	for key := range selector {
		part[key] = labels[key]
	}
	return part
}

func appVersion(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^appVersion: (\S+)$`).FindSubmatch(raw)
	require.NotNil(t, version)
	return string(version[1])
}

// TestTheVersionIsTheRelease compares Chart.yaml with telemetry.Version.
func TestTheVersionIsTheRelease(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "shared", "infra", "telemetry", "release.go"))
	require.NoError(t, err)
	require.Contains(t, string(raw), `const Version = "`+appVersion(t)+`"`)
}

// TestStopsInTheGracePeriod compares the pods with the table of docs/operations.md.
func TestStopsInTheGracePeriod(t *testing.T) {
	t.Parallel()
	table := operations(t, "| Program | Then | Grace period |")
	for _, file := range examples(t) {
		for name, pod := range pods(t, render(t, values(t, file))) {
			program := strings.Split(name, "-")[0]
			row, stops := table[program]
			if !stops || strings.HasSuffix(name, "-test") {
				continue
			}
			grace, err := time.ParseDuration(strings.ReplaceAll(row[len(row)-1], " ", ""))
			require.NoError(t, err)
			delay, err := time.ParseDuration(environment(pod)["DRAIN_DELAY"].Value)
			require.NoError(t, err)
			allowed := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
			require.GreaterOrEqual(t, allowed, grace+delay, name)
			if program != "worker" {
				probe := pod.Spec.Containers[0].ReadinessProbe
				require.GreaterOrEqual(t, delay, time.Duration(probe.PeriodSeconds*probe.FailureThreshold)*time.Second, name)
			}
		}
	}
}

func TestTheWorkerHasItsFolders(t *testing.T) {
	t.Parallel()
	found := pods(t, render(t, values(t, "minimal.yaml")))
	worker := found["worker"].Spec
	require.Equal(t, "/media", environment(found["worker"])["MEDIA_FOLDER"].Value)
	mounts := make(map[string]string)
	for _, mount := range worker.Containers[0].VolumeMounts {
		mounts[mount.Name] = mount.MountPath
	}
	require.Equal(t, map[string]string{"tmp": "/tmp", "media": "/media", "secrets": "/run/secrets/fencepost"}, mounts)
	require.NotEmpty(t, worker.Containers[0].Resources.Limits.Cpu(), "it bounds the memory of child processes")
	for _, volume := range worker.Volumes {
		if volume.EmptyDir != nil {
			require.False(t, volume.EmptyDir.SizeLimit.IsZero(), volume.Name)
		}
	}
	ephemeral := pods(t, render(t, values(t, "production.yaml")))["worker-meta"].Spec.Volumes
	require.NotNil(t, volume(ephemeral, "media").Ephemeral)
}

func volume(volumes []corev1.Volume, name string) *corev1.Volume {
	for i := range volumes {
		if volumes[i].Name == name {
			return &volumes[i]
		}
	}
	return nil
}

func TestGroupsOfWorkersOverrideTheWorker(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml", `
worker:
  replicas: 3
  resources: {limits: {cpu: "4"}}
  groups:
    meta: {config: {WORKER_NETWORKS: [facebook, threads]}, replicas: 5, image: {tag: 0.8.0}}
    off: {enabled: false}`))
	require.Equal(t, append(programs(), "worker-meta"), names(found.kind("Deployment")))
	meta := into[appsv1.Deployment](t, found, "Deployment", "worker-meta")
	others := into[appsv1.Deployment](t, found, "Deployment", "worker")
	require.Equal(t, int32(5), *meta.Spec.Replicas)
	require.Equal(t, int32(3), *others.Spec.Replicas)
	require.NotEqual(t, meta.Spec.Selector.MatchLabels, others.Spec.Selector.MatchLabels)
	container := meta.Spec.Template.Spec.Containers[0]
	require.Equal(t, "fencepost/worker:0.8.0", container.Image)
	require.Equal(t, "4", container.Resources.Limits.Cpu().String())
	require.Equal(t, "3Gi", container.Resources.Limits.Memory().String(), "maps are merged")
	require.Equal(t, "facebook,threads", environment(&meta.Spec.Template)["WORKER_NETWORKS"].Value)
	require.NotContains(t, environment(&others.Spec.Template), "WORKER_NETWORKS")
}

// TestValuesThatAreFalseOverride covers the merge: Sprig's own ignores false, zero and empty values.
func TestValuesThatAreFalseOverride(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml", `
pages: {enabled: false}
mcp: {replicas: 0, disruptionBudget: {enabled: false}, topologySpread: [], config: {DRAIN_DELAY: null}}
api: {resources: {limits: {memory: null}, requests: null}}`))
	require.NotContains(t, found.kind("Deployment"), "pages")
	require.NotContains(t, found.kind("PodDisruptionBudget"), "mcp")
	mcp := into[appsv1.Deployment](t, found, "Deployment", "mcp")
	require.Zero(t, *mcp.Spec.Replicas)
	require.Empty(t, mcp.Spec.Template.Spec.TopologySpreadConstraints)
	require.NotContains(t, environment(&mcp.Spec.Template), "DRAIN_DELAY")
	api := into[appsv1.Deployment](t, found, "Deployment", "api")
	require.Empty(t, api.Spec.Template.Spec.Containers[0].Resources.Limits)
	require.Empty(t, api.Spec.Template.Spec.Containers[0].Resources.Requests)
}

func TestTheMigrationIsAHookBeforeEverything(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	job := into[batchv1.Job](t, found, "Job", "migrate")
	require.Equal(t, "pre-install,pre-upgrade", job.Annotations["helm.sh/hook"])
	require.Equal(t, []string{"up"}, job.Spec.Template.Spec.Containers[0].Args)
	require.GreaterOrEqual(t, *job.Spec.ActiveDeadlineSeconds, int64(5*60), "it waits for its dependencies")
	// It uses no object of the release but its network policy, which comes first.
	require.Empty(t, job.Spec.Template.Spec.ServiceAccountName)
	for _, volume := range job.Spec.Template.Spec.Volumes {
		require.True(t, volume.EmptyDir != nil || volume.Projected != nil || volume.Name == "database-ca", volume.Name)
	}
	network := found.kind("NetworkPolicy")["migrate"]
	require.Equal(t, "pre-install,pre-upgrade", network.GetAnnotations()["helm.sh/hook"])
	weight := func(annotations map[string]string) int {
		number, err := strconv.Atoi(annotations["helm.sh/hook-weight"])
		require.NoError(t, err)
		return number
	}
	require.Less(t, weight(network.GetAnnotations()), weight(job.Annotations))
	for id, object := range found {
		if hook := object.GetAnnotations()["helm.sh/hook"]; hook != "" && hook != "test" {
			require.Contains(t, id, "migrate")
		}
	}
	require.Empty(t, render(t, values(t, "minimal.yaml", "migrate: {enabled: false}")).kind("Job"))
}

// TestAnUpgradeReplacesTheWorkersFirst covers the stages of README.md.
func TestAnUpgradeReplacesTheWorkersFirst(t *testing.T) {
	t.Parallel()
	for name, pod := range pods(t, render(t, values(t, "minimal.yaml", "image: {tag: 2.0.0, previousTag: 1.0.0}"))) {
		want := "1.0.0"
		if program := strings.TrimSuffix(name, "-test"); program == "worker" || program == "migrate" {
			want = "2.0.0"
		}
		image := pod.Spec.Containers[0].Image
		require.True(t, strings.HasSuffix(image, ":"+want), "%s: %s", name, image)
	}
}

func TestStoppedMeansNoPods(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml", "stopped: true"))
	require.Empty(t, found.kind("HorizontalPodAutoscaler"))
	require.Empty(t, found.kind("ScaledObject"))
	require.Empty(t, found.kind("Pod"))
	for name := range found.kind("Deployment") {
		require.Zero(t, *into[appsv1.Deployment](t, found, "Deployment", name).Spec.Replicas, name)
	}
}

// TestTheReleaseIsTestedThroughItsServices checks the pods of `helm test`.
func TestTheReleaseIsTestedThroughItsServices(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml"))
	tests := found.kind("Pod")
	require.Len(t, tests, len(programs()))
	for _, program := range programs() {
		pod := into[corev1.Pod](t, found, "Pod", program+"-test")
		require.Equal(t, "test", pod.Annotations["helm.sh/hook"])
		require.Equal(t, []string{"healthcheck"}, pod.Spec.Containers[0].Args)
		service := into[corev1.Service](t, found, "Service", program+"-ops")
		address := service.Name + ":" + strconv.Itoa(int(service.Spec.Ports[0].Port))
		require.Equal(t, address, environment(&corev1.PodTemplateSpec{Spec: pod.Spec})["OPS_ADDR"].Value)
		deployment := into[appsv1.Deployment](t, found, "Deployment", program)
		require.Equal(t, deployment.Spec.Selector.MatchLabels, service.Spec.Selector)
		selected := matching(pod.Labels, service.Spec.Selector)
		require.NotEqual(t, service.Spec.Selector, selected, "it must not select its test")
	}
}

func TestTheOperatorsJobNeverRunsByItself(t *testing.T) {
	t.Parallel()
	job := into[batchv1.CronJob](t, render(t, values(t, "minimal.yaml")), "CronJob", "admin")
	require.True(t, *job.Spec.Suspend)
	require.Zero(t, *job.Spec.JobTemplate.Spec.BackoffLimit, "a command must not run twice")
}

// TestTheOperatorsJobChecksAndBacksUpTheDeployment compares the environment of the operator's job with that of a worker:
// doctor and backup read these variables.
func TestTheOperatorsJobChecksAndBacksUpTheDeployment(t *testing.T) {
	t.Parallel()
	for file, group := range map[string]string{"minimal.yaml": "worker", "production.yaml": "worker-meta"} {
		found := pods(t, render(t, values(t, file)))
		admin, worker := environment(found["admin"]), environment(found[group])
		for _, name := range []string{
			"BASE_URL", "APP_URL", "MCP_URL", "PAGES_URL", "S3_ENDPOINT", "S3_PUBLIC_ENDPOINT", "S3_ACCESS_KEY",
			"S3_SECRET_KEY_FILE", "DATABASE_URL_FILE", "ENCRYPTION_KEYS_FILE", "TEMPORAL_ADDRESS",
		} {
			require.Contains(t, worker, name, file)
			require.Equal(t, worker[name], admin[name], "%s of %s", name, file)
		}
	}
}
