package linkedin_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	publishCall = "POST /rest/posts"
	listCall    = "GET /rest/posts"
	urn         = "urn:li:share:7300000000000000001"
)

func now() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	script        *platformtest.Script
	profile, page *linkedin.Connector
	member, firm  platform.Account
	content       platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	config := linkedin.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, Version: "202609",
		ClientID: "client", ClientSecret: "client secret", PermalinkURL: "https://www.linkedin.com/",
	}
	b := &bundle{script: script, content: platform.Content{ContentType: post.ContentPost, Text: "Hello (world)"}}
	var err error
	b.profile, err = linkedin.NewProfile(config)
	require.NoError(t, err)
	b.page, err = linkedin.NewPage(config)
	require.NoError(t, err)
	credentials := channel.Credentials{AccessToken: "access-1", RefreshToken: "refresh-1"}
	b.member = platform.Account{Type: channel.LinkedInProfile, ExternalID: "abc_DE-1", Credentials: credentials}
	b.firm = platform.Account{Type: channel.LinkedInPage, ExternalID: "1234", Credentials: credentials}
	return b
}

func created(header ...string) platformtest.Response {
	response := platformtest.Response{
		Status: http.StatusCreated, Header: map[string]string{"X-RestLi-Protocol-Version": "2.0.0"},
	}
	for pair := range slices.Chunk(header, 2) {
		response.Header[pair[0]] = pair[1]
	}
	return response
}

func publishResponse(response platformtest.Response) map[string][]platformtest.Response {
	return map[string][]platformtest.Response{publishCall: {response}}
}

func TestNewValidatesConfig(t *testing.T) {
	t.Parallel()

	for _, version := range []string{"", "2026-09", "202613", "v202609", "202609\r\n"} {
		_, err := linkedin.NewPage(linkedin.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}, Version: version})
		require.ErrorContains(t, err, "version", version)
	}
	_, err := linkedin.NewProfile(linkedin.Config{Version: "202609"})
	require.ErrorContains(t, err, "clock")
}

func TestEachKindServesOneType(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	require.Equal(t, []channel.Type{channel.LinkedInProfile}, b.profile.Types())
	require.Equal(t, platform.ReconcileNone, b.profile.Strength())
	require.Equal(t, []channel.Type{channel.LinkedInPage}, b.page.Types())
	require.Equal(t, platform.ReconcileMatch, b.page.Strength())
	_, err := platform.NewRegistry(b.profile, b.page)
	require.NoError(t, err)
}

func TestCommit(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		page          bool
		id, requested string
		author        string
		visibility    string
	}{
		"a profile":                      {false, "abc_DE-1", "", "urn:li:person:abc_DE-1", "PUBLIC"},
		"a profile by its URN":           {false, "urn:li:person:abc_DE-1", "PUBLIC", "urn:li:person:abc_DE-1", "PUBLIC"},
		"a profile, for its connections": {false, "abc", "CONNECTIONS", "urn:li:person:abc", "CONNECTIONS"},
		"a page":                         {true, "1234", "", "urn:li:organization:1234", "PUBLIC"},
		"a page by its URN, always public": {
			true, "urn:li:organization:1234", "CONNECTIONS", "urn:li:organization:1234", "PUBLIC",
		},
		"a page is public whatever is said": {true, "1234", "FRIENDS", "urn:li:organization:1234", "PUBLIC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, publishResponse(created("x-restli-id", urn)))
			connector, account := b.profile, b.member
			if test.page {
				connector, account = b.page, b.firm
			}
			account.ExternalID, b.content.Options.Visibility = test.id, test.requested
			publication, err := connector.Commit(t.Context(), account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: urn, URL: "https://www.linkedin.com/feed/update/" + urn + "/"},
				publication)

			require.Len(t, b.script.Requests(), 1)
			request := b.script.Requests()[0]
			require.JSONEq(t, `{"author":"`+test.author+`","commentary":"Hello \\(world\\)","visibility":"`+test.visibility+`",
				"distribution":{"feedDistribution":"MAIN_FEED","targetEntities":[],"thirdPartyDistributionChannels":[]},
				"lifecycleState":"PUBLISHED","isReshareDisabledByAuthor":false}`, request.Body)
			require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
			require.Equal(t, "202609", request.Header.Get("LinkedIn-Version"))
			require.Equal(t, "2.0.0", request.Header.Get("X-Restli-Protocol-Version"))
			require.Equal(t, "application/json", request.Header.Get("Content-Type"))
		})
	}
}

func TestRefusedContentIsNotSent(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change func(*platform.Account, *platform.Content)
		class  platform.Class
		code   string
	}{
		"attachments": {
			func(_ *platform.Account, c *platform.Content) { c.Media = make([]media.Asset, 1) }, platform.ClassTransient,
			platform.CodeMediaNotUploaded,
		},
		"unknown visibility": {
			func(_ *platform.Account, c *platform.Content) { c.Options.Visibility = "LOGGED_IN" }, platform.ClassRejected,
			linkedin.CodeRefused,
		},
		"no token": {
			func(a *platform.Account, _ *platform.Content) { a.Credentials.AccessToken = "" }, platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"no id": {
			func(a *platform.Account, _ *platform.Content) { a.ExternalID = "" }, platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"a page's id": {
			func(a *platform.Account, _ *platform.Content) { a.ExternalID = "urn:li:organization:1" }, platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
		"a hostile id": {
			func(a *platform.Account, _ *platform.Content) { a.ExternalID = `a","x":"` }, platform.ClassReconnect,
			post.ErrorNeedsReconnect,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, publishResponse(created("x-restli-id", urn)))
			test.change(&b.member, &b.content)
			_, err := b.profile.Commit(t.Context(), b.member, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class)
			require.Equal(t, test.code, failure.Code)
			require.Empty(t, b.script.Requests())
		})
	}
}

func TestPostURN(t *testing.T) {
	t.Parallel()

	const named = "urn:li:ugcPost:7"
	for name, test := range map[string]struct {
		response platformtest.Response
		want     string // empty: unknown outcome
	}{
		"in the header":         {created("X-RestLi-Id", named), named},
		"without a body's type": {platformtest.Response{Header: map[string]string{"x-restli-id": named}}, named},
		"in the older header":   {created("X-LinkedIn-Id", named), named},
		"in the location":       {created("Location", "/posts/urn%3Ali%3AugcPost%3A7"), named},
		"200 without one": {
			platformtest.Response{Header: map[string]string{"X-RestLi-Protocol-Version": "2.0.0"}}, "",
		},
		"201 that is not LinkedIn's": {platformtest.Response{Status: http.StatusCreated}, ""},
		"200 as a page":              {platformtest.Response{Body: "<html>"}, ""},
		"not LinkedIn's, hostile name": {
			platformtest.Response{Header: map[string]string{"x-restli-id": "urn:li:share:1/../x"}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, publishResponse(test.response))
			publication, err := b.profile.Commit(t.Context(), b.member, b.content, "")
			if test.want == "" {
				require.Equal(t, platform.ClassUnknown, platformtest.Failure(t, err).Class)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, publication.ExternalID)
		})
	}
}

// TestPostWithoutURNIsSuccess checks that a 201 from LinkedIn without a name is a success. The post is searched for if
// possible, and never sent again.
func TestPostWithoutURNIsSuccess(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		list     platformtest.Response
		want     platform.Publication
	}{
		"found": {
			created(), page(listed(urn, `Hello \(world\)`, time.Second)),
			platform.Publication{ExternalID: urn, URL: "https://www.linkedin.com/feed/update/" + urn + "/"},
		},
		"hostile": {
			created("x-restli-id", "javascript:alert(1)"), page(listed(urn, `Hello \(world\)`, time.Second)),
			platform.Publication{ExternalID: urn, URL: "https://www.linkedin.com/feed/update/" + urn + "/"},
		},
		"not listed":  {created(), page(), platform.Publication{}},
		"list is out": {created(), platformtest.Response{Status: http.StatusServiceUnavailable}, platform.Publication{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{publishCall: {test.response}, listCall: {test.list}})
			publication, err := b.page.Commit(t.Context(), b.firm, b.content, "")
			require.NoError(t, err)
			require.Equal(t, test.want, publication)

			b = setup(t, publishResponse(test.response))
			publication, err = b.profile.Commit(t.Context(), b.member, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{}, publication)
			require.Len(t, b.script.Requests(), 1, "a profile cannot be read")
		})
	}
}

func TestCommentary(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"plain text, 100 % & \"more\"":   "plain text, 100 % & \"more\"",
		`\ | { } @ [ ] ( ) < > # * _ ~`:  `\\ \| \{ \} \@ \[ \] \( \) \< \> \# \* \_ \~`,
		"Join #golang and #Größe_2 (#x)": `Join {hashtag|\#|golang} and {hashtag|\#|Größe\_2} \({hashtag|\#|x}\)`,
		"#हिन्दी #日本":                    `{hashtag|\#|हिन्दी} {hashtag|\#|日本}`,
		"🚀#go ❤️#go":                     `🚀{hashtag|\#|go} ❤️{hashtag|\#|go}`,
		"#1 of #3, # and ##":             `\#1 of \#3, \# and \#\#`,
		"C# a#b &#39; x/#y ##z":          `C\# a\#b &\#39; x/\#y \#\#z`,
		"https://a.example/b_c?d=(#e)":   `https://a.example/b\_c?d=\(\#e\)`,
		"See https://a.example #e":       `See https://a.example {hashtag|\#|e}`,
		"@[Acme](urn:li:organization:1)": `\@\[Acme\]\(urn:li:organization:1\)`,
		`{hashtag|\#|forged}`:            `\{hashtag\|\\\#\|forged\}`,
		"#tag.\n#other!":                 "{hashtag|\\#|tag}.\n{hashtag|\\#|other}!",
		"＃wide and emoji #️⃣":            "＃wide and emoji \\#️⃣",
		strings.Repeat("(", 3):           `\(\(\(`,
	} {
		b := setup(t, publishResponse(created("x-restli-id", urn)))
		b.content.Text = text
		_, err := b.page.Commit(t.Context(), b.firm, b.content, "")
		require.NoError(t, err)
		var sent struct {
			Commentary string `json:"commentary"`
		}
		require.NoError(t, json.Unmarshal([]byte(b.script.Requests()[0].Body), &sent))
		require.Equal(t, want, sent.Commentary)

		// The sent text is recognized in the list.
		b = setup(t, map[string][]platformtest.Response{listCall: {page(listed(urn, sent.Commentary, 0))}})
		evidence, _, err := b.page.Reconcile(t.Context(), b.firm, b.content, platform.Sent{Text: text, At: now()})
		require.NoError(t, err)
		require.Equal(t, platform.EvidenceFound, evidence, text)
	}
}
