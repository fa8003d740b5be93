package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

// keyed sends a request that creates posts with raw header lines.
func (b *bundle) keyed(t *testing.T, lines ...string) response {
	t.Helper()
	body := b.ours.withContent("x")
	return b.raw(t, "POST /v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+b.ours.key+
		"\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n"+strings.Join(lines, "\r\n")+
		"\r\n\r\n"+body)
}

func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, lines := range map[string][]string{
		"empty": {"Idempotency-Key:"}, "blanks": {"Idempotency-Key:  \t "},
		"too long":     {"Idempotency-Key: " + strings.Repeat("k", 256)},
		"blank inside": {"Idempotency-Key: a b"}, "tab inside": {"Idempotency-Key: a\tb"}, "UTF-8": {"Idempotency-Key: clé"},
		"Latin-1": {"Idempotency-Key: cl\xe9"}, "DEL": {"Idempotency-Key: a\x7f"}, "control": {"Idempotency-Key: a\x01"},
		"NUL":                 {"Idempotency-Key: a\x00b"},
		"carriage return":     {"Idempotency-Key: a\rb"},
		"two lines":           {"Idempotency-Key: a", "Idempotency-Key: b"},
		"two equal lines":     {"Idempotency-Key: a", "idempotency-key: a"},
		"one of two is empty": {"Idempotency-Key: a", "Idempotency-Key:"},
	} {
		p := requireProblem(t, b.keyed(t, lines...), http.StatusBadRequest, "MALFORMED_REQUEST")
		require.NotContains(t, p["detail"], "clé", name)
	}
	require.Zero(t, b.count(t, `post`))
	require.Zero(t, b.count(t, `idempotency_key`))
}

func TestValidKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var visible strings.Builder
	for c := byte(0x21); c <= 0x7E; c++ {
		visible.WriteByte(c)
	}
	for _, key := range []string{
		"k", "K", `"k"`, strings.Repeat("k", 255), visible.String(), "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10", "a,b",
		"';DROP/**/TABLE/**/post;--", "%00",
	} {
		t.Log(key)
		first := b.keyed(t, "Idempotency-Key: "+key)
		requireFresh(t, first, http.StatusCreated)
		requireReplay(t, first, b.keyed(t, "idempotency-key:\t "+key+" \t"))
	}
	require.Equal(t, 9, b.count(t, `post`))
}

func TestKeyIsCheckedLast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := b.ours.withContent("x")
	requireProblem(t, b.onceAs(t, "", "a b", "/v1/posts", body), http.StatusUnauthorized, "UNAUTHENTICATED")
	requireProblem(t, b.onceAs(t, b.key(t, b.ours.id, credential.ChannelsRead), "a b", "/v1/posts", body),
		http.StatusForbidden, "INSUFFICIENT_SCOPE")
	requireProblem(t, b.once(t, "a b", "/v1/posts", `{`), http.StatusBadRequest, "MALFORMED_REQUEST")
}

// TestKeysAreIgnoredByOtherOperations covers valid and invalid keys.
func TestKeysAreIgnoredByOtherOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, operations := b.document(t)
	taking := map[string]bool{}
	for _, op := range operations {
		taking[op.OperationID] = op.takesKey()
		if op.Public || op.takesKey() {
			continue
		}
		op, mine, _ := b.subjects(t, op)
		r := request{method: op.method, path: strings.ReplaceAll(op.path, "{id}", mine), key: b.ours.key}
		if op.RequestBody != nil {
			r.contentType, r.body = "application/json", encode(t, op.example(t, b.ours))
		}
		plain := b.do(t, r)
		for _, key := range []string{"", "a b", "k", "k"} {
			r.header = map[string]string{headerOnce: key}
			responded := b.do(t, r)
			require.NotContains(t, responded.header, headerReplay, op.OperationID)
			require.NotEqual(t, http.StatusBadRequest, responded.status, op.OperationID+" "+responded.body)
			if op.method == http.MethodGet {
				require.Equal(t, plain.status, responded.status, op.OperationID)
			}
		}
	}
	require.Zero(t, b.count(t, `idempotency_key`))
	for id, want := range map[string]bool{
		"create-posts": true, "create-posts-in-bulk": true, "create-youtube-post": true, "create-tiktok-post": true,
		"create-pinterest-post": true,
		"create-linkedin-post":  true, "create-webhook": true, "rotate-webhook-secret": true, "update-webhook": true,
		"redeliver-webhook-delivery": true, "start-webhook-replay": true, "test-webhook": true, "import-media": true,
		"start-upload": true, "validate-posts": false, "publish-post": true, "edit-post": true, "order-link-blocks": false,
	} {
		require.Equal(t, want, taking[id], id)
	}
}

// takesKey reports whether the operation documents an Idempotency-Key.
func (o documented) takesKey() bool {
	for _, p := range o.Parameters {
		if p.Ref == "#/components/parameters/Idempotency-Key" {
			return true
		}
	}
	return false
}
