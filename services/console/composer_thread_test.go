package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
)

var (
	partField  = regexp.MustCompile(`<textarea id="part-\d+" name="(part\.\d+)"[^>]*>\n([^<]*)</textarea>`)
	keyField   = regexp.MustCompile(`name="(thread\.[^"]+)" value="(\d+)"`)
	textField  = regexp.MustCompile(`<textarea id="text" name="text"[^>]*>([^<]*)</textarea>`)
	partFix    = regexp.MustCompile(`name="parts" value="(none [^"]+|nocomment [^"]+)"`)
	writtenFor = regexp.MustCompile(`<span hidden data-written="([^"]+)"( data-own)?>([^<]*)</span>`)
)

// thread returns the fields of the parts of the last page.
func (br *browser) thread() url.Values {
	fields := make(url.Values)
	for _, m := range keyField.FindAllStringSubmatch(br.last.body, -1) {
		fields.Add(m[1], m[2])
	}
	for _, m := range partField.FindAllStringSubmatch(br.last.body, -1) {
		fields.Set(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// parts returns the texts of the common thread of the last page, in order.
func (br *browser) parts() (texts []string) {
	fields := br.thread()
	for _, key := range fields["thread.all"] {
		texts = append(texts, fields.Get("part."+key))
	}
	return texts
}

func with(fields url.Values, more ...string) url.Values {
	out := make(url.Values)
	for name, values := range fields {
		out[name] = values
	}
	for pair := range slices.Chunk(more, 2) {
		out.Set(pair[0], pair[1])
	}
	return out
}

// TestWritingAThread adds, moves and removes parts without scripts, keeps them as a scratch, and creates the post.
func TestWritingAThread(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, path := b.writer(t, ours, member.Editor)
	fields := url.Values{"text": {"One"}, "channel": {ours.wildcards["channel"]}}
	for i, text := range []string{"Two", "Three", "Four"} {
		br.post(t, path+"/parts", br.composed(t, with(fields, "parts", "add all")))
		require.Equal(t, http.StatusOK, br.last.status, br.last.body)
		require.Contains(t, br.last.body, `for="part-`+strconv.Itoa(i+1)+`">Part `+strconv.Itoa(i+2)+`</label>`)
		require.Contains(t, br.last.body, "autofocus")
		fields = with(fields, "part."+strconv.Itoa(i+1), text)
		fields["thread.all"] = br.thread()["thread.all"]
	}
	br.post(t, path+"/parts", br.composed(t, with(fields, "parts", "move 3 0")))
	require.Equal(t, []string{"Four", "Two", "Three"}, br.parts())
	fields["thread.all"] = br.thread()["thread.all"]
	br.post(t, path+"/parts", br.composed(t, with(fields, "parts", "drop 1")))
	require.Equal(t, []string{"Four", "Three"}, br.parts())
	require.Contains(t, br.last.body, "pvpart", "the preview has the parts")
	fields = with(url.Values{"text": {"One"}, "channel": {ours.wildcards["channel"]}, "comment.all": {"Shop: acme.com"}, "delay.all": {"300"}}, "target", "all")
	for name, values := range br.thread() {
		fields[name] = values
	}
	br.post(t, path+"/save", br.composed(t, fields))
	require.Contains(t, br.last.body, `id="marks-part-3"`)
	require.NotContains(t, br.last.body, `id="thread"`, "the fields that a person types in are not replaced")
	scratch := b.column(t, `SELECT id::text FROM scratch`)[0]
	again := br.visited(t, path+"?scratch="+scratch).body
	require.Equal(t, []string{"Four", "Three"}, br.parts())
	require.Contains(t, again, `<option value="300" selected>5 minutes later</option>`)
	require.Contains(t, again, "Shop: acme.com</textarea>")

	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.composed(t, fields)).status, br.last.body)
	require.Equal(t, []string{`Four|Three|Shop: acme.com`}, b.column(t,
		`SELECT concat_ws('|', parts->'thread'->0->>'content', parts->'thread'->1->>'content', parts->'comment'->>'content') FROM post WHERE content = 'One'`))

	id := b.column(t, `SELECT id::text FROM post WHERE content = 'One'`)[0]
	br.visited(t, path+"?post="+id)
	require.Equal(t, []string{"Four", "Three"}, br.parts(), "the draft is opened again")
	posts := strings.TrimSuffix(path, "/compose") + "/posts/"
	require.Equal(t, http.StatusSeeOther, br.post(t, posts+id+"/copy", url.Values{}).status)
	br.visited(t, br.last.header.Get("Location"))
	require.Equal(t, []string{"Four", "Three"}, br.parts(), "a copy has the parts")
	require.Contains(t, br.last.body, "Shop: acme.com</textarea>")
}

// TestSplittingALongText divides a text that is too long for X; a channel without threads keeps the whole text.
func TestSplittingALongText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	x, telegram := ours.wildcards["channel"], b.connected(t, ours, "Kiln", channel.TelegramChannel)
	br, path := b.writer(t, ours, member.Editor)
	long := strings.TrimSpace(strings.Repeat("陶器を焼きました。👩‍🎨 See https://acme.com/market now. ", 12))
	fields := url.Values{"text": {long}, "channel": {x, telegram}, "target": {"all"}}
	got := br.post(t, path+"/save", br.composed(t, fields)).body
	require.Contains(t, got, "Too long for X.")
	require.Contains(t, got, `value="split all"`)
	require.NotContains(t, br.post(t, path+"/save", br.composed(t, with(fields, "text", "Short"))).body, `value="split all"`)

	got = br.post(t, path+"/save", br.composed(t, with(fields, "parts", "split all", "number", "1"))).body
	require.Contains(t, got, `id="thread" hx-swap-oob="true"`)
	texts := make(map[string]string)
	for _, m := range writtenFor.FindAllStringSubmatch(got, -1) {
		texts[m[1]+m[2]] = html.UnescapeString(m[3])
	}
	require.Equal(t, long, texts[telegram+" data-own"])
	parts := append([]string{texts["all"]}, br.parts()...)
	require.Greater(t, len(parts), 2)
	for i, part := range parts {
		require.True(t, strings.HasSuffix(part, " "+strconv.Itoa(i+1)+"/"+strconv.Itoa(len(parts))), part)
	}
	require.Contains(t, got, `data-stops="0"`, "every part fits, and the channel without threads has the whole text")

	fields = with(br.thread(), "text", texts["all"], "text."+telegram, long, "ownthread."+telegram, "1", "target", "all", "parts", "move "+br.thread().Get("thread.all")+" 1")
	fields["channel"] = []string{x, telegram}
	br.post(t, path+"/save", br.composed(t, fields))
	moved := br.parts()
	require.True(t, strings.HasSuffix(moved[0], " 2/"+strconv.Itoa(len(parts))), "the numbers follow the order: %q", moved)
	require.Equal(t, strings.TrimSuffix(parts[2], " 3/"+strconv.Itoa(len(parts))), strings.TrimSuffix(moved[0], " 2/"+strconv.Itoa(len(parts))))

	bluesky := b.connected(t, ours, "Yard", channel.Bluesky)
	fields = url.Values{
		"text": {long}, "channel": {x, bluesky}, "ownthread." + bluesky: {"1"}, "thread." + bluesky: {"1"}, "part.1": {"Zwei"}, "parts": {"split all"},
	}
	got = br.post(t, path+"/save", br.composed(t, fields)).body
	require.Contains(t, got, `data-written="`+bluesky+`" data-own>`+html.EscapeString(long)+`<`, "a channel with a thread of its own keeps the whole text")
	require.Equal(t, []string{"1"}, br.thread()["thread."+bluesky])

	fields = url.Values{"text": {strings.Repeat("clay bowls ", 1000)}, "channel": {x}, "parts": {"split all"}}
	got = br.post(t, path+"/parts", br.composed(t, fields)).body
	require.Regexp(t, `This text needs \d+ parts\. A thread has at most 25\.`, got)
	require.Empty(t, br.parts())
	require.Contains(t, textField.FindStringSubmatch(got)[1], "clay bowls clay")
}

// TestThreadsOfChannels leaves the thread and the comment out where a network takes none, and gives a channel its own.
func TestThreadsOfChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	x, telegram, bluesky := ours.wildcards["channel"], b.connected(t, ours, "Kiln", channel.TelegramChannel), b.connected(t, ours, "Yard", channel.Bluesky)
	br, path := b.writer(t, ours, member.Editor)
	fields := url.Values{
		"text": {"One"}, "channel": {x, telegram, bluesky}, "thread.all": {"1", "2"}, "part.1": {"Two"}, "part.2": {"Three"}, "comment.all": {"Shop"},
	}
	got := br.post(t, path+"/save", br.composed(t, fields)).body
	require.Contains(t, got, "Telegram takes no threads.")
	require.Contains(t, got, "Telegram takes no first comments.")
	require.Contains(t, got, `data-stops="2"`)
	var offered []string
	for _, m := range partFix.FindAllStringSubmatch(got, -1) {
		offered = append(offered, m[1])
	}
	require.ElementsMatch(t, []string{"none " + telegram, "nocomment " + telegram}, offered)
	for _, verb := range []string{"none", "nocomment"} {
		got = br.post(t, path+"/parts", br.composed(t, with(fields, "parts", verb+" "+telegram))).body
		if verb == "none" {
			require.Contains(t, got, `name="ownthread.`+telegram+`"`)
			fields.Set("ownthread."+telegram, "1")
		} else {
			require.Contains(t, got, `<input type="hidden" name="comment.`+telegram+`" value="">`)
			fields.Set("comment."+telegram, "")
		}
	}
	require.Contains(t, got, `data-stops="0"`)
	require.Contains(t, got, "No thread here.")

	br.post(t, path+"/parts", br.composed(t, with(fields, "parts", "own "+bluesky)))
	own := br.thread()["thread."+bluesky]
	require.Equal(t, []string{"3", "4"}, own, "the parts of the channel have keys of their own")
	fields.Set("ownthread."+bluesky, "1")
	fields["thread."+bluesky] = own
	fields.Set("part.3", strings.Repeat("a", 301))
	fields.Set("part.4", "")
	got = br.post(t, path+"/save", br.composed(t, fields)).body
	require.Regexp(t, `<a href="#part-3" data-target="`+bluesky+`">Part 2</a>: `, got)
	require.Regexp(t, `id="found-part-3"[^>]*><ul class="findings">`, got)
	require.Regexp(t, `id="found-part-4"[^>]*><ul class="findings">`, got, "a part without a text")
	require.Regexp(t, `id="found-part-1"[^>]*></div>`, got)
	fields.Set("part.3", "Zwei")
	fields.Set("part.4", "Drei")
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.composed(t, fields)).status, br.last.body)
	require.ElementsMatch(t, []string{"TWITTER Two Shop", "TELEGRAM_CHANNEL", "BLUESKY Zwei Shop"}, b.column(t,
		`SELECT concat_ws(' ', c.type, p.parts->'thread'->0->>'content', p.parts->'comment'->>'content') FROM post p JOIN channel c ON c.id = p.channel_id WHERE p.content = 'One'`))
	group := b.column(t, `SELECT group_id::text FROM post WHERE content = 'One'`)[0]
	br.visited(t, path+"?group="+group)
	require.Equal(t, []string{"Two", "Three"}, br.parts())
	require.Equal(t, "Zwei", br.thread().Get("part."+br.thread().Get("thread."+bluesky)))
}

// TestComposerRefusesWrongParts sends parts that no button sends.
func TestComposerRefusesWrongParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	x := ours.wildcards["channel"]
	br, path := b.writer(t, ours, member.Editor)
	many := url.Values{"text": {"One"}, "channel": {x}, "when": {"now"}}
	for i := range 25 {
		key := strconv.Itoa(i + 1)
		many.Add("thread.all", key)
		many.Set("part."+key, "Part "+key)
	}
	one := url.Values{"text": {"One"}, "channel": {x}, "when": {"now"}, "thread.all": {"1"}, "part.1": {"Two"}}
	for name, c := range map[string]struct {
		fields url.Values
		text   string
	}{
		"26 parts":         {many, "25"},
		"an empty part":    {with(one, "part.1", " "), "Part 2</a>: "},
		"a delay too long": {with(one, "comment.all", "Shop", "delay.all", "86401"), "24 hours"},
		"a huge delay":     {with(one, "comment.all", "Shop", "delay.all", "18446744073"), "24 hours"},
		"a delay below 0":  {with(one, "comment.all", "Shop", "delay.all", "-1"), "24 hours"},
	} {
		got := br.post(t, path, br.composed(t, c.fields))
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.Contains(t, got.body, c.text, name)
	}
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, br.composed(t, with(many, "when", "draft"))).status, "not even a draft")
	for name, fields := range map[string]url.Values{
		"a key that is none":    with(one, "thread.all", "first"),
		"an unknown verb":       with(one, "parts", "eat "+x),
		"a place that is none":  with(one, "parts", "move 1 up"),
		"a part that is none":   with(one, "parts", "drop one"),
		"nothing":               with(one, "parts", ""),
		"a file that is none":   with(one, "media@part.1", "picture"),
		"the common as its own": with(one, "parts", "own all"),
	} {
		br.visited(t, path)
		require.Equal(t, http.StatusNotFound, br.post(t, path+"/parts", br.composed(t, fields)).status, name)
	}
	br.visited(t, path)
	for _, verb := range []string{"add", "own"} {
		got := br.post(t, path+"/save", br.composed(t, with(one, "parts", verb+" 00000000-0000-7000-8000-000000000000")))
		require.Equal(t, http.StatusOK, got.status)
		require.Contains(t, got.body, "This channel is no longer connected.")
	}
	require.Equal(t, http.StatusOK, br.post(t, path+"/parts", br.composed(t, with(one, "parts", "drop 7"))).status, "removed in another tab")
	require.Equal(t, http.StatusOK, br.post(t, path+"/parts", br.composed(t, with(one, "parts", "move 1 99"))).status)
	require.Equal(t, []string{"Two"}, br.parts())
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM post`))
}
