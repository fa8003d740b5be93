package main

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	sigsyaml "sigs.k8s.io/yaml"
)

func TestSecretsAreReferredTo(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	require.Empty(t, found.kind("Secret"))
	pod := pods(t, found)["worker-meta"]
	got := environment(pod)
	require.Equal(t, &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: "fencepost"}, Key: "S3_ACCESS_KEY",
	}, got["S3_ACCESS_KEY"].ValueFrom.SecretKeyRef)
	mounted := make(map[string]string)
	projected := volume(pod.Spec.Volumes, "secrets").Projected
	require.Equal(t, int32(0o440), *projected.DefaultMode)
	for _, source := range projected.Sources {
		require.Len(t, source.Secret.Items, 1)
		mounted[source.Secret.Items[0].Path] = source.Secret.Name + "/" + source.Secret.Items[0].Key
	}
	require.Equal(t, map[string]string{
		"DATABASE_URL": "fencepost/DATABASE_URL", "ENCRYPTION_KEYS": "fencepost/ENCRYPTION_KEYS",
		"S3_SECRET_KEY": "fencepost/S3_SECRET_KEY", "LINKEDIN_CLIENT_SECRET": "fencepost/LINKEDIN_CLIENT_SECRET",
		"TEMPORAL_API_KEY": "temporal-cloud/api-key", "TEMPORAL_TLS_CA_FILE": "temporal-client/ca.crt",
		"TEMPORAL_TLS_CERT_FILE": "temporal-client/tls.crt", "TEMPORAL_TLS_KEY_FILE": "temporal-client/tls.key",
	}, mounted)
	for path := range mounted {
		name := path
		if !strings.HasPrefix(path, "TEMPORAL_TLS") {
			name += "_FILE"
		}
		require.Equal(t, "/run/secrets/fencepost/"+path, got[name].Value)
	}
	// The gateway for files has no secrets at all.
	require.Nil(t, volume(pods(t, found)["files"].Spec.Volumes, "secrets"))
	require.NotContains(t, environment(pods(t, found)["files"]), "S3_ACCESS_KEY")
}

// public returns the variable with the public URL of each program.
func public() map[string]string {
	return map[string]string{
		"api": "api.example.com", "mcp": "mcp.example.com", "console": "app.example.com", "pages": "pages.example.com",
		"files": "media.example.com", "inbound": "inbound.example.com",
	}
}

func TestRoutesHaveTheHostsOfThePublicURLs(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml", "config: {INBOUND_URL: 'https://inbound.example.com'}",
		"defaults: {ingress: {enabled: true}, gateway: {enabled: true, parentRefs: [{name: public}]}}"))
	require.Equal(t, names(public()), names(found.kind("Ingress")))
	require.Equal(t, names(public()), names(found.kind("HTTPRoute")))
	for program, host := range public() {
		ingress := into[networkingv1.Ingress](t, found, "Ingress", program)
		require.Equal(t, host, ingress.Spec.Rules[0].Host)
		require.Equal(t, []string{host}, ingress.Spec.TLS[0].Hosts)
		backend := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
		service := into[corev1.Service](t, found, "Service", program)
		require.Equal(t, service.Name, backend.Name)
		require.Equal(t, service.Spec.Ports[0].Name, backend.Port.Name)
		require.Len(t, service.Spec.Ports, 1, "health and metrics must not be exposed")
		require.Equal(t, []any{host}, found.kind("HTTPRoute")[program].Object["spec"].(map[string]any)["hostnames"])
	}
	require.Contains(t, refusal(t, values(t, "minimal.yaml",
		"config: {S3_PUBLIC_ENDPOINT: ''}", "files: {ingress: {enabled: true}}")), "S3_PUBLIC_ENDPOINT")
	require.Contains(t, refusal(t, values(t, "minimal.yaml", "api: {gateway: {enabled: true}}")), "parentRefs")
}

// ports returns the ports of a policy's egress rules.
func ports(policy networkingv1.NetworkPolicy) []string {
	var found []string
	for _, rule := range policy.Spec.Egress {
		for _, port := range rule.Ports {
			found = append(found, port.Port.String())
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestProgramsReachOnlyTheirDependencies(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "minimal.yaml", "config: {S3_ENDPOINT: 'http://minio:9000'}"))
	all := []string{"443", "53", "5432", "7233", "80", "9000"}
	for program, want := range map[string][]string{
		"api": all, "mcp": all, "worker": all, "console": all,
		"pages":   {"53", "5432", "9000"},
		"files":   {"53", "9000"},
		"inbound": {"53", "5432"},
		"migrate": {"53", "5432", "7233", "9000"},
		"admin":   all,
	} {
		policy := into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", program)
		require.Equal(t, want, ports(policy), program)
		require.Equal(t, []networkingv1.PolicyType{"Ingress", "Egress"}, policy.Spec.PolicyTypes)
		pod := pods(t, found)[program]
		require.Equal(t, policy.Spec.PodSelector.MatchLabels, matching(pod.Labels, policy.Spec.PodSelector.MatchLabels))
	}
	require.Len(t, found.kind("NetworkPolicy"), 9)
	for program := range map[string]bool{"migrate": true, "admin": true} {
		require.Empty(t, into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", program).Spec.Ingress)
	}
	require.Equal(t, []string{"443", "53", "5432", "7233", "80"}, ports(into[networkingv1.NetworkPolicy](t,
		render(t, values(t, "minimal.yaml")), "NetworkPolicy", "worker")), "https without a port means 443")
	require.Empty(t, render(t, values(t, "minimal.yaml", "networkPolicy: {enabled: false}")).kind("NetworkPolicy"))
}

// TestOnlyTheSendersReachTheMailServer checks the port of the programs that connect to it; the others only know its name.
func TestOnlyTheSendersReachTheMailServer(t *testing.T) {
	t.Parallel()
	for override, port := range map[string]string{
		"config: {SMTP_HOST: mail.example.com}":                                        "587",
		"config: {SMTP_HOST: mail.example.com, SMTP_PORT: 465}":                        "465",
		"{config: {SMTP_HOST: mail.example.com}, networkPolicy: {mail: {port: 2525}}}": "2525",
	} {
		found := render(t, values(t, "minimal.yaml", override))
		for program := range found.kind("NetworkPolicy") {
			policy := into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", program)
			sends := program == "worker" || program == "admin"
			require.Equal(t, sends, slices.Contains(ports(policy), port), "%s: %s", program, override)
		}
	}
	found := render(t, values(t, "minimal.yaml"))
	require.NotContains(t, ports(into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", "worker")), "587", "no mail server")
	found = render(t, values(t, "production.yaml", "config: {SMTP_HOST: mail.example.com}",
		"networkPolicy: {mail: {to: [{ipBlock: {cidr: 192.0.2.25/32}}]}}"))
	for _, rule := range into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", "worker-meta").Spec.Egress {
		if rule.Ports[0].Port.String() == "587" {
			require.Equal(t, "192.0.2.25/32", rule.To[0].IPBlock.CIDR)
		}
	}
}

// TestTheInternetHasNoPrivateAddresses checks the ranges that requests to foreign URLs cannot reach.
func TestTheInternetHasNoPrivateAddresses(t *testing.T) {
	t.Parallel()
	policy := into[networkingv1.NetworkPolicy](t, render(t, values(t, "minimal.yaml")), "NetworkPolicy", "worker")
	reachable := func(address netip.Addr) bool {
		for _, rule := range policy.Spec.Egress {
			for _, peer := range rule.To {
				inside := netip.MustParsePrefix(peer.IPBlock.CIDR).Contains(address)
				for _, except := range peer.IPBlock.Except {
					inside = inside && !netip.MustParsePrefix(except).Contains(address)
				}
				if inside {
					return true
				}
			}
		}
		return false
	}
	for _, address := range []string{
		"10.96.0.1", "172.20.1.1", "192.168.1.1", "169.254.169.254", "100.100.1.1", "127.0.0.1", "224.0.0.1",
		"fd00:ec2::254", "fe80::1", "::1",
	} {
		require.False(t, reachable(netip.MustParseAddr(address)), address)
	}
	for _, address := range []string{"93.184.216.34", "2606:4700:4700::1111", "172.15.0.1"} {
		require.True(t, reachable(netip.MustParseAddr(address)), address)
	}
}

func TestPoliciesNameTheirPeers(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	policy := into[networkingv1.NetworkPolicy](t, found, "NetworkPolicy", "api")
	from := policy.Spec.Ingress[0].From[0].NamespaceSelector.MatchLabels
	require.Equal(t, map[string]string{"kubernetes.io/metadata.name": "ingress"}, from)
	require.Len(t, policy.Spec.Ingress[1].From, 2, "the test of the release and the monitoring")
	for _, rule := range policy.Spec.Egress {
		require.NotEmpty(t, rule.To)
	}
	require.Contains(t, ports(policy), "6432")
	require.Contains(t, ports(policy), "4318")
}

func TestAutoscaling(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	require.Equal(t, []string{"api", "console", "files", "inbound", "mcp", "pages"}, names(found.kind("HorizontalPodAutoscaler")))
	require.Equal(t, []string{"worker-meta", "worker-others"}, names(found.kind("ScaledObject")))
	for name, deployment := range found.kind("Deployment") {
		require.NotContains(t, deployment.Object["spec"], "replicas", name)
	}
	api := into[autoscalingv2.HorizontalPodAutoscaler](t, found, "HorizontalPodAutoscaler", "api")
	require.Equal(t, release+"-fencepost-api", api.Spec.ScaleTargetRef.Name)
	require.Equal(t, int32(70), *api.Spec.Metrics[0].Resource.Target.AverageUtilization)
	files := into[autoscalingv2.HorizontalPodAutoscaler](t, found, "HorizontalPodAutoscaler", "files")
	require.Len(t, files.Spec.Metrics, 2)
	console := into[autoscalingv2.HorizontalPodAutoscaler](t, found, "HorizontalPodAutoscaler", "console").Spec.Metrics
	require.Len(t, console, 1)
	require.Equal(t, "http_requests_per_second", console[0].External.Metric.Name)
	for override, want := range map[string]string{
		"api: {autoscaling: {enabled: true, cpuUtilization: null}}":        "set cpuUtilization",
		"api: {autoscaling: {enabled: true, backlog: {kind: keda}}}":       "backlog: set metrics",
		"worker: {autoscaling: {enabled: true, backlog: {kind: datadog}}}": "kind",
		"worker: {autoscaling: {backlog: {metrics: {x: {query: up}}}}}":    "threshold",
		"worker: {autoscaling: {enabled: true, maxReplicas: 0}}":           "maxReplicas",
	} {
		require.Contains(t, refusal(t, values(t, "minimal.yaml", override)), want, override)
	}
}

// metrics returns the documents that list the metrics of the programs, without their prefix.
func metrics(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	require.NoError(t, err)
	reference, err := os.ReadFile(filepath.Join(root, "docs", "reference", "metrics.md"))
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	return string(raw) + string(reference)
}

// TestTheBacklogIsMeasured compares the queries with the metrics in the documentation.
func TestTheBacklogIsMeasured(t *testing.T) {
	t.Parallel()
	documented := metrics(t)
	found := render(t, values(t, "production.yaml")).kind("ScaledObject")["worker-others"]
	spec := found.Object["spec"].(map[string]any)
	require.InDelta(t, 20, spec["maxReplicaCount"], 0)
	queries := 0
	for _, trigger := range spec["triggers"].([]any) {
		metadata := trigger.(map[string]any)["metadata"].(map[string]any)
		query, ok := metadata["query"].(string)
		if !ok {
			require.Equal(t, "cpu", trigger.(map[string]any)["type"])
			continue
		}
		queries++
		pattern := `^(?:max|sum)\(fencepost_([a-z_]+)\{namespace="` + namespace + `"`
		metric := regexp.MustCompile(pattern).FindStringSubmatch(query)
		require.NotNil(t, metric, query)
		require.Regexp(t, "`"+metric[1]+"[`{]", documented, "the documentation lists no metric %s", metric[1])
		require.Equal(t, map[string]any{"name": "prometheus", "kind": "TriggerAuthentication"},
			trigger.(map[string]any)["authenticationRef"])
	}
	require.Equal(t, 3, queries)
}

func TestPrometheusFindsEveryProgram(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	monitor := found.kind("ServiceMonitor")[""]
	require.NotNil(t, monitor)
	selector := monitor.Object["spec"].(map[string]any)["selector"].(map[string]any)["matchLabels"].(map[string]any)
	var selected []string
	for name := range found.kind("Service") {
		service := into[corev1.Service](t, found, "Service", name)
		matches := true
		for label, want := range selector {
			matches = matches && service.Labels[label] == want
		}
		if matches {
			require.Equal(t, "ops", service.Spec.Ports[0].Name)
			selected = append(selected, name)
		}
	}
	require.Len(t, selected, len(found.kind("Deployment")))
	require.Empty(t, render(t, values(t, "minimal.yaml")).kind("ServiceMonitor"))
}

// TestTheChartContainsAlertsAndDashboards checks that the rules arrive unchanged: they contain templates of Prometheus.
func TestTheChartContainsAlertsAndDashboards(t *testing.T) {
	t.Parallel()
	found := render(t, values(t, "production.yaml"))
	raw, err := os.ReadFile(filepath.Join(chart, "files", "alerts.yaml"))
	require.NoError(t, err)
	var rules map[string]any
	require.NoError(t, sigsyaml.Unmarshal(raw, &rules))
	require.NotEmpty(t, rules["groups"])
	require.Equal(t, any(rules), found.kind("PrometheusRule")[""].Object["spec"])
	dashboards := into[corev1.ConfigMap](t, found, "ConfigMap", "dashboards")
	files, err := filepath.Glob(filepath.Join(chart, "files", "dashboards", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.Len(t, dashboards.Data, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.JSONEq(t, string(text), dashboards.Data[filepath.Base(file)])
	}
	require.Empty(t, render(t, values(t, "minimal.yaml")).kind("ConfigMap"))
}
