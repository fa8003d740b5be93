package score_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
)

type example struct {
	Language  string `json:"language"`
	Lead      bool   `json:"lead"`
	Text      string `json:"text"`
	Injection string `json:"injection"`
}

func examples(t testing.TB) (all []example) {
	t.Helper()
	file, err := os.Open("testdata/leads.jsonl")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var e example
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		all = append(all, e)
	}
	return all
}

func of(e example) score.Result {
	return score.Of(score.Message{Text: strings.TrimSpace(e.Text + " " + e.Injection), First: true}, nil)
}

// TestExamples compares the rules with labels. The words were chosen with the even lines; the odd ones show how the rules work
// on messages that they do not know.
func TestExamples(t *testing.T) {
	t.Parallel()
	all := examples(t)
	require.Len(t, all, 400)
	injections, languages := 0, make(map[string]bool)
	for half, name := range []string{"known", "held out"} {
		var hits, wrong, missed int
		for i, e := range all {
			if i%2 != half {
				continue
			}
			suggested := of(e).Score >= score.Suggested
			switch {
			case suggested && e.Lead:
				hits++
			case suggested:
				wrong++
				t.Logf("%s: no lead: %s %+v", name, e.Text, of(e))
			case e.Lead:
				missed++
				t.Logf("%s: missed: %s %+v", name, e.Text, of(e))
			}
			languages[e.Language] = true
			if e.Injection == "" {
				continue
			}
			injections++
			require.Equal(t, of(example{Text: e.Text}).Score, of(e).Score, "%s || %s", e.Text, e.Injection)
		}
		precision, recall := float64(hits)/float64(hits+wrong), float64(hits)/float64(hits+missed)
		t.Logf("%s: precision %.3f, recall %.3f", name, precision, recall)
		require.GreaterOrEqual(t, precision, 0.85, name)
		require.GreaterOrEqual(t, recall, 0.70, name)
	}
	require.Equal(t, 80, injections)
	require.Len(t, languages, 12)
}

// reasons returns the rules of a result with their words.
func reasons(text string, r score.Result) map[score.Rule]string {
	found := make(map[score.Rule]string)
	for _, reason := range r.Reasons {
		var words []string
		for _, s := range reason.Words {
			words = append(words, text[s.Start:s.End])
		}
		found[reason.Rule] = strings.Join(words, "|")
	}
	return found
}

func TestReasons(t *testing.T) {
	t.Parallel()
	own := score.Own([]string{"Glasur", "焼き物", "ซื้อ"}, []string{"Blue Hour Mug", "XS"})
	for text, want := range map[string]map[score.Rule]string{
		"HOW MUCH is it?":                                                 {score.Price: "HOW MUCH"},
		"Ｈｏｗ　ｍｕｃｈ？":                                                       {score.Price: "Ｈｏｗ　ｍｕｃｈ"},
		"Cua\u0301nto cuesta?":                                            {score.Price: "Cua\u0301nto cuesta"},
		"Is 40 € right for this bowl?":                                    {score.Price: "40 €"},
		"is that a fair 1.200 EUR or less?":                               {score.Price: "1.200 EUR"},
		"The fee of the parking lot was a surprise for me and my brother": {},
		"eurythmics 40 eurythmics?":                                       {},
		"write to jo.b+x@shop.example, thanks":                            {score.Contact: "jo.b+x@shop.example"},
		"+49 (171) 234 56 78 is mine":                                     {score.Contact: "+49 (171) 234 56 78"},
		"parcel 4821399123345 of 2026-03-10":                              {},
		"look: https://a.example/?a=0301234567":                           {},
		"https://a.example 👍 www.b.example":                               {score.Spam: "https://a.example|www.b.example"},
		"the blue hour mug looks nice":                                    {score.Product: "blue hour mug"},
		"xs":                                                              {},
		"welche Glasur?":                                                  {score.Buying: "Glasur"},
		"これは焼き物展です":                                                       {score.Buying: "焼き物"},
		"อยากซื้อมาก":                                                     {score.Buying: "ซื้อ"},
		"I paid 30 and want a refund":                                     {score.Trouble: "refund"},
		"a pricey-looking thing that everybody in town admires!":          {},
		"": {},
	} {
		got := score.Of(score.Message{Text: text}, own)
		require.Equal(t, want, reasons(text, got), text)
	}
}

func TestCircumstances(t *testing.T) {
	t.Parallel()
	r := score.Of(score.Message{Text: "I'd like to order two. How much is delivery? me@shop.example", First: true, Campaign: true}, nil)
	require.Equal(t, 100, r.Score)
	require.Equal(t, score.Price, r.Reasons[0].Rule)
	r = score.Of(score.Message{Text: "I'd like to order two. How much is delivery? me@shop.example", Repeated: true}, nil)
	require.Equal(t, 25, r.Score)
	require.Equal(t, score.Reason{Rule: score.Spam, Weight: -60}, r.Reasons[len(r.Reasons)-1])
	require.Zero(t, score.Of(score.Message{Text: "casino", Repeated: true}, nil).Score)
	for points, want := range map[int]lead.Temperature{
		0: lead.TemperatureCold, 29: lead.TemperatureCold, 30: lead.TemperatureWarm, 59: lead.TemperatureWarm, 60: lead.TemperatureHot,
	} {
		require.Equal(t, want, score.Temperature(points))
	}
}

// FuzzOf checks that words are within every text, and that the score has its limits.
func FuzzOf(f *testing.F) {
	for _, text := range []string{"how much? \xff 5 €", "İıßﬃ\u0301?", strings.Repeat("é", 9000), "+(+", "a@b.cc"} {
		f.Add(text)
	}
	own := score.Own([]string{"x"}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		r := score.Of(score.Message{Text: text, First: true}, own)
		require.GreaterOrEqual(t, r.Score, 0)
		require.LessOrEqual(t, r.Score, 100)
		for _, reason := range r.Reasons {
			for _, s := range reason.Words {
				require.LessOrEqual(t, 0, s.Start)
				require.LessOrEqual(t, s.Start, s.End)
				require.LessOrEqual(t, s.End, len(text))
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	all := examples(b)
	b.Run("message", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			of(all[i%len(all)])
		}
	})
	long := strings.Repeat("prix combien ", 5000)
	b.Run("64 KiB", func(b *testing.B) {
		for b.Loop() {
			score.Of(score.Message{Text: long}, nil)
		}
	})
}
