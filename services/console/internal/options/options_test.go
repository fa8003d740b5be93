package options_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/options"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

const prefix = "o."

// source returns the source of a channel of the type.
func source(kind channel.Type, of ...media.Type) options.Source {
	table := connectors.Rules()
	row, _ := table.Of(kind)
	return options.Source{
		Channel: channel.Channel{Type: kind}, Options: row.Options, Kinds: of,
		Faults: func(o post.Options) map[string]string {
			faults := make(map[string]string)
			for _, f := range table.CheckOptions(kind, o) {
				if !f.Warning {
					faults[strings.TrimPrefix(f.Member, "options/")] = f.Message
				}
			}
			return faults
		},
	}
}

// typed returns the values of a form.
func typed(pairs ...string) url.Values {
	values := make(url.Values)
	for pair := range slices.Chunk(pairs, 2) {
		values.Set(prefix+pair[0], pair[1])
	}
	return values
}

func html(t *testing.T, f options.Form) string {
	t.Helper()
	drawn, err := f.HTML()
	require.NoError(t, err)
	return string(drawn)
}

func field(t *testing.T, f options.Form, name string) options.Field {
	t.Helper()
	for _, one := range f.Fields {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("there is no field %s", name)
	return options.Field{}
}

// TestEveryOptionOfANetworkHasAField checks that the forms have the options of the rules, and no others, each in words.
func TestEveryOptionOfANetworkHasAField(t *testing.T) {
	t.Parallel()
	for _, kind := range channel.Types() {
		s := source(kind)
		var names []string
		for _, one := range s.Form(post.Options{}, prefix).Fields {
			require.NotEmpty(t, one.Label, "%s %s", kind, one.Name)
			require.NotContains(t, one.Label, one.Name, "a name is no label")
			if one.Draw == options.Select && one.Name != "boardId" && one.Name != "boardSectionId" {
				require.NotEmpty(t, one.Words, "%s %s", kind, one.Name)
			}
			if one.Name != "disclose" {
				names = append(names, one.Name)
			}
		}
		var want []string
		for _, option := range s.Options {
			if option.Name != "coverUrl" { // shown if it is set: people choose a picture of the library
				want = append(want, option.Name)
			}
			for _, value := range option.Values {
				require.Contains(t, html(t, s.Form(post.Options{}, prefix)), `<option value="`+value+`"`, "%s %s", kind, option.Name)
			}
		}
		require.Equal(t, want, names, kind)
	}
	kept := source(channel.InstagramProfessional).Form(post.Options{CoverURL: "https://example.com/a.jpg"}, prefix)
	require.Equal(t, "https://example.com/a.jpg", field(t, kept, "coverUrl").Value)
}

// TestOptionsSurviveTheirForm sends each form as it was drawn.
func TestOptionsSurviveTheirForm(t *testing.T) {
	t.Parallel()
	for kind, want := range map[channel.Type]post.Options{
		channel.YouTube: {
			VideoType: "short", Category: "22", License: "creativeCommon", NotifySubscribers: new(false), AllowEmbedding: new(true),
			MadeForKids: new(false), Visibility: "unlisted", Tags: []string{"tiles", "new kitchen"}, AIGenerated: new(true),
		},
		channel.TikTokPersonal: {
			Privacy: platform.PrivacyFriends, AllowComments: new(true), AllowDuet: new(false), AllowStitch: new(true),
			BrandContent: new(true), BrandOrganic: new(true),
		},
		channel.Pinterest:       {BoardID: "12", BoardSectionID: "34", Link: "https://example.com", AltText: "A bowl"},
		channel.LinkedInProfile: {Visibility: "CONNECTIONS", Link: "https://example.com"},
		channel.LinkedInPage: {
			PollOptions: []string{"Blue", "Green"}, PollQuestion: "Which?", PollMinutes: new(int64(20160)),
		},
		channel.FacebookPage: {Link: "https://example.com"},
		channel.InstagramProfessional: {
			ThumbOffset: new(int64(4500)), ShareToFeed: new(true), Collaborators: []string{"mara.l"}, UserTags: []string{"a", "b"},
			LocationID: "12345",
		},
		channel.Twitter: {
			LongText: new(true), Replies: "mentioned", PollOptions: []string{"Blue", "Green tiles"}, PollMinutes: new(int64(60)),
			AIGenerated: new(true), BrandContent: new(true),
		},
		channel.Threads: {
			Replies: "followers", PollOptions: []string{"Blue", "Green"}, TopicTag: "Tiles", Sensitive: new(true),
		},
		channel.Bluesky: {
			Replies: "none", ContentLabel: "graphic-media", Language: "pt-BR",
			Quote: "https://bsky.app/profile/acme.bsky.social/post/3kaaaaaaaaaa2",
		},
		channel.Mastodon: {
			Visibility: "unlisted", ContentWarning: "Food", Language: "en", PollOptions: []string{"Blue", "Green"},
			PollMinutes: new(int64(4320)), PollMultiple: new(true),
		},
		channel.TelegramChannel: {LinkPreview: "none", Silent: new(true), Protected: new(true)},
		channel.GoogleBusiness: {
			TopicType: "OFFER", EventTitle: "Sale", EventStart: "2026-12-01", EventEnd: "2026-12-24T18:00", CouponCode: "BOWL",
			RedeemURL: "https://example.com", Terms: "One each.",
		},
	} {
		values := make(url.Values)
		for _, one := range source(kind).Form(want, prefix).Fields {
			switch {
			case one.Draw != options.Switch:
				values.Set(one.Input, one.Value)
			case one.On:
				values.Set(one.Input, "yes")
			}
			if one.Draw == options.Moment {
				values.Set(one.Input+".time", one.Time)
			}
		}
		got, faults := source(kind).Parse(values, prefix)
		require.Empty(t, faults, kind)
		require.Equal(t, want, got, kind)
	}
}

// TestWrongInputIsAFaultOfItsField sends wrong values of every field.
func TestWrongInputIsAFaultOfItsField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 6000)
	board := []string{"boardId", "12"}
	event := []string{"topicType", "EVENT", "eventTitle", "Sale", "eventStart", "2026-12-01", "eventEnd", "2026-12-02"}
	offer := []string{"topicType", "OFFER", "eventTitle", "Sale", "eventStart", "2026-12-01", "eventEnd", "2026-12-02"}
	public := []string{"privacy", platform.PrivacyPublic}
	for name, tc := range map[string]struct {
		kind  channel.Type
		with  []string
		field string
		value string
	}{
		"videoType":              {channel.YouTube, nil, "videoType", "movie"},
		"category":               {channel.YouTube, nil, "category", "comedy"},
		"category, too large":    {channel.YouTube, nil, "category", "1234567890"},
		"license":                {channel.YouTube, nil, "license", "mine"},
		"notifySubscribers":      {channel.YouTube, nil, "notifySubscribers", "maybe"},
		"allowEmbedding":         {channel.YouTube, nil, "allowEmbedding", "true"},
		"madeForKids":            {channel.YouTube, nil, "madeForKids", "1"},
		"visibility":             {channel.YouTube, nil, "visibility", "PUBLIC"},
		"visibility of LinkedIn": {channel.LinkedInProfile, nil, "visibility", "everyone"},
		"a page":                 {channel.LinkedInPage, nil, "visibility", "CONNECTIONS"},
		"a card":                 {channel.LinkedInPage, nil, "link", "javascript:alert(1)"},
		"a card of Facebook":     {channel.FacebookPage, nil, "link", "example.com"},
		"a long card":            {channel.FacebookPage, nil, "link", "https://example.com/" + long},
		"no privacy":             {channel.TikTokPersonal, nil, "privacy", ""},
		"privacy":                {channel.TikTokPersonal, nil, "privacy", "EVERYBODY"},
		"allowComments":          {channel.TikTokPersonal, public, "allowComments", "on"},
		"allowDuet":              {channel.TikTokPersonal, public, "allowDuet", "on"},
		"allowStitch":            {channel.TikTokPersonal, public, "allowStitch", "on"},
		"brandOrganic":           {channel.TikTokPersonal, append([]string{"disclose", "yes", "brandContent", "yes"}, public...), "brandOrganic", "on"},
		"uploadToDraft":          {channel.TikTokPersonal, public, "uploadToDraft", "on"},
		"nothing disclosed":      {channel.TikTokPersonal, public, "disclose", "yes"},
		"a private advertisement": {
			channel.TikTokPersonal, []string{"privacy", platform.PrivacySelf, "disclose", "yes"}, "brandContent", "yes",
		},
		"no board":                {channel.Pinterest, nil, "boardId", ""},
		"board":                   {channel.Pinterest, nil, "boardId", "Winter"},
		"board, too long":         {channel.Pinterest, nil, "boardId", strings.Repeat("1", 33)},
		"section":                 {channel.Pinterest, board, "boardSectionId", "Blue"},
		"target":                  {channel.Pinterest, board, "link", "ftp://example.com"},
		"altText":                 {channel.Pinterest, board, "altText", long},
		"coverUrl":                {channel.InstagramProfessional, nil, "coverUrl", "cover.jpg"},
		"thumbOffset":             {channel.InstagramProfessional, nil, "thumbOffset", "soon"},
		"thumbOffset, negative":   {channel.InstagramProfessional, nil, "thumbOffset", "-1"},
		"thumbOffset, endless":    {channel.InstagramProfessional, nil, "thumbOffset", "Inf"},
		"thumbOffset, no number":  {channel.InstagramProfessional, nil, "thumbOffset", "NaN"},
		"two covers":              {channel.InstagramProfessional, []string{"coverUrl", "https://example.com/a.jpg"}, "thumbOffset", "2"},
		"shareToFeed":             {channel.InstagramProfessional, nil, "shareToFeed", "perhaps"},
		"longText":                {channel.Twitter, nil, "longText", "true"},
		"longText of Telegram":    {channel.TelegramChannel, nil, "longText", "1"},
		"longText of Threads":     {channel.Threads, nil, "longText", "on"},
		"topicType":               {channel.GoogleBusiness, nil, "topicType", "NEWS"},
		"callToAction":            {channel.GoogleBusiness, nil, "callToAction", "BUY"},
		"actionUrl":               {channel.GoogleBusiness, []string{"callToAction", "BOOK"}, "actionUrl", "example"},
		"a button without a link": {channel.GoogleBusiness, []string{"callToAction", "BOOK"}, "actionUrl", ""},
		"a link without a button": {channel.GoogleBusiness, nil, "actionUrl", "https://example.com"},
		"eventTitle":              {channel.GoogleBusiness, event, "eventTitle", long},
		"no eventTitle":           {channel.GoogleBusiness, event, "eventTitle", ""},
		"eventStart":              {channel.GoogleBusiness, event, "eventStart", "tomorrow"},
		"no eventStart":           {channel.GoogleBusiness, event, "eventStart", ""},
		"eventEnd":                {channel.GoogleBusiness, event, "eventEnd", "2026-13-01"},
		"an end before the start": {channel.GoogleBusiness, event, "eventEnd", "2026-11-01"},
		"a wrong time":            {channel.GoogleBusiness, append(event, "eventEnd.time", "25:00"), "eventEnd", "2026-12-02"},
		"couponCode":              {channel.GoogleBusiness, offer, "couponCode", long},
		"redeemUrl":               {channel.GoogleBusiness, offer, "redeemUrl", "here"},
		"terms":                   {channel.GoogleBusiness, offer, "terms", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, values := source(tc.kind), typed(tc.with...)
			values.Set(prefix+tc.field, tc.value)
			_, faults := s.Parse(values, prefix)
			require.Contains(t, faults, tc.field)
			require.NotContains(t, faults[tc.field], tc.field+" ", "people do not read names of options")
			again := s.Again(values, prefix, faults)
			require.Equal(t, faults[tc.field], field(t, again, tc.field).Fault)
			require.True(t, again.Faulty)
			drawn := html(t, again)
			require.Contains(t, drawn, `id="`+prefix+tc.field+`-fault"`)
			require.Contains(t, drawn, `aria-describedby="`+prefix+tc.field+`-fault"`)
		})
	}
}

func TestWhatWasTypedIsShownAgain(t *testing.T) {
	t.Parallel()
	s := source(channel.GoogleBusiness)
	values := typed("topicType", "EVENT", "eventStart", "2026-12-01", "eventStart.time", "10:00", "eventTitle", `"><script>`)
	_, faults := s.Parse(values, prefix)
	drawn := html(t, s.Again(values, prefix, faults))
	require.Contains(t, drawn, `value="2026-12-01"`)
	require.Contains(t, drawn, `value="10:00"`)
	require.Contains(t, drawn, `<option value="EVENT" selected>`)
	require.NotContains(t, drawn, "<script")
	s = source(channel.InstagramProfessional)
	values = typed("thumbOffset", "soon")
	_, faults = s.Parse(values, prefix)
	require.Contains(t, html(t, s.Again(values, prefix, faults)), `value="soon"`)
}

func TestFieldsOfAnotherTopicAreNotSent(t *testing.T) {
	t.Parallel()
	got, faults := source(channel.GoogleBusiness).Parse(typed(
		"topicType", "STANDARD", "eventTitle", "Sale", "couponCode", "BOWL", "callToAction", "CALL",
	), prefix)
	require.Empty(t, faults)
	require.Equal(t, post.Options{CallToAction: "CALL"}, got)
}

func TestTikTokPresetsNothing(t *testing.T) {
	t.Parallel()
	s := source(channel.TikTokPersonal)
	s.Said.Creator = &platform.CreatorInfo{
		Nickname: "Acme <b>", PrivacyLevelOptions: []string{platform.PrivacyFriends, platform.PrivacySelf}, DuetDisabled: true,
		MaxVideoDurationSec: 600,
	}
	form := s.Form(post.Options{}, prefix)
	require.Empty(t, field(t, form, "privacy").Value)
	require.Len(t, field(t, form, "privacy").Words, 3, "the creator's own levels, and none")
	for _, name := range []string{"allowComments", "allowDuet", "allowStitch", "disclose", "brandContent", "brandOrganic"} {
		require.False(t, field(t, form, name).On, name)
	}
	require.NotEmpty(t, field(t, form, "allowDuet").Locked)
	require.Equal(t, "who may watch not chosen", form.Summary)
	drawn := html(t, form)
	require.Contains(t, drawn, "Music Usage Confirmation")
	require.Contains(t, drawn, "Branded Content Policy")
	require.Contains(t, drawn, "Acme &lt;b&gt;")

	// Switches that are off say no. What the account has turned off stays off, whatever is sent.
	got, faults := s.Parse(typed("privacy", platform.PrivacyFriends, "allowDuet", "yes"), prefix)
	require.Empty(t, faults)
	require.Equal(t, post.Options{
		Privacy: platform.PrivacyFriends, AllowComments: new(false), AllowDuet: new(false), AllowStitch: new(false),
	}, got)
	_, faults = s.Parse(typed("privacy", platform.PrivacyPublic), prefix)
	require.Contains(t, faults, "privacy", "not offered to this account")
}

func TestADraftOfTikTokNeedsNothingElse(t *testing.T) {
	t.Parallel()
	got, faults := source(channel.TikTokPersonal).Parse(typed("uploadToDraft", "yes", "disclose", "yes"), prefix)
	require.Empty(t, faults)
	require.Equal(t, post.Options{UploadToDraft: new(true)}, got)
}

func TestPhotosHaveNoDuets(t *testing.T) {
	t.Parallel()
	drawn := html(t, source(channel.TikTokPersonal, media.Image).Form(post.Options{}, prefix))
	require.NotContains(t, drawn, "Duets")
	require.Contains(t, drawn, "Comments")
}

func TestBoardsAreThoseOfTheAccount(t *testing.T) {
	t.Parallel()
	s := source(channel.Pinterest)
	s.Said.Boards = []platform.Board{{ID: "12", Name: "Winter"}, {ID: "13", Name: "Secret", Privacy: "SECRET"}}
	s.Said.Sections = []platform.BoardSection{{ID: "34", Name: "Blue"}}
	form := s.Form(post.Options{BoardID: "12", BoardSectionID: "34"}, prefix)
	require.Equal(t, "Winter, Blue", form.Summary)
	drawn := html(t, form)
	require.Contains(t, drawn, `<option value="13">Secret (secret)</option>`)
	require.Contains(t, drawn, `data-again`)
	_, faults := s.Parse(typed("boardId", "99", "boardSectionId", "35"), prefix)
	require.Contains(t, faults, "boardId")
	require.Contains(t, faults, "boardSectionId")
}

func TestABoardStaysChosenIfTheNetworkDoesNotRespond(t *testing.T) {
	t.Parallel()
	s := source(channel.Pinterest)
	s.Said.Problem = "Pinterest cannot be read right now."
	drawn := html(t, s.Form(post.Options{BoardID: "12"}, prefix))
	require.Contains(t, drawn, "Pinterest cannot be read right now.")
	require.Contains(t, drawn, `<option value="12" selected>`)
	got, faults := s.Parse(typed("boardId", "12"), prefix)
	require.Empty(t, faults)
	require.Equal(t, "12", got.BoardID)
}

func TestALongTextNeedsPremium(t *testing.T) {
	t.Parallel()
	s := source(channel.Twitter)
	s.Channel.Facts.Premium = new(false)
	require.NotEmpty(t, field(t, s.Form(post.Options{LongText: new(true)}, prefix), "longText").Locked)
	got, faults := s.Parse(typed("longText", "yes"), prefix)
	require.Empty(t, faults)
	require.True(t, got.IsZero())
}
