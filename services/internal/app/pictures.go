package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// The largest numbers of pictures of a brand kit.
const (
	maxPersonaPhotos   = 10
	maxStyleReferences = 20
)

// MaxPicture is the largest picture that UploadPicture takes, in bytes.
const MaxPicture = 5 << 20

// PictureUse is a place for pictures of the media library: the workspace's logo, or the avatar or a part of the brand
// kit of a channel. A picture in use cannot be deleted.
type PictureUse struct {
	Type    media.OwnerType
	Channel ident.Channel // zero for the workspace's logo
}

// Most returns the largest number of pictures of the use; 0 for one that has none.
func (u PictureUse) Most() int {
	switch u.Type { //nolint:exhaustive // the other owners have use cases of their own
	case media.OwnerWorkspaceLogo, media.OwnerChannelAvatar, media.OwnerBrandLogo:
		return 1
	case media.OwnerBrandPersonaPhoto:
		return maxPersonaPhotos
	case media.OwnerBrandStyleReference:
		return maxStyleReferences
	default:
		return 0
	}
}

// Needs returns the permission to change the pictures of the use.
func (u PictureUse) Needs() credential.Permission {
	if u.Type == media.OwnerWorkspaceLogo {
		return credential.WorkspaceManage
	}
	return credential.ChannelsConnect
}

func (u PictureUse) action() audit.Action {
	switch u.Type { //nolint:exhaustive // the rest are parts of brand kits
	case media.OwnerWorkspaceLogo:
		return audit.LogoChanged
	case media.OwnerChannelAvatar:
		return audit.AvatarChanged
	default:
		return audit.BrandChanged
	}
}

// ownerOf returns the owner of the pictures, and its name; NOT_FOUND when the workspace has no such channel.
func (a *mediaUseCases) ownerOf(ctx context.Context, p Principal, use PictureUse) (postgres.Owner, error) {
	owner := postgres.Owner{WorkspaceID: p.WorkspaceID, Type: use.Type, ID: p.WorkspaceID.String()}
	if use.Most() == 0 {
		return owner, fmt.Errorf("app: %s has no pictures", use.Type)
	}
	if use.Type == media.OwnerWorkspaceLogo {
		return owner, nil
	}
	of, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, use.Channel)
	owner.ID, owner.Label = use.Channel.String(), of.Name
	return owner, err
}

// Pictures returns the pictures of a use, oldest first; NOT_FOUND when the workspace has no such channel.
func (a *mediaUseCases) Pictures(ctx context.Context, p Principal, use PictureUse) ([]DeliveredAsset, error) {
	owner, err := a.ownerOf(ctx, p, use)
	if err != nil {
		return nil, err
	}
	ids, err := a.references.Get(ctx, owner)
	if err != nil {
		return nil, err
	}
	return a.delivered(ctx, p, ids)
}

// ChannelPictures returns the pictures of every use of a channel, oldest first.
func (a *mediaUseCases) ChannelPictures(
	ctx context.Context, p Principal, id ident.Channel,
) (map[media.OwnerType][]DeliveredAsset, error) {
	uses, err := a.references.All(ctx, postgres.Owner{WorkspaceID: p.WorkspaceID, ID: id.String()})
	if err != nil {
		return nil, err
	}
	found := make(map[media.OwnerType][]DeliveredAsset, len(uses))
	for use, ids := range uses {
		if found[use], err = a.delivered(ctx, p, ids); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Avatars returns the addresses of the avatars of the workspace's channels. A channel without one is missing.
func (a *mediaUseCases) Avatars(ctx context.Context, p Principal) (map[ident.Channel]string, error) {
	found, err := a.references.Avatars(ctx, p.WorkspaceID)
	if err != nil {
		return nil, err
	}
	addresses := make(map[ident.Channel]string, len(found))
	for id, thumbnail := range found {
		if addresses[id], err = a.ThumbnailURL(thumbnail); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}

func (a *mediaUseCases) delivered(ctx context.Context, p Principal, ids []ident.Media) ([]DeliveredAsset, error) {
	found, err := a.assetsOf(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	delivered := make([]DeliveredAsset, len(found))
	for i, asset := range found {
		if delivered[i], err = a.deliver(asset); err != nil {
			return nil, err
		}
	}
	return delivered, nil
}

// SetPictures replaces the pictures of a use. Errors: NOT_FOUND when the workspace has no such channel, and
// VALIDATION_FAILED for too many pictures, for an asset that the workspace does not have, and for one that is no image.
func (a *mediaUseCases) SetPictures(ctx context.Context, p Principal, use PictureUse, ids []ident.Media) error {
	if err := p.Require(use.Needs()); err != nil {
		return err
	}
	owner, err := a.ownerOf(ctx, p, use)
	if err != nil {
		return err
	}
	fault := func(format string, args ...any) error {
		return apperr.Invalid([]apperr.Field{{Pointer: "/pictures", Message: fmt.Sprintf(format, args...)}})
	}
	if len(ids) > use.Most() {
		return fault("Choose up to %d pictures. These are %d.", use.Most(), len(ids))
	}
	found, err := a.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if asset, ok := found[id]; !ok || asset.Type != media.Image {
			return fault("Choose pictures of the media library.")
		}
	}
	detail := strings.ToLower(strings.ReplaceAll(string(use.Type), "_", " "))
	return a.recorded(ctx, p, use.action(), owner.Label, fmt.Sprintf("%s: %d", detail, len(ids)),
		func(ctx context.Context) error { return a.references.Set(ctx, owner, ids) })
}

// UploadPicture adds an image to the media library. Errors: VALIDATION_FAILED for a file that is no image or is too
// large, and QUOTA_EXCEEDED.
func (a *mediaUseCases) UploadPicture(ctx context.Context, p Principal, name string, content []byte) (ident.Media, error) {
	var none ident.Media
	if err := p.Require(credential.MediaWrite); err != nil {
		return none, err
	}
	kind, contentType, ok := media.Sniff(content[:min(len(content), media.HeadSize)])
	if !ok || kind != media.Image || len(content) > MaxPicture {
		return none, apperr.Invalid([]apperr.Field{{
			Pointer: "/file", Message: "Use a JPEG, PNG, WebP, HEIC or AVIF image up to 5 MB.",
		}})
	}
	started, err := a.StartUpload(ctx, p, StartUpload{
		FileName: media.CleanName(name, contentType), ContentType: contentType, Size: int64(len(content)),
	})
	if err != nil {
		return none, err
	}
	_, err = a.files.Put(ctx, objectstore.PutRequest{
		Key: started.Key, ContentType: contentType, Body: bytes.NewReader(content), Size: int64(len(content)),
	})
	if err != nil {
		return none, a.unreadable(ctx, err)
	}
	created, err := a.CompleteUpload(ctx, p, started.ID)
	return created.ID, err
}
