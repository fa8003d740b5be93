package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform/platformtest"
)

// begin starts an upload as the organization and returns LinkedIn's response.
func (b *bundle) begin(t *testing.T, kind, more string, header ...string) reply {
	t.Helper()
	owner := linkedinFirm
	if len(header) > 0 {
		owner = linkedinMember
	}
	return b.linkedin(t, http.MethodPost, "/rest/"+kind+"?action=initializeUpload",
		fmt.Sprintf(`{"initializeUploadRequest":{"owner":%q%s}}`, owner, more), header...)
}

// put sends bytes to the address of an upload.
func (b *bundle) put(t *testing.T, address, bearer string, body []byte) reply {
	t.Helper()
	return b.call(t.Context(), t, http.MethodPut, strings.TrimPrefix(address, b.server.URL), bearer,
		"application/octet-stream", string(body))
}

// asset returns the state of an asset.
func (b *bundle) asset(t *testing.T, kind, urn string, header ...string) reply {
	t.Helper()
	return b.linkedin(t, http.MethodGet, "/rest/"+kind+"/"+url.PathEscape(urn), "", header...)
}

// uploadImage uploads an image and returns its URN.
func (b *bundle) uploadImage(t *testing.T, picture platformtest.Attachment) string {
	t.Helper()
	begun := b.begin(t, "images", "")
	require.Equal(t, http.StatusOK, begun.status, begun.body)
	require.Equal(t, http.StatusCreated, b.put(t, begun.text(t, "value", "uploadUrl"), pageToken, picture.Bytes).status)
	b.clock.Advance(time.Second)
	return begun.text(t, "value", "image")
}

// shareWith publishes a post with the content as the organization.
func (b *bundle) shareWith(t *testing.T, text, content string, header ...string) reply {
	t.Helper()
	author := linkedinFirm
	if len(header) > 0 {
		author = linkedinMember
	}
	body := strings.Replace(linkedinBody(author, text, "PUBLIC"), "{", `{"content":`+content+",", 1)
	return b.linkedin(t, http.MethodPost, "/rest/posts", body, header...)
}

func TestLinkedInTakesImages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	picture := platformtest.Picture(t, 1)
	begun := b.begin(t, "images", "")
	require.Equal(t, http.StatusOK, begun.status, begun.body)
	urn, address := begun.text(t, "value", "image"), begun.text(t, "value", "uploadUrl")
	require.Regexp(t, `^urn:li:image:C4E22AQ[A-Z2-7]+$`, urn)
	require.Equal(t, "WAITING_UPLOAD", b.asset(t, "images", urn).text(t, "status"))
	waiting := b.shareWith(t, "early", `{"media":{"id":"`+urn+`"}}`)
	require.Equal(t, http.StatusBadRequest, waiting.status)
	require.Equal(t, "MEDIA_ASSET_WAITING_UPLOAD", waiting.text(t, "code"))

	require.Equal(t, http.StatusUnauthorized, b.put(t, address, "", picture.Bytes).status)
	require.Equal(t, http.StatusForbidden, b.put(t, strings.Replace(address, "ut=", "ut=x", 1), pageToken, picture.Bytes).status)
	half := len(picture.Bytes) / 2
	require.Equal(t, http.StatusCreated, b.put(t, address, pageToken, picture.Bytes[half:]).status)
	b.clock.Advance(time.Second)
	require.Equal(t, "PROCESSING_FAILED", b.asset(t, "images", urn).text(t, "status"), "chunks replace each other")
	failed := b.shareWith(t, "failed", `{"media":{"id":"`+urn+`"}}`)
	require.Equal(t, "MEDIA_ASSET_PROCESSING_FAILED", failed.text(t, "code"))
	require.Equal(t, http.StatusCreated, b.put(t, address, pageToken, picture.Bytes).status)
	require.Equal(t, "PROCESSING", b.asset(t, "images", urn).text(t, "status"))
	b.restart(t)
	b.clock.Advance(time.Second)
	require.Equal(t, "AVAILABLE", b.asset(t, "images", urn).text(t, "status"))

	created := b.shareWith(t, "", `{"media":{"id":"`+urn+`","altText":"squares"}}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	published := b.posts(t, "")[0]
	require.Contains(t, fmt.Sprint(published["media"]), picture.SHA256())
	require.Contains(t, fmt.Sprint(published["media"]), "altText:squares")
	require.Contains(t, b.shares(t, linkedinFirm, "").body, `"media":{"altText":"squares","id":"`+urn+`"}`)
}

func TestLinkedInTakesAlbumsAndCards(t *testing.T) {
	t.Parallel()

	b := setup(t)
	first, second := b.uploadImage(t, platformtest.Picture(t, 1)), b.uploadImage(t, platformtest.Picture(t, 2))
	album := b.shareWith(t, "album", `{"multiImage":{"images":[{"id":"`+second+`"},{"id":"`+first+`","altText":"a"}]}}`)
	require.Equal(t, http.StatusCreated, album.status, album.body)
	require.Contains(t, b.shares(t, linkedinFirm, "").body, `"multiImage":{"images":[{"id":"`+second+`"}`)
	card := b.shareWith(t, "card", `{"article":{"source":"https://example.com/a","title":"A","thumbnail":"`+first+`"}}`)
	require.Equal(t, http.StatusCreated, card.status, card.body)
	published := b.posts(t, "?limit=1")[0]
	require.Equal(t, "https://example.com/a", published["link"])
	require.Equal(t, "A", published["title"])
	require.Contains(t, b.shares(t, linkedinFirm, "").body, `"thumbnail":"`+first+`"`)

	for name, content := range map[string]string{
		"nothing":        `{}`,
		"two kinds":      `{"media":{"id":"` + first + `"},"article":{"source":"https://example.com","title":"A"}}`,
		"one image":      `{"multiImage":{"images":[{"id":"` + first + `"}]}}`,
		"unknown":        `{"media":{"id":"urn:li:image:none"}}`,
		"no URN":         `{"media":{"id":"none"}}`,
		"no title":       `{"article":{"source":"https://example.com"}}`,
		"no link":        `{"article":{"source":"example","title":"A"}}`,
		"a title inside": `{"multiImage":{"images":[{"id":"` + first + `","title":"A"},{"id":"` + second + `"}]}}`,
		"unknown member": `{"media":{"id":"` + first + `","name":"A"}}`,
		"long alt text":  `{"media":{"id":"` + first + `","altText":"` + strings.Repeat("a", 4087) + `"}}`,
	} {
		require.Equal(t, http.StatusBadRequest, b.shareWith(t, "t", content).status, name)
	}
	foreign := b.shareWith(t, "t", `{"media":{"id":"`+first+`"}}`, asMember()...)
	require.Equal(t, "INVALID_CONTENT_OWNERSHIP", foreign.text(t, "code"))
}

func TestLinkedInTakesVideos(t *testing.T) {
	t.Parallel()

	b := setup(t)
	video := platformtest.Video(5 << 20)
	more := fmt.Sprintf(`,"fileSizeBytes":%d,"uploadCaptions":false,"uploadThumbnail":false`, len(video.Bytes))
	begun := b.begin(t, "videos", more, asMember()...)
	require.Equal(t, http.StatusOK, begun.status, begun.body)
	urn := begun.text(t, "value", "video")
	instructions, ok := begun.at(t, "value", "uploadInstructions").([]any)
	require.True(t, ok)
	require.Len(t, instructions, 2)
	finalize := func(tags ...string) reply {
		quoted, err := json.Marshal(append([]string{}, tags...))
		require.NoError(t, err)
		return b.linkedin(t, http.MethodPost, "/rest/videos?action=finalizeUpload", fmt.Sprintf(
			`{"finalizeUploadRequest":{"video":%q,"uploadToken":"","uploadedPartIds":%s}}`, urn, quoted), asMember()...)
	}
	var tags []string
	for _, one := range instructions {
		part, ok := one.(map[string]any)
		require.True(t, ok)
		address := fmt.Sprint(part["uploadUrl"])
		first, isNumber := part["firstByte"].(float64)
		require.True(t, isNumber)
		last, isNumber := part["lastByte"].(float64)
		require.True(t, isNumber)
		from, to := int(first), int(last)
		require.Equal(t, http.StatusBadRequest, b.put(t, address, "", video.Bytes[from:to]).status, "a byte is missing")
		require.Equal(t, "MEDIA_ASSET_WAITING_UPLOAD", finalize(tags...).text(t, "code"))
		sent := b.put(t, address, "", video.Bytes[from:to+1])
		require.Equal(t, http.StatusOK, sent.status, "the address is signed")
		tags = append(tags, sent.header.Get("Etag"))
	}
	require.Equal(t, "INVALID_VALUE_FOR_FIELD", finalize(tags[1], tags[0]).text(t, "code"))
	require.Equal(t, http.StatusOK, finalize(tags...).status)
	require.Equal(t, "UPDATING_ASSET_FAILED", finalize(tags...).text(t, "code"))
	require.Equal(t, "PROCESSING", b.asset(t, "videos", urn, asMember()...).text(t, "status"), "members may read videos")
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusCreated, b.shareWith(t, "video", `{"media":{"id":"`+urn+`","title":"Our video"}}`, asMember()...).status)
	published := b.posts(t, "")[0]
	require.Equal(t, "Our video", published["title"])
	require.Contains(t, fmt.Sprint(published["media"]), video.SHA256())
}

func TestLinkedInRefusesUploads(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const size = `,"fileSizeBytes":%d,"uploadCaptions":false,"uploadThumbnail":false`
	for name, test := range map[string]struct {
		kind, more string
		header     []string
		status     int
	}{
		"another's":        {"images", "", []string{"Authorization", "Bearer sandbox-linkedin-other"}, 403},
		"size of an image": {"images", `,"fileSizeBytes":1`, nil, 400},
		"no size":          {"videos", "", nil, 400},
		"small":            {"videos", fmt.Sprintf(size, 75<<10-1), nil, 400},
		"large":            {"videos", fmt.Sprintf(size, 500<<20+1), nil, 400},
		"unknown member":   {"documents", `,"name":"x"`, nil, 400},
		"no version":       {"documents", "", append(asMember(), "LinkedIn-Version", ""), 400},
	} {
		require.Equal(t, test.status, b.begin(t, test.kind, test.more, test.header...).status, name)
	}
	require.Equal(t, http.StatusBadRequest, b.linkedin(t, http.MethodPost, "/rest/images?action=finalizeUpload", "{}").status)
	require.Equal(t, http.StatusNotFound, b.asset(t, "images", "urn:li:image:none").status)

	paper := b.begin(t, "documents", "", asMember()...)
	urn := paper.text(t, "value", "document")
	require.Equal(t, http.StatusForbidden, b.asset(t, "documents", urn, asMember()...).status, "members cannot read documents")
	require.Equal(t, http.StatusForbidden, b.asset(t, "documents", urn).status, "nor can others")
	require.Equal(t, http.StatusCreated,
		b.put(t, paper.text(t, "value", "uploadUrl"), memberToken, platformtest.Document().Bytes).status)
	b.clock.Advance(time.Second)
	require.Equal(t, "MISSING_FIELD", b.shareWith(t, "t", `{"media":{"id":"`+urn+`"}}`, asMember()...).text(t, "code"))
	require.Equal(t, http.StatusCreated,
		b.shareWith(t, "t", `{"media":{"id":"`+urn+`","title":"Prices"}}`, asMember()...).status)
	b.clock.Advance(24 * time.Hour)
	require.Equal(t, http.StatusForbidden,
		b.put(t, paper.text(t, "value", "uploadUrl"), memberToken, platformtest.Document().Bytes).status, "expired")
}
