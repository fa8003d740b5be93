package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/http"
	"reflect"
	"strings"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
)

// idempotencyKey returns the client's key, or "" without one. Two header lines are an error, because neither is
// certainly the client's own.
func idempotencyKey(c *fiber.Ctx) (string, error) {
	sent := c.Request().Header.PeekAll(headerIdempotencyKey)
	if len(sent) == 0 {
		return "", nil
	}
	key := strings.Trim(string(sent[0]), " \t")
	if len(sent) > 1 || !apiforms.IsIdempotencyKey(key) {
		return "", apperr.New(apperr.MalformedRequest,
			"Idempotency-Key must be one header of 1 to %d visible ASCII characters; send a UUID, for example.",
			apiforms.MaxIdempotencyKey)
	}
	return key, nil
}

// Authorize calls the body's Authorize, if it has one.
func (b *body[T]) Authorize(p app.Principal) error {
	if a, ok := any(b.value).(apiforms.Authorizer); ok {
		return a.Authorize(p)
	}
	return nil
}

// once runs the handler of an operation once per Idempotency-Key. It checks scopes first, because a stored response may
// be returned only to clients that could send the request.
func once[I, O any](op operation, handle creator[I, O]) creator[I, O] {
	return func(ctx context.Context, p app.Principal, create app.Creator, in *I) (*O, error) {
		e := exchangeOf(ctx)
		if e.onceKey == "" {
			return handle(ctx, p, create, in)
		}
		if a, ok := any(in).(apiforms.Authorizer); ok {
			if err := a.Authorize(p); err != nil {
				return nil, err
			}
		}
		requested := op
		if strings.Contains(op.path, "{") { // the path identifies the resource
			requested.path = strings.ToLower(e.path)
		}
		mark, err := fingerprint(requested, p, e.body)
		if err != nil {
			return nil, err
		}
		out := new(O)
		request := app.Once{
			Operation: op.id, Key: e.onceKey, Fingerprint: mark, Single: op.single, Repeatable: op.repeatable,
		}
		do := func(ctx context.Context, create app.Creator) (app.Response, error) {
			if out, err = handle(ctx, p, create, in); err != nil {
				return app.Response{}, err
			}
			return responseOf(op, out)
		}
		response, replayed, err := e.server.app.Once(ctx, p, request, do)
		if err != nil {
			return nil, err
		}
		if replayed {
			e.replay = &response
			return new(O), nil // observe writes the stored response
		}
		return out, nil
	}
}

// fingerprint returns a hash of the request's content. It includes the client's scopes if the items of a request
// require scopes of their own, because the response depends on them.
func fingerprint(op operation, p app.Principal, body []byte) ([sha256.Size]byte, error) {
	var more []string
	if op.itemScopes && !p.Allows(credential.PostsPublish) {
		more = append(more, "without "+string(credential.PostsPublish))
	}
	return apiforms.Fingerprint(op.method, op.path, body, more...)
}

// responseOf encodes a response for storage.
func responseOf[O any](op operation, out *O) (app.Response, error) {
	var body bytes.Buffer
	if err := apiforms.Encode(&body, reflect.ValueOf(out).Elem().FieldByName("Body").Interface()); err != nil {
		return app.Response{}, err
	}
	response := app.Response{Status: max(op.status, http.StatusOK), Body: body.Bytes()}
	if location := reflect.ValueOf(out).Elem().FieldByName("Location"); location.IsValid() {
		response.Location = location.String()
	}
	return response, nil
}

// replay replaces the response with a stored one.
func replay(c *fiber.Ctx, response app.Response) {
	c.Set(headerReplayed, "true")
	c.Set(fiber.HeaderContentType, mediaJSON)
	if response.Location != "" {
		c.Set(fiber.HeaderLocation, response.Location)
	}
	c.Status(response.Status)
	c.Response().SetBodyRaw(response.Body)
}
