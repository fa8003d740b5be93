package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
)

const tooLarge = "the file is larger than allowed"

// ErrLimit is the cause of the Error for a file with more bytes than the limit given to Get.
var ErrLimit = errors.New("egress: the size limit is exceeded")

// transferBody is the body of a download. It enforces the limits of the transfer and classifies its failures.
type transferBody struct {
	call      context.Context //nolint:containedctx // the context of this transfer; its cause explains a failed read
	end       func(cause error)
	body      io.ReadCloser
	pace      *pace
	remaining int64 // bytes that may still be read
	failed    error
}

func newTransferBody(call context.Context, response *http.Response, limit int64, end func(cause error)) *transferBody {
	stalled := because(ClassTimeout, "the server sends too slowly", nil)

	return &transferBody{
		call:      call,
		end:       end,
		body:      response.Body,
		pace:      newPace(minRate, slackTime, func() { end(stalled) }),
		remaining: limit,
	}
}

// Read returns no byte beyond the limit.
func (b *transferBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}

	b.pace.wait()
	n, err := b.body.Read(p)
	b.pace.got(n)

	if int64(n) > b.remaining {
		n, err = int(b.remaining), because(ClassTooLarge, tooLarge, ErrLimit)
	}

	b.remaining -= int64(n)

	if err != nil {
		b.failed = b.failure(err)
		b.end(nil)
	}

	return n, b.failed
}

func (b *transferBody) failure(err error) error {
	var known *Error

	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.As(context.Cause(b.call), &known):
		return known
	case errors.Is(err, io.ErrUnexpectedEOF) && b.call.Err() == nil:
		return because(ClassProtocol, "the response ended before it was complete", err)
	default:
		return classify(b.call, err)
	}
}

// Close ends the transfer, complete or not.
func (b *transferBody) Close() error {
	if b.failed == nil {
		b.failed = newError(ClassCanceled, StageExchange, http.ErrBodyReadAfterClose)
	}

	b.pace.stop()
	b.end(nil)

	return b.body.Close()
}
