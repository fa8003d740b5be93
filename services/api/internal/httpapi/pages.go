package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/api/internal/httpapi/docs"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	pathDocument = "/v1/openapi.json"
	pathDocs     = docs.PathHome
	mediaHTML    = "text/html; charset=utf-8"
)

// addPages adds the pages and documents that need no credential. The first request for one builds it, because building
// them takes longer than the rest of a start.
func (s *Server) addPages(document *huma.OpenAPI) {
	document.Servers = []*huma.Server{{URL: s.baseURL, Description: "This installation."}}
	spec := lazy(func() (*static, error) {
		raw, err := publish(document)
		if err != nil {
			return nil, err
		}
		return newStatic(mediaJSON, "", raw)
	})
	s.page("get-openapi", pathDocument, func(c *fiber.Ctx) error {
		if err := apperr.Invalid(parameterFaults(c, nil, nil)); err != nil {
			return err
		}
		return spec(c)
	})
	for from, to := range map[string]string{
		"/": pathDocs, pathDocs + "/": pathDocs, "/openapi.json": pathDocument, "/problems/": "/problems",
	} {
		s.page("root", from, func(c *fiber.Ctx) error { return c.Redirect(to, http.StatusFound) })
	}
	s.addDocumentation(document)
}

// lazy returns a handler that builds its file once, at the first request.
func lazy(build func() (*static, error)) fiber.Handler {
	file := sync.OnceValues(build)
	return func(c *fiber.Ctx) error {
		f, err := file()
		if err != nil {
			return err
		}
		return f.serve(c)
	}
}

// page registers GET and HEAD of a page. The name is for metrics and logs.
func (s *Server) page(name, path string, serve fiber.Handler) {
	r := s.metrics.route(name, path)
	s.fiber.Get(path, func(c *fiber.Ctx) error {
		exchangeOf(c.UserContext()).route = r
		return serve(c)
	})
}

// addDocumentation serves the documentation. The first request for one of its pages reads their sources.
func (s *Server) addDocumentation(document *huma.OpenAPI) {
	site := sync.OnceValues(func() (*docs.Site, error) {
		raw, err := publish(document)
		if err != nil {
			return nil, err
		}
		return docs.New(docs.Config{BaseURL: s.baseURL, Document: raw, DocumentPath: pathDocument, Built: s.built()})
	})
	var packed sync.Map // of *static by path
	serve := func(c *fiber.Ctx) error {
		path := c.Path()
		if known, ok := packed.Load(path); ok {
			if page, ok := known.(*static); ok {
				return page.serve(c)
			}
		}
		of, err := site()
		if err != nil {
			return err
		}
		file, ok, err := of.File(path)
		if err != nil {
			return err
		}
		if !ok {
			return apperr.New(apperr.NotFound, "There is no such page. %s%s lists all pages.", s.baseURL, docs.PathHome)
		}
		page, err := newStatic(file.ContentType, file.Policy, file.Content)
		if err != nil {
			return err
		}
		if file.Forever {
			page.cache = cacheForever
		}
		packed.Store(path, page)
		return page.serve(c)
	}
	s.page("docs-search", docs.PathSearch, func(c *fiber.Ctx) error {
		of, err := site()
		if err != nil {
			return err
		}
		file, err := of.Search(c.Query("q"))
		if err != nil {
			return err
		}
		c.Set(fiber.HeaderContentSecurityPolicy, file.Policy)
		c.Set(fiber.HeaderContentType, file.ContentType)
		return c.Send(file.Content)
	})
	s.page("docs", docs.PathHome, serve)
	s.page("docs", docs.PathHome+"/*", serve)
	s.page("docs", docs.PathModels, serve)
	s.page("problems", docs.PathProblems, serve)
	s.page("problems", docs.PathProblems+".md", serve)
	s.page("problem", problem.Path+":code", serve)
}

// built returns the time of the build, or now if it is not known.
func (s *Server) built() time.Time {
	if at := telemetry.Built(); !at.IsZero() {
		return at
	}
	return s.clock.Now()
}
