package threads

import (
	"context"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Prepare creates the container, preceded by one container per file if there are several, or checks whether it is
// ready. A container that has expired, is gone, or failed for a passing reason is replaced. Containers are invisible,
// so this is safe.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	return c.apiFor(content).Prepare(ctx, account, c.under(account, content, plan(content)), handle)
}

func plan(content platform.Content) graph.Plan {
	switch len(content.Media) {
	case 0:
		return graph.Plan{Instant: true, Whole: func(context.Context, []string) (url.Values, error) {
			return textual(content), nil
		}}
	case 1:
		asset := content.Media[0]
		return graph.Plan{Whole: func(ctx context.Context, _ []string) (url.Values, error) {
			return graph.WithFile(ctx, content, asset, withText(formOf(asset), content))
		}}
	default:
		return graph.Plan{
			Items: graph.Items(content, formOf),
			Whole: func(_ context.Context, items []string) (url.Values, error) {
				return withText(url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(items, ",")}}, content), nil
			},
		}
	}
}

func formOf(asset media.Asset) url.Values {
	form := url.Values{"media_type": {"IMAGE"}}
	if asset.Type == media.Video {
		form.Set("media_type", "VIDEO")
	}
	if asset.AltText != "" {
		form.Set("alt_text", asset.AltText)
	}
	return form
}

func withText(form url.Values, content platform.Content) url.Values {
	if content.Text != "" {
		form.Set("text", content.Text)
	}
	return withSettings(form, content.Options)
}

// readContainer reads a container's status. A new container may succeed if Threads gives no reason for a failure, or
// could not fetch the video.
func (c *Connector) readContainer(response httpcall.Response) (graph.Look, error) {
	var result struct {
		Status       string `json:"status"`
		ErrorMessage string `json:"error_message"`
	}
	if err := response.Decode(&result); err != nil || result.Status == "" {
		return graph.Look{}, c.client.Unclear(response, "no status in the response")
	}
	look := graph.Look{State: graph.ParseState(result.Status)}
	if look.State == graph.Failed {
		look.Failure, look.Passing = c.containerFailure(httpcall.Text(result.ErrorMessage, longestReason))
	}
	return look, nil
}
