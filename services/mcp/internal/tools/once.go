package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
)

// kept identifies the stored response of a call. It uses the API operation with the same effect, so that a call can be
// repeated through the API and vice versa.
type kept struct {
	key        string // empty: not stored
	operation  string
	method     string // empty: POST
	path       string
	created    bool // the operation creates a resource
	location   func(response any) string
	apart      []string // arguments that are not part of the operation's body
	single     bool     // see app.Once
	repeatable bool     // see app.Once
}

// Keyed is embedded in the arguments of tools that change something (docs/contract.md, Idempotency).
type Keyed struct {
	IdempotencyKey string `json:"idempotencyKey,omitempty" minLength:"1" maxLength:"255" doc:"Unique text: for 24 hours, a repeated call changes nothing."`
}

const memberKey = "idempotencyKey"

func (k Keyed) faults() []apperr.Field {
	if k.IdempotencyKey == "" || apiforms.IsIdempotencyKey(k.IdempotencyKey) {
		return nil
	}
	return []apperr.Field{
		{
			Pointer: "/" + memberKey,
			Message: "must be 1 to 255 visible ASCII characters without spaces; send a UUID, for example",
		},
	}
}

// once runs a call once per idempotency key (docs/contract.md, Idempotency).
func once[T any](
	ctx context.Context, t *Tools, c call, k kept, do func(ctx context.Context) (T, error),
) (out keptAs[T], replayed bool, err error) {
	return onceCreating(ctx, t, c, k, func(ctx context.Context, _ app.Creator) (T, error) { return do(ctx) })
}

// onceCreating is once for a call that creates posts, by the given Creator alone.
func onceCreating[T any](
	ctx context.Context, t *Tools, c call, k kept, do func(ctx context.Context, create app.Creator) (T, error),
) (out keptAs[T], replayed bool, err error) {
	if k.key == "" {
		out.value, err = do(ctx, t.cfg.App.CreatePosts)
		return out, false, err
	}
	mark, err := k.fingerprint(c)
	if err != nil {
		return out, false, err
	}
	response, replayed, err := t.cfg.App.Once(ctx, c.principal,
		app.Once{
			Operation: k.operation, Key: k.key, Fingerprint: mark, Single: k.single, Repeatable: k.repeatable,
		},
		func(ctx context.Context, create app.Creator) (app.Response, error) {
			if out.value, err = do(ctx, create); err != nil {
				return app.Response{}, err
			}
			var raw bytes.Buffer
			if err := apiforms.Encode(&raw, out.value); err != nil {
				return app.Response{}, err
			}
			response := app.Response{Status: http.StatusOK, Body: raw.Bytes()}
			if k.created {
				response.Status = http.StatusCreated
			}
			if k.location != nil {
				response.Location = k.location(out.value)
			}
			return response, nil
		})
	if replayed {
		out.kept = response.Body
	}
	return out, replayed, err
}

// fingerprint returns the hash of the request of the API that has the call's effect.
func (k kept) fingerprint(c call) ([sha256.Size]byte, error) {
	body, err := without(c.arguments, append(k.apart, memberKey)...)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return apiforms.Fingerprint(cmp.Or(k.method, http.MethodPost), k.path, body)
}

// keptAs is the result of a call, or its stored response.
type keptAs[T any] struct {
	value T
	kept  jsontext.Value
}

// MarshalJSONTo writes the stored response if there is one, and otherwise the result.
func (k keptAs[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if k.kept != nil {
		return enc.WriteValue(k.kept)
	}
	return json.MarshalEncode(enc, k.value)
}

// Schema returns the schema of T.
func (keptAs[T]) Schema(registry huma.Registry) *huma.Schema {
	return registry.Schema(reflect.TypeFor[T](), true, "")
}

// without returns an object without the named members.
func without(object []byte, names ...string) ([]byte, error) {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	for _, name := range names {
		delete(members, name)
	}
	return json.Marshal(members)
}
