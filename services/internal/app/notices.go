package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Choices are what a person wants to be notified of: by mail and in the application, and at which other places.
type Choices struct {
	postgres.Choices

	Places []mail.Place
}

// NoticeChoices returns what the person wants to be notified of.
func (a *identityUseCases) NoticeChoices(ctx context.Context, p Principal) (c Choices, err error) {
	if c.Choices, err = a.users.Choices(ctx, p.Person.ID); err == nil {
		c.Places, err = a.notices.Places(ctx, p.Person.ID, ident.Workspace{})
	}
	return c, err
}

// ChooseNotices stores what the person wants to be notified of. VALIDATION_FAILED for an unknown time zone or hour.
func (a *identityUseCases) ChooseNotices(ctx context.Context, p Principal, chosen Choices) error {
	if _, err := time.LoadLocation(chosen.Quiet.Zone); err != nil || chosen.Quiet.Zone == "" {
		return apperr.Invalid([]apperr.Field{{Pointer: "/timezone", Message: "Choose a time zone from the list."}})
	}
	const hours = 24
	if chosen.DigestHour < 0 || chosen.DigestHour >= hours {
		return apperr.Invalid([]apperr.Field{{Pointer: "/digestHour", Message: "Choose an hour from the list."}})
	}
	chosen.Digests = slices.DeleteFunc(slices.Clone(chosen.Digests), func(k mail.Kind) bool { return !k.IsDigest() })
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := a.users.SetChoices(ctx, p.Person.ID, chosen.Choices); err != nil {
			return err
		}
		own, err := a.notices.Places(ctx, p.Person.ID, ident.Workspace{})
		if err != nil {
			return err
		}
		return a.setKinds(ctx, own, chosen.Places)
	})
}

// setKinds stores the kinds of those places that the owner has.
func (a *identityUseCases) setKinds(ctx context.Context, own, chosen []mail.Place) error {
	for _, place := range chosen {
		if !slices.ContainsFunc(own, func(one mail.Place) bool { return one.ID == place.ID }) {
			continue
		}
		kinds := slices.DeleteFunc(slices.Clone(place.Kinds), func(k mail.Kind) bool { return !k.IsOptional() })
		if err := a.notices.SetPlaceKinds(ctx, place.ID, kinds); err != nil {
			return err
		}
	}
	return nil
}

// NoticeRoutes returns the places of the workspace. They get what concerns the workspace, also of other authors.
func (a *identityUseCases) NoticeRoutes(ctx context.Context, p Principal) ([]mail.Place, error) {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return nil, err
	}
	return a.notices.Places(ctx, ident.User{}, p.WorkspaceID)
}

// ChooseRoutes stores what the places of the workspace get.
func (a *identityUseCases) ChooseRoutes(ctx context.Context, p Principal, chosen []mail.Place) error {
	own, err := a.NoticeRoutes(ctx, p)
	if err != nil {
		return err
	}
	return a.setKinds(ctx, own, chosen)
}

// placesOf returns the places of the person, or those of the workspace.
func (a *identityUseCases) placesOf(ctx context.Context, p Principal, shared bool) ([]mail.Place, error) {
	if shared {
		return a.NoticeRoutes(ctx, p)
	}
	return a.notices.Places(ctx, p.Person.ID, ident.Workspace{})
}

// AddPlace adds a place of the person, or of the workspace if it is shared; it gets everything. Its address must be one that
// the service may reach. The error is VALIDATION_FAILED, also for more than mail.MaxPlaces.
func (a *identityUseCases) AddPlace(ctx context.Context, p Principal, place mail.Place, shared bool) error {
	own, err := a.placesOf(ctx, p, shared)
	if err != nil {
		return err
	}
	var faults []apperr.Field
	name, fault := plaintext.Line(place.Name, longestPlace)
	if place.Name = name; fault != "" || name == "" {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: "Enter a name of up to 80 characters."})
	}
	if !slices.Contains(mail.Hooks(), place.Way) {
		faults = append(faults, apperr.Field{Pointer: "/way", Message: "Choose where the messages go."})
	}
	if fault := hookFault(a.egress, place.Address); fault != "" {
		faults = append(faults, apperr.Field{Pointer: "/address", Message: "The address " + fault})
	}
	if len(own) >= mail.MaxPlaces {
		faults = append(faults, apperr.Field{Pointer: "/name", Message: "You have 10 already. Remove one first."})
	}
	if len(faults) > 0 {
		return apperr.Invalid(faults)
	}
	return a.insertPlace(ctx, p, place, shared)
}

// insertPlace adds a place that gets everything.
func (a *identityUseCases) insertPlace(ctx context.Context, p Principal, place mail.Place, shared bool) error {
	place.ID, place.Kinds, place.CreatedAt = ident.New[ident.Place](), mail.Optional(), a.now()
	if !shared {
		place.UserID = p.Person.ID
		return a.notices.AddPlace(ctx, place)
	}
	place.WorkspaceID = p.WorkspaceID
	return a.recorded(ctx, p, audit.NoticeRouteAdded, place.Name, "", func(ctx context.Context) error {
		return a.notices.AddPlace(ctx, place)
	})
}

// place returns a place of the person or of the workspace; NOT_FOUND for that of another.
func (a *identityUseCases) place(ctx context.Context, p Principal, id ident.Place, shared bool) (mail.Place, error) {
	own, err := a.placesOf(ctx, p, shared)
	if err != nil {
		return mail.Place{}, err
	}
	at := slices.IndexFunc(own, func(one mail.Place) bool { return one.ID == id })
	if at < 0 {
		return mail.Place{}, apperr.New(apperr.NotFound, "This place does not exist.")
	}
	return own[at], nil
}

// RemovePlace removes a place; NOT_FOUND for that of another.
func (a *identityUseCases) RemovePlace(ctx context.Context, p Principal, id ident.Place, shared bool) error {
	found, err := a.place(ctx, p, id, shared)
	if err != nil {
		return err
	}
	if !shared {
		return a.notices.RemovePlace(ctx, id)
	}
	return a.recorded(ctx, p, audit.NoticeRouteRemoved, found.Name, "", func(ctx context.Context) error {
		return a.notices.RemovePlace(ctx, id)
	})
}

// TestPlace sends a message to a place; NOT_FOUND for that of another. The zero ID is that of the person's mailbox.
func (a *identityUseCases) TestPlace(ctx context.Context, p Principal, id ident.Place, shared bool) error {
	content := mail.Content{Actor: strings.TrimSpace(p.Person.Name)}
	way := mail.ByMail
	if id.IsZero() {
		content.To = p.Person.Email
	} else {
		found, err := a.place(ctx, p, id, shared)
		if err != nil {
			return err
		}
		way, content.Hook, content.Place = found.Way, found.Address, found.ID
	}
	m := mail.New(mail.Test, p.WorkspaceID, content, a.now(), time.Time{})
	m.Way = way
	if err := a.notices.Enqueue(ctx, m); err != nil {
		return err
	}
	a.wake(relay.Messages)
	return nil
}

// Notices returns the newest messages of the person in the workspace.
func (a *identityUseCases) Notices(ctx context.Context, p Principal) ([]postgres.Notice, error) {
	const shown = 50
	return a.notices.Notices(ctx, p.Person.ID, p.WorkspaceID, shown)
}

// ReadNotices marks the messages of the person in the workspace as read.
func (a *identityUseCases) ReadNotices(ctx context.Context, p Principal) error {
	return a.notices.ReadNotices(ctx, p.Person.ID, p.WorkspaceID)
}
