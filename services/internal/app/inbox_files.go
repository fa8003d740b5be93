package app

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// compose returns the text and the files of an answer or a note as they are stored; VALIDATION_FAILED with what is wrong.
func (a *Inbox) compose(ctx context.Context, p Principal, of postgres.Shown, d Draft) (string, []inbox.MessageFile, error) {
	assets, err := a.media.InOrder(ctx, p.WorkspaceID, d.Media)
	if err != nil {
		return "", nil, err
	}
	if len(assets) < len(d.Media) {
		return "", nil, apperr.Invalid([]apperr.Field{{
			Pointer: "/file", Message: "The file was deleted from the media library. Choose another file.",
		}})
	}
	text, err := inbox.Draft{
		Direction: d.Direction, Text: d.Text, Files: assets, Takes: a.takes(of.ChannelType.Network()), Limit: a.Limit(of.ChannelType),
	}.Compose(of.ChannelType)
	files := make([]inbox.MessageFile, len(assets))
	for i, asset := range assets {
		files[i] = inbox.MessageFile{
			N: i + 1, Name: asset.Name, Type: asset.ContentType, Size: asset.Size, Width: asset.Probe.Width, Height: asset.Probe.Height,
			State: inbox.Ready, MediaID: asset.ID, Object: asset.Files.Original, Thumbnail: asset.Files.Thumbnail,
		}
	}
	return text, files, err
}

// Takes returns what files answers in a conversation can have.
func (a *Inbox) Takes(t channel.Type) inbox.ReplyFiles { return a.takes(t.Network()) }

// Chosen returns the files of the library that a form names. Those that the workspace does not have are left out.
func (a *Inbox) Chosen(ctx context.Context, p Principal, ids []ident.Media) ([]media.Asset, error) {
	return a.media.InOrder(ctx, p.WorkspaceID, ids)
}

// fileLink is the time for which the address of a file works: long enough to play a sound or a video.
const fileLink = time.Hour

// FileURL returns an address at which a browser gets a file of a message, or its thumbnail, for an hour. NOT_FOUND if the person
// has no such conversation, or the message no such file at the moment.
func (a *Inbox) FileURL(
	ctx context.Context, p Principal, of ident.Conversation, id ident.Message, n int, small bool,
) (string, error) {
	if _, err := a.Conversation(ctx, p, of); err != nil {
		return "", err
	}
	m, err := a.conversations.Message(ctx, of, id)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(m.Files, func(f inbox.MessageFile) bool { return f.N == n && f.State == inbox.Ready })
	if at < 0 {
		return "", apperr.New(apperr.NotFound, "This file is not here.")
	}
	file := m.Files[at]
	object := file.Object
	if small {
		object = file.Thumbnail
	}
	if object.IsZero() {
		return "", apperr.New(apperr.NotFound, "This file is not here.")
	}
	terms := objectstore.GetTerms{
		Key: object.Key, ContentType: object.ContentType, CacheControl: privately, FileName: file.Name, Expires: fileLink,
	}
	if _, known := media.TypeOf(object.ContentType); known {
		terms.FileName = media.CleanName(file.Name, object.ContentType)
	}
	signed, err := a.objects.PresignGet(terms)
	return signed.URL, err
}
