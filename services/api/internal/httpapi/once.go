package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/credential"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
	// maxIdempotencyKey is the longest key, in bytes (decisions, section 3).
	maxIdempotencyKey = 255
)

// idempotencyKey reads the client's key; empty when it sent none. Of two header lines neither is the client's word.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	sent := c.Request().Header.PeekAll(headerIdempotencyKey)
	if len(sent) == 0 {
		return "", nil
	}
	key := bytes.Trim(sent[0], " \t")
	outside := func(r rune) bool { return r < 0x21 || r > 0x7E }
	if len(sent) > 1 || len(key) == 0 || len(key) > maxIdempotencyKey || bytes.ContainsFunc(key, outside) {
		return "", apperr.New(apperr.MalformedRequest,
			"Idempotency-Key must be one header of 1 to %d visible ASCII characters; send a UUID, for example.", maxIdempotencyKey)
	}
	return string(key), nil
}

// authorizer is an input whose body decides on a further scope.
type authorizer interface {
	authorize(p app.Principal) error
}

func (b *body[T]) authorize(p app.Principal) error {
	if a, ok := any(b.value).(authorizer); ok {
		return a.authorize(p)
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
		if a, ok := any(in).(authorizer); ok {
			if err := a.authorize(p); err != nil {
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

// fingerprint is of everything that a request asks for. White space and the order of members make no difference (RFC 8785).
// What a client may do makes one where items of a request need scopes of their own: its answer then depends on that.
func fingerprint(op operation, p app.Principal, body []byte) ([sha256.Size]byte, error) {
	canonical := jsontext.Value(bytes.Clone(body))
	if len(body) == 0 { // a body that may be missing
		canonical = jsontext.Value("{}")
	}
	if err := canonical.Canonicalize(); err != nil {
		return [sha256.Size]byte{}, err
	}
	text := op.method + " " + op.path + "\n"
	if op.itemScopes && !p.Allows(credential.PostsPublish) {
		text += "without " + string(credential.PostsPublish) + "\n"
	}
	return sha256.Sum256(append([]byte(text), canonical...)), nil
}

// answerOf writes an answer as the client gets it.
func answerOf[O any](op operation, out *O) (app.Answer, error) {
	var body bytes.Buffer
	if err := encode(&body, reflect.ValueOf(out).Elem().FieldByName("Body").Interface()); err != nil {
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
