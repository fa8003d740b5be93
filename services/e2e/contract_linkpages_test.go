package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// typedBlocks returns a block of each type, as a client generated from the document writes them.
func typedBlocks(t *testing.T, postID, mediaID string) []apiclient.AddLinkPageBlockRequest {
	t.Helper()
	text := nullable.NewNullableWithValue[string]
	shop, image := text("https://shop.example.com/"), text(mediaID)
	soon := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	var link, prose, section, card, product, coupon, countdown, notice, faq, praise apiclient.AddLinkPageBlockRequest
	for _, err := range []error{
		link.FromAddLinkBlock(apiclient.AddLinkBlock{
			Settings: apiclient.LinkBlockSettingsInput{
				Title: "Shop", URL: "https://shop.example.com/", ImageMediaID: image, Featured: new(true),
			},
		}),
		prose.FromAddTextBlock(apiclient.AddTextBlock{
			Settings: apiclient.TextBlockSettingsInput{Text: "Small batches.\nBig ovens."},
		}),
		section.FromAddSectionBlock(apiclient.AddSectionBlock{
			Settings: apiclient.SectionBlockSettingsInput{Title: "Workshops"},
		}),
		card.FromAddPostCardBlock(apiclient.AddPostCardBlock{Settings: apiclient.PostCardBlockSettingsInput{PostID: postID}}),
		product.FromAddProductBlock(apiclient.AddProductBlock{
			Settings: apiclient.ProductBlockSettingsInput{
				Name: "Bowl", URL: "https://shop.example.com/bowl", Price: text("38.00"), Currency: text("EUR"),
			},
		}),
		coupon.FromAddCouponBlock(apiclient.AddCouponBlock{
			Settings: apiclient.CouponBlockSettingsInput{Title: "10 %", Code: "SPRING10", URL: shop},
		}),
		countdown.FromAddCountdownBlock(apiclient.AddCountdownBlock{
			Settings: apiclient.CountdownBlockSettingsInput{Title: "Kiln opening", EndsAt: soon},
		}),
		notice.FromAddNoticeBarBlock(apiclient.AddNoticeBarBlock{
			Settings: apiclient.NoticeBarBlockSettingsInput{Text: "Closed until Monday"},
		}),
		faq.FromAddFaqBlock(apiclient.AddFaqBlock{
			Settings: apiclient.FaqBlockSettingsInput{
				Items: []apiclient.FaqItemInput{{Question: "Dishwasher safe?", Answer: "Yes."}},
			},
		}),
		praise.FromAddTestimonialBlock(apiclient.AddTestimonialBlock{
			Settings: apiclient.TestimonialBlockSettingsInput{
				Quote: "A joy.", Author: "Jonas", Rating: nullable.NewNullableWithValue[int64](5),
			},
		}),
	} {
		require.NoError(t, err)
	}
	return []apiclient.AddLinkPageBlockRequest{link, prose, section, card, product, coupon, countdown, notice, faq, praise}
}

// editsLinkPages uses the documented operations on a link page: it is created, filled with every type of block,
// ordered, published, changed concurrently, and deleted.
func editsLinkPages(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	handle := "e2e" + strings.ReplaceAll(ident.New[ident.LinkPage]().String(), "-", "")[10:]
	created, err := s.API.CreateLinkPageWithResponse(ctx, nil, apiclient.CreateLinkPageRequest{
		Handle: handle, Title: "Mara Weber", Theme: &apiclient.LinkPageThemeInput{Name: new(apiclient.ThemeNameInputOCEAN)},
	})
	require.NoError(t, err)
	page := harness.Response(t, created.JSON201, created.Body)
	require.Equal(t, apiclient.LinkPageStatusDRAFT, page.Status)
	require.True(t, strings.HasSuffix(page.URL, "/"+handle), page.URL)
	require.Equal(t, "/v1/link-pages/"+page.ID, created.HTTPResponse.Header.Get("Location"))

	tag := created.HTTPResponse.Header.Get("ETag")
	var ids []string
	for _, body := range typedBlocks(t, s.Create(channel.Threads, "On a page", "draft").ID,
		s.Upload("on-a-page.jpg", "image/jpeg", harness.Picture(t, 11)).ID) {
		added, err := s.API.AddLinkBlockWithResponse(ctx, page.ID, &apiclient.AddLinkBlockParams{
			IfMatch: &tag, IdempotencyKey: new(ident.New[ident.Event]().String()),
		}, body)
		require.NoError(t, err)
		block := harness.Response(t, added.JSON201, added.Body)
		sent, err := body.Discriminator()
		require.NoError(t, err)
		typ, err := block.Discriminator()
		require.NoError(t, err)
		require.Equal(t, sent, typ)
		_, err = block.ValueByDiscriminator()
		require.NoError(t, err)
		tag = added.HTTPResponse.Header.Get("ETag")
		ids = append(ids, added.HTTPResponse.Header.Get("Location")[len("/v1/link-pages/"+page.ID+"/blocks/"):])
	}
	ids = append(ids[7:8], append(ids[:7:7], ids[8:]...)...) // the notice first
	ordered, err := s.API.OrderLinkBlocksWithResponse(ctx, page.ID, nil, apiclient.OrderLinkBlocksRequest{BlockIds: ids})
	require.NoError(t, err)
	first, err := harness.Response(t, ordered.JSON200, ordered.Body).Blocks[0].AsNoticeBarBlock()
	require.NoError(t, err)
	require.Equal(t, "Closed until Monday", first.Settings.Text)
	changed, err := s.API.UpdateLinkBlockWithResponse(ctx, page.ID, first.ID, nil, apiclient.UpdateLinkPageBlockRequest{
		Settings: &apiclient.LinkPageBlockSettingsChange{Tone: new(apiclient.NoticeBarBlockSettingsToneInputWARNING)},
	})
	require.NoError(t, err)
	block := harness.Response(t, changed.JSON200, changed.Body)
	first, err = block.AsNoticeBarBlock()
	require.NoError(t, err)
	require.Equal(t, apiclient.NoticeBarBlockSettingsToneWARNING, first.Settings.Tone)
	require.Equal(t, "Closed until Monday", first.Settings.Text, "what is left out stays")

	publishesLinkPage(t, s, page.ID, tag, changed.HTTPResponse.Header.Get("ETag"))
}

func publishesLinkPage(t *testing.T, s *harness.System, id, old, tag string) {
	t.Helper()
	ctx := t.Context()
	late, err := s.API.PublishLinkPageWithResponse(ctx, id, &apiclient.PublishLinkPageParams{IfMatch: &old})
	require.NoError(t, err)
	requireProblem(t, late.ApplicationProblemJSON412, late.Body, apiclient.ProblemCodePRECONDITIONFAILED)
	live, err := s.API.PublishLinkPageWithResponse(ctx, id, &apiclient.PublishLinkPageParams{IfMatch: &tag})
	require.NoError(t, err)
	page := harness.Response(t, live.JSON200, live.Body)
	require.Equal(t, apiclient.LinkPageStatusPUBLISHED, page.Status)
	require.Equal(t, page.Blocks, page.Published.MustGet().Blocks)
	tag = live.HTTPResponse.Header.Get("ETag")
	same, err := s.API.GetLinkPageWithResponse(ctx, id, &apiclient.GetLinkPageParams{IfNoneMatch: &tag})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotModified, same.StatusCode())
	edited, err := s.API.UpdateLinkPageWithResponse(ctx, id, nil, apiclient.UpdateLinkPageRequest{Title: new("Another")})
	require.NoError(t, err)
	require.Equal(t, "Mara Weber", harness.Response(t, edited.JSON200, edited.Body).Published.MustGet().Title)
	listed, err := s.API.ListLinkPagesWithResponse(ctx)
	require.NoError(t, err)
	summary := harness.Response(t, listed.JSON200, listed.Body).Data[0]
	require.Equal(t, []any{id, "Another", true, int64(10)},
		[]any{summary.ID, summary.Title, summary.HasUnpublishedChanges, summary.BlockCount})
	visits, err := s.API.GetLinkPageAnalyticsWithResponse(ctx, id, nil)
	require.NoError(t, err)
	report := harness.Response(t, visits.JSON200, visits.Body)
	require.Len(t, report.Data, 30)
	require.Zero(t, report.Views)

	down, err := s.API.UnpublishLinkPageWithResponse(ctx, id, nil)
	require.NoError(t, err)
	require.True(t, harness.Response(t, down.JSON200, down.Body).Published.IsNull())
	first, err := edited.JSON200.Blocks[0].AsNoticeBarBlock()
	require.NoError(t, err)
	without, err := s.API.DeleteLinkBlockWithResponse(ctx, id, first.ID, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, without.StatusCode(), "%s", without.Body)
	gone, err := s.API.DeleteLinkPageWithResponse(ctx, id, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, gone.StatusCode(), "%s", gone.Body)
}

// refusesLinkPages checks the error responses for link pages.
func refusesLinkPages(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.LinkPage]().String()
	none, err := s.API.GetLinkPageWithResponse(ctx, unknownID, nil)
	require.NoError(t, err)
	requireProblem(t, none.ApplicationProblemJSON404, none.Body, apiclient.ProblemCodeNOTFOUND)
	reserved, err := s.API.CreateLinkPageWithResponse(ctx, nil, apiclient.CreateLinkPageRequest{Handle: "admin", Title: "A"})
	require.NoError(t, err)
	p := requireProblem(t, reserved.ApplicationProblemJSON422, reserved.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "/handle", (*p.Errors)[0].Pointer)
	handle := "e2e" + strings.ReplaceAll(unknownID, "-", "")[10:]
	created, err := s.API.CreateLinkPageWithResponse(ctx, nil, apiclient.CreateLinkPageRequest{Handle: handle, Title: "A"})
	require.NoError(t, err)
	id := harness.Response(t, created.JSON201, created.Body).ID
	taken, err := s.API.CreateLinkPageWithResponse(ctx, nil,
		apiclient.CreateLinkPageRequest{Handle: strings.ToUpper(handle), Title: "A"})
	require.NoError(t, err)
	requireProblem(t, taken.ApplicationProblemJSON422, taken.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	var script apiclient.AddLinkPageBlockRequest
	require.NoError(t, script.FromAddLinkBlock(apiclient.AddLinkBlock{
		Settings: apiclient.LinkBlockSettingsInput{Title: "A", URL: "javascript:alert(1)"},
	}))
	refused, err := s.API.AddLinkBlockWithResponse(ctx, id, nil, script)
	require.NoError(t, err)
	p = requireProblem(t, refused.ApplicationProblemJSON422, refused.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Equal(t, "/settings/url", (*p.Errors)[0].Pointer)
	early, err := s.API.UnpublishLinkPageWithResponse(ctx, id, nil)
	require.NoError(t, err)
	p = requireProblem(t, early.ApplicationProblemJSON409, early.Body, apiclient.ProblemCodeINVALIDSTATE)
	require.Equal(t, "DRAFT", *p.CurrentStatus)
	reader, err := s.Client(s.NewKey(credential.LinksRead)).PublishLinkPageWithResponse(ctx, id, nil)
	require.NoError(t, err)
	requireProblem(t, reader.ApplicationProblemJSON403, reader.Body, apiclient.ProblemCodeINSUFFICIENTSCOPE)
}
