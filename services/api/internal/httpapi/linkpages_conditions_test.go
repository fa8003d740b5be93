package httpapi_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConditionalChanges covers If-Match on every change of a link page (RFC 9110, section 13.1.1).
func TestConditionalChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, block := b.linkBlock(t, b.ours)
	path := pathLinks + "/" + page
	read := b.get(t, path)
	require.Equal(t, `"2"`, read.header.Get("ETag"))
	type change struct{ method, path, body string }
	for _, c := range []change{
		{http.MethodPatch, path, `{"title":"B"}`},
		{http.MethodPost, path + "/blocks", aLink},
		{http.MethodPatch, path + "/blocks/" + block, `{"isVisible":false}`},
		{http.MethodPost, path + "/publish", ""},
		{http.MethodPost, path + "/unpublish", ""},
		{http.MethodPut, path + "/blocks/order", `{"blockIds":["` + block + `"]}`},
		{http.MethodDelete, path + "/blocks/" + block, ""},
		{http.MethodDelete, path, ""},
	} {
		for _, tag := range []string{`"1"`, `"999999999999"`, `W/"2"`, `"x"`, `""`, `"02"`, `"1", "999"`} {
			p := requireProblem(t, b.matching(t, c.method, c.path, c.body, tag), http.StatusPreconditionFailed,
				"PRECONDITION_FAILED")
			require.Contains(t, p["detail"], `Its ETag is "2" now`)
		}
		for _, broken := range []string{"2", `"2`, `"2",`, `2"`, `""2""`, "", `"2" "3"`, `w/"2"`} {
			if broken == "" {
				continue // Go sends no empty header
			}
			requireProblem(t, b.matching(t, c.method, c.path, c.body, broken), http.StatusBadRequest, "MALFORMED_REQUEST")
		}
	}
	require.Equal(t, read.body, b.get(t, path).body, "nothing was changed")
	for _, unknown := range []string{pathLinks + "/x", pathLinks + "/" + block} {
		requireProblem(t, b.matching(t, http.MethodDelete, unknown, "", `"1"`), http.StatusNotFound, "NOT_FOUND")
		requireProblem(t, b.matching(t, http.MethodDelete, unknown, "", `"1","2"`), http.StatusNotFound, "NOT_FOUND")
	}

	tag := read.header.Get("ETag")
	next := func(a response, status int) {
		t.Helper()
		require.Equal(t, status, a.status, a.body)
		require.NotEqual(t, tag, a.header.Get("ETag"))
		tag = a.header.Get("ETag")
		require.Equal(t, b.get(t, path).header.Get("ETag"), tag, "the response of a change has the tag of a read")
	}
	next(b.matching(t, http.MethodPatch, path, `{"title":"B"}`, tag), http.StatusOK)
	next(b.matching(t, http.MethodPost, path+"/blocks", aLink, tag), http.StatusCreated)
	next(b.matching(t, http.MethodPatch, path+"/blocks/"+block, `{"isVisible":false}`, `"1" , `+tag), http.StatusOK)
	next(b.matching(t, http.MethodPost, path+"/publish", "", tag), http.StatusOK)
	next(b.matching(t, http.MethodPost, path+"/unpublish", "", tag), http.StatusOK)
	next(b.matching(t, http.MethodPatch, path, `{"title":"C"}`, "*"), http.StatusOK)
	require.Equal(t, http.StatusNoContent, b.matching(t, http.MethodDelete, path+"/blocks/"+block, "", tag).status)
	requireProblem(t, b.matching(t, http.MethodDelete, path, "", tag), http.StatusPreconditionFailed,
		"PRECONDITION_FAILED")
	require.Equal(t, http.StatusNoContent, b.matching(t, http.MethodDelete, path, "",
		b.get(t, path).header.Get("ETag")).status)
}

// TestConcurrentEditsOfSameVersionConflict checks that only one of several changes to the same version succeeds.
func TestConcurrentEditsOfSameVersionConflict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours)
	var created, refused atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			switch a := b.matching(t, http.MethodPost, path+"/blocks", aLink, `"1"`); a.status {
			case http.StatusCreated:
				created.Add(1)
			case http.StatusPreconditionFailed:
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, created.Load())
	require.EqualValues(t, 7, refused.Load())
}

// TestConditionalReads covers 304 Not Modified (RFC 9110, section 13.1.2).
func TestConditionalReads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours)
	read := func(tag string) response {
		t.Helper()
		return b.do(t, request{
			method: http.MethodGet, path: path, key: b.ours.key, header: map[string]string{"If-None-Match": tag},
		})
	}
	for _, tag := range []string{`"1"`, `W/"1"`, `"7", "1"`, "*"} {
		same := read(tag)
		require.Equal(t, http.StatusNotModified, same.status, tag)
		require.Empty(t, same.body)
		require.Equal(t, `"1"`, same.header.Get("ETag"))
	}
	require.Equal(t, http.StatusOK, read(`"2"`).status)
	require.Equal(t, http.StatusCreated, b.post(t, path+"/blocks", aLink).status)
	require.Equal(t, http.StatusOK, read(`"1"`).status)
}

// TestConditionsAndKeys checks that a repeated change with the same key gets the stored response, even after later
// changes.
func TestConditionsAndKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.linkPage(t, b.ours) + "/blocks"
	send := func() response {
		return b.do(t, request{
			method: http.MethodPost, path: path, key: b.ours.key, contentType: "application/json", body: aLink,
			header: map[string]string{"If-Match": `"1"`, headerOnce: "k"},
		})
	}
	first := send()
	require.Equal(t, http.StatusCreated, first.status)
	require.Equal(t, `"2"`, first.header.Get("ETag"))
	again := send()
	requireReplay(t, first, again)
	require.Empty(t, again.header.Get("ETag"), "it might be an old one")
}
