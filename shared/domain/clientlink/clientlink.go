// Package clientlink defines links by which people without an account see chosen posts, comment on them and decide about them
// (docs/contract.md, Client links).
package clientlink

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Limits of links.
const (
	MaxPosts    = 50
	MaxName     = 80 // characters
	LongestLife = 90 * 24 * time.Hour
	// MailLife is the life of the link in a mail that asks for approval.
	MailLife = 3 * 24 * time.Hour
	// KeptFor is the time for which a link that ended is kept, so that its page can say so.
	KeptFor = 90 * 24 * time.Hour
)

// Link is a link as stored: without its secret.
type Link struct {
	ID          ident.ClientLink
	WorkspaceID ident.Workspace
	// CreatedBy vouches for the guests: their approval counts as that of this person.
	CreatedBy ident.User
	// Name says for whom the link is.
	Name string
	// Personal links are mailed to CreatedBy, and act in the name of this person.
	Personal  bool
	Comments  bool // guests may comment
	Decides   bool // guests may approve and ask for changes
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time // zero: not revoked
	SeenAt    time.Time // when the page was opened last; zero: never
	// PasswordHash is empty for a link without a password.
	PasswordHash string
	Posts        []Shared
}

// Shared is a post of a link.
type Shared struct {
	PostID    ident.Post
	PlannedAt time.Time // of the post when it was shared; zero: none
}

// State says whether a link opens its page.
type State int

// States of links.
const (
	Open State = iota
	Expired
	Revoked
)

// State returns the state of the link at a time.
func (l Link) State(now time.Time) State {
	switch {
	case !l.RevokedAt.IsZero():
		return Revoked
	case !now.Before(l.ExpiresAt):
		return Expired
	default:
		return Open
	}
}

// PostIDs returns the posts of the link, in its order.
func (l Link) PostIDs() []ident.Post {
	ids := make([]ident.Post, len(l.Posts))
	for i, s := range l.Posts {
		ids[i] = s.PostID
	}
	return ids
}

// Shares reports whether the post is one of the link.
func (l Link) Shares(id ident.Post) bool {
	return slices.ContainsFunc(l.Posts, func(s Shared) bool { return s.PostID == id })
}

// Read returns the link with its name as it is stored, and its faults.
func (l Link) Read(now time.Time) (Link, []apperr.Field) {
	var faults []apperr.Field
	add := func(at, message string) { faults = append(faults, apperr.Field{Pointer: at, Message: message}) }
	name, fault := plaintext.Line(l.Name, MaxName)
	if l.Name = name; fault != "" || name == "" || strings.Contains(name, between) {
		add("/name", "Enter for whom the link is, in up to 80 characters.")
	}
	if !l.ExpiresAt.After(now) || l.ExpiresAt.Sub(now) > LongestLife {
		add("/expires", "Choose how long the link works.")
	}
	if len(l.Posts) == 0 || len(l.Posts) > MaxPosts {
		add("/posts", "Choose 1 to 50 posts.")
	}
	l.Comments = l.Comments || l.Decides
	return l, faults
}

// Proof returns what shows that a browser gave the password of the link. It needs the stored hash, which no browser has, and
// ends when the password changes.
func (l Link) Proof() string {
	mac := hmac.New(sha256.New, []byte(l.PasswordHash))
	mac.Write([]byte("client link " + l.ID.String()))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Admits reports whether a browser may open the page: the link has no password, or the browser has the proof of it.
func (l Link) Admits(proof string) bool {
	return l.PasswordHash == "" || hmac.Equal([]byte(proof), []byte(l.Proof()))
}

const (
	prefix  = "guest "
	between = " · " // the name of a guest and that of the link
)

// GuestName returns the name that a guest gave, as it is stored. VALIDATION_FAILED if it is none.
func GuestName(given string) (string, error) {
	name, fault := plaintext.Line(given, MaxName)
	if name == "" || fault != "" || strings.Contains(name, between) {
		return "", apperr.Invalid([]apperr.Field{{Pointer: "/guest", Message: "Enter your name, in up to 80 characters."}})
	}
	return name, nil
}

// Actor returns the name of a guest in timelines. It has the name of the link, because names of guests are not verified.
func (l Link) Actor(guest string) string { return prefix + guest + between + l.Name }

// Wrote reports whether an actor of a timeline is a guest of a link of this name.
func (l Link) Wrote(actor string) bool {
	return strings.HasPrefix(actor, prefix) && strings.HasSuffix(actor, between+l.Name)
}

// Guest returns the name of the guest of an actor; empty if the actor is no guest.
func Guest(actor string) string {
	name, is := strings.CutPrefix(actor, prefix)
	if !is {
		return ""
	}
	name, _, _ = strings.Cut(name, between)
	return name
}
