package publishing

import (
	"context"

	"fencepost.internal/shared/domain/media"
)

// Renditions makes the forms of attachments that networks require; see media.Converter.
type Renditions interface {
	Stored(ctx context.Context, assets []media.Asset, forms []media.Form) ([]media.Asset, error)
	Make(ctx context.Context, asset media.Asset, form media.Form) (media.Asset, error)
}

// convert replaces each attachment that the network would refuse by a rendition, which it makes on first use. A
// repeated call finds the renditions of an earlier one.
func (r *run) convert(ctx context.Context) error {
	for i, form := range r.Rules.Forms(r.Channel.Type, r.content) {
		if form.IsZero() {
			continue
		}
		created, err := r.Renditions.Make(ctx, r.content.Media[i], form)
		if err != nil {
			return err
		}
		r.content.Media[i] = created
	}
	return nil
}
