package linkpage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const someID = "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"

// whole returns settings of each type with all fields set.
func whole(t *testing.T) map[linkpage.BlockType]string {
	t.Helper()
	image, err := ident.Parse[ident.Media](someID)
	require.NoError(t, err)
	post, err := ident.Parse[ident.Post](someID)
	require.NoError(t, err)
	all := make(map[linkpage.BlockType]string)
	for _, b := range linkpage.Samples(linkpage.Sampling{Image: image, Post: post, Time: "2026-03-01T09:00:00Z"}) {
		all[b.Type] = string(b.Settings)
	}
	return all
}

func TestSettingsRoundTrip(t *testing.T) {
	t.Parallel()
	require.Len(t, whole(t), len(linkpage.BlockTypes()))
	for typ, raw := range whole(t) {
		settings, err := linkpage.ReadSettings(typ, []byte(raw))
		require.NoError(t, err, typ)
		require.Equal(t, typ, settings.Type())
		written, err := json.Marshal(settings)
		require.NoError(t, err)
		require.JSONEq(t, raw, string(written), "nothing is lost")
		again, err := linkpage.ReadSettings(typ, written)
		require.NoError(t, err)
		require.Equal(t, settings, again)
		require.NotEmpty(t, settings.Traits().Label)
		require.Equal(t, strings.Contains(raw, `"url"`), settings.Traits().Target != "")

		block := linkpage.Block{Settings: settings, Visible: true}
		stored, err := json.Marshal(block)
		require.NoError(t, err)
		var read linkpage.Block
		require.NoError(t, json.Unmarshal(stored, &read))
		require.Equal(t, block, read)
	}
	var b linkpage.Block
	require.ErrorContains(t, json.Unmarshal([]byte(`{"id":"`+someID+`","type":"VIDEO","settings":{}}`), &b), "VIDEO")
	require.Error(t, json.Unmarshal([]byte(`{"id":"x"}`), &b))
}

// TestOneFault sets each field of each type to an invalid value.
func TestOneFault(t *testing.T) {
	t.Parallel()
	for typ, raw := range whole(t) {
		var members map[string]any
		require.NoError(t, json.Unmarshal([]byte(raw), &members))
		for name := range members {
			for _, wrong := range []any{[]any{}, map[string]any{"a": 1}, "\u0000", "\u0007", 1.5, strings.Repeat("x", 6000)} {
				if n, isNumber := wrong.(float64); isNumber && name == "rating" && n == float64(int(n)) {
					continue
				}
				changed := map[string]any{}
				for k, v := range members {
					changed[k] = v
				}
				changed[name] = wrong
				err := read(t, typ, changed)
				var failure *apperr.Error
				require.ErrorAs(t, err, &failure, "%s %s %v", typ, name, wrong)
				require.Equal(t, apperr.ValidationFailed, failure.Code)
				require.Truef(t, strings.HasPrefix(failure.Fields[0].Pointer, "/settings/"+name), "%v", failure.Fields)
				require.Less(t, len(failure.Message), 600, "what was sent is not sent back")
			}
		}
		members["onclick"] = "alert(1)"
		require.ErrorContains(t, read(t, typ, members), "/settings/onclick is an unknown field")
	}
}

func read(t *testing.T, typ linkpage.BlockType, members any) error {
	t.Helper()
	raw, err := json.Marshal(members)
	require.NoError(t, err)
	_, err = linkpage.ReadSettings(typ, raw)
	return err
}

func TestRequiredMembers(t *testing.T) {
	t.Parallel()
	for _, d := range linkpage.Descriptors() {
		var want []string
		for _, f := range d.Fields {
			if f.Required {
				want = append(want, f.Name)
			}
		}
		_, err := linkpage.ReadSettings(d.Type, []byte(`{}`))
		var failure *apperr.Error
		require.ErrorAs(t, err, &failure)
		var got []string
		for _, f := range failure.Fields {
			got = append(got, strings.TrimPrefix(f.Pointer, "/settings/"))
		}
		require.Equal(t, want, got, d.Type)
	}
}

func TestSettingsRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  linkpage.BlockType
		raw  string
		want string // empty: accepted
	}{
		{"TEXT", `{"text":"a","align":"RIGHT"}`, `/settings/align "RIGHT" is not one of START, CENTER`},
		{"TEXT", `{"text":"a","align":null}`, ""},
		{"TEXT", `null`, "/settings must be an object"},
		{"TEXT", `[]`, "/settings must be an object"},
		{"TEXT", `{"text":"a","a/b~":1}`, "/settings/a~1b~0 is an unknown field"},
		{"TEXT", `{"text":"` + strings.Repeat("ü", 5000) + `"}`, ""},
		{"TEXT", `{"text":"` + strings.Repeat("ü", 5001) + `"}`, "has 5001 characters; at most 5000 are allowed"},
		{"TEXT", `{"text":" \n "}`, "/settings/text is required"},
		{"SECTION", `{"title":"a\nb"}`, "one line of plain text"},
		{"PRODUCT", `{"name":"a","url":"https://a.example","price":"1"}`, "/settings/currency is required with price"},
		{"PRODUCT", `{"name":"a","url":"https://a.example","currency":"EUR"}`, "/settings/currency requires price"},
		{
			"PRODUCT", `{"name":"a","url":"https://a.example","price":"1,5","currency":"EUR"}`,
			"/settings/price is not an amount",
		},
		{
			"PRODUCT", `{"name":"a","url":"https://a.example","price":"1.5","currency":"Euro"}`,
			"/settings/currency is not a currency code",
		},
		{"PRODUCT", `{"name":"a","url":"https://a.example","price":"00.5","currency":"EUR"}`, ""},
		{"COUPON", `{"title":"a","code":"b","buttonLabel":"c"}`, "/settings/buttonLabel requires url"},
		{
			"COUPON", `{"title":"a","code":"b","buttonLabel":"c","url":"http://a.example"}`,
			"VALIDATION_FAILED: /settings/url must use https instead of http",
		},
		{
			"PRODUCT", `{"name":"a","url":"https://a.example","price":1.5,"currency":"EUR"}`,
			"VALIDATION_FAILED: /settings/price must be text",
		},
		{"COUNTDOWN", `{"title":"a","endsAt":"Infinity"}`, "/settings/endsAt must be an RFC 3339 date-time with an offset"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01T09:00:00"}`, "/settings/endsAt has no offset"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01T09:00:00,5Z"}`, "/settings/endsAt must be an RFC 3339 date-time"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01T9:00:00Z"}`, "/settings/endsAt must be an RFC 3339 date-time"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01T09:00:00+24:00"}`, "/settings/endsAt must be an RFC 3339 date-time"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01T09:00Z"}`, "/settings/endsAt has no seconds"},
		{"COUNTDOWN", `{"title":"a","endsAt":"2026-03-01t09:00:00z"}`, ""},
		{"COUNTDOWN", `{"title":"a","endsAt":"0001-01-02T00:00:00Z"}`, "is not within the years 2000 to 9999"},
		{"COUNTDOWN", `{"title":"a","endsAt":1e400}`, "/settings/endsAt must be a time"},
		{"FAQ", `{"items":[]}`, "/settings/items must have at least one element"},
		{"FAQ", `{"items":[{"question":"a","answer":"b"},7]}`, "/settings/items/1 must be an object"},
		{"FAQ", `{"items":[{"question":"a","answer":"b","c":1}]}`, "/settings/items/0/c is an unknown field"},
		{"FAQ", `{"items":[` + strings.Repeat(`{},`, 30) + `{}]}`, "/settings/items has 31 elements; at most 30 are allowed"},
		{"TESTIMONIAL", `{"quote":"a","author":"b","rating":6}`, "/settings/rating must be between 1 and 5"},
		{"TESTIMONIAL", `{"quote":"a","author":"b","rating":0}`, "/settings/rating must be between 1 and 5"},
		{"POST_CARD", `{"postId":"x"}`, "/settings/postId is not an id"},
		{"LINK", `{"title":"a","url":"https://a.example","imageMediaId":"x"}`, "/settings/imageMediaId is not an id"},
	} {
		_, err := linkpage.ReadSettings(c.typ, []byte(c.raw))
		if c.want == "" {
			require.NoError(t, err, c.raw)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
	settings, err := linkpage.ReadSettings("PRODUCT",
		[]byte(`{"name":"a","url":"https://a.example","price":"00.5","currency":"EUR"}`))
	require.NoError(t, err)
	product, isProduct := settings.(linkpage.Product)
	require.True(t, isProduct)
	require.Equal(t, "0.50", product.Price)
	long, err := linkpage.ReadSettings("TEXT", fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("é", 100)))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("é", 59)+"…", long.Traits().Label)
}
