package httpcall_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// TestAskIdentity checks that an account is decoded, that a refusal is classified, and that a response without an
// account is a failure.
func TestAskIdentity(t *testing.T) {
	t.Parallel()

	cause := errors.New("cause")
	for name, test := range map[string]struct {
		status   int
		response string
		class    platform.Class // empty: an identity
	}{
		"an account":    {http.StatusOK, `{"id":"7","name":"acme"}`, ""},
		"no account":    {http.StatusOK, `{"name":"acme"}`, platform.ClassTransient},
		"not JSON":      {http.StatusOK, `hello`, platform.ClassTransient},
		"refused":       {http.StatusForbidden, `{"id":"7"}`, platform.ClassRejected},
		"out of order":  {http.StatusBadGateway, `{"id":"7"}`, platform.ClassTransient},
		"token expired": {http.StatusUnauthorized, `{"id":"7"}`, platform.ClassRefresh},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.response))
			})
			var requested string
			b.config.Observe = func(_ context.Context, e httpcall.Exchange) { requested = e.Operation }
			client := b.client(t)
			var account struct{ ID, Name string }
			response, err := client.AskIdentity(t.Context(), post(), func(r httpcall.Response) *platform.Failure {
				switch r.Status {
				case http.StatusForbidden:
					return client.Fail(platform.ClassRejected, "CONTENT_REFUSED", cause, "m")
				case http.StatusUnauthorized:
					return client.Refresh(cause)
				default:
					return client.OutcomeUnknown(cause)
				}
			}, &account)
			require.Equal(t, "identify", requested)
			var identity platform.Identity
			require.Equal(t, test.status != http.StatusOK || test.response == "hello", err != nil)
			if err == nil {
				identity, err = client.Identity(response, account.ID, account.Name)
			}
			if test.class == "" {
				require.NoError(t, err)
				require.Equal(t, platform.Identity{ID: "7", Username: "acme"}, identity)
				return
			}
			failure := failureOf(t, err, test.class)
			if test.class == platform.ClassRejected {
				require.Equal(t, platform.CodeIdentityRefused, failure.Code)
			}
			require.Equal(t, test.status != http.StatusOK, errors.Is(err, cause))
		})
	}
	b := setupAt(refusedAddress(t))
	_, err := b.client(t).AskIdentity(t.Context(), post(), nil, nil)
	requireFailure(t, err, platform.ClassTransient)
}
