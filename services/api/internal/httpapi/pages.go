package httpapi

import (
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/api/internal/httpapi/docs"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	pathDocument = "/v1/openapi.json"
	pathDocs     = "/docs"
	mediaHTML    = "text/html; charset=utf-8"
	mediaText    = "text/plain; charset=utf-8"
)

// addPages adds the pages and documents that need no credential. The first request for one builds it, because building
// them takes longer than the rest of a start.
func (s *Server) addPages(document *huma.OpenAPI) error {
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
	if err := s.addReference(); err != nil {
		return err
	}
	if err := s.addGuides(); err != nil {
		return err
	}
	s.addProblems()
	for from, to := range map[string]string{
		"/": pathDocs, pathDocs + "/": pathDocs, "/openapi.json": pathDocument, "/problems/": "/problems",
	} {
		s.page("root", from, func(c *fiber.Ctx) error { return c.Redirect(to, http.StatusFound) })
	}
	return nil
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

func (s *Server) addReference() error {
	reference, err := docs.New(pathDocument)
	if err != nil {
		return err
	}
	page, err := newStatic(mediaHTML, docs.Policy, reference.Page)
	if err != nil {
		return err
	}
	s.page("docs", pathDocs, page.serve)
	for _, file := range reference.Files {
		s.page("docs-asset", docs.Folder+file.Name, packedStatic(file.ContentType, cacheForever, "", file.Gzip).serve)
	}
	return nil
}

// addGuides serves the guides for clients, as the text that they are written in, and their index for language models.
func (s *Server) addGuides() error {
	guides, err := docs.Guides()
	if err != nil {
		return err
	}
	texts := map[string][]byte{"/llms.txt": docs.LLMs(s.baseURL, pathDocument, guides)}
	for _, guide := range guides {
		texts[docs.FolderGuides+guide.Name] = guide.Text
	}
	for path, text := range texts {
		page, err := newStatic(mediaText, "default-src 'none'", text)
		if err != nil {
			return err
		}
		s.page("guide", path, page.serve)
	}
	return nil
}

func (s *Server) addProblems() {
	index := lazy(func() (*static, error) {
		page, err := problem.Index()
		if err != nil {
			return nil, err
		}
		return newStatic(mediaHTML, page.Policy, page.HTML)
	})
	s.page("problems", strings.TrimSuffix(problem.Path, "/"), index)
	files := sync.OnceValues(problemFiles)
	s.page("problem", problem.Path+":code", func(c *fiber.Ctx) error {
		all, err := files()
		if err != nil {
			return err
		}
		file, ok := all[c.Params("code")]
		if !ok {
			return apperr.New(apperr.NotFound, "There is no error code with this name.")
		}
		return file.serve(c)
	})
}

// problemFiles returns the page of each error code by its slug.
func problemFiles() (map[string]*static, error) {
	pages, err := problem.Pages()
	if err != nil {
		return nil, err
	}
	files := make(map[string]*static, len(pages))
	for slug, page := range pages {
		if files[slug], err = newStatic(mediaHTML, page.Policy, page.HTML); err != nil {
			return nil, err
		}
	}
	return files, nil
}
