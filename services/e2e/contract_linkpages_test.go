package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// typedBlocks returns a block of each type, with the names of their types.
func typedBlocks(postID, mediaID string) (types []string, blocks []fencepost.AddLinkPageBlockRequest) {
	add := func(typ string, block any) {
		types, blocks = append(types, typ), append(blocks, fencepost.AddLinkPageBlockRequest{Value: block})
	}
	const shop = "https://shop.example.com/"
	soon := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	add("LINK", fencepost.AddLinkBlock{
		Type:     "LINK",
		Settings: fencepost.LinkBlockSettingsInput{Title: "Shop", URL: shop, ImageMediaID: mediaID, Featured: new(true)},
	})
	add("TEXT", fencepost.AddTextBlock{
		Type: "TEXT", Settings: fencepost.TextBlockSettingsInput{Text: "Small batches.\nBig ovens."},
	})
	add("SECTION", fencepost.AddSectionBlock{
		Type: "SECTION", Settings: fencepost.SectionBlockSettingsInput{Title: "Workshops"},
	})
	add("POST_CARD", fencepost.AddPostCardBlock{
		Type: "POST_CARD", Settings: fencepost.PostCardBlockSettingsInput{PostID: postID},
	})
	add("PRODUCT", fencepost.AddProductBlock{
		Type:     "PRODUCT",
		Settings: fencepost.ProductBlockSettingsInput{Name: "Bowl", URL: shop + "bowl", Price: "38.00", Currency: "EUR"},
	})
	add("COUPON", fencepost.AddCouponBlock{
		Type: "COUPON", Settings: fencepost.CouponBlockSettingsInput{Title: "10 %", Code: "SPRING10", URL: shop},
	})
	add("COUNTDOWN", fencepost.AddCountdownBlock{
		Type: "COUNTDOWN", Settings: fencepost.CountdownBlockSettingsInput{Title: "Kiln opening", EndsAt: soon},
	})
	add("NOTICE_BAR", fencepost.AddNoticeBarBlock{
		Type: "NOTICE_BAR", Settings: fencepost.NoticeBarBlockSettingsInput{Text: "Closed until Monday"},
	})
	add("FAQ", fencepost.AddFaqBlock{
		Type:     "FAQ",
		Settings: fencepost.FaqBlockSettingsInput{Items: []fencepost.FaqItemInput{{Question: "Dishwasher safe?", Answer: "Yes."}}},
	})
	add("TESTIMONIAL", fencepost.AddTestimonialBlock{
		Type:     "TESTIMONIAL",
		Settings: fencepost.TestimonialBlockSettingsInput{Quote: "A joy.", Author: "Jonas", Rating: new(int64(5))},
	})
	return types, blocks
}

// typeOf returns the type of a block of a response.
func typeOf(t *testing.T, block fencepost.LinkPageBlock) string {
	t.Helper()
	_, unknown := block.Value.(json.RawMessage)
	require.False(t, unknown, "the type is not documented")
	raw, err := json.Marshal(block)
	require.NoError(t, err)
	var typed struct{ Type string }
	require.NoError(t, json.Unmarshal(raw, &typed))
	return typed.Type
}

// notice returns a block as a notice.
func notice(t *testing.T, block fencepost.LinkPageBlock) fencepost.NoticeBarBlock {
	t.Helper()
	require.IsType(t, fencepost.NoticeBarBlock{}, block.Value)
	got, _ := block.Value.(fencepost.NoticeBarBlock)
	return got
}

// editsLinkPages uses the documented operations on a link page: it is created, filled with every type of block,
// ordered, published, changed concurrently, and deleted.
func editsLinkPages(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	handle := "e2e" + strings.ReplaceAll(ident.New[ident.LinkPage]().String(), "-", "")[10:]
	var header http.Header
	page, err := s.API.LinkPages.Create(ctx, fencepost.CreateLinkPageRequest{
		Handle: handle, Title: "Mara Weber", Theme: &fencepost.LinkPageThemeInput{Name: fencepost.Set(fencepost.ThemeNameOcean)},
	}, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	require.Equal(t, fencepost.LinkPageStatusDraft, page.Status)
	require.True(t, strings.HasSuffix(page.URL, "/"+handle), page.URL)
	require.Equal(t, "/v1/link-pages/"+page.ID, header.Get("Location"))

	tag := header.Get("ETag")
	var ids []string
	types, blocks := typedBlocks(s.Create(channel.Threads, "On a page", "draft").ID,
		s.Upload("on-a-page.jpg", "image/jpeg", harness.Picture(t, 11)).ID)
	for i, body := range blocks {
		block, err := s.API.LinkPages.AddBlock(ctx, page.ID, body, fencepost.IfMatch(tag), fencepost.ResponseHeader(&header))
		require.NoError(t, err)
		require.Equal(t, types[i], typeOf(t, *block))
		tag = header.Get("ETag")
		ids = append(ids, header.Get("Location")[len("/v1/link-pages/"+page.ID+"/blocks/"):])
	}
	ids = append(ids[7:8], append(ids[:7:7], ids[8:]...)...) // the notice first
	ordered, err := s.API.LinkPages.OrderBlocks(ctx, page.ID, fencepost.OrderLinkBlocksRequest{BlockIDs: ids})
	require.NoError(t, err)
	first := notice(t, ordered.Blocks[0])
	require.Equal(t, "Closed until Monday", first.Settings.Text)
	block, err := s.API.LinkPages.UpdateBlock(ctx, page.ID, first.ID, fencepost.UpdateLinkPageBlockRequest{
		Settings: fencepost.Set(fencepost.LinkPageBlockSettingsChange{Tone: fencepost.Set(fencepost.NoticeBarBlockSettingsToneWarning)}),
	}, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	first = notice(t, *block)
	require.Equal(t, fencepost.NoticeBarBlockSettingsToneWarning, first.Settings.Tone)
	require.Equal(t, "Closed until Monday", first.Settings.Text, "what is left out stays")

	publishesLinkPage(t, s, page.ID, tag, header.Get("ETag"))
}

func publishesLinkPage(t *testing.T, s *harness.System, id, old, tag string) {
	t.Helper()
	ctx := t.Context()
	requireProblem(t, harness.Failure(s.API.LinkPages.Publish(ctx, id, fencepost.IfMatch(old))),
		http.StatusPreconditionFailed, fencepost.ProblemCodePreconditionFailed)
	var header http.Header
	page, err := s.API.LinkPages.Publish(ctx, id, fencepost.IfMatch(tag), fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	require.Equal(t, fencepost.LinkPageStatusPublished, page.Status)
	require.Equal(t, page.Blocks, page.Published.Blocks)
	tag = header.Get("ETag")
	same := harness.Failure(s.API.LinkPages.Get(ctx, id, fencepost.IfNoneMatch(tag)))
	require.Equal(t, http.StatusNotModified, harness.Status(same, http.StatusOK), "%v", same)
	edited, err := s.API.LinkPages.Update(ctx, id, fencepost.UpdateLinkPageRequest{Title: fencepost.Set("Another")})
	require.NoError(t, err)
	require.Equal(t, "Mara Weber", edited.Published.Title)
	listed, err := s.API.LinkPages.List(ctx)
	require.NoError(t, err)
	summary := listed[0]
	require.Equal(t, []any{id, "Another", true, int64(10)},
		[]any{summary.ID, summary.Title, summary.HasUnpublishedChanges, summary.BlockCount})
	report, err := s.API.LinkPages.GetAnalytics(ctx, id, fencepost.GetLinkPageAnalyticsParams{})
	require.NoError(t, err)
	require.Len(t, report.Data, 30)
	require.Zero(t, report.Views)

	down, err := s.API.LinkPages.Unpublish(ctx, id)
	require.NoError(t, err)
	require.Nil(t, down.Published)
	require.NoError(t, s.API.LinkPages.DeleteBlock(ctx, id, notice(t, edited.Blocks[0]).ID))
	require.NoError(t, s.API.LinkPages.Delete(ctx, id))
}

// refusesLinkPages checks the error responses for link pages.
func refusesLinkPages(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.LinkPage]().String()
	requireProblem(t, harness.Failure(s.API.LinkPages.Get(ctx, unknownID)), http.StatusNotFound, fencepost.ProblemCodeNotFound)
	p := requireProblem(t, harness.Failure(s.API.LinkPages.Create(ctx, fencepost.CreateLinkPageRequest{Handle: "admin", Title: "A"})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "/handle", p.Errors[0].Pointer)
	handle := "e2e" + strings.ReplaceAll(unknownID, "-", "")[10:]
	created, err := s.API.LinkPages.Create(ctx, fencepost.CreateLinkPageRequest{Handle: handle, Title: "A"})
	require.NoError(t, err)
	id := created.ID
	requireProblem(t, harness.Failure(s.API.LinkPages.Create(ctx, fencepost.CreateLinkPageRequest{Handle: strings.ToUpper(handle), Title: "A"})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	script := fencepost.AddLinkPageBlockRequest{Value: fencepost.AddLinkBlock{
		Type: "LINK", Settings: fencepost.LinkBlockSettingsInput{Title: "A", URL: "javascript:alert(1)"},
	}}
	p = requireProblem(t, harness.Failure(s.API.LinkPages.AddBlock(ctx, id, script)),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Equal(t, "/settings/url", p.Errors[0].Pointer)
	p = requireProblem(t, harness.Failure(s.API.LinkPages.Unpublish(ctx, id)),
		http.StatusConflict, fencepost.ProblemCodeInvalidState)
	require.Equal(t, "DRAFT", p.CurrentStatus)
	requireProblem(t, harness.Failure(s.Client(s.NewKey(credential.LinksRead)).LinkPages.Publish(ctx, id)),
		http.StatusForbidden, fencepost.ProblemCodeInsufficientScope)
}
