package main

import "strings"

const (
	current     = "whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM="
	previous    = "whsec_dGhlIHNlY3JldCBmcm9tIGJlZm9yZSBhIHJvdGF0aW8="
	otherSecret = "whsec_dGhlIHNlY3JldCBvZiBhbm90aGVyIGVuZHBvaW50ISE="

	sentAt = 1_772_348_400 // 2026-03-01T07:00:00Z
	sent   = "1772348400"
	hourOn = "1772352000" // an hour later
)

// Bodies of the deliveries.
var (
	test      = `{"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82","type":"webhook.test"}`
	published = envelope("83", "post.published", `{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60",`+
		`"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","status":"PUBLISHED","publishedAt":"2026-03-01T07:00:00.412Z",`+
		`"postUrl":"https://t.me/acme_news/42","error":null}`)
	foreign = envelope("84", "channel.connected",
		`{"channelId":"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59","type":"THREADS","name":"Bäckerei Ærø 東京 Ελλάδα"}`)
	emoji = envelope("85", "post.rejected",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","comment":"Nicer with 🎈👩‍👩‍👧 and é (not e + accent)"}`)
	markup = envelope("86", "post.rejected",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","comment":"</script><!-- a & b --> 'c' \"d\" \\ / `+"\u2028"+`"}`)
	numbers = envelope("87", "lead.created",
		`{"lead":{"id":9007199254740993,"score":1.0,"budget":1e3,"max":18446744073709551615}}`)
	newline = envelope("88", "post.created",
		`{"postId":"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60","status":"DRAFT"}`) + "\n"
	spacious = `{ "type": "post.created",  "id": "evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d89", "data": { "postId" : null } }`
	compact  = `{"data":{"postId":null},"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d89","type":"post.created"}`
)

// Verdicts.
var (
	yes       = verdict{Service: true, Standard: true}
	no        = verdict{}
	ownOnly   = verdict{Service: true}
	standards = verdict{Standard: true}
)

// envelope returns an event. The end of its id distinguishes it.
func envelope(id, typ, data string) string {
	return `{"id":"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d` + id + `","type":"` + typ + `",` +
		`"createdAt":"2026-03-01T07:00:00.412Z","workspaceId":"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10","data":` + data + `}`
}

func genuine() []vector {
	rotation := sign(sentAt, current, previous)
	return []vector{
		deliver("genuine", "signed with the secret, at the current time", test, yes),
		deliver("genuine event", "a whole envelope", published, yes),
		deliver("non-ASCII text", "the signature is over bytes (UTF-8), not over characters or escapes", foreign, yes),
		deliver("emoji", "characters outside the basic plane are four bytes; nothing is normalised", emoji, yes),
		deliver("markup", "< > & ' / and U+2028 are signed unescaped", markup, yes),
		deliver("64-bit integers", "numbers are signed as written, also those that a double cannot hold", numbers, yes),
		deliver("trailing newline", "it belongs to the body", newline, yes),
		deliver("spaces and another order", "the signature covers the received bytes, not a new serialization", spacious, yes),
		deliver("rotation, receiver has the new secret",
			"its v1 is first; a verifier that keeps only the last value wrongly rejects it", published, yes, rotation),
		deliver("rotation, receiver has the old secret",
			"its v1 is last; a verifier that checks only the first value wrongly rejects it", published, yes, rotation,
			secret(previous)),
		deliver("rotation, receiver has neither", "two signatures, none of this secret", published, no, rotation,
			secret(otherSecret)),
		deliver("rotation over", "the old secret is no longer used", published, no, secret(previous)),
	}
}

func untimely() []vector {
	const year, hour = 31_536_000, 3600
	return []vector{
		deliver("300 s old", "the tolerance includes its end", published, yes, clock(300)),
		deliver("300 s ahead", "clocks may differ in both directions", published, yes, clock(-300)),
		deliver("stale", "301 s old: it may have been recorded and sent again", published, no, clock(301)),
		deliver("from the future", "301 s ahead", published, no, clock(-301)),
		deliver("a year old", "the signature itself is right", published, no, clock(year)),
		deliver("last retry", "57 minutes after the event; t is the time of the attempt, not createdAt", published, yes,
			sign(sentAt+3410, current)),
		deliver("swapped time", "an old delivery with a fresh time; the time is signed too", published, no, clock(hour),
			replace(ownHeader, sent, hourOn), set(timeHeader, hourOn)),
		deliver("two times", "a fresh t after the one that was signed; there must be exactly one", published, no,
			clock(hour), func(v *vector) { v.Headers[ownHeader] += ",t=" + hourOn }),
		deliver("time in milliseconds", "t is in seconds, and signed", published, no,
			replace(ownHeader, sent, sent+"000"), set(timeHeader, sent+"000")),
		deliver("time is not a number", "digits followed by text must not be read as a number", published, standards,
			replace(ownHeader, sent, sent+"x")),
	}
}

func altered() []vector {
	return []vector{
		deliver("tampered", "one digit of the body differs", published, no, rewrite("acme_news/42", "acme_news/43")),
		deliver("newline lost", "a framework trimmed the body", newline, no, rewrite("\n", "")),
		deliver("re-serialized", "parsed and serialized again: spaces are removed and the order differs", spacious, no,
			receive(compact)),
		deliver("numbers rounded", "parsed into doubles and serialized again", numbers, no,
			rewrite("9007199254740993", "9007199254740992", "1.0", "1", "1e3", "1000",
				"18446744073709551615", "18446744073709552000")),
		deliver("escaped", "parsed and serialized again with escapes: the same JSON, different bytes", foreign, no,
			rewrite("ä", `\u00e4`, "Æ", `\u00c6`, "ø", `\u00f8`)),
		deliver("decoded as Latin-1", "the bytes are no longer UTF-8", foreign, no,
			rewrite("ä", "\xe4", "Æ", "\xc6", "ø", "\xf8")),
		deliver("another delivery's signature", "headers and body belong to different deliveries", test, no,
			receive(published)),
		deliver("another event id",
			"only webhook-signature covers the id header; X-Service-Signature covers the id in the body", published, ownOnly,
			set(idHeader, "evt_0190a3c8-4e35-7a9c-9d77-000000000000")),
		deliver("wrong secret", "the secret of another endpoint", published, no, secret(otherSecret)),
		deliver("secret without its prefix",
			"X-Service-Signature is keyed with the whole secret, including whsec_; webhook-signature with the decoded "+
				"base64 after it", published, standards, secret(strings.TrimPrefix(current, "whsec_"))),
	}
}

func malformed() []vector {
	return []vector{
		deliver("no headers", "no signature proves the body", published, no, func(v *vector) { clear(v.Headers) }),
		deliver("no X-Service-Signature", "the other form still proves the body", published, standards, remove(ownHeader)),
		deliver("no webhook-timestamp", "all three headers are needed", published, ownOnly, remove(timeHeader)),
		deliver("empty headers", "no signature proves the body", published, no, set(ownHeader, ""),
			set(standardHeader, "")),
		deliver("no v1", "other versions are not accepted: no downgrade", published, no,
			replace(ownHeader, "v1=", "v0="), replace(standardHeader, "v1,", "v0,")),
		deliver("another version beside v1", "unknown versions are ignored", published, yes,
			replace(ownHeader, ",v1=", ",v2=AAAA,v1="), replace(standardHeader, "v1,", "v2,AAAA v1,")),
		deliver("no t", "a signature requires a time", published, standards, replace(ownHeader, "t="+sent+",", "")),
		deliver("signature cut short", "a truncated signature is invalid, and a comparison must handle other lengths",
			published, no, func(v *vector) {
				v.Headers[ownHeader] = v.Headers[ownHeader][:len(v.Headers[ownHeader])-32]
				v.Headers[standardHeader] = v.Headers[standardHeader][:len(v.Headers[standardHeader])-20]
			}),
		deliver("empty signature", "an empty value is invalid", published, no,
			set(ownHeader, "t="+sent+",v1="), set(standardHeader, "v1,")),
		deliver("signature is not hex", "64 non-ASCII characters: a comparison must handle them", published, standards,
			set(ownHeader, "t="+sent+",v1="+strings.Repeat("é", 64))),
		deliver("garbage", "a parser must handle any input", published, no,
			set(ownHeader, ",=,t,v1,t==,v1=v1="), set(standardHeader, "v1 , ,,")),
	}
}
