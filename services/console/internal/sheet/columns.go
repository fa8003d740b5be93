package sheet

import (
	"strings"
	"unicode"

	"fencepost.internal/shared/domain/plan"
)

// names are the words by which people call columns, without case, spaces and marks.
var names = map[plan.Column]string{
	plan.Date: "date day publishdate publishingdate postdate postingdate scheduleddate scheduledate datetime dateandtime " +
		"dateofpublication scheduledat scheduledfor scheduledtime publishat publishedat postat postedat when schedule " +
		"duedate datum postingdateandtime scheduleddateandtime startdate",
	plan.Time:    "time hour publishtime publishingtime posttime postingtime timeofday clock uhrzeit zeit starttime",
	plan.Zone:    "zone timezone tz timezonename ianatimezone zeitzone",
	plan.Channel: "channel channels account accounts profile profiles network networks platform platforms socialnetwork socialprofile socialaccount page pages handle kanal konto",
	plan.Text:    "text texts content caption captions message messages post posts posttext postcontent postcopy copy body description tweet beitrag",
	plan.Title:   "title titles headline posttitle videotitle titel",
	plan.Media: "media image images picture pictures photo photos video videos file files attachment attachments asset assets mediaurl " +
		"mediaurls mediaaddress imageurl imageurls pictureurl photourl videourl medialink imagelink bild bilder",
	plan.AltText:    "alttext alttexts alt alternativetext alternativetexts imagedescription imagealttext mediaalttext alternatetext",
	plan.Labels:     "labels label tags tag category categories campaign campaigns topic topics",
	plan.ExternalID: "externalid id uid guid ref reference key postkey itemid rowid number no",
	plan.State:      "state status publishstate poststatus stage",
	plan.PostID:     "postid fencepostid",
}

// byName has the column of each word.
var byName = func() map[string]plan.Column {
	all := make(map[string]plan.Column)
	for column, words := range names {
		for word := range strings.FieldsSeq(words) {
			all[word] = column
		}
	}
	return all
}()

// Guess returns the column that a heading names; empty for an unknown one.
func Guess(heading string) plan.Column {
	heading, _, _ = strings.Cut(heading, "(") // such as: Time (24 h)
	return byName[strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, heading)]
}

// GuessColumns returns the columns of a table by its first row, each once, and whether that row has their names.
func GuessColumns(first []string) (columns []plan.Column, header bool) {
	columns = make([]plan.Column, len(first))
	used := make(map[plan.Column]bool)
	for i, heading := range first {
		if c := Guess(heading); !used[c] {
			columns[i], used[c] = c, true
			header = header || c != ""
		}
	}
	return columns, header
}
