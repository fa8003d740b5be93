package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/platform/platformtest"
)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// processed waits until the asset is processed and has a thumbnail.
func processed(t *testing.T, s *harness.System, id string) fencepost.Media {
	t.Helper()
	var got fencepost.Media
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got = s.Media(id)
		require.NotNil(c, got.ThumbnailURL)
	}, 3*soon, 50*time.Millisecond) // what converts has the lowest priority beside other tests
	return got
}

// page is the response of an address.
type page struct {
	status int
	header http.Header
	body   []byte
}

// fetch requests an address as a browser does.
func fetch(t *testing.T, address string) page {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return page{response.StatusCode, response.Header, body}
}

func TestPictureIsPublished(t *testing.T) {
	t.Parallel()
	s := running(t)
	data := harness.Picture(t, 1)
	asset := s.Upload("spring <b>.jpg", "image/jpeg", data)
	asset = processed(t, s, asset.ID)

	got := fetch(t, asset.URL)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, data, got.body)
	require.Equal(t, "image/jpeg", got.header.Get("Content-Type"))
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox")
	got = fetch(t, *asset.ThumbnailURL)
	require.Equal(t, "image/jpeg", got.header.Get("Content-Type"))
	small, _, err := image.DecodeConfig(bytes.NewReader(got.body))
	require.NoError(t, err)
	require.Equal(t, 640, small.Width)

	types := []channel.Type{
		channel.InstagramProfessional, channel.Twitter, channel.Threads, channel.TelegramChannel, channel.LinkedInProfile,
		channel.LinkedInPage,
	}
	for _, typ := range types {
		text := "A picture on " + string(typ)
		p := s.CreateWith(typ, fencepost.ContentTypePOST, text, harness.At(time.Now().Add(time.Second)), asset.ID)
		published := settled(t, s, p.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%s: %+v", typ, published.Error)
		entries := s.Sandbox.Accepted(text)
		require.Len(t, entries, 1)
		require.Len(t, entries[0].Media, 1)
		require.Equal(t, hashOf(data), entries[0].Media[0].SHA256, "%s got other bytes", typ)
	}
	refused := requireProblem(t, s.API.Media.Delete(t.Context(), asset.ID), http.StatusConflict, fencepost.ProblemCodeMediaInUse)
	require.Len(t, refused.References, len(types))
}

func TestAlbumsKeepOrder(t *testing.T) {
	t.Parallel()
	s := running(t)
	var ids, sums []string
	for _, n := range []int{3, 1, 4, 2} {
		data := harness.Picture(t, n)
		ids, sums = append(ids, s.Upload(fmt.Sprintf("%d.jpg", n), "image/jpeg", data).ID), append(sums, hashOf(data))
	}
	for _, typ := range []channel.Type{
		channel.InstagramProfessional, channel.Twitter, channel.Threads, channel.TelegramChannel, channel.LinkedInProfile,
		channel.LinkedInPage,
	} {
		text := "An album on " + string(typ)
		p := s.CreateWith(typ, fencepost.ContentTypePOST, text, "now", ids...)
		published := settled(t, s, p.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%s: %+v", typ, published.Error)
		entries := s.Sandbox.Accepted(text)
		require.Len(t, entries, 1)
		var got []string
		for _, f := range entries[0].Media {
			got = append(got, f.SHA256)
		}
		require.Equal(t, sums, got, "%s", typ)
	}
}

// TestEveryKindOfFileIsPublished publishes documents and videos, also with a lost response, and compares the bytes.
func TestEveryKindOfFileIsPublished(t *testing.T) {
	t.Parallel()
	s := running(t)
	paper := s.Upload("prices.pdf", "application/pdf", platformtest.Document().Bytes)
	video := s.Upload("video.mp4", "video/mp4", harness.Video(t, 200_000))
	picture := s.Upload("picture.jpg", "image/jpeg", harness.Picture(t, 2))
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, soon, 100*time.Millisecond)
	for _, test := range []struct {
		typ  channel.Type
		kind fencepost.ContentType
		file fencepost.Media
		lost bool
	}{
		{channel.LinkedInProfile, fencepost.ContentTypePOST, paper, false},
		{channel.LinkedInProfile, fencepost.ContentTypeVideo, video, false},
		{channel.LinkedInPage, fencepost.ContentTypePOST, paper, true},
		{channel.LinkedInPage, fencepost.ContentTypeVideo, video, true},
		{channel.LinkedInPage, fencepost.ContentTypePOST, picture, true},
	} {
		text := fmt.Sprintf("A %s on %s, lost: %t", test.file.Type, test.typ, test.lost)
		if test.lost {
			s.Sandbox.Inject(harness.Fault{
				Platform: string(test.typ.Network()), Step: "commit", Kind: "timeout_after_accept", DelayMs: 500,
			})
		}
		p := s.CreateWith(test.typ, test.kind, text, "now", test.file.ID)
		published := settled(t, s, p.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%s: %+v", text, published.Error)
		require.NotEmpty(t, *published.PostURL)
		entries := s.Sandbox.Accepted(text)
		require.Len(t, entries, 1)
		require.Len(t, entries[0].Media, 1)
		require.Equal(t, publishedSum(t, s, test.file.ID), entries[0].Media[0].SHA256, text)
	}
}

// TestMetadataIsRemoved imports files with metadata about place and device, and checks the files that
// networks received.
func TestMetadataIsRemoved(t *testing.T) {
	t.Parallel()
	s := running(t)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, f := range mediaboxtest.Talkative(t) {
			if r.URL.Path == "/"+f.Name {
				w.Header().Set("Content-Type", "text/html") // must be ignored
				_, _ = w.Write(f.Data)
			}
		}
	}))
	t.Cleanup(source.Close)
	for name, typ := range map[string]channel.Type{
		"place.jpg": channel.Twitter, "talkative.mp4": channel.TelegramChannel,
	} {
		asset, err := s.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: source.URL + "/" + name})
		require.NoError(t, err)
		require.Equal(t, name, asset.Name)
		processed(t, s, asset.ID)
		p := s.CreateWith(typ, fencepost.ContentTypePOST, "About "+name, "now", asset.ID)
		published := settled(t, s, p.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
		got := s.Sandbox.Bytes(s.Sandbox.Accepted("About " + name)[0].Media[0])
		require.NotContains(t, string(got), mediaboxtest.Canary)
		require.NotContains(t, string(got), mediaboxtest.Place)
	}
}

// TestImagesAreConverted publishes images that networks refuse: HEIC, and a PNG with transparency. Networks get a JPEG
// without metadata, which validate has announced.
func TestImagesAreConverted(t *testing.T) {
	t.Parallel()
	s := running(t)
	heic := s.Upload("phone.heic", "image/heic", mediaboxtest.Fixture(t, "talkative.heic"))
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewNRGBA(image.Rect(0, 0, 2_000, 2_500))))
	transparent := s.Upload("clear.png", "image/png", drawn.Bytes())
	for _, c := range []struct {
		typ           channel.Type
		id, announced string
		size          image.Point
	}{
		{channel.Twitter, heic.ID, "Attachment 1, a HEIC image, is sent to X as JPEG, 320 × 240 pixels.", image.Pt(320, 240)},
		{
			channel.InstagramProfessional, transparent.ID, "Attachment 1, a PNG image with 2,000 × 2,500 pixels, is sent to Instagram " +
				"as JPEG, 1,440 × 1,800 pixels.", image.Pt(1_440, 1_800),
		},
	} {
		processed(t, s, c.id)
		text := "Converted for " + string(c.typ)
		result, err := s.API.Posts.Validate(t.Context(), fencepost.CreatePostsRequest{
			ChannelIDs: []string{s.Channels[c.typ].ID.String()}, Content: text, MediaIDs: []string{c.id},
		})
		require.NoError(t, err)
		require.True(t, result.Valid)
		require.Equal(t, c.announced, result.Channels[0].Warnings[0].Message)
		p := s.CreateWith(c.typ, fencepost.ContentTypePOST, text, "now", c.id)
		published := settled(t, s, p.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
		got := s.Sandbox.Bytes(s.Sandbox.Accepted(text)[0].Media[0])
		shown, format, err := image.Decode(bytes.NewReader(got))
		require.NoError(t, err)
		require.Equal(t, "jpeg", format)
		require.Equal(t, c.size, shown.Bounds().Size())
		require.NotContains(t, string(got), mediaboxtest.Canary)
	}
}

// TestHostileFilesAreContained processes a hundred hostile files concurrently. A post that is due meanwhile must be
// published, the worker must survive, no request may be sent to the canary, and no file may be served as a page.
func TestHostileFilesAreContained(t *testing.T) {
	t.Parallel()
	var requested atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requested.Add(1) }))
	t.Cleanup(canary.Close)
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	worker := s.Start("worker", "").Ready()

	files := mediaboxtest.HostileTo(t, canary.URL)
	var taken []string
	for i := 0; len(taken) < 100; i++ {
		f := files[i%len(files)]
		if len(f.Data) == 0 {
			continue
		}
		started := s.StartUpload(f.Name, f.ContentType, len(f.Data))
		s.Put(started, f.Data, http.StatusOK)
		completed, err := s.API.Media.CompleteUpload(t.Context(), started.MediaID)
		if harness.Status(err, http.StatusOK) == http.StatusUnprocessableEntity { // rejected because of its bytes
			require.Less(t, i, 10*len(files), "hardly any file is taken")
			continue
		}
		require.NoError(t, err)
		taken = append(taken, completed.ID)
	}
	p := s.Create(channel.Twitter, "Out on time all the same", harness.At(time.Now().Add(time.Second)))
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, soon).Status)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Empty(c, s.Unprocessed())
	}, 5*time.Minute, 200*time.Millisecond)
	require.Equal(t, 1, worker.Starts(), "the worker died")
	require.Zero(t, requested.Load(), "a file caused a request")
	for _, id := range taken {
		got := fetch(t, s.Media(id).URL)
		require.NotContains(t, got.header.Get("Content-Type"), "html")
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	}
}

// TestObjectStoreFailures stops MinIO in every phase. Requests meanwhile must be rejected with an explanation or completed
// later, and in the end every row has its object and every object has a row. It does not run in parallel, because all
// systems share the store.
func TestObjectStoreFailures(t *testing.T) {
	s := running(t)
	source := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(harness.Picture(t, 5)) }))
	t.Cleanup(source.Close)
	data := harness.Picture(t, 1)
	pending := s.StartUpload("pending.jpg", "image/jpeg", len(data))
	arrived := s.StartUpload("arrived.jpg", "image/jpeg", len(data))
	s.Put(arrived, data, http.StatusOK)
	text := "Waits for the store"
	carried := s.Upload("carried.jpg", "image/jpeg", data)
	processed(t, s, carried.ID)

	harness.Infrastructure(t, "minio/stop")
	up := func() { harness.Infrastructure(t, "minio/start") }
	t.Cleanup(up)
	s.Put(pending, data, http.StatusServiceUnavailable)
	_, err := s.API.Media.CompleteUpload(t.Context(), arrived.MediaID)
	require.Positive(t, requireProblem(t, err, http.StatusServiceUnavailable, fencepost.ProblemCodeUnavailable).RetryAfter)
	imported := make(chan int, 1)
	go func() {
		_, err := s.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: source.URL + "/import.jpg"})
		status := harness.Status(err, http.StatusCreated)
		if status == 0 {
			t.Errorf("the import got no answer: %v", err)
		}
		imported <- status
	}()
	p := s.CreateWith(channel.Twitter, fencepost.ContentTypePOST, text, "now", carried.ID)
	require.Never(t, func() bool { return s.Get(p.ID).Status == fencepost.PostStatusPublished }, 2*time.Second,
		200*time.Millisecond)
	up()

	require.Contains(t, []int{http.StatusCreated, http.StatusServiceUnavailable}, <-imported)
	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, p.ID, 3*soon).Status, "it waited")
	s.Put(pending, data, http.StatusOK)
	for _, u := range []fencepost.MediaUpload{pending, arrived} {
		completed, err := s.API.Media.CompleteUpload(t.Context(), u.MediaID)
		require.NoError(t, err)
		processed(t, s, completed.ID)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, time.Minute,
		200*time.Millisecond)
	s.RequireFilesAgree()
}
