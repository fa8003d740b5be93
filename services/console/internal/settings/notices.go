package settings

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/activities/mailing"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const pathNotices = "/settings/notifications"

func (s *settings) noticeRoutes() []frame.Route {
	route := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Handle: handle}
	}
	slow := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Handle: handle, Slow: true}
	}
	return []frame.Route{
		slow("POST /w/{workspace}"+pathNotices+"/telegram", s.startTelegram),
		slow("POST /w/{workspace}"+pathNotices+"/telegram/finish", s.finishTelegram),
		route("POST /w/{workspace}"+pathNotices+"/devices", s.addDevice),
		route("GET /w/{workspace}"+pathNotices, s.notices),
		route("POST /w/{workspace}"+pathNotices, s.chooseNotices),
		route("POST /w/{workspace}"+pathNotices+"/places", s.addPlace),
		route("POST /w/{workspace}"+pathNotices+"/test", s.testPlace),
		route("POST /w/{workspace}"+pathNotices+"/remove", s.removePlace),
	}
}

// Bell returns the page of the messages that the application shows to the visitor.
func Bell(a *app.App, appURL string) frame.Feature {
	s := &settings{app: a, appURL: appURL}
	return frame.Feature{
		Name: "notices", Section: &frame.Section{
			Title: "Notifications", Path: "/notifications", Icon: "bell", Key: "n",
			Counts: func(waiting postgres.Attention, _ app.Principal) []frame.Count {
				return []frame.Count{{N: waiting.Unread, Tone: "mine", What: "unread"}}
			},
		},
		Routes: []frame.Route{
			{Pattern: "GET /w/{workspace}/notifications", Access: frame.Members, Handle: s.bell},
			{Pattern: "POST /w/{workspace}/notifications/read", Access: frame.Members, Handle: s.readAll},
		},
	}
}

// message is a message in plain words.
type message struct {
	mailing.Summary

	At   time.Time
	Read bool
}

func (s *settings) bell(v *frame.Visit) error {
	found, err := s.app.Notices(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	list := make([]message, len(found))
	for i, n := range found {
		text, err := mailing.Summarize(s.appURL, mail.Mail{Kind: n.Kind, WorkspaceID: v.Workspace.ID, Content: n.Content})
		if err != nil {
			return err
		}
		list[i] = message{text, n.CreatedAt, n.Read}
	}
	return v.Page(frame.Page{Name: "settings/bell", Title: "Notifications", Data: list})
}

func (s *settings) readAll(v *frame.Visit) error {
	if err := s.app.ReadNotices(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	return v.Done(v.Path("/notifications"), "Marked as read.")
}

// topic is an event in plain words, with whether each way is on.
type topic struct {
	Kind       mail.Kind
	Text, Hint string
	Mail, App  bool
	Places     []column
}

// column is a place in the row of a topic.
type column struct {
	mail.Place

	On bool
}

func topicOf(kind mail.Kind) topic {
	switch kind { //nolint:exhaustive // the others cannot be turned off
	case mail.PostsFailed:
		return topic{Text: "Failed posts", Hint: "Your posts. If you manage the workspace, also those sent through the API."}
	case mail.PostsUnknown:
		return topic{Text: "Posts that may be public", Hint: "When a network did not confirm a post."}
	case mail.PostsToApprove:
		return topic{Text: "Posts to approve", Hint: "If you may approve posts."}
	case mail.PostsApproved:
		return topic{Text: "Approved posts", Hint: "When an approver accepts your post."}
	case mail.PostsReturned:
		return topic{Text: "Requested changes", Hint: "When an approver sends your post back."}
	case mail.Mentioned:
		return topic{Text: "Comments to you", Hint: "When a comment or a note has @ and your name, or a client comments by your link."}
	case mail.FollowUp:
		return topic{Text: "Follow-ups of leads", Hint: "At the time that is planned. If the lead is yours."}
	case mail.InboxWaiting:
		return topic{Text: "People who wait", Hint: "When a conversation that is yours, or has no member, waits for an answer. At most every 15 minutes."}
	case mail.ChannelsExpiring:
		return topic{Text: "Channels to reconnect soon", Hint: "Once a day. If you may connect channels."}
	case mail.ChannelLost:
		return topic{Text: "Posts that wait for a channel", Hint: "When a post is due and its channel has lost access. If you may connect channels."}
	default:
		return topic{Text: frame.Words(kind)}
	}
}

// noticesPage is the data of the choices.
type noticesPage struct {
	Topics                []topic
	Places                []mail.Place
	Routes                []mail.Place
	RouteTopics           []topic
	Mails                 bool
	QuietFrom, QuietUntil string
	Zone                  string

	Daily, Weekly  bool
	Hours          []hour
	OffersTelegram bool
	Telegram       connecting
	PushKey        string

	Name, Way string // of a place, as they were typed
	Shared    bool   // it is the workspace's
	Faults    map[string]string
}

func (s *settings) notices(v *frame.Visit) error {
	return s.noticesPage(v, http.StatusOK, noticesPage{})
}

func (s *settings) noticesPage(v *frame.Visit, status int, page noticesPage) error {
	ctx := v.Request.Context()
	chosen, err := s.app.NoticeChoices(ctx, v.Principal)
	if err != nil {
		return err
	}
	if v.Principal.Allows(credential.WorkspaceManage) {
		if page.Routes, err = s.app.NoticeRoutes(ctx, v.Principal); err != nil {
			return err
		}
	}
	page.Mails, page.Places, page.Zone = s.app.SendsMails(), chosen.Places, chosen.Quiet.Zone
	page.QuietFrom, page.QuietUntil = clockOf(chosen.Quiet.From), clockOf(chosen.Quiet.Until)
	page.Daily, page.Weekly = slices.Contains(chosen.Digests, mail.DigestDaily), slices.Contains(chosen.Digests, mail.DigestWeekly)
	page.Hours, page.OffersTelegram = hoursOfDay(chosen.DigestHour), s.app.OffersTelegram()
	if page.PushKey, err = s.app.PushKey(ctx); err != nil {
		return err
	}
	for _, kind := range mail.Optional() {
		t := topicOf(kind)
		t.Kind = kind
		r := t
		t.Mail, t.App = !slices.Contains(chosen.MailsOff, kind), !slices.Contains(chosen.NoticesOff, kind)
		t.Places, r.Places = columns(page.Places, kind), columns(page.Routes, kind)
		page.Topics, page.RouteTopics = append(page.Topics, t), append(page.RouteTopics, r)
	}
	return v.Page(frame.Page{
		Name: "settings/notices", Title: "Notifications", Status: status, Tabs: Tabs("Notifications"), Scripts: []string{"zone.js", "push.js"}, Data: page,
	})
}

func columns(places []mail.Place, kind mail.Kind) []column {
	list := make([]column, len(places))
	for i, p := range places {
		list[i] = column{p, slices.Contains(p.Kinds, kind)}
	}
	return list
}

// clockOf writes minutes after midnight.
func clockOf(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) } //nolint:mnd // of an hour

func minutesOf(clock string) int {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return 0
	}
	return at.Hour()*60 + at.Minute() //nolint:mnd // of an hour
}

// chooseNotices stores the choices of a form: those of the visitor or, with the field shared, of the workspace.
func (s *settings) chooseNotices(v *frame.Visit) error {
	ctx, fields := v.Request.Context(), v.Fields()
	on := func(name string) (kinds []mail.Kind) {
		for _, kind := range fields[name] {
			kinds = append(kinds, mail.Kind(kind))
		}
		return kinds
	}
	off := func(name string) []mail.Kind {
		return slices.DeleteFunc(mail.Optional(), func(k mail.Kind) bool { return slices.Contains(on(name), k) })
	}
	var places []mail.Place
	for _, text := range fields["place"] {
		if id, err := ident.Parse[ident.Place](text); err == nil {
			places = append(places, mail.Place{ID: id, Kinds: on("place-" + text)})
		}
	}
	var err error
	if v.Form("shared") != "" {
		err = s.app.ChooseRoutes(ctx, v.Principal, places)
	} else {
		err = s.app.ChooseNotices(ctx, v.Principal, app.Choices{Places: places, Choices: postgres.Choices{
			MailsOff: off("mail"), NoticesOff: off("app"), Digests: on("digest"), DigestHour: hourOf(v.Form("digestHour")),
			Quiet: mail.Quiet{From: minutesOf(v.Form("quietFrom")), Until: minutesOf(v.Form("quietUntil")), Zone: v.Form("timezone")},
		}})
	}
	return s.doneNotices(v, err, noticesPage{}, "Saved.")
}

// doneNotices confirms, or shows what is wrong with the form.
func (s *settings) doneNotices(v *frame.Visit, err error, page noticesPage, done string) error {
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.noticesPage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathNotices), done)
}

func (s *settings) addPlace(v *frame.Visit) error {
	page := noticesPage{Name: v.Form("name"), Way: v.Form("way"), Shared: v.Form("shared") != ""}
	err := s.app.AddPlace(v.Request.Context(), v.Principal, mail.Place{
		Way: mail.Way(page.Way), Name: page.Name, Address: v.Form("address"),
	}, page.Shared)
	return s.doneNotices(v, err, page, "Added. Send a test to see that it arrives.")
}

// placeOf reads the place of a form; zero for the visitor's mailbox.
func placeOf(v *frame.Visit) (id ident.Place, err error) {
	if v.Form("place") == "" {
		return id, nil
	}
	if id, err = ident.Parse[ident.Place](v.Form("place")); err != nil {
		return id, apperr.New(apperr.NotFound, "This place does not exist.")
	}
	return id, nil
}

func (s *settings) testPlace(v *frame.Visit) error {
	id, err := placeOf(v)
	if err == nil {
		err = s.app.TestPlace(v.Request.Context(), v.Principal, id, v.Form("shared") != "")
	}
	return s.doneNotices(v, err, noticesPage{}, "Test sent.")
}

func (s *settings) removePlace(v *frame.Visit) error {
	id, err := placeOf(v)
	if err == nil {
		err = s.app.RemovePlace(v.Request.Context(), v.Principal, id, v.Form("shared") != "")
	}
	return s.doneNotices(v, err, noticesPage{}, "Removed.")
}
