package posts

import (
	"fencepost.internal/services/console/internal/figures"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// figures reads the figures of posts; nil if their networks have reported none.
func (p *posts) figures(v *frame.Visit, together []item) (*figures.Table, error) {
	var ids []ident.Post
	var lines []figures.Posts
	for _, i := range together {
		lines = append(lines, figures.Posts{Name: i.Channel.Name, IDs: []ident.Post{i.Post.ID}})
		if i.Post.Status == post.Published || i.Post.Status == post.Archived {
			ids = append(ids, i.Post.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // a page without figures
	}
	latest, err := p.app.LatestFigures(v.Request.Context(), v.Principal, ids)
	if err != nil || len(latest) == 0 {
		return nil, err
	}
	return figures.Of(lines, latest), nil
}
