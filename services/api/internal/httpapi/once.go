package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"reflect"
	"strings"

	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/kernel/apperr"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
)

// idempotencyKey reads the client's key; empty when it sent none. Of two header lines neither is the client's word.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	sent := c.Request().Header.PeekAll(headerIdempotencyKey)
	if len(sent) == 0 {
		return "", nil
	}
	key := strings.Trim(string(sent[0]), " \t")
	if len(sent) > 1 || !apiforms.IsIdempotencyKey(key) {
		return "", apperr.New(apperr.MalformedRequest,
			"Idempotency-Key must be one header of 1 to %d visible ASCII characters; send a UUID, for example.", apiforms.MaxIdempotencyKey)
	}
	return key, nil
}

// Authorize asks the body whether it needs a further scope.
func (b *body[T]) Authorize(p app.Principal) error {
	if a, ok := any(b.value).(apiforms.Authorizer); ok {
		return a.Authorize(p)
	}
	return nil
}

// once runs the handler of an operation so that it takes effect once for each Idempotency-Key. Scopes are checked first: a
// kept answer is shown only to who could have asked for it.
func once[I, O any](op operation, handle handler[I, O]) handler[I, O] {
	return func(ctx context.Context, p app.Principal, in *I) (*O, error) {
		e := exchangeOf(ctx)
		if e.onceKey == "" {
			return handle(ctx, p, in)
		}
		if a, ok := any(in).(apiforms.Authorizer); ok {
			if err := a.Authorize(p); err != nil {
				return nil, err
			}
		}
		asked := op
		if strings.Contains(op.path, "{") { // what it is asked of is told by the path
			asked.path = strings.ToLower(e.path)
		}
		mark, err := fingerprint(asked, p, e.body)
		if err != nil {
			return nil, err
		}
		out := new(O)
		answer, replayed, err := e.server.app.Once(ctx, p, app.Once{Operation: op.id, Key: e.onceKey, Fingerprint: mark},
			func(ctx context.Context) (app.Answer, error) {
				if out, err = handle(ctx, p, in); err != nil {
					return app.Answer{}, err
				}
				return answerOf(op, out)
			})
		if err != nil {
			return nil, err
		}
		if replayed {
			e.replay = &answer
			return new(O), nil // observe puts the kept answer in its place
		}
		return out, nil
	}
}

// fingerprint is of everything that a request asks for. What a client may do makes a difference where items of a request need
// scopes of their own: its answer then depends on that.
func fingerprint(op operation, p app.Principal, body []byte) ([sha256.Size]byte, error) {
	var more []string
	if op.itemScopes && !p.Allows(credential.PostsPublish) {
		more = append(more, "without "+string(credential.PostsPublish))
	}
	return apiforms.Fingerprint(op.method, op.path, body, more...)
}

// answerOf writes an answer as the client gets it.
func answerOf[O any](op operation, out *O) (app.Answer, error) {
	var body bytes.Buffer
	if err := apiforms.Encode(&body, reflect.ValueOf(out).Elem().FieldByName("Body").Interface()); err != nil {
		return app.Answer{}, err
	}
	answer := app.Answer{Status: max(op.status, http.StatusOK), Body: body.Bytes()}
	if location := reflect.ValueOf(out).Elem().FieldByName("Location"); location.IsValid() {
		answer.Location = location.String()
	}
	return answer, nil
}

// replay puts a kept answer in the place of the one that was made.
func replay(c *fiber.Ctx, answer app.Answer) {
	c.Set(headerReplayed, "true")
	c.Set(fiber.HeaderContentType, mediaJSON)
	if answer.Location != "" {
		c.Set(fiber.HeaderLocation, answer.Location)
	}
	c.Status(answer.Status)
	c.Response().SetBodyRaw(answer.Body)
}
