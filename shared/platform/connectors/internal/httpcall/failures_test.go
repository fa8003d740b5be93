package httpcall_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	postmodel "fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// TestErrorsAreClassifiedAndRedacted checks that every form of a timeout is recognized, that a cancellation is not a timeout, and
// that the error never contains the URL, which may contain a token that the request did not declare.
func TestErrorsAreClassifiedAndRedacted(t *testing.T) {
	t.Parallel()

	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for name, test := range map[string]struct {
		err  error
		kind error
	}{
		"deadline of the context": {dial(fmt.Errorf("look up: %w", context.DeadlineExceeded)), context.DeadlineExceeded},
		"deadline of the socket":  {dial(fmt.Errorf("connect: %w", os.ErrDeadlineExceeded)), context.DeadlineExceeded},
		"timeout of a lookup":     {&net.DNSError{Err: "no response", Name: "dns", IsTimeout: true}, context.DeadlineExceeded},
		"cancelled":               {dial(fmt.Errorf("look up: %w", context.Canceled)), context.Canceled},
		"refused":                 {dial(errors.New("connection refused")), nil},
		"without a class":         {errors.New("other"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setupAt("http://network.test")
			b.config.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, test.err }
			for _, call := range both(b.client(t)) {
				_, err := call(t.Context(), httpcall.Request{Path: []string{"token-of-the-path"}})
				requireFailure(t, err, platform.ClassTransient)
				for _, kind := range []error{context.DeadlineExceeded, context.Canceled} {
					require.Equal(t, errors.Is(test.kind, kind), errors.Is(err, kind), "%v", kind)
				}
				require.NotContains(t, failureOf(t, err, platform.ClassTransient).Cause.Error(), "token-of-the-path")
			}
		})
	}
}

// TestUnclearResponses checks that the outcome is unknown for the irrevocable call and transient for any other. The body
// of a success contains tenants' content and is not logged. The start of an error's body is logged.
func TestUnclearResponses(t *testing.T) {
	t.Parallel()

	status := http.StatusOK
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte("hello, all"))
	})
	client := b.client(t)
	for _, code := range []int{http.StatusOK, http.StatusBadRequest} {
		status = code
		called, err := client.Call(t.Context(), post())
		require.NoError(t, err)
		require.Equal(t, platform.ClassTransient, client.Unclear(called, "no id").Class)
		committed, err := client.CommitCall(t.Context(), post())
		require.NoError(t, err)
		unclear := client.Unclear(committed, "no id")
		require.Equal(t, platform.ClassUnknown, unclear.Class)
		require.ErrorContains(t, unclear.Cause, fmt.Sprintf("no id: status %d, body ", code))
		require.Equal(t, code == http.StatusBadRequest, strings.Contains(unclear.Cause.Error(), "hello, all"))
		require.Error(t, called.Decode(new(struct{})))
		require.NotContains(t, called.Decode(new(struct{})).Error(), "hello")
	}
}

func TestOKReports2xx(t *testing.T) {
	t.Parallel()

	for status, ok := range map[int]bool{199: false, 200: true, 299: true, 300: false} {
		require.Equal(t, ok, httpcall.Response{Status: status}.OK(), status)
	}
}

// TestRefusedListKeepsConnection checks that a connection which may not read its posts is not reported as ended, and
// that other failures are.
func TestRefusedListKeepsConnection(t *testing.T) {
	t.Parallel()

	client := setupAt("http://127.0.0.1:1").client(t)
	cause := errors.New("403")
	refused := client.ReadRefused(client.Reconnect(cause), "r_posts")
	require.Equal(t, platform.ClassUser, refused.Class)
	require.Equal(t, platform.CodeReadRefused, refused.Code)
	require.Equal(t, cause, refused.Cause)
	require.Contains(t, refused.Message, "with the permission r_posts")
	other := client.Refresh(cause)
	require.Same(t, other, client.ReadRefused(other, "r_posts"))
}

// TestLostResponseIsNotFileFailure checks that a lost response is not reported as a failure of the file, which was
// read to its end.
func TestLostResponseIsNotFileFailure(t *testing.T) {
	t.Parallel()

	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		hangUp(t, w, "")
	})
	_, err := b.client(t).Call(t.Context(), raw(zeros(1<<10), 1<<10))
	require.Equal(t, postmodel.ErrorPlatformDown, failureOf(t, err, platform.ClassTransient).Code)
}
