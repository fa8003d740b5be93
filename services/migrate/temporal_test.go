package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"fencepost.internal/services/internal/bootstrap/cloudtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// up runs the program for a namespace, on the given front or on the server itself.
func up(t *testing.T, front *cloudtest.Front, server, namespace string) (code int, out string) {
	t.Helper()
	_, database := postgrestest.OpenURL(t)
	t.Setenv("DATABASE_URL", database)
	t.Setenv("TEMPORAL_NAMESPACE", namespace)
	t.Setenv("TEMPORAL_ADDRESS", server)
	t.Setenv("TEMPORAL_TLS_CA_FILE", "")
	if front != nil {
		t.Setenv("TEMPORAL_ADDRESS", front.Address)
		t.Setenv("TEMPORAL_TLS_CA_FILE", front.Authority.File)
	}
	var printed bytes.Buffer
	code = Main([]string{"up"}, &printed)
	return code, printed.String()
}

// TestExternallyManagedNamespace sets up namespaces of a Temporal on which the client may not administer them, as on
// Temporal Cloud.
func TestExternallyManagedNamespace(t *testing.T) { //nolint:paralleltest // it sets the environment of the program
	front := cloudtest.Start(t, cloudtest.Options{Denied: []string{
		"/RegisterNamespace", "/AddSearchAttributes", "/ListSearchAttributes",
	}})
	direct := front.Server
	c, err := client.NewLazyClient(client.Options{HostPort: direct})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	name := func() string { return "setup-" + ident.New[ident.Event]().String() }

	complete := name()
	code, out := up(t, nil, direct, complete)
	require.Zero(t, code, out)
	require.NotContains(t, out, "keeps the history")
	code, out = up(t, nil, direct, complete)
	require.Zero(t, code, out)
	require.NotContains(t, out, "keeps the history")
	code, out = up(t, front, "", complete)
	require.Zero(t, code, out)
	require.Contains(t, out, `Temporal namespace "`+complete+`" is ready`)

	bare := name()
	code, out = up(t, front, "", bare)
	require.Equal(t, 1, code)
	require.Contains(t, out, `the Temporal namespace "`+bare+`" is missing, and this client may not create it`)
	_, err = c.WorkflowService().RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: bare, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		code, out = up(t, front, "", bare)
		return code == 1 && !strings.Contains(out, "is missing, and this client may not create it")
	}, time.Minute, time.Second, "a new namespace takes seconds to be known")
	require.Contains(t, out, "may not add it: add ChannelId=Keyword, Platform=Keyword, PostStatus=Keyword, ScheduledAt=Datetime, "+
		"WorkspaceId=Keyword")

	code, out = up(t, nil, direct, bare)
	require.Zero(t, code, out)
	require.Contains(t, out, "keeps the history of ended workflows for 24h0m0s")
	require.Contains(t, out, "temporal operator namespace update --namespace "+bare+" --retention 168h0m0s")
}
