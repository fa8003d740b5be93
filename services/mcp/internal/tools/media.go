package tools

import (
	"context"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// CompleteUpload is the input of complete_media_upload.
type CompleteUpload struct {
	MediaID ident.Media `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"The mediaId that create_media_upload gave."`
}

// Check implements apiforms.Body.
func (CompleteUpload) Check() []apperr.Field { return nil }

// CompletedUpload is the output of complete_media_upload.
type CompletedUpload struct {
	Media apiforms.Media `json:"media" doc:"The asset: its id is what mediaIds of create_post take."`
}

func (r *registrar) media() {
	t := r.tools
	scope := []credential.Scope{credential.MediaWrite}
	add(r, declaration{
		name: "create_media_upload", title: "Start an upload", scopes: scope,
		description: "Begins the upload of one picture, film or PDF and says where to send its bytes: PUT them to uploadUrl with the headers of the answer and no others, within an hour, then call complete_media_upload. The size must be exact and the type true.",
	}, t.startUpload)
	add(r, declaration{
		name: "complete_media_upload", title: "Complete an upload", scopes: scope, idempotent: true, patience: app.CopyPatience,
		description: "Makes the asset, once its bytes have been sent to uploadUrl. Calling it again gives the same asset.",
	}, t.completeUpload)
}

func (t *Tools) startUpload(ctx context.Context, c call, in apiforms.StartUpload) (apiforms.Upload, error) {
	started, err := t.cfg.App.StartUpload(ctx, c.principal, in.Command())
	if err != nil {
		return apiforms.Upload{}, err
	}
	return apiforms.ToAPIUpload(started), nil
}

func (t *Tools) completeUpload(ctx context.Context, c call, in CompleteUpload) (CompletedUpload, error) {
	made, err := t.cfg.App.CompleteUpload(ctx, c.principal, in.MediaID)
	if err != nil {
		return CompletedUpload{}, err
	}
	return CompletedUpload{Media: apiforms.ToAPIMedia(made)}, nil
}
