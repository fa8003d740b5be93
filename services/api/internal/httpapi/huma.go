package httpapi

import (
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/problem"
)

// configureHuma sets what Huma keeps in package variables. It is done once, before the first API is made, and to values
// that are the same for every server, so that servers do not disturb each other.
var configureHuma = sync.OnceFunc(func() {
	// Used at registration, for the type of error documents.
	huma.NewError = func(status int, _ string, _ ...error) huma.StatusError {
		return &problem.Problem{Status: status}
	}
	// Used while a request is handled, for what Huma finds wrong with it.
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, found ...error) huma.StatusError {
		e := exchangeOf(ctx.Context())
		return e.problemOf(ctx.Context(), e.withUnknown(ofHuma(ctx.Operation(), status, message, found)))
	}
})

// newHuma makes the API on a Fiber application. Its document, its pages and its schemas are served by us, not by Huma.
func newHuma(f *fiber.App, info *huma.Info) huma.API {
	apiforms.ConfigureSchemas()
	configureHuma()
	cfg := huma.DefaultConfig(info.Title, info.Version)
	cfg.Info = info
	cfg.CreateHooks, cfg.SchemasPath, cfg.DocsPath, cfg.OpenAPIPath = nil, "", "", ""
	format := huma.Format{Marshal: apiforms.Encode, Unmarshal: refuseToDecode}
	cfg.Formats = map[string]huma.Format{mediaJSON: format, "json": format} // the latter by suffix: application/problem+json
	return humafiber.NewWithGroup(f, headToo{f}, cfg)
}

// refuseToDecode stands where Huma would read bodies; package jsonbody does.
func refuseToDecode([]byte, any) error { return errors.New("bodies are read by package jsonbody") }

// headToo answers HEAD wherever GET is answered (RFC 9110, section 9.1); Huma registers GET alone.
type headToo struct{ fiber.Router }

func (r headToo) Add(method, path string, handlers ...fiber.Handler) fiber.Router {
	if method == http.MethodGet {
		r.Router.Add(http.MethodHead, path, handlers...)
	}
	return r.Router.Add(method, path, handlers...)
}
