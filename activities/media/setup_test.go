package media_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
)

// TestMain lets the test binary act as the child process that opens files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == mediabox.Argument {
		syscall.Exit(mediabox.Main(os.Args[2:], os.Stdout)) // os.Exit takes a second under the race detector
	}
	os.Exit(m.Run())
}

// bundle holds the dependencies of the activities: a database, a bucket, a proxy to the bucket that can fail, and a
// file server.
type bundle struct {
	importer  *mediaactivity.Importer
	processor *mediaactivity.Processor
	files     *mediaactivity.Files
	converter *mediaactivity.Converter
	box       *box
	log       *proctest.Log

	db       *postgres.DB
	address  string // of the database
	imports  *postgres.Imports
	media    *postgres.Media
	usage    *postgres.Usage
	loose    *postgres.Loose
	keyring  *secretbox.Keyring
	owner    workspace.Workspace
	objects  *objectstore.Store // without the proxy
	proxy    *objectstoretest.Proxy
	wire     *wire // between the activities and the proxy
	folder   string
	policy   *egress.Policy
	server   *httptest.Server
	mu       sync.Mutex
	handle   http.HandlerFunc
	requests int
}

// setup creates a workspace with the plan.
func setup(t testing.TB, plan workspace.Plan) *bundle {
	t.Helper()
	b := &bundle{box: &box{}, log: &proctest.Log{}, folder: t.TempDir(), wire: &wire{}}
	b.db, b.address = postgrestest.OpenURL(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	b.keyring, err = secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b.imports, b.media, b.usage, b.loose = postgres.NewImports(b.db,
		b.keyring), postgres.NewMedia(b.db), postgres.NewUsage(b.db), postgres.NewLoose(b.db)
	b.owner = workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: plan, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), b.owner))

	config := objectstoretest.Config(t)
	b.objects = objectstoretest.New(t, config)
	b.proxy = objectstoretest.NewProxy(t, config.Endpoint)
	config.Endpoint, config.PublicEndpoint = b.proxy.Endpoint(), config.Endpoint
	config.CallTimeout, config.FinishTimeout, config.StallTimeout = 5*time.Second, 5*time.Second, 5*time.Second
	b.wire.next = objectstore.NewTransport(nil)
	config.Transport = b.wire
	objects := objectstoretest.New(t, config)

	b.server = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(b.server.Close)
	b.policy, err = egress.NewPolicy(egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	require.NoError(t, err)
	b.build(t, objects, clock.System())
	return b
}

// build creates the activities.
func (b *bundle) build(t testing.TB, objects *objectstore.Store, now clock.Clock) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	metrics := mediaactivity.NewMetrics(prometheus.NewRegistry())
	downloader, err := egress.NewDownloader(egress.DownloaderConfig{Policy: b.policy, UserAgent: "test/1"})
	require.NoError(t, err)
	b.importer, err = mediaactivity.NewImporter(mediaactivity.ImporterConfig{
		Imports: b.imports, Workspaces: postgres.NewWorkspaces(b.db), Usage: b.usage, Loose: b.loose, Objects: objects,
		Media: b.media, Downloader: downloader, Box: b.box, Folder: b.folder, Clock: now, Logger: logger, Metrics: metrics,
	})
	require.NoError(t, err)
	b.processor, err = mediaactivity.NewProcessor(mediaactivity.ProcessorConfig{
		Media: b.media, Loose: b.loose, Objects: objects, Box: b.box, Folder: b.folder, Clock: now, Logger: logger,
		Metrics: metrics,
	})
	require.NoError(t, err)
	b.files, err = mediaactivity.NewFiles(mediaactivity.FilesConfig{
		Loose: b.loose, Objects: objects, Box: b.box, Folder: b.folder, Logger: logger,
	})
	require.NoError(t, err)
	b.converter, err = mediaactivity.NewConverter(mediaactivity.ConverterConfig{
		Renditions: postgres.NewRenditions(b.db), Files: b.files, Box: b.box,
	})
	require.NoError(t, err)
}

func (b *bundle) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.requests++
	handle := b.handle
	b.mu.Unlock()
	handle(w, r)
}

// wire forwards the activities' requests to the store, and lets a test intercept one of them.
type wire struct {
	next http.RoundTripper

	mu    sync.Mutex
	match func(*http.Request) bool
	do    func(*http.Request) (*http.Response, error) // no response and no error: the request is forwarded
}

// at calls do at the first matching request.
func (w *wire) at(match func(*http.Request) bool, do func(*http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.match, w.do = match, do
}

// RoundTrip forwards or intercepts the request.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	w.mu.Lock()
	hit := w.match != nil && w.match(request)
	if hit {
		w.match = nil
	}
	w.mu.Unlock()
	if hit {
		if response, err := w.do(request); response != nil || err != nil {
			return response, err
		}
	}
	return w.next.RoundTrip(request)
}

// box replaces the child process.
type box struct {
	render  func(ctx context.Context, path string) (mediabox.Result, error)
	convert func(ctx context.Context, path string, to mediabox.Target, into *os.File) (mediabox.Converted, error)
	trim    func(ctx context.Context, path string, part mediabox.Part, into *os.File) (mediabox.Stripped, error)
	strip   func(ctx context.Context, path string, into *os.File) (mediabox.Stripped, error)
}

// Convert returns the scripted result.
func (b *box) Convert(
	ctx context.Context, path string, to mediabox.Target, into *os.File,
) (mediabox.Converted, error) {
	if b.convert != nil {
		return b.convert(ctx, path, to, into)
	}
	n, err := into.WriteString("a rendition")
	return mediabox.Converted{ContentType: media.ContentTypeJPEG, Width: 4, Height: 3, Size: int64(n)}, err
}

// Trim returns the scripted result.
func (b *box) Trim(
	ctx context.Context, path string, part mediabox.Part, into *os.File,
) (mediabox.Stripped, error) {
	if b.trim != nil {
		return b.trim(ctx, path, part, into)
	}
	n, err := into.Write(video(1000))
	return mediabox.Stripped{ContentType: media.ContentTypeMP4, Size: int64(n)}, err
}

// Render returns the scripted result.
func (b *box) Render(ctx context.Context, path string) (mediabox.Result, error) {
	if b.render != nil {
		return b.render(ctx, path)
	}
	return mediabox.Result{Probe: mediabox.Probe{Width: 8, Height: 6}, Thumbnail: mediabox.Thumbnail{
		Data: []byte("a thumbnail"), ContentType: media.ContentTypeJPEG, Width: 8, Height: 6,
	}}, nil
}

// Strip returns the scripted result. Pictures need no child process.
func (b *box) Strip(ctx context.Context, path string, into *os.File) (mediabox.Stripped, error) {
	if b.strip != nil {
		return b.strip(ctx, path, into)
	}
	return (&mediabox.Box{}).Strip(ctx, path, into)
}

// realBox processes files with a real child process.
func (b *bundle) realBox(t *testing.T) {
	t.Helper()
	opener := opener(t)
	b.box.render, b.box.convert, b.box.strip, b.box.trim = opener.Render, opener.Convert, opener.Strip, opener.Trim
}

func opener(t *testing.T) *mediabox.Box {
	t.Helper()
	opener, err := mediabox.New(t.Context(), mediabox.Config{
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler), Concurrency: 1,
	})
	require.NoError(t, err)
	return opener
}

// request starts an import of the file that the handler serves.
func (b *bundle) request(t testing.TB, handle http.HandlerFunc) media.Import {
	t.Helper()
	b.mu.Lock()
	b.handle = handle
	b.mu.Unlock()
	now := time.Now().UTC()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: b.server.URL + "/pictures/cat.jpg?token=secret",
		SourceURL: "https://example.com/cat", CreatedAt: now, Deadline: now.Add(media.ImportLife),
	}
	b.insert(t, i)
	return i
}

func (b *bundle) insert(t testing.TB, i media.Import) {
	t.Helper()
	_, err := b.imports.Insert(t.Context(), i, nil)
	require.NoError(t, err)
}

func inputOf(i media.Import) flow.MediaInput {
	return flow.MediaInput{MediaID: i.ID, WorkspaceID: i.WorkspaceID}
}

// arrived creates an asset whose file is in storage.
func (b *bundle) arrived(t *testing.T, contentType string, content []byte) media.Asset {
	t.Helper()
	kind, ok := media.TypeOf(contentType)
	require.True(t, ok)
	key := media.NewKey()
	stored := b.put(t, key, contentType, content)
	require.NoError(t, b.usage.Reserve(t.Context(), b.owner.ID, stored.Size, b.owner.Plan.Limits()))
	return postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, Name: "cat", Type: kind, ContentType: contentType,
		Size:      stored.Size,
		CreatedAt: time.Now().UTC(), Files: media.Files{Original: media.Object{Key: key, ETag: stored.ETag}},
	})
}

func (b *bundle) put(t *testing.T, key, contentType string, content []byte) objectstore.Stored {
	t.Helper()
	stored, err := b.objects.Put(t.Context(), objectstore.PutRequest{
		Key: key, Body: bytes.NewReader(content), Size: int64(len(content)), ContentType: contentType,
	})
	require.NoError(t, err)
	return stored
}

func (b *bundle) process(t *testing.T, asset media.Asset) media.Asset {
	t.Helper()
	_, err := b.processor.Process(t.Context(), flow.MediaInput{MediaID: asset.ID, WorkspaceID: asset.WorkspaceID})
	require.NoError(t, err)
	return b.reload(t, asset.ID)
}

func (b *bundle) reload(t *testing.T, id ident.Media) media.Asset {
	t.Helper()
	asset, err := b.media.Get(t.Context(), b.owner.ID, id)
	require.NoError(t, err)
	return asset
}

func (b *bundle) read(t *testing.T, key string) []byte {
	t.Helper()
	reader, err := b.objects.Open(t.Context(), key, objectstore.Range{})
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	content, err := io.ReadAll(reader)
	require.NoError(t, err)
	return content
}

func (b *bundle) keys(t *testing.T) []string {
	t.Helper()
	keys := []string{}
	for info, err := range b.objects.List(t.Context(), "", time.Time{}) {
		require.NoError(t, err)
		keys = append(keys, info.Key)
	}
	return keys
}

// sweep expires all loose objects and deletes them. Afterwards storage contains exactly the objects of the assets: no
// object without a row, and no row without its object.
func (b *bundle) sweep(t *testing.T, assets ...media.Asset) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE loose_object SET delete_after = now()`)
	_, err := b.loose.Sweep(t.Context(), 100, b.objects.Delete)
	require.NoError(t, err)
	want := []string{}
	for _, asset := range assets {
		want = append(want, asset.Files.Keys()...)
	}
	require.ElementsMatch(t, want, b.keys(t))
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT key FROM loose_object`))
}

func (b *bundle) storage(t *testing.T) int64 {
	t.Helper()
	used, err := b.usage.Get(t.Context(), b.owner.ID)
	require.NoError(t, err)
	return used.StorageBytes
}

func picture() image.Image {
	shown := image.NewRGBA(image.Rect(0, 0, 80, 60))
	for x := range 80 {
		for y := range 60 {
			shown.Set(x, y, color.RGBA{R: uint8(3 * x), G: uint8(4 * y), B: 90, A: 255})
		}
	}
	return shown
}

// whereabouts is metadata embedded in images.
const whereabouts = "48.8584 N, 2.2945 E, Jane's telephone"

// jpegFile returns an image with the location where it was taken.
func jpegFile(t testing.TB) []byte {
	t.Helper()
	var plain bytes.Buffer
	require.NoError(t, jpeg.Encode(&plain, picture(), nil))
	segment := append([]byte{0xFF, 0xFE, 0, byte(2 + len(whereabouts))}, whereabouts...)
	return append(append([]byte{0xFF, 0xD8}, segment...), plain.Bytes()[2:]...)
}

// pngFile returns an image without metadata.
func pngFile(t testing.TB) []byte {
	t.Helper()
	var plain bytes.Buffer
	require.NoError(t, png.Encode(&plain, picture()))
	return plain.Bytes()
}

// video returns a file that passes for a video unless it is decoded.
func video(size int) []byte {
	return append([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), bytes.Repeat([]byte{1}, size)...)
}

// abort closes the connection after the bytes written so far.
func abort(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = control.Flush()
	if conn, _, err := control.Hijack(); err == nil {
		_ = conn.Close()
	}
}

func serveFile(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(content)
	}
}
