package httpapi

import (
	"bytes"
	"mime"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	mediaJSON       = "application/json"
	mediaMergePatch = "application/merge-patch+json"
)

// body is embedded in the input of operations with a body. Huma runs Resolve before the handler, after the client was
// authenticated and its scope checked. Huma's own parsing is not used: it ignores the case of names, accepts
// duplicates, and parses every body twice.
type body[T apiforms.Body] struct {
	value T
}

// Resolve parses the body.
func (b *body[T]) Resolve(ctx huma.Context) []error {
	raw, err := required(humafiber.Unwrap(ctx))
	if err == nil {
		b.value, err = read[T](ctx, raw)
	}
	return asList(err)
}

// describe compiles the body's parser and returns its schema.
func (*body[T]) describe(registry huma.Registry, patch bool) (reader any, schema *huma.Schema, err error) {
	schema = registry.Schema(reflect.TypeFor[T](), true, "")
	compiled, err := jsonbody.New[T](registry, schema, patch)
	return compiled, schema, err
}

func (*body[T]) required() bool { return true }

// optionalBody is a body that may be omitted.
type optionalBody[T apiforms.Body] struct {
	body[T]
}

// Resolve parses the body if there is one, or if one is announced.
func (b *optionalBody[T]) Resolve(ctx huma.Context) []error {
	c := humafiber.Unwrap(ctx)
	if len(c.Request().Body()) == 0 && !announcesJSON(c) {
		return nil
	}
	return b.body.Resolve(ctx)
}

func (*optionalBody[T]) required() bool { return false }

// bodied is an input with a body, required or optional.
type bodied interface {
	describe(registry huma.Registry, patch bool) (reader any, schema *huma.Schema, err error)
	required() bool
}

// noBody is embedded in the input of actions without a body.
type noBody struct{}

// Resolve rejects a body other than an empty object, and the announcement of one (docs/contract.md, Bodies).
func (*noBody) Resolve(ctx huma.Context) []error {
	c := humafiber.Unwrap(ctx)
	switch raw := jsonbody.WithoutMark(c.Request().Body()); {
	case string(bytes.Join(bytes.Fields(raw), nil)) == "{}":
		return nil
	case len(raw) > 0:
		return asList(apperr.New(apperr.MalformedRequest, "This action takes no body. Send none, or an empty object: {}."))
	case announcesJSON(c):
		return asList(apperr.New(apperr.MalformedRequest, "The request has Content-Type: application/json but no body. "+
			"This action takes no body; omit Content-Type."))
	default:
		return nil
	}
}

// required returns the bytes of a body, which must be present and JSON.
func required(c *fiber.Ctx) ([]byte, error) {
	raw, err := plainBody(c)
	if err != nil {
		return nil, err
	}
	contentType := c.Get(fiber.HeaderContentType)
	if contentType == "" && len(raw) == 0 {
		return nil, apperr.New(apperr.MalformedRequest,
			"The body is missing; send a JSON object with Content-Type: application/json.")
	}
	if !isJSON(c.Method(), contentType) {
		return nil, apperr.New(apperr.UnsupportedMediaType,
			"The body must be JSON; send it with Content-Type: application/json.")
	}
	if len(raw) == 0 {
		return nil, apperr.New(apperr.MalformedRequest, "The body is empty; send a JSON object.")
	}
	return raw, nil
}

func read[T apiforms.Body](ctx huma.Context, raw []byte) (value T, err error) {
	reader, _ := ctx.Operation().Metadata[metadataBody].(*jsonbody.Reader[T])
	e := exchangeOf(ctx.Context())
	e.body = raw
	value, faults, err := reader.Read(raw)
	if err != nil {
		return value, err
	}
	return value, apiforms.Verify(value, faults, e.server.app)
}

// isJSON reports whether a Content-Type is JSON in UTF-8, or a merge patch (RFC 7396) as the body of a PATCH.
func isJSON(method, contentType string) bool {
	if contentType == mediaJSON {
		return true
	}
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	merged := method == fiber.MethodPatch && mediaType == mediaMergePatch
	if err != nil || mediaType != mediaJSON && !merged {
		return false
	}
	charset, given := parameters["charset"]
	return len(parameters) == 0 || len(parameters) == 1 && given && strings.EqualFold(charset, "utf-8")
}

// announcesJSON reports whether the Content-Type is any form of JSON.
func announcesJSON(c *fiber.Ctx) bool {
	mediaType, _, _ := strings.Cut(c.Get(fiber.HeaderContentType), ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	return mediaType == mediaJSON || strings.HasSuffix(mediaType, "+json")
}

// pathID parses an id in the path. An invalid id gets the same response as an unknown one.
func pathID[I ~[16]byte](text, what string) (I, error) {
	id, err := ident.Parse[I](text)
	if err != nil {
		return id, apperr.New(apperr.NotFound, "There is no such %s.", what)
	}
	return id, nil
}

func asList(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}
