package mail

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"time"

	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// Way is the transport by which a message reaches people. Each way has a queue of its own, so that none waits for another.
type Way string

// Ways of messages. The zero value is that of messages that were stored before there were others.
const (
	ByMail     Way = "MAIL"
	Slack      Way = "SLACK"      // an incoming webhook
	Mattermost Way = "MATTERMOST" // an incoming webhook
	Telegram   Way = "TELEGRAM"   // a chat with the operator's bot
	Push       Way = "PUSH"       // a device of a person
)

// Hooks returns the ways whose address is an incoming webhook.
func Hooks() []Way { return []Way{Slack, Mattermost} }

// Place is a chat or a device where a person, or a workspace, gets messages beside mail.
type Place struct {
	ID          ident.Place
	UserID      ident.User      // whose it is; zero: it is the workspace's
	WorkspaceID ident.Workspace // whose it is; zero: it is a person's
	Way         Way
	Name        string
	Address     string // secret: of the webhook, the chat's ID, or the device's Subscription as JSON
	Kinds       []Kind
	CreatedAt   time.Time
}

// Subscription is a device that accepts messages through its browser's push service (RFC 8030). The keys are base64url.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	Key      string `json:"p256dh"` // a point of the curve P-256
	Auth     string `json:"auth"`   // 16 bytes
}

// Valid reports whether the keys have their form.
func (s Subscription) Valid() bool {
	const longest, authLength = 1000, 16
	key, err1 := base64.RawURLEncoding.DecodeString(s.Key)
	auth, err2 := base64.RawURLEncoding.DecodeString(s.Auth)
	_, err3 := ecdh.P256().NewPublicKey(key)
	return errors.Join(err1, err2, err3) == nil && len(auth) == authLength && len(s.Endpoint) <= longest
}

// Code is a code with which a person starts the bot on Telegram, and the chat in which the person did.
type Code struct {
	UserID      ident.User
	WorkspaceID ident.Workspace // whose chat it becomes; zero: the person's
	Chat, Name  string
	ExpiresAt   time.Time
}

// MaxPlaces is the maximum number of places of a person or a workspace.
const MaxPlaces = 10

// Quiet are the hours of a day in which a person gets no messages, in minutes after midnight. They may span midnight. There are
// none if they begin when they end.
type Quiet struct {
	From, Until int
	Zone        string // IANA name
}

// End returns when the quiet hours of a time end; zero outside of them, and for an unknown zone.
func (q Quiet) End(now time.Time) time.Time {
	zone, err := time.LoadLocation(q.Zone)
	if err != nil || q.From == q.Until {
		return time.Time{}
	}
	local := now.In(zone)
	day, minute := local.Day(), local.Hour()*60+local.Minute()
	switch {
	case q.From < q.Until && (minute < q.From || minute >= q.Until), q.From > q.Until && minute < q.From && minute >= q.Until:
		return time.Time{}
	case minute >= q.Until:
		day++
	}
	return wallclock.In(zone, time.Date(local.Year(), local.Month(), day, q.Until/60, q.Until%60, 0, 0, time.UTC))
}
