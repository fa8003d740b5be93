package httpapi

import (
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/problem"
)

// configureHuma sets package variables of Huma. It runs once, before the first API is created. The values are the same
// for all servers, so that servers do not affect each other.
var configureHuma = sync.OnceFunc(func() {
	// Called at registration, for the type of error documents.
	huma.NewError = func(status int, _ string, _ ...error) huma.StatusError {
		return &problem.Problem{Status: status}
	}
	// Called during a request, for the errors that Huma finds.
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, found ...error) huma.StatusError {
		e := exchangeOf(ctx.Context())
		return e.problemOf(ctx.Context(), e.withUnknown(ofHuma(ctx.Operation(), status, message, found)))
	}
	// Messages about query parameters, in the words of those about bodies (package jsonbody).
	validation.MsgExpectedOneOf = "must be one of %s"
	validation.MsgExpectedRFC4122UUID = jsonbody.ErrUUID.Error() + "%.0v" // without the error of the parser
	validation.MsgExpectedMaxLength = "must have at most %d characters"
})

// newHuma returns the API on a Fiber application. This package serves the document, the pages and the schemas; Huma's
// own are disabled.
func newHuma(f *fiber.App, info *huma.Info) huma.API {
	apiforms.ConfigureSchemas()
	configureHuma()
	cfg := huma.DefaultConfig(info.Title, info.Version)
	cfg.Info = info
	cfg.CreateHooks, cfg.SchemasPath, cfg.DocsPath, cfg.OpenAPIPath = nil, "", "", ""
	format := huma.Format{Marshal: apiforms.Encode, Unmarshal: refuseToDecode}
	cfg.Formats = map[string]huma.Format{mediaJSON: format, "json": format} // "json" for application/problem+json
	return humafiber.NewWithGroup(f, headToo{f}, cfg)
}

// refuseToDecode disables Huma's parsing of bodies. Package jsonbody parses them.
func refuseToDecode([]byte, any) error { return errors.New("bodies are read by package jsonbody") }

// headToo registers HEAD for each GET route (RFC 9110, section 9.1). Huma registers only GET.
type headToo struct{ fiber.Router }

func (r headToo) Add(method, path string, handlers ...fiber.Handler) fiber.Router {
	if method == http.MethodGet {
		r.Router.Add(http.MethodHead, path, handlers...)
	}
	return r.Router.Add(method, path, handlers...)
}
