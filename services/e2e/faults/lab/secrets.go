package lab

import (
	"strings"
)

// written selects all text that the service stores or shows and that must not contain a secret.
const written = `
SELECT 'delivery_attempt ' || delivery_id || ': ' || coalesce(response, '') || ' ' || coalesce(error_class, '') FROM delivery_attempt
UNION ALL SELECT 'publish_attempt ' || post_id || ': ' || coalesce(failure_message, '') || ' ' || handle || ' ' || coalesce(post_url, '') FROM publish_attempt
UNION ALL SELECT 'post ' || id || ': ' || coalesce(error_message, '') FROM post
UNION ALL SELECT 'post_timeline ' || post_id || ': ' || detail FROM post_timeline
UNION ALL SELECT 'event ' || id || ': ' || convert_from(body, 'UTF8') FROM event
UNION ALL SELECT 'outbox ' || id || ': ' || payload || ' ' || coalesce(last_error, '') FROM outbox`

// secretsKept checks I11: no log, row or history contains a secret of the run.
func (l *Lab) secretsKept(terms) []Violation {
	l.t.Helper()
	var wrong []Violation
	secrets := l.Secrets()
	look := func(where, text string) {
		for name, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				wrong = append(wrong, violation("I11", "%s is in %s: %.200s", name, where, text[max(0, at-100):]))
			}
		}
	}
	for _, p := range l.Processes() {
		if p.Name() != "sandbox" { // the networks know their tokens
			look("the log of "+p.Name(), p.WholeLog())
		}
	}
	for _, text := range l.Query(l.t, written) {
		look("a row", text)
	}
	for id, history := range l.Histories(histories) {
		look("the history of workflow "+id, history)
	}
	return wrong
}

// histories is the number of workflows whose histories are read. All are created in the same way.
const histories = 25
