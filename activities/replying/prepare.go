package replying

import (
	"context"
	"errors"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
)

// prepare opens the file of an answer, and uploads it to networks that take files before the call. Both may be repeated. A
// failure counts as an attempt that sent nothing, so that tries end.
func (r *Replying) prepare(
	ctx context.Context, job postgres.ReplyJob, replier platform.Replier, account platform.Account, reply *platform.Reply,
) error {
	err := r.upload(ctx, replier, account, reply)
	failure, failed := errors.AsType[*platform.Failure](err)
	if !failed {
		return err
	}
	switch failure.Class {
	case platform.ClassTransient, platform.ClassUnknown:
		err = errors.Join(err, r.Store.Unprepared(ctx, job.ID, postgres.ReplyResult{
			Class: string(failure.Class), Code: failure.Code, Message: failure.Message,
		}))
	case platform.ClassRejected, platform.ClassUser, platform.ClassReconnect, platform.ClassRefresh, platform.ClassRateLimited,
		platform.ClassOperator: // they end by themselves, or a person ends them
	}
	return err
}

func (r *Replying) upload(ctx context.Context, replier platform.Replier, account platform.Account, reply *platform.Reply) error {
	if len(reply.Media) == 0 {
		return nil
	}
	if _, err := reply.Files.Open(ctx, reply.Media[0]); err != nil { // stays open for the call
		return err
	}
	uploader, ok := replier.(platform.ReplyUploader)
	if !ok || reply.Handle != "" {
		return nil
	}
	handle, err := uploader.UploadReply(ctx, account, *reply)
	if err != nil {
		return err
	}
	reply.Handle = handle
	return r.Store.Uploaded(ctx, reply.ID, handle)
}
