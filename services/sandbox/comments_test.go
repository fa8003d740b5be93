package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
)

// forum is a network whose comments or reviews are polled.
type forum struct {
	typ     channel.Type
	post    func(t *testing.T, b *bundle) string // publishes a post; nil: the network has reviews
	page    int                                  // elements of a page
	publish []string                             // the scopes of a connection without the inbox
	edits   bool                                 // the network reports edits
	removes bool
}

func forums() map[string]forum {
	const google = "https://www.googleapis.com/auth/"
	return map[string]forum{
		"Instagram": {
			typ: channel.InstagramProfessional, page: 50, removes: true,
			publish: []string{"instagram_business_basic", "instagram_business_content_publish"},
			post: func(t *testing.T, b *bundle) string {
				t.Helper()
				return b.instagramPublish(t, b.instagram(t, "image_url", web(t, files(t))+"good.jpg").text(t, "id")).text(t, "id")
			},
		},
		"Facebook": {
			typ: channel.FacebookPage, page: 100, removes: true,
			publish: []string{"pages_show_list", "pages_read_engagement", "pages_manage_posts"},
			post: func(t *testing.T, b *bundle) string {
				t.Helper()
				return b.pagePost(t, "Hello").text(t, "id")
			},
		},
		"Threads": {
			typ: channel.Threads, page: 100, publish: []string{"threads_basic", "threads_content_publish"},
			post: func(t *testing.T, b *bundle) string {
				t.Helper()
				const token = "sandbox-threads-acme"
				container := b.form(t, "/threads/v1.0/acme/threads", "access_token", token, "media_type", "TEXT", "text", "Hello")
				return b.form(t, "/threads/v1.0/acme/threads_publish", "access_token", token, "creation_id",
					container.text(t, "id")).text(t, "id")
			},
		},
		"YouTube": {
			typ: channel.YouTube, page: 100, edits: true, removes: true,
			publish: []string{google + "youtube.upload", google + "youtube.readonly", google + "youtube"},
			post: func(t *testing.T, b *bundle) string {
				t.Helper()
				return updatesVideo(t, b).text(t, "id")
			},
		},
		"Google": {typ: channel.GoogleBusiness, page: 50, edits: true, publish: nil},
	}
}

// desk is an account of a network, below whose posts people write.
type desk struct {
	*bundle
	forum

	link    platform.Link
	poller  platform.Poller
	finder  platform.ReplyFinder
	account platform.Account
	onPost  string
	since   time.Time
}

func (f forum) open(t *testing.T) *desk {
	t.Helper()
	b := setup(t)
	registry, err := connectors.New(connectors.Environment{SandboxURL: b.server.URL}, b.clock, 5*time.Second)
	require.NoError(t, err)
	link, ok := registry.Link(channel.Channel{Type: f.typ})
	require.True(t, ok)
	poller, polled := link.(platform.Poller)
	finder, found := link.(platform.ReplyFinder)
	require.True(t, polled && found)
	d := &desk{bundle: b, forum: f, link: link, poller: poller, finder: finder, account: reader(f.typ, "acme"), since: b.clock.Now()}
	if f.post != nil {
		d.onPost = f.post(t, b)
	}
	return d
}

// says lets a person write, or the account elsewhere, and returns the id.
func (d *desk) says(t *testing.T, from, text, replyTo string, more ...any) string {
	t.Helper()
	d.clock.Advance(time.Second)
	body := map[string]any{"platform": string(d.typ), "from": from, "text": text, "replyTo": replyTo, "post": d.onPost}
	if d.post == nil {
		body["kind"], body["account"] = "review", d.account.ExternalID
		if from != "" {
			body["rating"] = 2
		}
	}
	for pair := range slices.Chunk(more, 2) {
		body[fmt.Sprint(pair[0])] = pair[1]
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	response := d.control(t, "/comments", string(raw))
	require.Equal(t, http.StatusCreated, response.status, response.body)
	return response.text(t, "id")
}

// poll makes the calls of a round, and returns the events by their keys.
func (d *desk) poll(t *testing.T, cursor *string) map[string]inbox.Event {
	t.Helper()
	polling, found := d.poller.Polling(d.account), make(map[string]inbox.Event)
	require.Equal(t, d.onPost != "" && d.typ != channel.YouTube, polling.PerPost)
	place := platform.PollPlace{Cursor: *cursor, Since: d.since}
	if polling.PerPost {
		place.Post = d.onPost
	}
	for more := true; more; {
		polled, err := d.poller.Poll(t.Context(), d.account, place)
		require.NoError(t, err)
		for _, event := range polled.Events {
			require.Equal(t, d.account.ExternalID, event.Account)
			found[event.Key] = event
		}
		place.Cursor, more = polled.Cursor, polled.More
	}
	*cursor = place.Cursor
	return found
}

// messages returns what the events say, by the texts.
func (d *desk) messages(t *testing.T, events map[string]inbox.Event) map[string]inbox.Written {
	t.Helper()
	said := make(map[string]inbox.Written)
	for _, event := range events {
		change, err := connectors.Readers()[d.typ.Network()].Read(event)
		require.NoError(t, err)
		if change.Message != nil {
			said[change.Message.Text] = *change.Message
		}
	}
	return said
}

func (d *desk) reply(thread, to, text string) platform.Reply {
	return platform.Reply{ID: ident.New[ident.Message](), Thread: thread, ReplyTo: to, Text: text, Post: d.onPost}
}

// written returns the number of the account's replies with the text at the network.
func (d *desk) written(t *testing.T, text string) int {
	t.Helper()
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(d.get(t, "/_sandbox/messages?origin=reply&platform="+string(d.typ), "").body), &all))
	return len(slices.DeleteFunc(all, func(m map[string]any) bool { return m["text"] != text }))
}

func eachForum(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	for name, f := range forums() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, f.open(t))
		})
	}
}

// TestCommentsArrive reads comments on several pages, replies of people and of the account, and edits. A repeated round finds
// nothing new.
func TestCommentsArrive(t *testing.T) {
	t.Parallel()
	eachForum(t, func(t *testing.T, d *desk) {
		t.Helper()
		cursor := ""
		d.says(t, "Old", "before the start", "", "at", d.since.Add(-time.Hour))
		for i := range d.page {
			d.says(t, fmt.Sprint("Person ", i), fmt.Sprint("Comment ", i), "")
		}
		first := d.says(t, "Ann", "How much is it?", "")
		own := d.says(t, "", "Five crowns", first)
		events := d.poll(t, &cursor)
		said := d.messages(t, events)
		require.Len(t, said, d.page+2, "nothing from before")
		ann := said["How much is it?"]
		require.Equal(t, []any{inbox.In, first, first, ""}, []any{ann.Direction, ann.ExternalID, ann.Thread, ann.ReplyTo})
		require.Contains(t, ann.Person.Name, "Ann")
		require.NotEmpty(t, ann.Person.ID)
		require.Equal(t, d.onPost, ann.Post)
		require.WithinDuration(t, d.clock.Now(), ann.SentAt, 3*time.Second)
		require.True(t, ann.EditedAt.IsZero())
		outgoing := said["Five crowns"]
		require.Equal(t, []any{inbox.Out, first, first, ann.Person}, []any{outgoing.Direction, outgoing.Thread, outgoing.ReplyTo, outgoing.Person})
		if d.post == nil {
			require.Equal(t, []any{inbox.Reviews, 2}, []any{ann.Kind, ann.Rating})
		} else {
			require.Equal(t, []any{inbox.Comments, own}, []any{ann.Kind, outgoing.ExternalID})
			for i := range 7 {
				d.says(t, "Bo", fmt.Sprint("Me too ", i), first)
			}
		}
		again := d.poll(t, &cursor)
		for _, text := range []string{"Me too 0", "Me too 6"} {
			if d.post != nil {
				bo := d.messages(t, again)[text]
				require.Equal(t, []any{inbox.In, first}, []any{bo.Direction, bo.Thread}, text)
				require.Contains(t, bo.Person.Name, "Bo")
			}
		}
		known := len(events)
		for key, event := range again {
			if before, was := events[key]; was {
				require.JSONEq(t, string(before.Body), string(event.Body))
				known--
			}
		}
		require.Less(t, known, len(events), "the first page is read again")
		repeated := d.poll(t, &cursor)
		require.Equal(t, repeated, d.poll(t, &cursor), "nothing new")
		if !d.edits {
			return
		}
		typo := d.says(t, "Cy", "Typo", "")
		d.clock.Advance(time.Minute)
		require.Equal(t, http.StatusCreated, d.control(t, "/comments",
			`{"platform":"`+string(d.typ)+`","edit":"`+typo+`","text":"No typo"}`).status)
		edited := d.messages(t, d.poll(t, &cursor))["No typo"]
		require.Equal(t, d.clock.Now().Truncate(time.Second), edited.EditedAt.Truncate(time.Second))
	})
}

// TestCommentsAreReplied sends replies once each, also if the response is lost or the network refuses.
func TestCommentsAreReplied(t *testing.T) {
	t.Parallel()
	eachForum(t, func(t *testing.T, d *desk) {
		t.Helper()
		finder := d.finder
		cursor, ctx := "", t.Context()
		first := d.says(t, "Ann", "How much is it?", "")
		send := func(text string) (string, error) {
			d.clock.Advance(time.Second)
			return finder.SendReply(ctx, d.account, d.reply(first, first, text))
		}
		id, err := send("Five crowns & <b>more</b>")
		require.NoError(t, err)
		said := d.messages(t, d.poll(t, &cursor))["Five crowns & <b>more</b>"]
		require.Equal(t, []any{id, inbox.Out, first}, []any{said.ExternalID, said.Direction, said.Thread})

		fault := func(step, kind string) {
			require.Equal(t, http.StatusCreated, d.inject(t, `{"platform":"`+string(d.typ)+`","step":"`+step+`","kind":"`+kind+
				`","delayMs":1000}`).status)
		}
		fault("reply", "timeout_after_accept")
		_, err = send("Lost")
		require.Equal(t, platform.ClassUnknown, platform.FailureOf(err).Class, "%v", err)
		require.NotContains(t, platform.FailureOf(err).Message, "post")
		found, err := finder.FindReply(ctx, d.account, d.reply(first, first, "Lost"), d.clock.Now())
		require.NoError(t, err)
		require.Equal(t, found, d.messages(t, d.poll(t, &cursor))["Lost"].ExternalID)
		require.Equal(t, 1, d.written(t, "Lost"))

		sentAt := d.clock.Now()
		_, err = finder.FindReply(ctx, d.account, d.reply(first, first, "Never sent"), sentAt)
		require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class, "it may still arrive")
		for step, kinds := range map[string]map[string]platform.Class{
			"reply": {
				"rate_limit": platform.ClassRateLimited, "unavailable": platform.ClassUnknown, "error_after_accept": platform.ClassUnknown,
				"malformed_answer": platform.ClassUnknown,
			},
			"status": {"rate_limit": platform.ClassRateLimited, "malformed_answer": platform.ClassTransient},
		} {
			for kind, class := range kinds {
				fault(step, kind)
				if step == "reply" {
					_, err = send("A " + kind)
				} else {
					_, err = d.poller.Poll(ctx, d.account, platform.PollPlace{Post: d.onPost, Since: d.since})
				}
				failure := platformtest.Failure(t, err)
				require.Equal(t, class, failure.Class, "%s %s: %v", step, kind, err)
				require.NotContains(t, failure.Message, "post")
			}
		}
		require.Zero(t, d.written(t, "A rate_limit"))
		require.Equal(t, 1, d.written(t, "A malformed_answer"))

		d.clock.Advance(40 * time.Minute)
		absent, err := finder.FindReply(ctx, d.account, d.reply(first, first, "Never sent"), sentAt)
		require.NoError(t, err)
		require.Empty(t, absent)

		require.Equal(t, http.StatusCreated, d.control(t, "/comments", `{"platform":"`+string(d.typ)+`","delete":"`+first+`"}`).status)
		_, err = send("Too late")
		failure := platformtest.Failure(t, err)
		require.Equal(t, []any{platform.ClassRejected, "COMMENT_GONE"}, []any{failure.Class, failure.Code}, "%v", err)
	})
}

// TestCommentsNeedPermission checks a connection from before the operator turned the inbox on.
func TestCommentsNeedPermission(t *testing.T) {
	t.Parallel()
	eachForum(t, func(t *testing.T, d *desk) {
		t.Helper()
		first := d.says(t, "Ann", "How much is it?", "")
		if d.publish == nil {
			return // publishing has the permission
		}
		issued := d.control(t, "/tokens", `{"platform":"`+string(d.typ)+`","account":"acme","scopes":["`+strings.Join(d.publish, `","`)+`"]}`)
		d.account.Credentials.AccessToken = issued.text(t, "accessToken")
		_, err := d.poller.Poll(t.Context(), d.account, platform.PollPlace{Post: d.onPost, Since: d.since})
		failure := platformtest.Failure(t, err)
		require.Equal(t, []any{platform.ClassUser, platform.CodeReadRefused}, []any{failure.Class, failure.Code}, "%v", err)
		_, err = d.finder.SendReply(t.Context(), d.account, d.reply(first, first, "No"))
		failure = platformtest.Failure(t, err)
		require.Equal(t, []any{platform.ClassUser, "REPLY_NOT_ALLOWED"}, []any{failure.Class, failure.Code}, "%v", err)
		require.Contains(t, failure.Message, "Connect the channel again")
		require.Zero(t, d.written(t, "No"))
	})
}

// TestCommentsAreModerated hides a comment, shows it again, and removes it.
func TestCommentsAreModerated(t *testing.T) {
	t.Parallel()
	eachForum(t, func(t *testing.T, d *desk) {
		t.Helper()
		moderator, ok := d.link.(platform.Moderator)
		require.Equal(t, d.post != nil, ok, "Google hides and removes no reviews")
		if !ok {
			return
		}
		first, ctx := d.says(t, "Ann", "Spam", ""), t.Context()
		hidden := func() string { return d.get(t, "/_sandbox/messages?platform="+string(d.typ), "").body }
		for range 2 { // both may be repeated
			require.NoError(t, moderator.Hide(ctx, d.account, first, true))
			require.Contains(t, hidden(), `"hidden":true`)
		}
		require.NoError(t, moderator.Hide(ctx, d.account, first, false))
		require.NotContains(t, hidden(), `"hidden":true`)
		require.Equal(t, d.removes, moderator.Moderation(d.account).Remove)
		err := moderator.Remove(ctx, d.account, first)
		if !d.removes {
			require.Contains(t, platformtest.Failure(t, err).Message, "not delete")
			return
		}
		require.NoError(t, err)
		require.NoError(t, moderator.Remove(ctx, d.account, first))
		cursor := ""
		require.Empty(t, d.messages(t, d.poll(t, &cursor)))
	})
}

// TestGoogleModeratesReplies reports a reply that Google removed after it accepted it, and replaces it.
func TestGoogleModeratesReplies(t *testing.T) {
	t.Parallel()
	d := forums()["Google"].open(t)
	replier := d.finder
	first, cursor := d.says(t, "Ann", "Cold soup", ""), ""
	id, err := replier.SendReply(t.Context(), d.account, d.reply(first, "", "Call +1 555 0100"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, d.control(t, "/reviews",
		`{"platform":"googlebusiness","account":"`+d.account.ExternalID+`","end":"refused"}`).status)
	var refused *inbox.Status
	for _, event := range d.poll(t, &cursor) {
		change, err := connectors.Readers()[channel.NetworkGoogleBusiness].Read(event)
		require.NoError(t, err)
		if change.Status != nil {
			refused = change.Status
		}
	}
	require.NotNil(t, refused)
	require.Equal(t, []any{id, inbox.Failed}, []any{refused.ExternalID, refused.State})
	_, err = replier.SendReply(t.Context(), d.account, d.reply(first, "", strings.Repeat("ö", 2_049)))
	require.Equal(t, "TEXT_TOO_LONG", platformtest.Failure(t, err).Code)

	d.clock.Advance(time.Second)
	second, err := replier.SendReply(t.Context(), d.account, d.reply(first, "", "We are sorry"))
	require.NoError(t, err)
	require.NotEqual(t, id, second)
	require.Equal(t, second, d.messages(t, d.poll(t, &cursor))["We are sorry"].ExternalID)
}

// TestYouTubeRefusesReplies checks YouTube's own refusals, and its daily quota.
func TestYouTubeRefusesReplies(t *testing.T) {
	t.Parallel()
	d := forums()["YouTube"].open(t)
	first := d.says(t, "Ann", "Nice", "")
	second := d.says(t, "Bo", "Indeed", first)
	replier := d.finder
	poller := d.poller
	send := func(thread, text string) *platform.Failure {
		_, err := replier.SendReply(t.Context(), d.account, d.reply(thread, "", text))
		return platformtest.Failure(t, err)
	}
	require.Equal(t, "TEXT_TOO_LONG", send(first, strings.Repeat("x", 10_001)).Code)
	require.Equal(t, "REPLY_REFUSED", send(second, "to a reply").Code)
	require.Equal(t, "COMMENT_GONE", send("../videos", "elsewhere").Code)

	require.Equal(t, http.StatusOK, d.control(t, "/limits", `{"strict":true}`).status)
	place := platform.PollPlace{Since: d.since}
	for i := range 94 {
		_, err := replier.SendReply(t.Context(), d.account, d.reply(first, "", fmt.Sprint("Thanks ", i)))
		require.NoError(t, err)
	}
	polled, err := poller.Poll(t.Context(), d.account, place)
	require.NoError(t, err)
	require.Zero(t, polled.Pause)
	for i := range 4 {
		_, err := replier.SendReply(t.Context(), d.account, d.reply(first, "", fmt.Sprint("Thank you ", i)))
		require.NoError(t, err)
	}
	place.Cursor = polled.Cursor
	polled, err = poller.Poll(t.Context(), d.account, place)
	require.NoError(t, err)
	require.Equal(t, []any{place.Cursor, 23 * time.Hour}, []any{polled.Cursor, polled.Pause.Round(time.Hour)}, "until midnight in California")
	for i := range 103 { // answers may use the whole quota
		if _, err = replier.SendReply(t.Context(), d.account, d.reply(first, "", fmt.Sprint("Many thanks ", i))); err != nil {
			break
		}
	}
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassRateLimited, failure.Class)
	require.Equal(t, polled.Pause, failure.Until.Sub(d.clock.Now()), "the end of the day")
	require.NotContains(t, failure.Message, "upload")
}
