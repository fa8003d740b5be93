package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
)

const tooLarge = "the file is larger than allowed"

// ErrLimit is the cause of the Error of a file that has more bytes than Get was given.
var ErrLimit = errors.New("egress: the limit of the file is exceeded")

// transferBody is the body of a download. It ends the transfer with its limits and gives its failures their classes.
type transferBody struct {
	call   context.Context //nolint:containedctx // of this one transfer, whose end says why a read failed
	end    func(cause error)
	body   io.ReadCloser
	pace   *pace
	left   int64 // bytes that may still come
	failed error
}

func newTransferBody(call context.Context, answer *http.Response, limit int64, end func(cause error)) *transferBody {
	stalled := because(ClassTimeout, "the server sends too slowly", nil)

	return &transferBody{
		call: call,
		end:  end,
		body: answer.Body,
		pace: newPace(minRate, slackTime, func() { end(stalled) }),
		left: limit,
	}
}

// Read gives no byte beyond the limit.
func (b *transferBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}

	b.pace.wait()
	n, err := b.body.Read(p)
	b.pace.got(n)

	if int64(n) > b.left {
		n, err = int(b.left), because(ClassTooLarge, tooLarge, ErrLimit)
	}

	b.left -= int64(n)

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
		return because(ClassProtocol, "the answer ended before all of it was there", err)
	default:
		return classify(b.call, err)
	}
}

// Close ends the transfer, whole or not.
func (b *transferBody) Close() error {
	if b.failed == nil {
		b.failed = newError(ClassCanceled, StageExchange, http.ErrBodyReadAfterClose)
	}

	b.pace.stop()
	b.end(nil)

	return b.body.Close()
}
