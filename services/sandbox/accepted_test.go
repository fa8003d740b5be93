package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/rules"
)

// TestMain lets the test binary act as the child process that converts files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == mediabox.Argument {
		syscall.Exit(mediabox.Main(os.Args[2:], os.Stdout)) // os.Exit takes a second under the race detector
	}
	os.Exit(m.Run())
}

// TestValidContentIsAccepted checks that the strict sandbox accepts what validation accepts, at the edge of the limits
// too: generated files and texts, converted as they are before they are published, on every network. E2E_MATRIX=all
// checks all files instead of a slice.
func TestValidContentIsAccepted(t *testing.T) {
	t.Parallel()
	const all, batch, stride = 500, 20, 125
	every := os.Getenv("E2E_MATRIX") == "all"
	created := newCorpus(t, !every)
	for _, row := range connectors.Rules().All() {
		t.Run(string(row.Type), func(t *testing.T) {
			t.Parallel()
			var numbers []int
			for n := range all {
				if every || n%stride == 0 {
					numbers = append(numbers, n)
				}
			}
			published := 0
			for some := range slices.Chunk(numbers, batch) { // a network limits a project's posts in a day
				published += newAuthor(t, row, created).publish(t, some)
			}
			require.GreaterOrEqual(t, 2*published, len(numbers), "too few of the posts are valid")
		})
	}
}

// author writes valid posts and publishes them.
type author struct {
	row       rules.Row
	registry  *platform.Registry
	connector platform.Connector
	files     *corpus
}

func newAuthor(t *testing.T, row rules.Row, files *corpus) *author {
	t.Helper()
	sandbox := start(t, t.TempDir())
	control := &bundle{server: newServerAt(sandbox.URL)}
	require.Equal(t, http.StatusOK, control.control(t, "/limits", `{"strict":true}`).status)
	registry, err := connectors.New(connectors.Environment{SandboxURL: sandbox.URL}, clock.System(), 0)
	require.NoError(t, err)
	connector, ok := registry.For(channel.Channel{Type: row.Type})
	require.True(t, ok)
	return &author{row: row, registry: registry, connector: connector, files: files}
}

// publish publishes a post with each of the files, and returns the number of files for which it found a valid post.
func (a *author) publish(t *testing.T, numbers []int) int {
	t.Helper()
	published := 0
	for _, n := range numbers {
		random := rand.New(rand.NewPCG(uint64(n), 7)) //nolint:gosec // repeatable
		account := reader(a.row.Type, fmt.Sprintf("author%c%c%c", 'a'+n/100, 'a'+n/10%10, 'a'+n%10))
		file := a.files.get(t, n)
		for range 30 {
			content, attachments := a.write(t, random, account, file)
			if !a.valid(content) {
				continue
			}
			a.lengthen(random, &content)
			published++
			content.Files = a.convert(t, content, attachments)
			_, err := a.send(t, account, content)
			require.NoError(t, err, "file %d: %s %+v\n%.999q %.999q %+v\nvalidation: %.999v", n, content.ContentType, content.Media,
				content.Title, content.Text, content.Options, connectors.Rules().Check(a.row.Type, content))
			break
		}
	}
	return published
}

// doubt is part of the warnings that the network may refuse the content. Other warnings say what the service or the
// network changes.
var doubt = regexp.MustCompile(`to be sure|may (refuse|allow|not accept)|Use a larger one`)

// valid reports whether validation accepts the content without a doubt.
func (a *author) valid(content platform.Content) bool {
	findings := append(connectors.Rules().Check(a.row.Type, content), a.registry.Gaps(channel.Channel{Type: a.row.Type}, content)...)
	return !slices.ContainsFunc(findings, refusing)
}

func refusing(f platform.Finding) bool { return !f.Warning || doubt.MatchString(f.Message) }

// write writes a post with the file and a short text, which may not be valid.
func (a *author) write(
	t *testing.T, random *rand.Rand, account platform.Account, file platformtest.Attachment,
) (platform.Content, []platformtest.Attachment) {
	t.Helper()
	types := a.row.ContentTypes()
	content := platform.Content{PostID: ident.New[ident.Post](), ContentType: types[random.IntN(len(types))]}
	if informed, ok := a.connector.(platform.FactReader); ok {
		facts, err := informed.Facts(t.Context(), account)
		require.NoError(t, err)
		content.Facts = facts
	}
	var attachments []platformtest.Attachment
	if random.IntN(6) > 0 {
		attachments = append(attachments, file)
		for range random.IntN(1 + random.IntN(2)*random.IntN(12)) {
			attachments = append(attachments, a.files.get(t, random.IntN(smallFiles)))
		}
	}
	for i := range attachments {
		attachments[i].Asset.ID = ident.New[ident.Media]()
		if random.IntN(3) == 0 {
			attachments[i].Asset.AltText = written(random, 200)
		}
		content.Media = append(content.Media, attachments[i].Asset)
	}
	if lister, ok := a.connector.(platform.BoardLister); ok {
		boards, err := lister.Boards(t.Context(), account)
		require.NoError(t, err)
		content.Options.BoardID = boards[random.IntN(len(boards))].ID
	}
	a.choose(t, random, &content.Options)
	if slices.ContainsFunc(a.row.Forms, func(f rules.Form) bool { return f.Title.Use != rules.Ignored }) {
		content.Title = written(random, 1+random.IntN(6))
	}
	if random.IntN(5) > 0 || len(attachments) == 0 {
		content.Text = written(random, 1+random.IntN(6))
	}
	return content, attachments
}

// choose sets some options of the network to random values, which may not be valid together.
func (a *author) choose(t *testing.T, random *rand.Rand, into *post.Options) {
	t.Helper()
	chosen := make(map[string]any)
	for _, option := range a.row.Options {
		name := option.Name
		// Quotes need a post, and the others what the account offers.
		if random.IntN(4) > 0 || slices.Contains([]string{"quote", "privacy", "uploadToDraft", "brandContent", "topicType"}, name) {
			continue
		}
		switch option.Is {
		case rules.Flag:
			chosen[name] = random.IntN(2) == 0
		case rules.Word:
			chosen[name] = option.Values[random.IntN(len(option.Values))]
		case rules.Integer:
			chosen[name] = option.Range.Min + random.IntN(option.Range.Max-option.Range.Min)
		case rules.Language:
			chosen[name] = "pt-BR"
		case rules.List:
			list := make([]string, option.Range.Min+random.IntN(option.Range.Max-option.Range.Min+1))
			for i := range list {
				list[i] = fmt.Sprint(i, written(random, 1+random.IntN(3)))
			}
			chosen[name] = list
		case rules.Prose:
			chosen[name] = written(random, 1+random.IntN(3))
		case rules.Number, rules.ID, rules.Address, rules.LocalTime, rules.Moment:
		}
	}
	raw, err := json.Marshal(chosen)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into))
}

// lengthen makes the text and the title of half of the posts as long as is valid.
func (a *author) lengthen(random *rand.Rand, content *platform.Content) {
	most := 300
	for _, form := range a.row.Forms {
		most = max(most, form.Text.Max, form.Text.Long)
	}
	for _, text := range []*string{&content.Title, &content.Text} {
		if *text == "" || random.IntN(2) == 0 {
			continue
		}
		short, long := *text, pieces(random, most)
		start := func(n int) string { return strings.TrimSpace(short + strings.Join(long[:n], "")) }
		*text = start(sort.Search(len(long), func(n int) bool {
			*text = start(n + 1)
			return !a.valid(*content)
		}))
	}
}

// pieces returns random parts of a text, of one script or of all.
func pieces(random *rand.Rand, count int) []string {
	scripts := [][]string{
		{"a", "b", " ", "é", ".", "\n", "Hello ", "don’t "},
		{"日", "本", "、", "語 ", "한국", "ไทย"},
		{"🌍", "👩‍👩‍👧‍👦", "🇸🇪", "👍🏽", "❤️", "1️⃣", " ", "\u200d"},
		{"e\u0301", "\u0627\u0644", "שלום ", "\u202bא\u202c", "n\u0303 "},
		{"https://example.com/a?b=c ", "example.org ", "www.example.net/日本 ", "#tag ", "@name ", "$ACME ", "x@example.com "},
		{"&amp; ", "& ", "\" ", "' ", "* ", "_ ", "[a](b) ", "` ", "\\ ", "{ ", "| ", "(", ") ", "~ "},
		{"<b>", "</b> ", "< ", "> "},
	}
	alphabet := scripts[random.IntN(len(scripts))]
	if random.IntN(3) == 0 {
		alphabet = slices.Concat(scripts[:4]...)
	}
	text := make([]string, count)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return text
}

func written(random *rand.Rand, count int) string {
	return strings.TrimSpace(strings.Join(pieces(random, count), ""))
}

// convert replaces the attachments by the forms in which they are published.
func (a *author) convert(
	t *testing.T, content platform.Content, attachments []platformtest.Attachment,
) platform.Files {
	t.Helper()
	attachments = slices.Clone(attachments)
	for i, form := range connectors.Rules().Forms(a.row.Type, content) {
		if !form.IsZero() {
			attachments[i] = a.files.as(t, attachments[i], form)
			content.Media[i] = attachments[i].Asset
		}
	}
	return platformtest.Files(t, attachments...)
}

func (a *author) send(t *testing.T, account platform.Account, content platform.Content) (platform.Publication, error) {
	t.Helper()
	const timeout, longestWait = 30 * time.Second, 50 * time.Millisecond
	var handle platform.Handle
	for until := time.Now().Add(timeout); time.Now().Before(until); {
		prepared, err := a.connector.Prepare(t.Context(), account, content, handle)
		if err != nil {
			return platform.Publication{}, err
		}
		handle = prepared.Handle
		if prepared.Ready {
			return a.connector.Commit(t.Context(), account, content, handle)
		}
		<-time.After(min(prepared.Wait, longestWait))
	}
	return platform.Publication{}, fmt.Errorf("the post was not ready in %s", timeout)
}

// smallFiles is the number of the first file that may be large.
const smallFiles = 40

// corpus makes files by number. It is safe for concurrent use.
type corpus struct {
	keeps  bool // large files too
	box    *mediabox.Box
	folder string
	good   []mediaboxtest.File

	mu      sync.Mutex
	created map[int]platformtest.Attachment
}

func newCorpus(t *testing.T, keeps bool) *corpus {
	t.Helper()
	box, err := mediabox.New(t.Context(), mediabox.Config{
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler), Concurrency: 2,
	})
	require.NoError(t, err)
	return &corpus{keeps: keeps, box: box, folder: t.TempDir(), good: mediaboxtest.Good(t), created: make(map[int]platformtest.Attachment)}
}

// get returns the file with the number.
func (f *corpus) get(t *testing.T, n int) platformtest.Attachment {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	file, ok := f.created[n]
	if !ok {
		file = f.generate(t, n)
		file.Asset.ProcessedAt = time.Now()
		if f.keeps || n < smallFiles {
			f.created[n] = file
		}
	}
	return file
}

// generate makes a file: its kind follows from its number, and its dimensions and size are random.
func (f *corpus) generate(t *testing.T, n int) platformtest.Attachment {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 3)) //nolint:gosec // repeatable
	log := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
	side, heaviest := 500.0, 50e3
	if n >= smallFiles {
		side, heaviest = 5000, 25e6
	}
	width, height := int(log(1, side)), int(log(1, side))
	if random.IntN(2) == 0 { // an ordinary ratio
		height = max(1, int(float64(width)*log(0.5, 2)))
	}
	picture := image.NewPaletted(image.Rect(0, 0, width, height), palette.Plan9)
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i/7*n + i/width/5) //nolint:gosec // any color
	}
	var file bytes.Buffer
	var name, contentType string
	switch n % 8 {
	case 0, 1:
		name, contentType = "photo.jpg", media.ContentTypeJPEG
		require.NoError(t, jpeg.Encode(&file, picture, &jpeg.Options{Quality: 1 + random.IntN(100)}))
	case 2, 3:
		name, contentType = "drawing.png", media.ContentTypePNG
		picture.Palette[0] = color.Transparent
		require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, picture))
	case 4:
		name, contentType = "animation.gif", media.ContentTypeGIF
		animation := &gif.GIF{}
		for range 1 + random.IntN(4) {
			animation.Image, animation.Delay = append(animation.Image, picture), append(animation.Delay, random.IntN(100))
		}
		require.NoError(t, gif.EncodeAll(&file, animation))
	case 5: // the sandbox does not look into videos
		video := platformtest.Video(int(log(1e3, heaviest)))
		video.Asset.Probe = media.Probe{
			Width: 100 + int(log(10, 2000)), Height: 100 + int(log(10, 2000)),
			Duration: time.Duration(log(0.5, 1200) * float64(time.Second)),
		}
		if random.IntN(2) == 0 {
			video.Asset.Probe.Width, video.Asset.Probe.Height = 1080, 1920
		}
		return video
	default:
		good := f.good[random.IntN(len(f.good))]
		name, contentType = good.Name, good.ContentType
		file.Write(good.Data)
	}
	if kind, _ := media.TypeOf(contentType); kind != media.Document && n%3 == 0 { // decoders ignore what follows a picture
		file.Write(make([]byte, int(log(1, heaviest))))
	}
	return f.attachment(t, name, contentType, file.Bytes())
}

// attachment describes a file as the service does.
func (f *corpus) attachment(t *testing.T, name, contentType string, content []byte) platformtest.Attachment {
	t.Helper()
	at := f.write(t, content)
	probed, err := f.box.Probe(t.Context(), at)
	require.NoError(t, err, name)
	require.NoError(t, os.Remove(at))
	kind, _ := media.TypeOf(contentType)
	return platformtest.Attachment{Bytes: content, Asset: media.Asset{
		Name: name, Type: kind, ContentType: contentType, Size: int64(len(content)), Probe: media.Probe(probed.Probe),
	}}
}

// as returns the attachment in the form.
func (f *corpus) as(t *testing.T, of platformtest.Attachment, form media.Form) platformtest.Attachment {
	t.Helper()
	at := f.write(t, of.Bytes)
	into, err := os.CreateTemp(f.folder, "")
	require.NoError(t, err)
	created, err := f.box.Convert(t.Context(), at, mediabox.Target{
		ContentType: form.ContentType, Width: form.Width, Height: form.Height, Size: form.MaxSize,
		Loops: media.Loops(of.Asset.Probe.Duration),
	}, into)
	require.NoError(t, err, "%+v as %+v", of.Asset, form)
	content, err := io.ReadAll(io.NewSectionReader(into, 0, created.Size))
	require.NoError(t, err)
	require.NoError(t, into.Close())
	require.NoError(t, os.Remove(into.Name()))
	require.NoError(t, os.Remove(at))
	return platformtest.Attachment{Bytes: content, Asset: of.Asset.As(media.Rendition{
		Form: form, Width: created.Width, Height: created.Height,
		Object: media.Object{ContentType: created.ContentType, Size: created.Size},
	})}
}

func (f *corpus) write(t *testing.T, content []byte) string {
	t.Helper()
	at := filepath.Join(f.folder, ident.New[ident.Media]().String())
	require.NoError(t, os.WriteFile(at, content, 0o600))
	return at
}
