package e2e_test

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/mediabox/mediaboxtest"
	"socialpub.internal/shared/infra/postgres/postgrestest"
	"socialpub.internal/shared/platform/connectors"
	"socialpub.internal/shared/platform/platformtest"
	"socialpub.internal/shared/platform/rules"
)

// wholeMatrix is the variable that selects every number of attachments, instead of one, two and the largest.
const wholeMatrix = "E2E_MATRIX"

// matrixPatience is the time in which all posts of the matrix are published.
const matrixPatience = 4 * time.Minute

// cell is one combination of the table of rules: a form of a network as a content type, with files of a kind.
type cell struct {
	typ     channel.Type
	form    rules.Form
	as      post.ContentType
	file    media.Type // empty: text only
	files   int
	variant variant
	lost    bool // the response to the irrevocable call is lost
}

func (c cell) name() string {
	parts := []string{string(c.typ), c.form.Name, string(c.as)}
	if c.files > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", c.files, c.file))
	}
	if c.variant.name != "" {
		parts = append(parts, c.variant.name)
	}
	if c.lost {
		parts = append(parts, "response lost")
	}
	return strings.Join(parts, ", ")
}

// variant is a kind of post that only options select.
type variant struct {
	name    string
	options *apiclient.EditPostOptions // nil: none
}

// variants returns the options of each kind of post of a network. Pins need a board.
func variants(typ channel.Type, board string) []variant {
	word := nullable.NewNullableWithValue[string]
	switch typ { //nolint:exhaustive // the others have no variants
	case channel.GoogleBusiness:
		event := apiclient.EditPostOptions{
			TopicType: word("EVENT"), EventTitle: word("Open day"), EventStart: word("2027-12-01T09:00"),
			EventEnd: word("2027-12-02"),
		}
		offer := event
		offer.TopicType, offer.CouponCode = word("OFFER"), word("TILES10")
		return []variant{{}, {"EVENT", &event}, {"OFFER", &offer}}
	case channel.Pinterest:
		return []variant{{"", &apiclient.EditPostOptions{BoardID: word(board)}}}
	default:
		return []variant{{}}
	}
}

// numbers returns the numbers of attachments to try.
func numbers(m rules.Media) []int {
	if m.Max == 0 {
		return []int{0}
	}
	all := []int{max(m.Min, 1), min(2, m.Max), m.Max}
	if os.Getenv(wholeMatrix) == "all" {
		for n := max(m.Min, 1); n <= m.Max; n++ {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// matrix generates the cells from the table of rules.
func matrix(table rules.Table, board string) []cell {
	var cells []cell
	for _, row := range table.All() {
		for _, form := range row.Forms {
			for _, as := range form.As {
				for _, v := range variants(row.Type, board) {
					c := cell{typ: row.Type, form: form, as: as, variant: v}
					if len(form.Media.Of) == 0 {
						cells = append(cells, c)
					}
					for _, file := range form.Media.Of {
						for _, n := range numbers(form.Media) {
							c.file, c.files = file.Type, n
							cells = append(cells, c)
						}
					}
				}
			}
		}
	}
	return cells
}

// stock holds uploaded files by kind: candidates, of which the rules of each network accept some.
type stock struct {
	s     *harness.System
	files map[media.Type][]string
	spent *int // files of posts without a text
}

func newStock(t *testing.T, s *harness.System, cells []cell) stock {
	t.Helper()
	k := stock{s: s, files: make(map[media.Type][]string), spent: new(int)}
	add := func(typ media.Type, name, contentType string, data []byte) {
		k.files[typ] = append(k.files[typ], s.Upload(name, contentType, data).ID)
	}
	most := make(map[media.Type]int)
	for _, c := range cells {
		most[c.file] = max(most[c.file], c.files)
	}
	for n := range most[media.Image] {
		add(media.Image, "photo.jpg", "image/jpeg", harness.Picture(t, n))
	}
	for range most[media.GIF] {
		add(media.GIF, "loop.gif", "image/gif", platformtest.GIF(t).Bytes)
	}
	for range most[media.Document] {
		add(media.Document, "prices.pdf", "application/pdf", platformtest.Document().Bytes)
	}
	for n := range most[media.Video] + 1 {
		add(media.Video, "upright.mp4", "video/mp4", padded(mediaboxtest.Fixture(t, "upright.mp4"), n))
	}
	add(media.Video, "video.mp4", "video/mp4", harness.Enlarged(harness.Video(t, 100_000)))
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, matrixPatience, 200*time.Millisecond)
	return k
}

// padded appends unused data to a video, so that each n gives another file of at least 80 kB.
func padded(video []byte, n int) []byte {
	const box = 80_000
	tail := append([]byte{0, 1, 0x38, 0x80, 'f', 'r', 'e', 'e'}, make([]byte, box-8)...)
	tail[len(tail)-1] = byte(n) //nolint:gosec // G115: a few
	return append(video, tail...)
}

// request returns the request for the cell's post, with files that validate accepts.
func (k stock) request(t *testing.T, c cell, text string) apiclient.CreatePosts {
	t.Helper()
	kind := apiclient.ContentType(c.as)
	body := apiclient.CreatePosts{
		ChannelIds: []string{k.s.Channels[c.typ].ID.String()}, Content: &text, ContentType: &kind, Schedule: new("draft"),
	}
	if c.form.Text.Dropped {
		body.Content = new("")
	}
	if c.form.Title.Use == rules.Required {
		body.Title = nullable.NewNullableWithValue(text)
	}
	if c.files == 0 {
		return body
	}
	candidates := k.files[c.file]
	if c.form.Text.Dropped { // the file identifies the post
		*k.spent++
		from := *k.spent % (len(candidates) - 1)
		candidates = candidates[from : from+1]
	}
	var why string
	for from := 0; from+c.files <= len(candidates); from++ {
		ids := slices.Clone(candidates[from : from+c.files])
		body.MediaIds = &ids
		found, err := k.s.API.ValidatePostsWithResponse(t.Context(), body)
		require.NoError(t, err)
		result := harness.Answer(t, found.JSON200, found.Body)
		if !slices.ContainsFunc(result.Channels[0].Errors, func(f apiclient.Finding) bool { // options are set later
			return strings.HasPrefix(f.Pointer, "/mediaIds")
		}) {
			return body
		}
		why = string(found.Body)
		if c.files > 1 {
			break
		}
	}
	require.Fail(t, "no file fits", "%s: %s", c.name(), why)
	return body
}

// publish creates the cell's post as a draft, sets its options, publishes it, and returns its id and files.
func (k stock) publish(t *testing.T, c cell, text string) (string, []string) {
	t.Helper()
	body := k.request(t, c, text)
	made, err := k.s.API.CreatePostsWithResponse(t.Context(), nil, body)
	require.NoError(t, err)
	id := harness.Answer(t, made.JSON201, made.Body)[0].ID
	if c.variant.options != nil {
		edited, err := k.s.API.EditPostWithResponse(t.Context(), id, apiclient.EditPost{
			Options: nullable.NewNullableWithValue(*c.variant.options),
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, edited.StatusCode(), "%s: %s", c.name(), edited.Body)
	}
	published, err := k.s.API.PublishPostWithResponse(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, published.StatusCode(), "%s: %s", c.name(), published.Body)
	if body.MediaIds == nil {
		return id, nil
	}
	return id, *body.MediaIds
}

// inMatrix is a post of the matrix.
type inMatrix struct {
	cell

	text, id string
	files    []string
}

// TestEveryNetworkPublishesEverything publishes each combination of the table of rules: network, form, content type, kind
// and number of attachments, and Google's topics. It does so twice: with responses, and with the response to each
// irrevocable call lost. Every post is on its network once, with the bytes of its files, and in the network's feed.
func TestEveryNetworkPublishesEverything(t *testing.T) {
	t.Parallel()
	s := running(t)
	table := connectors.Rules()
	cells := matrix(table, firstBoard(t, s))
	k := newStock(t, s, cells)
	for _, lost := range []bool{false, true} {
		earlier := s.Sandbox.Ledger()
		if lost {
			for typ := range s.Channels {
				account := connectors.Of(typ.Network()).SandboxAccount(typ, "lost")
				s.Channels[typ] = s.AddChannel(typ, account.ID, account.Credentials)
				s.Sandbox.Inject(harness.Fault{
					Platform: string(typ.Network()), Step: "commit", Kind: "timeout_after_accept", DelayMs: 100, Times: -1,
				})
			}
			cells = matrix(table, firstBoard(t, s))
		}
		var posts []inMatrix
		for _, c := range cells {
			c.lost = lost
			text := fmt.Sprintf("Cell %d of %d, %t", len(posts)+1, len(cells), lost)
			id, files := k.publish(t, c, text)
			posts = append(posts, inMatrix{c, text, id, files})
		}
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Empty(c, postgrestest.Column(t, s.Database(), `SELECT content FROM post WHERE status = 'SCHEDULED'`))
		}, matrixPatience, 500*time.Millisecond)
		requireMatrix(t, s, posts, earlier)
	}
}

func firstBoard(t *testing.T, s *harness.System) string {
	t.Helper()
	listed, err := s.API.ListPinterestBoardsWithResponse(t.Context(), s.Channels[channel.Pinterest].ID.String())
	require.NoError(t, err)
	return harness.Answer(t, listed.JSON200, listed.Body)[0].ID
}

// requireMatrix compares the posts with the networks, which have the earlier entries of other posts.
func requireMatrix(t *testing.T, s *harness.System, posts []inMatrix, earlier []harness.Entry) {
	t.Helper()
	ledger := slices.DeleteFunc(s.Sandbox.Ledger(), func(e harness.Entry) bool {
		return slices.ContainsFunc(earlier, func(other harness.Entry) bool { return e.Platform == other.Platform && e.ID == other.ID })
	})
	sums := make(map[string]string)
	for _, row := range postgrestest.Column(t, s.Database(), `SELECT id || ' ' || encode(published_sha256, 'hex') FROM media`) {
		id, sum, _ := strings.Cut(row, " ")
		sums[id] = sum
	}
	for _, p := range posts {
		t.Run(p.name(), func(t *testing.T) {
			var hashes []string
			for _, id := range p.files {
				hashes = append(hashes, sums[id])
			}
			var found []harness.Entry
			for _, entry := range ledger {
				if entry.Platform == string(p.typ.Network()) && p.isIn(entry, hashes) {
					found = append(found, entry)
				}
			}
			got := s.In(t).Get(p.id)
			want := apiclient.PostStatusPUBLISHED
			if p.lost && (p.typ == channel.TelegramChannel || p.typ == channel.LinkedInProfile) { // which cannot be asked
				want = apiclient.PostStatusFAILED
				require.Equal(t, "OUTCOME_UNKNOWN", got.Error.MustGet().Code)
			}
			require.Equal(t, want, got.Status, "%+v", got.Error)
			require.Len(t, found, 1)
			require.Equal(t, hashes, sumsOf(found[0]))
			page := fetch(t, found[0].URL)
			require.Equal(t, http.StatusOK, page.status)
			if !p.form.Text.Dropped {
				require.Contains(t, string(page.body), html.EscapeString(p.text))
			}
		})
	}
}

func (p inMatrix) isIn(entry harness.Entry, hashes []string) bool {
	if p.form.Text.Dropped {
		return entry.Text == "" && slices.Equal(sumsOf(entry), hashes)
	}
	return entry.Text == p.text || entry.Title == p.text
}

func sumsOf(entry harness.Entry) []string {
	var sums []string
	for _, file := range entry.Media {
		sums = append(sums, file.SHA256)
	}
	return sums
}
