package googlebusiness_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
)

func TestBodies(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		options post.Options
		want    string
	}{
		"event": {
			post.Options{TopicType: "EVENT", EventTitle: "Sale", EventStart: "2026-03-01T09:30", EventEnd: "2026-03-08"},
			`{"languageCode":"en","summary":"Hello & welcome","topicType":"EVENT","event":{"title":"Sale","schedule":{
				"startDate":{"year":2026,"month":3,"day":1},"startTime":{"hours":9,"minutes":30},
				"endDate":{"year":2026,"month":3,"day":8},"endTime":{"hours":23,"minutes":59}}}}`,
		},
		"offer": {
			post.Options{
				TopicType: "OFFER", EventTitle: "Sale", EventStart: "2026-03-01", EventEnd: "2026-03-01T18:00",
				CouponCode: "TILES20", RedeemURL: "https://example.com/r", Terms: "Once",
			},
			`{"languageCode":"en","summary":"Hello & welcome","topicType":"OFFER","event":{"title":"Sale","schedule":{
				"startDate":{"year":2026,"month":3,"day":1},"startTime":{"hours":0,"minutes":0},
				"endDate":{"year":2026,"month":3,"day":1},"endTime":{"hours":18,"minutes":0}}},
				"offer":{"couponCode":"TILES20","redeemOnlineUrl":"https://example.com/r","termsConditions":"Once"}}`,
		},
		"button": {
			post.Options{CallToAction: "BOOK", ActionURL: "https://example.com/b"},
			`{"languageCode":"en","summary":"Hello & welcome","topicType":"STANDARD",
				"callToAction":{"actionType":"BOOK","url":"https://example.com/b"}}`,
		},
		"call": {
			post.Options{TopicType: "STANDARD", CallToAction: "CALL"},
			`{"languageCode":"en","summary":"Hello & welcome","topicType":"STANDARD","callToAction":{"actionType":"CALL"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {shown("180", "LIVE", searchURL)}})
			b.content.Options = test.options
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.JSONEq(t, test.want, b.script.Requests()[0].Body)
			require.Empty(t, faultsOf(b.content), "the rules accept the options")
		})
	}
}

func faultsOf(content platform.Content) []string {
	var members []string
	for _, finding := range connectors.Rules().Check(channel.GoogleBusiness, content) {
		if !finding.Warning {
			members = append(members, finding.Member)
		}
	}
	return members
}

func TestPhotoIsSentAsURL(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{publishCall: {shown("180", "PROCESSING", searchURL)}})
	picture := platformtest.Picture(t, 1)
	b.content.Media, b.content.Files = append(b.content.Media, picture.Asset), platformtest.Files(t, picture)
	published, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.True(t, published.InReview, "Google fetches the photo during its review")
	body := b.script.Requests()[0].Body
	require.Contains(t, body, `"media":[{"mediaFormat":"PHOTO","sourceUrl":"http`)
	require.Contains(t, body, picture.Asset.ID.String())
}

// TestConflictingOptions checks the options that Google refuses together.
func TestConflictingOptions(t *testing.T) {
	t.Parallel()

	event := post.Options{TopicType: "EVENT", EventTitle: "Sale", EventStart: "2026-03-01", EventEnd: "2026-03-08"}
	offer := event
	offer.TopicType = "OFFER"
	with := func(o post.Options, change func(*post.Options)) post.Options {
		change(&o)
		return o
	}
	for name, test := range map[string]struct {
		options post.Options
		members string
	}{
		"event":           {event, ""},
		"offer":           {offer, ""},
		"bare event":      {post.Options{TopicType: "EVENT"}, "eventEnd eventStart eventTitle"},
		"bare offer":      {post.Options{TopicType: "OFFER"}, "eventEnd eventStart eventTitle"},
		"untyped event":   {with(event, func(o *post.Options) { o.TopicType = "" }), "eventEnd eventStart eventTitle"},
		"backwards":       {with(event, func(o *post.Options) { o.EventEnd = "2026-02-28" }), "eventEnd"},
		"one day":         {with(event, func(o *post.Options) { o.EventEnd = o.EventStart }), ""},
		"no date":         {with(event, func(o *post.Options) { o.EventEnd = "tomorrow" }), "eventEnd"},
		"long title":      {with(event, func(o *post.Options) { o.EventTitle = strings.Repeat("a", 59) }), "eventTitle"},
		"coupon":          {with(event, func(o *post.Options) { o.CouponCode = "A" }), "couponCode"},
		"offer, button":   {with(offer, func(o *post.Options) { o.CallToAction = "CALL" }), "callToAction"},
		"call with a URL": {post.Options{CallToAction: "CALL", ActionURL: "https://example.com"}, "actionUrl"},
		"book, no URL":    {post.Options{CallToAction: "BOOK"}, "actionUrl"},
		"URL alone":       {post.Options{ActionURL: "https://example.com"}, "actionUrl"},
		"unknown":         {post.Options{TopicType: "ALERT"}, "topicType"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			content := platform.Content{ContentType: post.ContentPost, Text: "Hello", Options: test.options}
			var want []string
			for member := range strings.FieldsSeq(test.members) {
				want = append(want, "options/"+member)
			}
			require.Equal(t, want, faultsOf(content))
		})
	}
}

// TestReconcileComparesTopic checks that a post of equal text and another topic is another post.
func TestReconcileComparesTopic(t *testing.T) {
	t.Parallel()

	const at = "2026-03-01T09:00:05Z"
	event := strings.Replace(listed("180", "Hello", at, ""), "STANDARD", "EVENT", 1)
	b := setup(t, map[string][]platformtest.Response{
		listCall: {ok(`{"localPosts":[` + event + `]}`)},
	})
	for topic, want := range map[string]platform.Evidence{
		"": platform.EvidenceAbsent, "EVENT": platform.EvidenceFound, "OFFER": platform.EvidenceAbsent,
	} {
		b.content.Options.TopicType = topic
		evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: "Hello", At: now()})
		require.NoError(t, err)
		require.Equal(t, want, evidence, topic)
	}
	evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{At: now()})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceUnclear, evidence, "without a text")
}
