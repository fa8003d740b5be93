package httpapi_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// composed is the content of a post that a test corrects as the messages of its faults say.
type composed struct {
	content, title, contentType string
	files                       []string // MIME types
	options                     map[string]any
}

// mimeOf has a MIME type for each noun of the messages.
func mimeOf() map[string]string {
	return map[string]string{
		"image": "image/jpeg", "video": "video/mp4", "GIF": "image/gif", "document": "application/pdf",
	}
}

// nounOf returns the noun of a MIME type.
func nounOf(mime string) string {
	switch {
	case mime == "image/gif":
		return "GIF"
	case strings.HasPrefix(mime, "image/"):
		return "image"
	case strings.HasPrefix(mime, "video/"):
		return "video"
	default:
		return "document"
	}
}

// remedy is a way to correct a post that a message names.
type remedy struct {
	message *regexp.Regexp
	apply   func(c *composed, found []string)
}

// remedies returns every remedy that the rules name. A message without one of them fails the test.
func remedies() []remedy {
	attach := func(c *composed, noun string, n int) {
		for range n {
			c.files = append(c.files, mimeOf()[noun])
		}
	}
	without := func(nouns string) func(mime string) bool {
		return func(mime string) bool { return strings.Contains(nouns, nounOf(mime)) }
	}
	return []remedy{
		{
			regexp.MustCompile(`needs (\w+), .*; add it\.`),
			func(c *composed, found []string) { c.options = map[string]any{found[1]: "1"} },
		},
		{regexp.MustCompile(`write some text`), func(c *composed, _ []string) { c.content = "Hello" }},
		{
			regexp.MustCompile(`accepts posts of type (\w+).*Change the type`),
			func(c *composed, found []string) { c.contentType = found[1] },
		},
		{
			regexp.MustCompile(`^The text is (\d|,)+ \w+ too long.*Shorten it`),
			func(c *composed, _ []string) { c.content = c.content[:10] },
		},
		{regexp.MustCompile(`^The title is .* too long.*Shorten it`), func(c *composed, _ []string) { c.title = c.title[:10] }},
		{regexp.MustCompile(`need a title; write one`), func(c *composed, _ []string) { c.title = "Title" }},
		{regexp.MustCompile(`^The (text|title) contains .*Remove it`), func(c *composed, _ []string) {
			clean := strings.NewReplacer("<", "", ">", "")
			c.content, c.title = clean.Replace(c.content), clean.Replace(c.title)
		}},
		{
			regexp.MustCompile(`accepts .*?\b(image|video|GIF|document)s?\b.*Attach the missing files`),
			func(c *composed, found []string) { attach(c, found[1], 1) },
		},
		{
			regexp.MustCompile(`this one has.*Remove the (.*)\. \(`),
			func(c *composed, found []string) { c.files = slices.DeleteFunc(c.files, without(found[1])) },
		},
		{regexp.MustCompile(`this one has.*Keep one kind`), func(c *composed, _ []string) {
			kept := nounOf(c.files[0])
			c.files = slices.DeleteFunc(c.files, func(mime string) bool { return nounOf(mime) != kept })
		}},
		{regexp.MustCompile(`this one has.*Remove (\d+)\.`), func(c *composed, found []string) {
			n, _ := strconv.Atoi(found[1])
			c.files = c.files[n:] // what was attached last corrects another fault
		}},
		{regexp.MustCompile(`this one has.*Add (\d+)\.`), func(c *composed, found []string) {
			n, _ := strconv.Atoi(found[1])
			attach(c, nounOf(c.files[0]), n)
		}},
		{regexp.MustCompile(`^Attachment (\d+) is .*Convert it to (\w+)`), func(c *composed, found []string) {
			n, _ := strconv.Atoi(found[1])
			c.files[n-1] = map[string]string{
				"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "MP4": "video/mp4", "PDF": "application/pdf",
				"WebP": "image/webp", "MOV": "video/quicktime", "DOC": "application/msword", "WebM": "video/webm",
			}[found[2]]
		}},
	}
}

// stock has files of each MIME type, which posts of all tests share.
type stock map[string][]ident.Media

func (b *bundle) stock(t *testing.T) stock {
	t.Helper()
	const most = 40
	types := map[string]media.Type{
		"image/jpeg": media.Image, "image/png": media.Image, "video/mp4": media.Video, "video/webm": media.Video,
		"image/gif": media.GIF, "application/pdf": media.Document, "image/webp": media.Image,
		"video/quicktime": media.Video, "application/msword": media.Document,
	}
	out := stock{}
	for mime, typ := range types {
		for range most {
			out[mime] = append(out[mime], postgrestest.Asset(t, b.db, media.Asset{
				ID: ident.New[ident.Media](), WorkspaceID: b.ours.id, Name: "file", Type: typ, ContentType: mime,
				Size: 1 << 20, CreatedAt: time.Now(),
			}).ID)
		}
	}
	return out
}

// body returns the body of create-posts.
func (f stock) body(t *testing.T, c composed, channel ident.Channel, schedule string) string {
	t.Helper()
	ids, taken := []ident.Media{}, map[string]int{}
	for _, mime := range c.files {
		require.Greater(t, len(f[mime]), taken[mime], "%q in %v", mime, c.files)
		ids = append(ids, f[mime][taken[mime]])
		taken[mime]++
	}
	body := map[string]any{
		"channelIds": []ident.Channel{channel}, "content": c.content, "title": c.title, "contentType": c.contentType,
		"mediaIds": ids, "schedule": schedule,
	}
	if c.options != nil {
		body["options"] = c.options
	}
	return encode(t, body)
}

// faults returns the messages of the errors that validate-posts reports.
func (b *bundle) faults(t *testing.T, files stock, c composed, channel ident.Channel) (messages []string) {
	t.Helper()
	found := b.post(t, "/v1/posts", files.body(t, c, channel, "now"))
	if found.status == http.StatusCreated {
		return nil
	}
	p := requireProblem(t, found, http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	faults, _ := p["errors"].([]any)
	for _, fault := range faults {
		object, _ := fault.(map[string]any)
		messages = append(messages, text(t, object, "message"))
	}
	return messages
}

// TestRemediesResolveFaults corrects posts with faults of every kind, for every network, as their messages say: each
// fault that was corrected is gone, and in the end the post is accepted.
func TestRemediesResolveFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	files := b.stock(t)
	for _, kind := range channel.Types() {
		if !kind.Capabilities().Publish {
			continue
		}
		id := b.channel(t, b.ours.id, kind, true)
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			for name, c := range faulty() {
				b.correct(t, files, name, c, id)
			}
		})
	}
}

// faulty returns posts with faults: every content type with every selection of files, and texts that are too long.
func faulty() map[string]composed {
	long, longest := strings.Repeat("x", 6_000), strings.Repeat("x", 64_000)
	out := map[string]composed{
		"everything too long": {content: longest, title: long[:500], contentType: "POST"},
		"forbidden":           {content: "a <b>", title: "<b>", contentType: "VIDEO", files: []string{"video/mp4"}},
	}
	for _, contentType := range []string{"POST", "REEL", "VIDEO"} {
		for name, files := range map[string][]string{
			"nothing": nil, "an image": {"image/jpeg"}, "a video": {"video/mp4"}, "a GIF": {"image/gif"},
			"a document": {"application/pdf"}, "a format": {"video/webm"},
			"a mix":  {"image/jpeg", "video/mp4", "application/pdf"},
			"images": slices.Repeat([]string{"image/jpeg"}, 40),
		} {
			out[contentType+" of "+name] = composed{contentType: contentType, files: files}
			out[contentType+" of "+name+" with texts"] = composed{
				content: long, title: long[:500], contentType: contentType, files: files,
			}
		}
	}
	return out
}

func (b *bundle) correct(t *testing.T, files stock, name string, c composed, id ident.Channel) {
	t.Helper()
	const most = 15
	c.files = slices.Clone(c.files) // posts share their files
	for range most {
		found := b.faults(t, files, c, id)
		if len(found) == 0 {
			return
		}
		at := slices.IndexFunc(remedies(), func(r remedy) bool { return r.message.MatchString(found[0]) })
		require.GreaterOrEqual(t, at, 0, "%s: no remedy in %q", name, found[0])
		r := remedies()[at]
		r.apply(&c, r.message.FindStringSubmatch(found[0]))
		require.NotContains(t, b.faults(t, files, c, id), found[0], name)
	}
	require.Fail(t, "the remedies lead nowhere", "%s: %+v", name, c)
}
