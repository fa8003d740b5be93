package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

type finding struct {
	Check, Level, Code, Text, Cause, Remedy string
}

// doctor runs "admin doctor" and returns its findings by code. The exit code must fit them.
func doctor(t *testing.T, s *harness.System, env ...string) map[string]finding {
	t.Helper()
	out, code := s.AdminRun(env, "doctor", "--json")
	var result struct {
		Level    string
		Findings []finding
	}
	require.NoError(t, json.Unmarshal(out, &result), "%s", out)
	found, problems := make(map[string]finding), 0
	for _, f := range result.Findings {
		if f.Level != "ok" {
			require.NotEmpty(t, f.Text)
			require.NotEmpty(t, f.Cause, f.Text)
			require.NotEmpty(t, f.Remedy, f.Text)
			found[f.Code] = f
		}
		if f.Level == "problem" {
			problems = 1
		}
	}
	require.Equal(t, problems, code, "%s", out)
	return found
}

// whole starts every program of the service.
func whole(t *testing.T, s *harness.System) (worker *harness.Process) {
	t.Helper()
	s.StartMailServer()
	worker = s.Start("worker", "")
	for _, p := range []*harness.Process{s.Start("api", ""), s.Start("mcp", ""), s.Start("console", ""), s.Start("pages", ""), s.Start("inbound", ""), worker} {
		p.Ready()
	}
	return worker
}

// local are the findings of every development system: its addresses are local, and its networks are played.
func local() []string { return []string{"ADDRESS_LOCAL", "NETWORKS_SANDBOX"} }

// TestDoctorReportsFaults checks a whole system, and breaks it in one way after the other.
func TestDoctorReportsFaults(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	worker := whole(t, s)
	for _, env := range [][]string{nil, {"TEMPORAL_DEPLOYMENT_NAME=posts"}} { // also before the first worker with a version
		healthy := doctor(t, s, env...)
		for _, code := range local() {
			require.Contains(t, healthy, code)
			delete(healthy, code)
		}
		require.Empty(t, healthy, "a whole system has no problem: %v", env)
	}

	for name, broken := range broken(t, s) {
		t.Run(name, func(t *testing.T) {
			found := doctor(t, s.In(t), broken.env...)
			require.Contains(t, found, broken.code, "%+v", found)
			got := found[broken.code]
			require.Contains(t, got.Text+" "+got.Cause+" "+got.Remedy, broken.names)
			for _, code := range append(local(), broken.code) {
				delete(found, code)
			}
			for _, also := range broken.also {
				delete(found, also)
			}
			require.Empty(t, found, "it names other problems")
		})
	}

	worker.Stop()
	require.Eventually(t, func() bool {
		missing, stopped := doctor(t, s)["WORKER_MISSING"]
		return stopped && strings.Contains(missing.Cause, "queue")
	}, 3*time.Minute, 5*time.Second, "Temporal lists a poller for some minutes")
}

// deployment is a broken one.
type deployment struct {
	env   []string
	code  string
	names string   // a part of the finding that names the cause
	also  []string // findings that follow from the same cause
}

func broken(t *testing.T, s *harness.System) map[string]deployment {
	t.Helper()
	all := make(map[string]deployment)
	for _, group := range []map[string]deployment{
		brokenDatabases(t, s), brokenTemporals(t), brokenStores(t), brokenAddresses(t, s), brokenNetworks(t),
	} {
		for name, d := range group {
			all[name] = d
		}
	}
	return all
}

func brokenDatabases(t *testing.T, s *harness.System) map[string]deployment {
	t.Helper()
	with := func(change func(u *url.URL)) string {
		u, err := url.Parse(s.Database())
		require.NoError(t, err)
		change(u)
		return "DATABASE_URL=" + u.String()
	}
	older, olderURL := postgrestest.OpenURL(t)
	migrator, err := postgres.NewMigrator(older)
	require.NoError(t, err)
	_, err = migrator.Down(t.Context())
	require.NoError(t, err)
	const other = "other:CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="
	return map[string]deployment{
		"the database is down": {
			env: []string{with(func(u *url.URL) { u.Host = "127.0.0.1:9" })}, code: "DATABASE_UNREACHABLE",
			names: "connection refused",
		},
		"the database does not exist": {
			env: []string{with(func(u *url.URL) { u.Path = "/absent" })}, code: "DATABASE_MISSING", names: `"absent"`,
		},
		"the database has no schema": {
			env: []string{"DATABASE_URL=" + postgrestest.Empty(t)}, code: "SCHEMA_MISSING", names: "migrate up",
		},
		"a migration is missing": {
			env: []string{"DATABASE_URL=" + olderURL}, code: "SCHEMA_BEHIND", names: "Programs of this version do not start",
		},
		"a key was removed": {
			env: []string{"ENCRYPTION_KEYS=" + other}, code: "KEY_MISSING", names: "channel credentials",
		},
		"another key has the id": {
			env: []string{"ENCRYPTION_KEYS=" + strings.Replace(other, "other", "test", 1)}, code: "KEY_WRONG", names: "ENCRYPTION_KEYS",
		},
		"an old key is in use": {
			env:  []string{"ENCRYPTION_KEYS=" + other + "," + harness.EncryptionKey},
			code: "KEY_OLD", names: "admin secrets rewrap",
		},
		"a variable is not valid": {
			env: []string{"DATABASE_URL=mysql://x"}, code: "CONFIGURATION", names: "DATABASE_URL",
		},
	}
}

func brokenTemporals(t *testing.T) map[string]deployment {
	t.Helper()
	c, err := client.NewLazyClient(client.Options{HostPort: os.Getenv("TEST_TEMPORAL_ADDRESS")})
	require.NoError(t, err)
	defer c.Close()
	bare := "bare-" + ident.New[ident.Post]().String()
	_, err = c.WorkflowService().RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: bare, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := c.WorkflowService().CountWorkflowExecutions(t.Context(),
			&workflowservice.CountWorkflowExecutionsRequest{Namespace: bare})
		return err == nil
	}, time.Minute, 200*time.Millisecond, "a new namespace takes seconds to be known")
	return map[string]deployment{
		"Temporal is down": {
			env: []string{"TEMPORAL_ADDRESS=127.0.0.1:9"}, code: "TEMPORAL_UNREACHABLE", names: "TEMPORAL_ADDRESS",
		},
		"Temporal has no TLS": {
			env: []string{"TEMPORAL_TLS=true"}, code: "TEMPORAL_TLS", names: "TLS",
		},
		"the namespace does not exist": {
			env: []string{"TEMPORAL_NAMESPACE=absent"}, code: "TEMPORAL_NAMESPACE", names: `"absent"`,
		},
		"the namespace has no search attributes": {
			env: []string{"TEMPORAL_NAMESPACE=" + bare}, code: "TEMPORAL_ATTRIBUTES", names: "ScheduledAt=Datetime",
			also: []string{"TEMPORAL_RETENTION"},
		},
		"the namespace keeps ended workflows too briefly": {
			env: []string{"TEMPORAL_NAMESPACE=" + bare}, code: "TEMPORAL_RETENTION", names: "24h0m0s",
			also: []string{"TEMPORAL_ATTRIBUTES"},
		},
	}
}

func brokenStores(t *testing.T) map[string]deployment {
	t.Helper()
	versioned, public := objectstoretest.Config(t), objectstoretest.Config(t)
	raw := objectstoretest.Raw(t, versioned)
	require.NoError(t, raw.EnableVersioning(t.Context(), versioned.Bucket))
	t.Cleanup(func() { emptied(t, raw, versioned.Bucket) })
	require.NoError(t, objectstoretest.Raw(t, public).SetBucketPolicy(t.Context(), public.Bucket, fmt.Sprintf(
		`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s/*"}]}`,
		public.Bucket)))
	return map[string]deployment{
		"the store is down": {
			env: []string{"S3_ENDPOINT=http://127.0.0.1:9"}, code: "STORE_UNREACHABLE", names: "S3_ENDPOINT",
		},
		"the bucket does not exist": {
			env: []string{"S3_BUCKET=absent"}, code: "STORE_BUCKET", names: "absent",
		},
		"the secret key is wrong": {
			env: []string{"S3_SECRET_KEY=wrong-wrong"}, code: "STORE_LOGIN", names: "S3_SECRET_KEY",
		},
		"the bucket keeps versions": {
			env: []string{"S3_BUCKET=" + versioned.Bucket, "S3_PUBLIC_ENDPOINT="}, code: "STORE_VERSIONING", names: "versioning",
		},
		"the bucket is public": {
			env: []string{"S3_BUCKET=" + public.Bucket, "S3_PUBLIC_ENDPOINT="}, code: "STORE_PUBLIC", names: "anonymous",
		},
	}
}

// emptied deletes every version of every object.
func emptied(t *testing.T, raw *minio.Client, bucket string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for object := range raw.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
		_ = raw.RemoveObject(ctx, bucket, object.Key, minio.RemoveObjectOptions{VersionID: object.VersionID})
	}
}

func brokenAddresses(t *testing.T, s *harness.System) map[string]deployment {
	t.Helper()
	responses := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	return map[string]deployment{
		"the address leads to another program": {
			env: []string{"BASE_URL=" + s.AppURL}, code: "ADDRESS_OTHER", names: "BASE_URL",
		},
		"the files' address leads to another program": {
			env: []string{"S3_PUBLIC_ENDPOINT=" + s.APIURL}, code: "ADDRESS_OTHER", names: "S3_PUBLIC_ENDPOINT",
		},
		"the proxy is down": {
			env: []string{"MCP_URL=http://127.0.0.1:9/mcp"}, code: "ADDRESS_UNREACHABLE", names: "MCP_URL",
		},
		"the proxy does not reach the program": {
			env: []string{"APP_URL=" + responses(http.StatusBadGateway)}, code: "ADDRESS_DOWN", names: "502",
		},
		"the proxy replaces the host": {
			env: []string{"PAGES_URL=" + responses(http.StatusMisdirectedRequest)}, code: "ADDRESS_HOST", names: "ALLOWED_HOSTS",
		},
		"the certificate is not trusted": {
			env: []string{"PAGES_URL=" + untrusted.URL}, code: "ADDRESS_CERTIFICATE", names: "certificate",
		},
		"the name does not exist": {
			env: []string{"PAGES_URL=https://pages.invalid"}, code: "ADDRESS_NAME", names: "pages.invalid",
		},
	}
}

// brokenNetworks uses a database without channels, so that no network is called.
func brokenNetworks(t *testing.T) map[string]deployment {
	t.Helper()
	_, empty := postgrestest.OpenURL(t)
	official := []string{"DATABASE_URL=" + empty, "NETWORKS_SANDBOX_URL="}
	return map[string]deployment{
		"a version of an API ended": {
			env: append(official, "FACEBOOK_VERSION=v20.0"), code: "VERSION_ENDED", names: "2026-09-24",
		},
		"a version of an API ends soon": {
			env:  append(official, "LINKEDIN_VERSION="+time.Now().AddDate(-1, 1, 0).Format("200601")),
			code: "VERSION_ENDS", names: "LINKEDIN_VERSION",
		},
		"an application has no secret": {
			env: append(official, "X_CLIENT_ID=abc"), code: "APPLICATION_INCOMPLETE", names: "X_CLIENT_SECRET",
		},
		"the networks do not respond": {
			env: []string{"NETWORKS_SANDBOX_URL=http://127.0.0.1:9"}, code: "NETWORK_UNREACHABLE", names: "way out",
		},
	}
}
