package httpapi_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// reads parses a body of one type, and checks the value if it has no faults.
type reads func(body []byte) (value any, faults []apperr.Field, err error)

func readerOf[T any](t testing.TB, registry huma.Registry) reads {
	t.Helper()
	reader, err := jsonbody.New[T](registry, registry.Schema(reflect.TypeFor[T](), true, ""), false)
	require.NoError(t, err)
	return func(body []byte) (any, []apperr.Field, error) { return reader.Read(body) }
}

// bodyReaders returns the parsers of all operations.
func bodyReaders(t testing.TB) []reads {
	t.Helper()
	_, err := httpapi.OpenAPI() // initializes the framework
	require.NoError(t, err)
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	return []reads{
		readerOf[apiforms.CreatePosts](t, registry), readerOf[apiforms.CreateBulk](t, registry),
		readerOf[apiforms.CreateYouTube](t, registry),
		readerOf[apiforms.CreateTikTok](t, registry), readerOf[apiforms.CreatePinterest](t, registry),
		readerOf[apiforms.CreateLinkedIn](t, registry),
		readerOf[apiforms.EditPost](t, registry), readerOf[apiforms.SchedulePost](t, registry),
		readerOf[apiforms.Decision](t, registry),
		readerOf[apiforms.CreateWebhook](t, registry), readerOf[apiforms.ImportMedia](t, registry),
		readerOf[apiforms.StartUpload](t, registry),
		readerOf[apiforms.CreateIdeaCard](t, registry), readerOf[apiforms.CreateLinkPage](t, registry),
		readerOf[apiforms.UpdateLinkPage](t, registry),
		readerOf[apiforms.AddLinkPageBlock](t, registry), readerOf[apiforms.UpdateLinkPageBlock](t, registry),
		readerOf[apiforms.OrderLinkBlocks](t, registry),
	}
}

// FuzzBodies sends every body to every operation. Either all or none of them reject it as malformed. A type can hold
// every value that its schema allows, and an accepted value can be processed.
func FuzzBodies(f *testing.F) {
	f.Add(
		[]byte(
			`{"channelIds":["0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"],"content":"x","title":null,"contentType":"REEL","schedule":"2026-03-01T09:00:00+02:00"}`))
	f.Add([]byte(`{"posts":[{"x":1e400,"y":-0.0,"z":9007199254740993},[],null]}`))
	f.Add(
		[]byte(
			`{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","title":"t","mediaId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","madeForKids":true,"license":"youtube"}`))
	f.Add(
		[]byte(
			`{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","mediaIds":["0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"],"boardId":"b","link":"https://e.x"}`))
	f.Add([]byte(`{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","content":"x","visibility":"CONNECTIONS"}`))
	f.Add(
		[]byte(
			`{"url":"https://e.x/a.png","name":null,"sourceUrl":"x","fileName":"a.png","contentType":"image/png","sizeBytes":9223372036854775807}`))
	f.Add(
		[]byte(
			`{"mediaIds":["x"],"options":{"visibility":null,"allowDuet":true},"scheduledAt":"0001-01-01T00:00:00Z","content":""}`))
	f.Add([]byte(`{"options":null,"scheduledAt":null,"mediaIds":[]}`))
	f.Add([]byte(`{"schedule":"next_slot","comment":null}`))
	f.Add([]byte(`{"url":"https://hooks.example.com","events":["*"],"description":"d"}`))
	f.Add(
		[]byte(
			`{"title":"t","content":null,"columnId":null,"position":0,"labelIds":["0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"],"link":"https://e.x/ä"}`))
	f.Add(
		[]byte(
			`{"handle":"mara","title":"M","bio":null,"seo":{"imageMediaId":null,"noIndex":true},"theme":{"name":"OCEAN","accentColor":"#0b7189"}}`))
	f.Add(
		[]byte(
			`{"type":"FAQ","settings":{"title":"t","items":[{"question":"q","answer":"a"}]},"isVisible":false,"showUntil":"2026-03-01T09:00:00Z","position":0}`))
	f.Add(
		[]byte(
			`{"type":"PRODUCT","settings":{"name":"n","url":"https://e.x","price":"1.5","currency":"EUR","imageMediaId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59"}}`))
	f.Add([]byte(`{"settings":{"rating":1e400,"endsAt":"Infinity","a":{"a":null}},"showFrom":null}`))
	readers := bodyReaders(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _, first := readers[0](bytes.Clone(body))
		for _, read := range readers {
			value, faults, err := read(bytes.Clone(body))
			require.Equal(t, first == nil, err == nil)
			if err != nil {
				require.Equal(t, apperr.MalformedRequest, apperr.CodeOf(err), "%v", err)
				continue
			}
			if len(faults) == 0 {
				actOnLinkPages(t, value)
			}
			if edit, ok := value.(apiforms.EditPost); ok && len(faults) == 0 {
				_, err := edit.Edit(post.Post{Options: post.Options{Visibility: "PUBLIC", Link: "https://e.x"}})
				require.NoError(t, err)
			}
		}
		if first == nil {
			requireSameFingerprint(t, body)
		}
	})
}

// actOnLinkPages creates or changes a link page with a body. The only allowed error is a validation error with faults.
func actOnLinkPages(t *testing.T, value any) {
	t.Helper()
	page, block, err := linkpage.Page{Draft: linkpage.Content{Title: "x"}}.AddBlock(linkpage.NewBlock{
		Type: "TESTIMONIAL", Settings: []byte(`{"quote":"q","author":"a"}`),
	}, time.Now())
	require.NoError(t, err)
	switch b := value.(type) {
	case apiforms.CreateLinkPage:
		_, err = linkpage.Create(b.Command(), time.Now())
	case apiforms.UpdateLinkPage:
		_, err = page.Edit(b.Edit(), time.Now())
	case apiforms.AddLinkPageBlock:
		in, failed := b.Command()
		require.NoError(t, failed)
		_, _, err = page.AddBlock(in, time.Now())
	case apiforms.UpdateLinkPageBlock:
		in, failed := b.Edit()
		require.NoError(t, failed)
		_, _, err = page.EditBlock(block.ID, in, time.Now())
	}
	if err != nil {
		require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err), "%v", err)
	}
}

// requireSameFingerprint reformats the body without a change of content.
func requireSameFingerprint(t *testing.T, body []byte) {
	t.Helper()
	want, err := httpapi.Fingerprint(body)
	require.NoError(t, err)
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // keeps numbers unchanged
	require.NoError(t, decoder.Decode(&value))
	other, err := json.MarshalIndent(value, " ", "\t")
	require.NoError(t, err)
	got, err := httpapi.Fingerprint(other)
	require.NoError(t, err)
	require.Equal(t, want, got, "%s", other)
}
