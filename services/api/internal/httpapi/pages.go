package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/api/internal/httpapi/docs"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/shared/kernel/apperr"
)

const (
	pathDocument = "/v1/openapi.json"
	pathDocs     = "/docs"
	mediaHTML    = "text/html; charset=utf-8"
)

// addPages adds the pages and documents that need no credential.
func (s *Server) addPages(document *huma.OpenAPI) error {
	raw, err := publish(document)
	if err != nil {
		return err
	}
	spec, err := newStatic(mediaJSON, cacheShortly, "", raw)
	if err != nil {
		return err
	}
	s.page("get-openapi", pathDocument, func(c *fiber.Ctx) error {
		if err := apperr.Invalid(unknownParameters(c, nil)); err != nil {
			return err
		}
		return spec.serve(c)
	})
	if err := s.addReference(); err != nil {
		return err
	}
	if err := s.addProblems(); err != nil {
		return err
	}
	s.page("root", "/", func(c *fiber.Ctx) error { return c.Redirect(pathDocs, http.StatusFound) })
	return nil
}

// page registers GET and HEAD of a page. The name is for metrics and logs.
func (s *Server) page(name, path string, serve fiber.Handler) {
	r := s.metrics.route(name, path)
	s.fiber.Get(path, func(c *fiber.Ctx) error {
		exchangeOf(c.UserContext()).route = r
		return serve(c)
	})
}

func (s *Server) addReference() error {
	reference, err := docs.New(pathDocument)
	if err != nil {
		return err
	}
	page, err := newStatic(mediaHTML, cacheShortly, docs.Policy, reference.Page)
	if err != nil {
		return err
	}
	s.page("docs", pathDocs, page.serve)
	for _, file := range reference.Files {
		s.page("docs-asset", docs.Folder+file.Name, packedStatic(file.ContentType, cacheForever, "", file.Gzip).serve)
	}
	return nil
}

func (s *Server) addProblems() error {
	pages, err := problem.Pages()
	if err != nil {
		return err
	}
	files := make(map[string]*static, len(pages))
	for slug, page := range pages {
		if files[slug], err = newStatic(mediaHTML, cacheShortly, page.Policy, page.HTML); err != nil {
			return err
		}
	}
	s.page("problem", problem.Path+":code", func(c *fiber.Ctx) error {
		file, ok := files[c.Params("code")]
		if !ok {
			return apperr.New(apperr.NotFound, "There is no error code of this name.")
		}
		return file.serve(c)
	})
	return nil
}
