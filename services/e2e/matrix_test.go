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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/rules"
)

// wholeMatrix is the variable that selects every combination instead of a slice: each form of each network with each kind
// of files, and once with a lost response.
const wholeMatrix = "E2E_MATRIX"

// lostAccount is the name of the accounts whose networks lose the responses to irrevocable calls.
const lostAccount = "lost"

func isWhole() bool { return os.Getenv(wholeMatrix) == "all" }

// matrixTimeout is the time in which all posts of the matrix are published.
const matrixTimeout = 4 * time.Minute

// cell is one combination of the table of rules: a form of a network as a content type, with files of some kinds.
type cell struct {
	typ     channel.Type
	form    rules.Form
	as      post.ContentType
	kinds   []media.Type // of the files, in turn; empty: text only
	files   int
	variant variant
	lost    bool // the response to the irrevocable call is lost
}

func (c cell) name() string {
	parts := []string{string(c.typ), c.form.Name, string(c.as)}
	if c.files > 0 {
		parts = append(parts, fmt.Sprintf("%d %v", c.files, c.kinds))
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
	options *fencepost.EditPostOptions // nil: none
}

// variants returns the options of each kind of post of a network. Pins need a board.
func variants(typ channel.Type, board string) []variant {
	word := fencepost.Set[string]
	switch typ { //nolint:exhaustive // the others have no variants
	case channel.GoogleBusiness:
		event := fencepost.EditPostOptions{
			TopicType: word("EVENT"), EventTitle: word("Open day"), EventStart: word("2027-12-01T09:00"),
			EventEnd: word("2027-12-02"),
		}
		offer := event
		offer.TopicType, offer.CouponCode = word("OFFER"), word("TILES10")
		return []variant{{}, {"EVENT", &event}, {"OFFER", &offer}}
	case channel.Pinterest:
		return []variant{{"", &fencepost.EditPostOptions{BoardID: word(board)}}}
	default:
		return []variant{{}}
	}
}

// numbers returns the numbers of files to try: the smallest, a typical and the largest one, or only the typical one.
func numbers(m rules.Media, kinds []media.Type) []int {
	least := max(m.Min, len(kinds))
	typical := max(least, min(2, m.Max))
	if !isWhole() {
		return []int{typical}
	}
	return slices.Compact([]int{least, typical, m.Max})
}

// mixtures returns the kinds of files to try: each one alone, and all together.
func mixtures(m rules.Media) [][]media.Type {
	var each [][]media.Type
	var all []media.Type
	for _, file := range m.Of {
		each, all = append(each, []media.Type{file.Type}), append(all, file.Type)
	}
	if len(all) > 1 && m.Max >= len(all) {
		each = append(each, all)
	}
	return each
}

// matrix generates the cells from the table of rules. The boards are those of the channels with and without responses.
func matrix(table rules.Table, boards map[bool]string) []cell {
	var cells []cell
	for _, row := range table.All() {
		for _, form := range row.Forms {
			cells = append(cells, ofForm(row.Type, form, boards[false])...)
			losing := ofForm(row.Type, form, boards[true])
			if !isWhole() {
				losing = losing[len(losing)-1:]
			}
			for _, c := range losing {
				c.lost = true
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// ofForm returns the cells of one form of a network.
func ofForm(typ channel.Type, form rules.Form, board string) []cell {
	var cells []cell
	for _, as := range form.As {
		for _, v := range variants(typ, board) {
			c := cell{typ: typ, form: form, as: as, variant: v}
			if len(form.Media.Of) == 0 {
				cells = append(cells, c)
			}
			for _, c.kinds = range mixtures(form.Media) {
				for _, c.files = range numbers(form.Media, c.kinds) {
					cells = append(cells, c)
				}
			}
		}
		if !isWhole() {
			break
		}
	}
	return cells
}

// stock holds uploaded files by kind: candidates, of which the rules of each network accept some.
type stock struct {
	s     *harness.System
	lost  map[channel.Type]channel.Channel // those whose responses are lost
	files map[media.Type][]string
}

func newStock(t *testing.T, s *harness.System, lost map[channel.Type]channel.Channel, cells []cell) stock {
	t.Helper()
	k := stock{s: s, lost: lost, files: make(map[media.Type][]string)}
	add := func(typ media.Type, name, contentType string, data []byte) {
		k.files[typ] = append(k.files[typ], s.Upload(name, contentType, data).ID)
	}
	most := make(map[media.Type]int)
	for _, c := range cells {
		for _, kind := range c.kinds {
			most[kind] = max(most[kind], c.files)
		}
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
	for n := range most[media.Video] {
		add(media.Video, "upright.mp4", "video/mp4", mediaboxtest.Padded(t, mediaboxtest.Fixture(t, "upright.mp4"), 80_000+n))
	}
	add(media.Video, "video.mp4", "video/mp4", harness.Enlarged(harness.Video(t, 100_000)))
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, matrixTimeout, 200*time.Millisecond)
	return k
}

// pick returns files of the cell's kinds, in turn, from a place in the stock; nil if there are not as many.
func (k stock) pick(c cell, from int) []string {
	ids := make([]string, c.files)
	for i := range ids {
		candidates, at := k.files[c.kinds[i%len(c.kinds)]], from+i/len(c.kinds)
		if at >= len(candidates) {
			return nil
		}
		ids[i] = candidates[at]
	}
	return ids
}

// channel returns the channel of the cell.
func (k stock) channel(c cell) channel.Channel {
	if c.lost {
		return k.lost[c.typ]
	}
	return k.s.Channels[c.typ]
}

// request returns the request for the cell's post, with files that validate accepts.
func (k stock) request(t *testing.T, c cell, text string) fencepost.CreatePostsRequest {
	t.Helper()
	body := fencepost.CreatePostsRequest{
		ChannelIDs: []string{k.channel(c).ID.String()}, Content: text, ContentType: fencepost.ContentType(c.as), Schedule: "draft",
	}
	if c.form.Text.Dropped {
		body.Content = ""
	}
	if c.form.Title.Use == rules.Required {
		body.Title = text
	}
	if c.files == 0 {
		return body
	}
	var why string
	for from := 0; ; from++ {
		ids := k.pick(c, from)
		if ids == nil {
			break
		}
		body.MediaIDs = ids
		result, err := k.s.API.Posts.Validate(t.Context(), body)
		require.NoError(t, err)
		if !slices.ContainsFunc(result.Channels[0].Errors, func(f fencepost.Finding) bool { // options are set later
			return strings.HasPrefix(f.Pointer, "/mediaIds")
		}) {
			return body
		}
		why = fmt.Sprintf("%+v", result)
	}
	require.Fail(t, "no file fits", "%s: %s", c.name(), why)
	return body
}

// publish creates the cell's post as a draft, sets its options, publishes it, and returns its id and files.
func (k stock) publish(t *testing.T, c cell, text string) (string, []string) {
	t.Helper()
	body := k.request(t, c, text)
	created, err := k.s.API.Posts.Create(t.Context(), body)
	require.NoError(t, err)
	id := created[0].ID
	if c.variant.options != nil {
		require.NoError(t, harness.Failure(k.s.API.Posts.Edit(t.Context(), id, fencepost.EditPostRequest{
			Options: fencepost.Set(*c.variant.options),
		})), c.name())
	}
	require.NoError(t, harness.Failure(k.s.API.Posts.Publish(t.Context(), id)), c.name())
	return id, body.MediaIDs
}

// inMatrix is a post of the matrix.
type inMatrix struct {
	cell

	text, id string
	files    []string
}

// TestEveryNetworkPublishesEveryCombination publishes each combination of the table of rules: network, form, content type, kinds
// and number of attachments, and Google's topics. It does so twice: with responses, and with the response to each
// irrevocable call lost. Every post is on its network once, with the bytes of its files, and in the network's feed.
func TestEveryNetworkPublishesEveryCombination(t *testing.T) {
	t.Parallel()
	s := running(t)
	lost := make(map[channel.Type]channel.Channel)
	for typ := range s.Channels {
		account := connectors.Of(typ.Network()).SandboxAccount(typ, lostAccount)
		lost[typ] = s.AddChannel(typ, account.ID, account.Credentials)
		s.Sandbox.Inject(harness.Fault{
			Platform: string(typ.Network()), Account: account.ID, Step: "commit", Kind: "timeout_after_accept", DelayMs: 100,
			Times: -1,
		})
	}
	cells := matrix(connectors.Rules(), map[bool]string{
		false: firstBoard(t, s, s.Channels[channel.Pinterest]), true: firstBoard(t, s, lost[channel.Pinterest]),
	})
	k := newStock(t, s, lost, cells)
	posts := make([]inMatrix, len(cells))
	for i, c := range cells {
		text := fmt.Sprintf("Cell %d of %d", i+1, len(cells))
		id, files := k.publish(t, c, text)
		posts[i] = inMatrix{c, text, id, files}
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Empty(c, postgrestest.Column(t, s.Database(), `SELECT content FROM post WHERE status = 'SCHEDULED'`))
	}, matrixTimeout, 500*time.Millisecond)
	requireMatrix(t, s, posts)
}

// askable returns the types of channels whose connectors can ask the network about a post.
func askable(t *testing.T, s *harness.System) []channel.Type {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: s.Sandbox.URL()}, clock.System(), 0)
	require.NoError(t, err)
	return registry.Askable()
}

func firstBoard(t *testing.T, s *harness.System, of channel.Channel) string {
	t.Helper()
	listed, err := s.API.Channels.ListPinterestBoards(t.Context(), of.ID.String())
	require.NoError(t, err)
	return listed[0].ID
}

// requireMatrix compares the posts with the networks.
func requireMatrix(t *testing.T, s *harness.System, posts []inMatrix) {
	t.Helper()
	ledger, askable := s.Sandbox.Ledger(), askable(t, s)
	require.Len(t, ledger, len(posts))
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
			want := fencepost.PostStatusPublished
			if p.lost && !slices.Contains(askable, p.typ) {
				want = fencepost.PostStatusFailed
				require.Equal(t, "OUTCOME_UNKNOWN", got.Error.Code)
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
	if p.lost != strings.Contains(entry.Account, lostAccount) {
		return false
	}
	if p.form.Text.Dropped { // the files identify the post: a network has one such form
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
