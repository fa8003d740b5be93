package httpapi

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	exampleBase     = "https://api.example.com"
	signatureScheme = "signature"
)

// information returns the metadata of the document. It names no operator or terms, which differ per deployment.
func information() *huma.Info {
	return &huma.Info{
		Title: "Fencepost API", Version: telemetry.Version, Description: introduction + testMode(),
		Contact: &huma.Contact{Name: "Support", URL: "/"},
		// OpenAPI 3.0 has no field for the SPDX identifier
		License: &huma.License{Name: telemetry.License, URL: telemetry.LicenseURL},
	}
}

var typeOfProblem = reflect.TypeFor[problem.Problem]()

// OpenAPI returns the OpenAPI document as YAML. It needs no running service.
func OpenAPI() ([]byte, error) {
	measured, err := newMetrics(prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	document, err := register(fiber.New(), &Server{metrics: measured, app: new(app.App)})
	if err != nil {
		return nil, err
	}
	published, err := publish(document)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = yaml.Convert(&out, bytes.NewReader(published))
	return out.Bytes(), err
}

// register adds every operation to the Fiber application and returns the complete document.
func register(f *fiber.App, s *Server) (*huma.OpenAPI, error) {
	api := newHuma(f, information())
	api.UseMiddleware(s.admit)
	r := &registrar{api: api, server: s}
	r.workspace()
	r.channels()
	r.channelHelpers()
	r.media()
	r.postCreation()
	r.simulation()
	r.platforms()
	r.posts()
	r.postEdits()
	r.bulkUpdates()
	r.postActions()
	r.webhooks()
	r.events()
	r.analytics()
	r.linkPages()
	r.ideas()
	document := api.OpenAPI()
	var creations, updates error
	s.items, creations = readerOf[apiforms.CreatePosts](document.Components.Schemas, false)
	s.updates, updates = readerOf[apiforms.UpdatePost](document.Components.Schemas, true)
	r.errs = append(r.errs, declareDeprecations(document, append(deprecations(), s.deprecations...)))
	describe(document)
	return document, errors.Join(append(r.errs, creations, updates, addSamples(document))...)
}

// describe adds the parts of the document that belong to no single operation.
func describe(document *huma.OpenAPI) {
	document.Servers = []*huma.Server{{URL: exampleBase, Description: "The address of your installation."}}
	document.Tags = tags()
	parts := document.Components
	parts.SecuritySchemes = securitySchemes()
	parts.Parameters = map[string]*huma.Param{
		headerIdempotencyKey: idempotencyParameter(), componentIfMatch: ifMatchParameter(),
		componentIfNoneMatch: ifNoneMatchParameter(),
	}
	nameCodes(parts.Schemas)
	for _, bulk := range []string{"CreateBulk", "UpdateBulk"} { // an internal marker, not for publication
		delete(parts.Schemas.Map()[bulk].Properties["posts"].Extensions, jsonbody.ExtensionItemsApart)
	}
	document.AddOperation(documentOperation(parts.Schemas))
	apiforms.DescribeBlocks(parts.Schemas)
	apiforms.DescribeBlockBodies(parts.Schemas)
	describeResponses(document)
	describeEvents(document)
	openResponses(document)
}

func securitySchemes() map[string]*huma.SecurityScheme {
	return map[string]*huma.SecurityScheme{
		securityScheme: { //nolint:gosec // a description, no credential
			Type: "http", Scheme: "bearer", BearerFormat: "svc_live_…",
			Description: "An API key, created in the developer settings of the application: `Authorization: Bearer " +
				"<API_KEY>`. A key `svc_test_…` is one of a test workspace, which reaches no network. A key belongs to one workspace and has a fixed set of scopes; `GET /v1/workspace` lists them.",
		},
		signatureScheme: {
			Type: "apiKey", In: "header", Name: webhook.HeaderSignature,
			Description: "The signature of the events that webhooks receive. It is not used in requests to the API.",
		},
	}
}

// nameCodes registers the enumeration of problem codes.
func nameCodes(schemas huma.Registry) {
	var codes []apperr.Code
	for _, kind := range problem.Kinds() {
		codes = append(codes, kind.Code)
	}
	code := schemas.Map()[typeOfProblem.Name()].Properties["code"]
	code.Ref = apiforms.Enum(schemas, "ProblemCode", "Code of a problem. Treat unknown codes by their status.", codes).Ref
	code.Type = ""
}

// idempotencyParameter documents the Idempotency-Key header.
func idempotencyParameter() *huma.Param {
	shortest, longest := 1, apiforms.MaxIdempotencyKey
	return &huma.Param{
		Name: headerIdempotencyKey, In: "header",
		Description: "A string of 1 to 255 visible ASCII characters that is unique to the operation, such as a UUID. A " +
			"repeated request with the same key within 24 hours returns the first successful response, with " +
			"`Idempotent-Replayed: true`, and has no further effect. Error responses are not stored. Keys are shared by all " +
			"credentials of the workspace. Returns 422 `IDEMPOTENCY_KEY_REUSED` if the key was used with another method, " +
			"path or body.",
		Schema: &huma.Schema{
			Type: huma.TypeString, MinLength: &shortest, MaxLength: &longest, Pattern: "^[!-~]+$",
			Examples: []any{exampleRequest},
		},
	}
}
