package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestATraceReachesFromTheRequestToTheWebhook publishes a post, and finds one trace at a real collector: the request, the
// start of the workflow from the outbox, the workflow, its activity, the network call, and the webhook of its event.
func TestATraceReachesFromTheRequestToTheWebhook(t *testing.T) {
	t.Parallel()
	for name, express := range map[string]string{"through Temporal": "off", "in the express lane": "0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			traced(t, express)
		})
	}
}

func traced(t *testing.T, express string) {
	t.Helper()
	collector := harness.StartCollector(t)
	s := harness.New(t, harness.Options{Env: []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + collector.HTTP, "OTEL_BSP_SCHEDULE_DELAY=200",
		"DELIVERY_EXPRESS_AFTER=" + express,
	}})
	s.Start("api", "").Ready()
	s.Start("worker", "", "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+collector.GRPC, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc").Ready()
	s.Subscribe()
	created := s.Create(channel.Threads, "a traced post", "now")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, fencepost.PostStatusPublished, s.Get(created.ID).Status)
		require.True(c, slices.ContainsFunc(s.Receiver.All(), func(r harness.Received) bool { return r.Type == "post.published" }))
	}, time.Minute, 100*time.Millisecond)

	path := []string{ // from the request down to the call that publishes
		"api POST /v1/posts", "SignalWithStartWorkflow:Post", "worker RunWorkflow:Post", "worker StartActivity:posts.Publish",
		"worker RunActivity:posts.Publish", "worker POST 127.0.0.1",
	}
	webhook := []string{"worker RunActivity:posts.Publish"} // and from the activity, whose event is delivered
	if express == "off" {
		webhook = append(webhook, "StartWorkflow:Delivery", "worker RunWorkflow:Delivery", "worker StartActivity:deliveries.Attempt",
			"worker RunActivity:deliveries.Attempt", "worker POST 127.0.0.1")
	} else {
		webhook = append(webhook, "worker express delivery", "worker POST 127.0.0.1")
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		spans := collector.Spans()
		require.True(c, descends(spans, "", path), "%s", list(spans))
		found := false
		for _, span := range spans {
			found = found || named(span, webhook[0]) && descends(spans, span.SpanID, webhook[1:])
		}
		require.True(c, found, "%s", list(spans))
	}, time.Minute, 500*time.Millisecond)
	for _, span := range collector.Spans() {
		for key, value := range span.Attributes {
			require.NotContains(t, value, s.Key)
			require.NotContains(t, value, "access_token", key)
			require.NotContains(t, value, "a traced post", key)
		}
	}
}

// named reports whether a span has the name, which may begin with its program.
func named(span harness.Span, name string) bool {
	return strings.HasPrefix(span.Service+" "+span.Name, name) || strings.HasPrefix(span.Name, name)
}

// descends reports whether a span with the first name is a child of the parent, one with the next name is a child of
// that one, and so on.
func descends(spans []harness.Span, parent string, names []string) bool {
	if len(names) == 0 {
		return true
	}
	for _, span := range spans {
		if span.Parent == parent && named(span, names[0]) && descends(spans, span.SpanID, names[1:]) {
			return true
		}
	}
	return false
}

func list(spans []harness.Span) string {
	var text strings.Builder
	for _, span := range spans {
		text.WriteString(span.TraceID[:6] + " " + span.Parent + " > " + span.SpanID + " " + span.Service + " " + span.Name + "\n")
	}
	return text.String()
}
