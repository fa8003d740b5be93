package replying

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/platform"
)

const (
	// receiptsEvery is the pause between two looks for messages that people are to see as read.
	receiptsEvery = 2 * time.Second
	// receiptsAtOnce is the number of receipts of one look.
	receiptsAtOnce = 20
	// receiptFor is the time limit of the call of a receipt, below the pause after which another process takes it.
	receiptFor = 20 * time.Second
	// receiptTries is the number of tries after which a receipt is given up: the next answer brings another one.
	receiptTries = 3
)

// ReceiptStore stores what people are to see as read; see postgres.Receipts.
type ReceiptStore interface {
	Take(ctx context.Context, limit int) ([]postgres.ReceiptJob, error)
	Done(ctx context.Context, job postgres.ReceiptJob) error
}

// Receipts shows people at their network that their messages were read. No answer waits for it.
type Receipts struct {
	Store      ReceiptStore
	Access     Caller
	Connectors *platform.Registry
	Logger     *slog.Logger
}

// Run sends receipts until the context is canceled.
func (r *Receipts) Run(ctx context.Context) {
	retry.Every(ctx, receiptsEvery, r.Round, func(err error) {
		r.Logger.WarnContext(ctx, "messages are not shown as read", slog.Any("error", err))
	})
}

// Round sends the receipts that wait.
func (r *Receipts) Round(ctx context.Context) error {
	jobs, err := r.Store.Take(ctx, receiptsAtOnce)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if again := r.send(ctx, job); again && job.Tries < receiptTries {
			continue
		}
		if err := r.Store.Done(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// send sends a receipt. It reports whether another try can help.
func (r *Receipts) send(ctx context.Context, job postgres.ReceiptJob) (again bool) {
	link, _ := r.Connectors.Link(job.Channel)
	marker, ok := link.(platform.ReadMarker)
	if !ok || job.ExternalID == "" || !job.Channel.Ready() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, receiptFor)
	defer cancel()
	err := r.Access.Do(ctx, marker, job.Channel, func(ctx context.Context, account platform.Account) error {
		return marker.MarkRead(ctx, account, platform.Receipt{
			Connection: job.Connection, Thread: job.Thread, ExternalID: job.ExternalID,
		})
	})
	if err == nil {
		return false
	}
	r.Logger.DebugContext(ctx, "a message is not shown as read", slog.String("message_id", job.Message.String()), slog.Any("error", err))
	failure, is := errors.AsType[*platform.Failure](err)
	if !is {
		return true
	}
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh, platform.ClassUnknown:
		return true
	case platform.ClassRejected, platform.ClassUser, platform.ClassReconnect, platform.ClassOperator:
	}
	return false
}
