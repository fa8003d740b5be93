package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	linkPageAnalyticsInput struct {
		LinkPagePath

		From string `query:"from" example:"2026-02-01" doc:"First day, in UTC, such as 2026-02-01. Default: the start of a range of 30 days."`
		To   string `query:"to" example:"2026-03-01" doc:"Last day, in UTC, inclusive. Default: today."`
	}
	linkPageAnalyticsOutput struct{ Body apiforms.LinkPageAnalytics }
)

func (r *registrar) linkPageAnalytics() {
	path := pathLinkPages + "/{id}/analytics"
	add(r, operation{
		id: "get-link-page-analytics", method: http.MethodGet, path: path, tag: tagLinkPages, anyOf: linksRead(),
		summary: "Get the analytics of a link page", good: "The visits of the page.", response: exampleVisits(),
		description: "Returns views, unique visitors and clicks per day, for at most 365 days, and the clicks on each " +
			"block. On the plan FREE, visits are counted but cannot be read: 403 `QUOTA_EXCEEDED`.",
		errors: []apperr.Code{apperr.QuotaExceeded, apperr.ValidationFailed},
	}, r.server.getLinkPageAnalytics)
	formatted(documented(r.api.OpenAPI(), http.MethodGet, path), formatDate, "from", "to")
}

const formatDate = "date"

// Resolve checks the dates, which the parameter schema cannot check.
func (in *linkPageAnalyticsInput) Resolve(huma.Context) []error {
	_, _, err := in.span()
	return asList(err)
}

// span returns the range of days. The zero time means that a bound was omitted.
func (in *linkPageAnalyticsInput) span() (from, to time.Time, err error) {
	var faults []apperr.Field
	for _, p := range []struct {
		name, text string
		into       *time.Time
	}{{"from", in.From, &from}, {"to", in.To, &to}} {
		if p.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, p.text)
		if err != nil || day.Year() < 1 || day.IsZero() {
			faults = append(faults, apperr.Field{Pointer: p.name, Message: "must be a date, for example 2026-03-01"})
		}
		*p.into = day
	}
	return from, to, apperr.Invalid(faults)
}

func (s *Server) getLinkPageAnalytics(
	ctx context.Context, p app.Principal, in *linkPageAnalyticsInput,
) (*linkPageAnalyticsOutput, error) {
	id, err := pathID[ident.LinkPage](in.ID, whatLinkPage)
	if err != nil {
		return nil, err
	}
	from, to, err := in.span()
	if err != nil { // cannot fail after Resolve
		return nil, err
	}
	report, err := s.app.LinkPageAnalytics(ctx, p, id, from, to)
	if err != nil {
		return nil, err
	}
	return &linkPageAnalyticsOutput{Body: apiforms.ToAPILinkPageAnalytics(report)}, nil
}
