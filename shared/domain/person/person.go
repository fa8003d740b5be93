// Package person defines the people who write to the accounts of a workspace: by which networks know them, and which of them are
// one person.
package person

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Limits of what members write about a person.
const (
	LongestName = 200
	LongestNote = 4000
)

// Person is a person whom a workspace knows.
type Person struct {
	ID          ident.Person
	WorkspaceID ident.Workspace
	Name        string // by a member; empty: as the networks say
	Phone       string // by a member, as Phone returns it
	Mail        string // by a member
	Note        string
	OptedOutAt  time.Time    // since when the person wants no messages; zero: the person has not said so
	MergedInto  ident.Person // who the person is too; zero: this is the person
	ErasedAt    time.Time
	CreatedAt   time.Time
	Identities  []Identity // the one that was seen last is first
}

// Identity is by what a network knows a person.
type Identity struct {
	Network  channel.Network
	Value    string // the ID
	Name     string
	Username string // without a leading @
	Phone    string // as Phone returns it; empty: the network does not say
	SeenAt   time.Time
}

// Unnamed is the name of a person without one.
const Unnamed = "Someone"

// Called returns what to call the person.
func (p Person) Called() string {
	if !p.ErasedAt.IsZero() {
		return "Erased person"
	}
	var last Identity
	for _, i := range p.Identities {
		if last.Name+last.Username == "" { // some are IDs alone
			last = i
		}
	}
	return Call(cmp.Or(p.Name, last.Name), last.Username)
}

// Call returns what to call a person with a name and a user name, both of which may be empty.
func Call(name, username string) string {
	if name == "" && username != "" {
		name = "@" + username
	}
	return cmp.Or(name, Unnamed)
}

// Phones returns the phone numbers of the person.
func (p Person) Phones() (list []string) {
	if p.Phone != "" {
		list = append(list, p.Phone)
	}
	for _, i := range p.Identities {
		if i.Phone != "" {
			list = append(list, i.Phone)
		}
	}
	return list
}

// Facts are what members write about a person.
type Facts struct{ Name, Phone, Mail, Note string }

// Describe returns the person with other facts. VALIDATION_FAILED with every fault.
func (p Person) Describe(f Facts) (Person, error) {
	var faults []apperr.Field
	fault := func(pointer, message string) {
		faults = append(faults, apperr.Field{Pointer: pointer, Message: message})
	}
	name, wrong := plaintext.Line(f.Name, LongestName)
	if wrong != "" {
		fault("/name", fmt.Sprintf("Enter a name of at most %d characters.", LongestName))
	}
	note, wrong := plaintext.Lines(f.Note, LongestNote)
	if wrong != "" {
		fault("/note", fmt.Sprintf("Shorten the note to %d characters.", LongestNote))
	}
	phone, is := Phone(f.Phone)
	if !is && strings.TrimSpace(f.Phone) != "" {
		fault("/phone", "Enter the number with + and the code of the country.")
	}
	address, is := email.Parse(f.Mail)
	if !is && strings.TrimSpace(f.Mail) != "" {
		fault("/mail", email.Fault)
	}
	p.Name, p.Phone, p.Mail, p.Note = name, phone, string(address), note
	return p, apperr.Invalid(faults)
}

// Silent reports whether a person who has opted out wants no reply: the person has not written since.
func Silent(optedOutAt, lastInAt time.Time) bool {
	return !optedOutAt.IsZero() && !lastInAt.After(optedOutAt)
}
