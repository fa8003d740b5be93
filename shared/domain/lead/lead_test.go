package lead_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// full returns a lead with all fields set.
func full() lead.New {
	return lead.New{
		WorkspaceID: ident.New[ident.Workspace](), PersonID: ident.New[ident.Person](), Name: " Mara Lindqvist ",
		Handle:     "mara.builds",
		ProfileURL: "https://www.instagram.com/mara.builds?a=1&b=2", Platform: "INSTAGRAM", Source: lead.SourceExtension,
		Temperature: lead.TemperatureWarm, Interest: "Prices of\r\nwall tiles <b>&", Stage: lead.StageLost,
		Value: "01200.500", Currency: "EUR",
		FollowUpAt: now.Add(72*time.Hour + 1).In(time.FixedZone("", 3600)), ContactEmail: "mara@example.com",
		ContactPhone: "+46 70 123 45 67",
		LostReason:   "Chose another supplier.",
	}
}

// data decodes the data of an event.
func data[T any](t *testing.T, e *event.Event) T {
	t.Helper()
	require.NotNil(t, e)
	var envelope struct {
		Data T `json:"data"`
	}
	require.NoError(t, json.Unmarshal(e.Body, &envelope))
	return envelope.Data
}

func TestCreate(t *testing.T) {
	t.Parallel()
	in := full()
	change, err := lead.Create(in, now)
	require.NoError(t, err)
	require.True(t, change.Changed())
	l := change.Lead
	require.Equal(t, lead.Lead{
		ID: l.ID, WorkspaceID: in.WorkspaceID, PersonID: in.PersonID, Name: "Mara Lindqvist", Handle: in.Handle,
		ProfileURL: in.ProfileURL,
		Platform:   in.Platform, Source: in.Source, Temperature: in.Temperature, Interest: "Prices of\nwall tiles <b>&",
		Stage: lead.StageLost,
		Value: "1200.5", Currency: "EUR", FollowUpAt: now.Add(72 * time.Hour), ContactEmail: in.ContactEmail,
		ContactPhone: in.ContactPhone,
		LostReason:   in.LostReason, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}, l)
	require.Equal(t, event.LeadCreated, change.Event.Type)
	require.Equal(t, in.WorkspaceID, change.Event.WorkspaceID)
	require.Equal(t, now, change.Event.CreatedAt)
	require.Equal(t, l.Object(), data[event.LeadData](t, change.Event).Lead)
}

// TestObjectHasEveryField checks that all fields are present, whatever is known of the lead.
func TestObjectHasEveryField(t *testing.T) {
	t.Parallel()
	change, err := lead.Create(full(), now)
	require.NoError(t, err)
	raw, err := json.Marshal(change.Lead.Object())
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(raw, &members))
	require.Equal(t, map[string]any{
		"id": change.Lead.ID.String(), "person_id": change.Lead.PersonID.String(), "name": "Mara Lindqvist",
		"handle":      "mara.builds",
		"profile_url": "https://www.instagram.com/mara.builds?a=1&b=2", "platform": "INSTAGRAM",
		"source":      "BROWSER_EXTENSION",
		"temperature": "WARM", "interest": "Prices of\nwall tiles <b>&", "stage": "LOST", "value": 1200.5, "currency": "EUR",
		"follow_up_at": "2026-03-04T09:00:00.000Z", "contact_email": "mara@example.com", "contact_phone": "+46 70 123 45 67",
		"lost_reason": "Chose another supplier.", "created_at": "2026-03-01T09:00:00.000Z",
		"updated_at": "2026-03-01T09:00:00.000Z",
	}, members)

	change, err = lead.Create(lead.New{WorkspaceID: change.Lead.WorkspaceID, Name: "Mara"}, now)
	require.NoError(t, err)
	raw, err = json.Marshal(change.Lead.Object())
	require.NoError(t, err)
	want := members
	for member := range want {
		want[member] = nil
	}
	want["id"], want["name"], want["source"], want["stage"] = change.Lead.ID.String(), "Mara", "MANUAL", "NEW"
	want["created_at"], want["updated_at"] = "2026-03-01T09:00:00.000Z", "2026-03-01T09:00:00.000Z"
	members = nil
	require.NoError(t, json.Unmarshal(raw, &members))
	require.Equal(t, want, members)
}

func TestAllFaultsAreReported(t *testing.T) {
	t.Parallel()
	_, err := lead.Create(lead.New{
		Name: " ", Handle: strings.Repeat("é", 201), ProfileURL: "javascript:alert(1)", Platform: "FAX", Source: "DREAM",
		Temperature: "MILD",
		Interest:    "a\x00b", Stage: "GONE", Value: "12,50", ContactEmail: "mara", ContactPhone: "call me",
		LostReason: "Why?",
	}, now)
	var refused *apperr.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, apperr.ValidationFailed, refused.Code)
	pointers := make(map[string]string)
	for _, f := range refused.Fields {
		require.NotContains(t, pointers, f.Pointer, "each once")
		pointers[f.Pointer] = f.Message
	}
	require.Equal(t, map[string]string{
		"/name": "is required", "/handle": "has 201 characters; at most 200 are allowed",
		"/profile_url":   "must be an http or https URL, for example https://www.instagram.com/name",
		"/platform":      `"FAX" is not one of FACEBOOK, INSTAGRAM, TWITTER, LINKEDIN, TIKTOK, YOUTUBE, PINTEREST, GOOGLE_BUSINESS, THREADS, TELEGRAM, WHATSAPP, BLUESKY, MASTODON`,
		"/source":        `"DREAM" is not one of SALES_LEAD_AGENT, BROWSER_EXTENSION, MANUAL`,
		"/temperature":   `"MILD" is not one of COLD, WARM, HOT`,
		"/interest":      "contains control characters",
		"/stage":         `"GONE" is not one of NEW, CONTACTED, QUALIFIED, PROPOSAL, WON, LOST`,
		"/value":         `"12,50" is not an amount, such as 1200 or 1200.50: up to 12 digits before the point and 4 behind it`,
		"/currency":      "is required with a value",
		"/contact_email": "is not an email address, such as name@example.com",
		"/contact_phone": "is not a telephone number, such as +46 70 123 45 67",
		"/lost_reason":   "is allowed only in the stage LOST",
	}, pointers)
}

func TestInvalidLeads(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(n *lead.New)
		pointer string
	}{
		"a name on two lines":          {func(n *lead.New) { n.Name = "a\nb" }, "/name"},
		"a name that is no text":       {func(n *lead.New) { n.Name = "a\xff" }, "/name"},
		"a name with a line separator": {func(n *lead.New) { n.Name = "a\u2028b" }, "/name"},
		"a host in another script":     {func(n *lead.New) { n.ProfileURL = "https://bücher.test/" }, "/profile_url"},
		"an address that grows too long": {
			func(n *lead.New) { n.ProfileURL = "https://a.test/" + strings.Repeat("ä", 1000) }, "/profile_url",
		},
		"an address that is too long": {
			func(n *lead.New) { n.ProfileURL = "https://a.test/" + strings.Repeat("a", 2048) }, "/profile_url",
		},
		"an address without a host":      {func(n *lead.New) { n.ProfileURL = "https:///a" }, "/profile_url"},
		"an address with markup":         {func(n *lead.New) { n.ProfileURL = `https://a.test/"><script>` }, "/profile_url"},
		"an address that cannot be read": {func(n *lead.New) { n.ProfileURL = "https://a.test/%zz" }, "/profile_url"},
		"an address with a password":     {func(n *lead.New) { n.ProfileURL = "https://a:b@a.test/" }, "/profile_url"},
		"an email address with a name": {
			func(n *lead.New) { n.ContactEmail = "Mara <mara@example.com>" }, "/contact_email",
		},
		"an email address that is local": {func(n *lead.New) { n.ContactEmail = "mara@localhost" }, "/contact_email"},
		"an email address that is long": {
			func(n *lead.New) { n.ContactEmail = strings.Repeat("a", 250) + "@a.test" }, "/contact_email",
		},
		"a number of two digits":          {func(n *lead.New) { n.ContactPhone = "12" }, "/contact_phone"},
		"a number that is too long":       {func(n *lead.New) { n.ContactPhone = strings.Repeat("1", 41) }, "/contact_phone"},
		"an amount below zero":            {func(n *lead.New) { n.Value = "-1" }, "/value"},
		"an amount in powers of ten":      {func(n *lead.New) { n.Value = "1e3" }, "/value"},
		"an amount that is too large":     {func(n *lead.New) { n.Value = "1234567890123" }, "/value"},
		"a currency without a value":      {func(n *lead.New) { n.Value = "" }, "/currency"},
		"a currency in words":             {func(n *lead.New) { n.Currency = "Euro" }, "/currency"},
		"a reason of a lead that is open": {func(n *lead.New) { n.Stage = lead.StageWon }, "/lost_reason"},
	} {
		in := full()
		test.change(&in)
		_, err := lead.Create(in, now)
		var refused *apperr.Error
		require.ErrorAs(t, err, &refused, name)
		require.Len(t, refused.Fields, 1, name)
		require.Equal(t, test.pointer, refused.Fields[0].Pointer, name)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]lead.Amount{
		"0": "0", "000": "0", "0.00": "0", "0.10": "0.1", "007": "7", "1200.50": "1200.5",
		"999999999999.9999": "999999999999.9999", "10": "10",
	} {
		got, err := lead.ParseAmount(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		require.True(t, json.Valid([]byte(got)), "an amount is a number in JSON")
	}
	for _, text := range []string{"", ".", "1.", ".5", "1.23456", "+1", " 1", "1 ", "１", "1_000", "1,5", "NaN"} {
		_, err := lead.ParseAmount(text)
		require.Error(t, err, text)
	}
}

// TestEveryMove covers moves from every stage to every stage.
func TestEveryMove(t *testing.T) {
	t.Parallel()
	later := now.Add(time.Hour)
	for _, from := range lead.Stages() {
		for _, to := range lead.Stages() {
			in := full()
			if in.Stage = from; from != lead.StageLost {
				in.LostReason = ""
			}
			created, err := lead.Create(in, now)
			require.NoError(t, err)
			change, err := created.Lead.MoveTo(to, "", later)
			require.NoError(t, err)
			require.Equal(t, created.Lead, change.From)
			if from == to {
				require.False(t, change.Changed())
				require.Nil(t, change.Event, "an unchanged stage has no event")
				continue
			}
			want := created.Lead
			want.Stage, want.LostReason, want.UpdatedAt, want.Revision = to, "", later, 2
			require.Equal(t, want, change.Lead)
			require.Equal(t, event.LeadStageChanged, change.Event.Type)
			require.Equal(t, event.LeadStageData{Lead: want.Object(), PreviousStage: string(from), Stage: string(to)},
				data[event.LeadStageData](t, change.Event))
		}
	}
}

func TestLostReason(t *testing.T) {
	t.Parallel()
	in := full()
	in.Stage, in.LostReason = lead.StageNew, ""
	created, err := lead.Create(in, now)
	require.NoError(t, err)
	lost, err := created.Lead.MoveTo(lead.StageLost, " Too dear. ", now)
	require.NoError(t, err)
	require.Equal(t, "Too dear.", lost.Lead.LostReason)
	require.Equal(t, "Too dear.", *data[event.LeadStageData](t, lost.Event).Lead.LostReason)

	same, err := lost.Lead.MoveTo(lead.StageLost, "Too dear.", now.Add(time.Hour))
	require.NoError(t, err)
	require.False(t, same.Changed())
	kept, err := lost.Lead.MoveTo(lead.StageLost, "", now.Add(time.Hour))
	require.NoError(t, err)
	require.False(t, kept.Changed())
	other, err := lost.Lead.MoveTo(lead.StageLost, "Too late.", now.Add(time.Hour))
	require.NoError(t, err)
	require.True(t, other.Changed())
	require.Equal(t, "Too late.", other.Lead.LostReason)
	require.Nil(t, other.Event, "the stage stays")

	won, err := other.Lead.MoveTo(lead.StageWon, "", now) // the clock went back
	require.NoError(t, err)
	require.Empty(t, won.Lead.LostReason)
	require.Equal(t, now.Add(time.Hour), won.Lead.UpdatedAt)

	_, err = won.Lead.MoveTo(lead.StageNew, "Too soon.", now)
	require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	_, err = won.Lead.MoveTo("MAYBE", "", now)
	require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	require.False(t, lead.Stage("MAYBE").Known())
}

// TestLargestLeadFitsIntoEvent uses texts of maximum length, with the characters that are largest in JSON.
func TestLargestLeadFitsIntoEvent(t *testing.T) {
	t.Parallel()
	in := full()
	const widest = "\u2028" // six bytes, escaped; not allowed in a single-line text
	in.Name, in.Handle = strings.Repeat("\U0001F9F1", lead.MaxName), strings.Repeat("\U0001F9F1", lead.MaxHandle)
	in.Interest, in.LostReason = "a"+strings.Repeat(widest, lead.MaxInterest-2)+"a", "a"+strings.Repeat(widest,
		lead.MaxReason-2)+"a"
	in.ProfileURL = "https://a.test/" + strings.Repeat("&", lead.MaxURL-15)
	in.ContactEmail = strings.Repeat("a", lead.MaxEmail-7) + "@a.test"
	in.ContactPhone, in.Value = strings.Repeat("1", lead.MaxPhone), "999999999999.9999"
	created, err := lead.Create(in, now)
	require.NoError(t, err)
	moved, err := created.Lead.MoveTo(lead.StageNew, "", now)
	require.NoError(t, err)
	for _, body := range [][]byte{created.Event.Body, moved.Event.Body} {
		require.Greater(t, len(body), 15<<10)
		require.Less(t, len(body), event.MaxBody/2)
	}
}

// FuzzCreate checks that any input becomes a lead that equals its event's data, or is refused with reasons.
func FuzzCreate(f *testing.F) {
	f.Add("Mara", "mara", "https://a.test/?a=1&b=<2>", "hello\nthere", "1200.50", "EUR", "mara@example.com", "+46 70", "")
	f.Add("\x00", "\xff", "HTTPS://[::1]:8080/", "\r\n", "0", "eur", "\"a b\"@c.de", "(030) 12", "why")
	f.Fuzz(func(t *testing.T, name, handle, profile, interest, value, currency, email, phone, reason string) {
		change, err := lead.Create(lead.New{
			Name: name, Handle: handle, ProfileURL: profile, Interest: interest, Value: value, Currency: currency,
			ContactEmail: email,
			ContactPhone: phone, LostReason: reason, Stage: lead.StageLost,
		}, now)
		if err != nil {
			var refused *apperr.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, apperr.ValidationFailed, refused.Code)
			require.NotEmpty(t, refused.Fields)
			return
		}
		require.True(t, reflect.DeepEqual(change.Lead.Object(), data[event.LeadData](t, change.Event).Lead), "%s",
			change.Event.Body)
	})
}
