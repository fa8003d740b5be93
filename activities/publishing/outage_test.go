package publishing_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// outages are the forms of an outage in which a post is certainly not published: calls that reach no server, and 502 or
// 503 responses, after which the network does not list the post.
func outages() map[string]error {
	return map[string]error{
		"connection refused": fails(platform.ClassTransient, post.ErrorPlatformDown),
		"502, 503":           fails(platform.ClassUnknown, post.ErrorOutcomeUnknown),
	}
}

// outage publishes a post to a network that is down for the given time, with the times of production and skipped time.
// It returns the run and the number of calls.
func outage(t *testing.T, lasts time.Duration, failure error) (s *simulation, calls int32, elapsed time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s = newSimulation(t, 1, false)
		s.chaos = &chaos{rng: rand.New(rand.NewPCG(1, 1)), began: time.Now()} //nolint:gosec // no faults but the outage
		s.store.chaos = s.chaos
		due := s.store.present().ScheduledAt
		net := &network{
			strength: platform.ReconcileMatch,
			reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
				return platform.EvidenceAbsent, platform.Publication{}, nil
			},
		}
		net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
			if time.Since(due) < lasts {
				return platform.Publication{}, failure
			}
			return platform.Publication{ExternalID: "e1", URL: "https://network.test/e1"}, nil
		}
		s.Publisher = publisherOf(t, s.store, net)
		s.drive()
		calls, elapsed = net.commits.Load(), time.Since(due)
	})
	return s, calls, elapsed
}

// TestPostIsPublishedAfterOutage checks that a post is published soon after the end of an outage, however its calls fail
// (docs/contract.md, Retries).
func TestPostIsPublishedAfterOutage(t *testing.T) {
	t.Parallel()
	for name, failure := range outages() {
		for _, lasts := range []time.Duration{30 * time.Second, 5 * time.Minute, 20 * time.Minute} {
			t.Run(name+" for "+lasts.String(), func(t *testing.T) {
				t.Parallel()
				s, calls, elapsed := outage(t, lasts, failure)
				require.Equal(t, post.Published, s.store.present().Status)
				require.Greater(t, elapsed, lasts)
				require.Less(t, elapsed, 2*lasts+8*time.Minute)
				require.Less(t, calls, int32(16), "the calls back off")
			})
		}
	}
}

// TestLongOutageFailsPost checks that the calls go on for most of the half hour, and that the error blames the
// network and allows another try.
func TestLongOutageFailsPost(t *testing.T) {
	t.Parallel()
	for name, failure := range outages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, calls, elapsed := outage(t, time.Hour, failure)
			failed := s.store.present()
			require.Equal(t, post.Failed, failed.Status)
			require.Equal(t, post.ErrorPlatformDown, failed.Error.Code)
			require.True(t, failed.Error.Retryable)
			require.Contains(t, failed.Error.Message, map[string]string{
				"connection refused": "could not be reached for 30 minutes: The network said no. Nothing was published.",
				"502, 503": "was sent repeatedly for 30 minutes and never arrived on the network: The network said no. " +
					"Nothing was published.",
			}[name])
			require.Greater(t, elapsed, 20*time.Minute)
			require.Less(t, elapsed, 31*time.Minute)
			require.Greater(t, calls, int32(6))
		})
	}
}
