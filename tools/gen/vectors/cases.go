package main

import (
	"fmt"
	"strings"
)

const (
	current     = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM="
	previous    = "whsec_dGhlIHNlY3JldCBmcm9tIGJlZm9yZSBhIHJvdGF0aW8="
	otherSecret = "whsec_dGhlIHNlY3JldCBvZiBhbm90aGVyIGVuZHBvaW50ISE="

	sentAt = 1_772_348_400 // 2026-03-01T07:00:00Z
)

// Bodies of the deliveries.
var (
	test      = `{"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82","type":"webhook.test"}`
	published = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d83", "post.published",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",`+
			`"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","status":"PUBLISHED","publishedAt":"2026-03-01T07:00:00.412Z",`+
			`"postUrl":"https://t.me/acme_news/42","error":null}`)
	foreign = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d84", "channel.connected",
		`{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","type":"THREADS","name":"Bäckerei Ærø 東京 Ελλάδα"}`)
	emoji = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d85", "post.rejected",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","comment":"Nicer with 🎈👩‍👩‍👧 and é (not e + accent)"}`)
	markup = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d86", "post.rejected",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","comment":"</script><!-- a & b --> 'c' \"d\" \\ / `+"\u2028"+`"}`)
	numbers = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d87", "lead.created",
		`{"lead":{"id":9007199254740993,"score":1.0,"budget":1e3,"max":18446744073709551615}}`)
	newline = envelope("0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d88", "post.created",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","status":"DRAFT"}`) + "\n"
	spacious  = `{ "type": "post.created",  "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d89", "data": { "postId" : null } }`
	yes       = accept{Service: true, Standard: true}
	no        = accept{}
	ownOnly   = accept{Service: true}
	standards = accept{Standard: true}
)

func envelope(id, typ, data string) string {
	return `{"id":"evt_` + id + `","type":"` + typ + `","createdAt":"2026-03-01T07:00:00.412Z",` +
		`"workspaceId":"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10","data":` + data + `}`
}

func cases() []example {
	all := append(genuine(), rotated()...)
	all = append(all, late()...)
	all = append(all, changed()...)
	return append(all, malformed()...)
}

func genuine() []example {
	return []example{
		{name: "genuine", why: "signed with the secret, at the current time", body: test, accept: yes},
		{name: "genuine event", why: "a whole envelope", body: published, accept: yes},
		{
			name: "non-ASCII text", why: "the signature is over bytes (UTF-8), not over characters or escapes", body: foreign,
			accept: yes,
		},
		{
			name: "emoji", why: "characters outside the basic plane are four bytes; nothing is normalised", body: emoji,
			accept: yes,
		},
		{name: "markup", why: "< > & ' / and U+2028 are signed unescaped", body: markup, accept: yes},
		{
			name: "64-bit integers", why: "numbers are signed as written, also those that a double cannot hold", body: numbers,
			accept: yes,
		},
		{name: "trailing newline", why: "it belongs to the body", body: newline, accept: yes},
		{
			name: "spaces and another order", why: "the signature covers the received bytes, not a new serialization",
			body: spacious, accept: yes,
		},
	}
}

func rotated() []example {
	both := []string{current, previous}
	return []example{
		{
			name: "rotation, receiver has the new secret",
			why:  "its v1 is first; a verifier that keeps only the last value wrongly rejects it", body: published,
			secrets: both, accept: yes,
		},
		{
			name: "rotation, receiver has the old secret",
			why:  "its v1 is last; a verifier that checks only the first value wrongly rejects it", body: published,
			secrets: both, secret: previous, accept: yes,
		},
		{
			name: "rotation, receiver has neither", why: "two signatures, none of this secret", body: published, secrets: both,
			secret: otherSecret, accept: no,
		},
		{name: "rotation over", why: "the old secret is no longer used", body: published, secret: previous, accept: no},
	}
}

func late() []example {
	return []example{
		{name: "300 s old", why: "the tolerance includes its end", body: published, now: sentAt + 300, accept: yes},
		{name: "300 s ahead", why: "clocks may differ in both directions", body: published, now: sentAt - 300, accept: yes},
		{
			name: "stale", why: "301 s old: it may have been recorded and sent again", body: published, now: sentAt + 301,
			accept: no,
		},
		{name: "from the future", why: "301 s ahead", body: published, now: sentAt - 301, accept: no},
		{name: "a year old", why: "the signature itself is right", body: published, now: sentAt + 31_536_000, accept: no},
		{
			name: "last retry", why: "57 minutes after the event; t is the time of the attempt, not createdAt",
			body: published, at: sentAt + 3410, accept: yes,
		},
		{
			name: "swapped time", why: "an old delivery with a fresh time; the time is signed too", body: published,
			now: sentAt + 3600, accept: no, change: func(h map[string]string) {
				fresh := fmt.Sprint(sentAt + 3600)
				h[ownHeader] = strings.Replace(h[ownHeader], fmt.Sprint(sentAt), fresh, 1)
				h[timeHeader] = fresh
			},
		},
		{
			name: "two times", why: "a fresh t after the one that was signed; there must be exactly one", body: published,
			now: sentAt + 3600, accept: no, change: func(h map[string]string) {
				h[ownHeader] += fmt.Sprintf(",t=%d", sentAt+3600)
			},
		},
		{
			name: "time in milliseconds", why: "t is in seconds, and signed", body: published, accept: no,
			change: func(h map[string]string) {
				h[ownHeader] = strings.Replace(h[ownHeader], fmt.Sprint(sentAt), fmt.Sprint(sentAt)+"000", 1)
				h[timeHeader] += "000"
			},
		},
		{
			name: "time is not a number", why: "digits followed by text must not be read as a number", body: published,
			accept: standards, change: func(h map[string]string) {
				h[ownHeader] = strings.Replace(h[ownHeader], fmt.Sprint(sentAt), fmt.Sprint(sentAt)+"x", 1)
			},
		},
	}
}

func changed() []example {
	return []example{
		{
			name: "tampered", why: "one digit of the body differs", body: published,
			got: strings.Replace(published, "acme_news/42", "acme_news/43", 1), accept: no,
		},
		{
			name: "newline lost", why: "a framework trimmed the body", body: newline, got: strings.TrimSpace(newline),
			accept: no,
		},
		{
			name: "re-serialized", why: "parsed and serialized again: spaces are removed and the order differs",
			body: spacious,
			got:  `{"data":{"postId":null},"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d89","type":"post.created"}`, accept: no,
		},
		{
			name: "numbers rounded", why: "parsed into doubles and serialized again", body: numbers,
			got: strings.NewReplacer("9007199254740993", "9007199254740992", "1.0", "1", "1e3", "1000",
				"18446744073709551615", "18446744073709552000").Replace(numbers),
			accept: no,
		},
		{
			name: "escaped", why: "parsed and serialized again with escapes: the same JSON, different bytes", body: foreign,
			got: strings.NewReplacer("ä", `\u00e4`, "Æ", `\u00c6`, "ø", `\u00f8`).Replace(foreign), accept: no,
		},
		{
			name: "decoded as Latin-1", why: "the bytes are no longer UTF-8", body: foreign,
			got: strings.NewReplacer("ä", "\xe4", "Æ", "\xc6", "ø", "\xf8").Replace(foreign), accept: no,
		},
		{
			name: "another delivery's signature", why: "headers and body belong to different deliveries", body: test,
			got: published, accept: no,
		},
		{
			name: "another event id",
			why:  "only webhook-signature covers the id header; X-Service-Signature covers the id in the body", body: published,
			accept: ownOnly, change: func(h map[string]string) {
				h[idHeader] = "evt_0190a3c8-4e35-7a9c-9d77-000000000000"
			},
		},
		{name: "wrong secret", why: "the secret of another endpoint", body: published, secret: otherSecret, accept: no},
		{
			name: "secret without its prefix",
			why: "X-Service-Signature is keyed with the whole secret, including whsec_; webhook-signature with the decoded " +
				"base64 after it",
			body: published, secret: strings.TrimPrefix(current, "whsec_"), accept: standards,
		},
	}
}

func malformed() []example {
	return []example{
		{
			name: "no headers", why: "no signature proves the body", body: published, accept: no,
			change: func(h map[string]string) { clear(h) },
		},
		{
			name: "no X-Service-Signature", why: "the other form still proves the body", body: published, accept: standards,
			change: func(h map[string]string) { delete(h, ownHeader) },
		},
		{
			name: "no webhook-timestamp", why: "all three headers are needed", body: published, accept: ownOnly,
			change: func(h map[string]string) { delete(h, timeHeader) },
		},
		{
			name: "empty headers", why: "no signature proves the body", body: published, accept: no,
			change: func(h map[string]string) { h[ownHeader], h[standardHeader] = "", "" },
		},
		{
			name: "no v1", why: "other versions are not accepted: no downgrade", body: published, accept: no,
			change: func(h map[string]string) {
				h[ownHeader] = strings.Replace(h[ownHeader], "v1=", "v0=", 1)
				h[standardHeader] = strings.Replace(h[standardHeader], "v1,", "v0,", 1)
			},
		},
		{
			name: "another version beside v1", why: "unknown versions are ignored", body: published, accept: yes,
			change: func(h map[string]string) {
				h[ownHeader] = strings.Replace(h[ownHeader], ",v1=", ",v2=AAAA,v1=", 1)
				h[standardHeader] = "v2,AAAA " + h[standardHeader]
			},
		},
		{
			name: "no t", why: "a signature requires a time", body: published, accept: standards,
			change: func(h map[string]string) {
				h[ownHeader] = h[ownHeader][strings.Index(h[ownHeader], "v1="):]
			},
		},
		{
			name: "signature cut short", why: "a truncated signature is invalid, and a comparison must handle other lengths",
			body: published, accept: no, change: func(h map[string]string) {
				h[ownHeader] = h[ownHeader][:len(h[ownHeader])-32]
				h[standardHeader] = h[standardHeader][:len(h[standardHeader])-20]
			},
		},
		{
			name: "empty signature", why: "an empty value is invalid", body: published, accept: no,
			change: func(h map[string]string) {
				h[ownHeader], h[standardHeader] = fmt.Sprintf("t=%d,v1=", sentAt), "v1,"
			},
		},
		{
			name: "signature is not hex", why: "64 non-ASCII characters: a comparison must handle them", body: published,
			accept: standards, change: func(h map[string]string) {
				h[ownHeader] = fmt.Sprintf("t=%d,v1=%s", sentAt, strings.Repeat("é", 64))
			},
		},
		{
			name: "garbage", why: "a parser must handle any input", body: published, accept: no,
			change: func(h map[string]string) {
				h[ownHeader], h[standardHeader] = ",=,t,v1,t==,v1=v1=", "v1 , ,,"
			},
		},
	}
}
