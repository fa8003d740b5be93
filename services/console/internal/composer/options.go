package composer

import (
	"encoding/json"
	"html/template"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/options"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// inputs returns the prefix of the names of the inputs of a channel's options.
func inputs(id ident.Channel) string { return "o." + id.String() + "." }

// source returns the source of a channel's form, without what the network says now.
func (c *composer) source(of channel.Channel) options.Source {
	return options.Source{
		Channel: of, Options: c.app.OptionsOf(of), Faults: func(o post.Options) map[string]string { return c.app.OptionFaults(of, o) },
	}
}

// readOptions parses the options of channels: those of forms that were opened, and of the others as they were.
func (c *composer) readOptions(v *frame.Visit, d *draft, channels []channel.Channel) {
	fields := v.Fields()
	for _, one := range channels {
		id := one.ID.String()
		if fields.Has(inputs(one.ID) + "open") {
			chosen, _ := c.source(one).Parse(fields, inputs(one.ID)) // faults are among the findings
			d.Options[id] = chosen
			continue
		}
		var kept post.Options
		if json.Unmarshal([]byte(fields.Get("kept."+id)), &kept) == nil && !kept.IsZero() {
			d.Options[id] = kept
		}
	}
}

// encodedOptions returns options as text.
func encodedOptions(of post.Options) string {
	text, _ := json.Marshal(of) // strings, numbers and booleans only
	return string(text)
}

// optional is the part of the page with the options of a channel.
type optional struct {
	Any     bool   // the network has options
	Kept    string // the options, until the form is opened
	Summary string
}

func (c *composer) optional(of channel.Channel, d draft) (optional, error) {
	form := c.source(of).Form(d.Options[of.ID.String()], inputs(of.ID))
	kept, err := json.Marshal(d.Options[of.ID.String()])
	return optional{Any: !form.Empty(), Kept: string(kept), Summary: form.Summary}, err
}

// optionsPage is the data of the form of a channel's options.
type optionsPage struct {
	Open string // name of the input that says that the form is there
	Form template.HTML
	// Cover is the choice of the cover; nil: the post has no video, or its network takes no picture as its cover.
	Cover *cover
}

// options shows the form of a channel's options, with what its network says now.
func (c *composer) options(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	for _, one := range s.desk.channels {
		if one.ID.String() != v.Query("channel") {
			continue
		}
		attached, err := c.app.Attachments(v.Request.Context(), v.Principal, s.draft.Media)
		if err != nil {
			return err
		}
		chosen := s.draft.Options[one.ID.String()]
		source, err := options.Read(v.Request.Context(), c.app, v.Principal, one, chosen, assetsOf(attached))
		if err != nil {
			return err
		}
		data := optionsPage{Open: inputs(one.ID) + "open"}
		if kind := s.draft.kindOf(one.ID); c.app.Covered(one, kind) && source.Filmed() {
			data.Cover = &cover{Channel: one.ID, Kind: kind}
			picked, err := c.app.Attachments(v.Request.Context(), v.Principal, []ident.Media{s.draft.Covers[one.ID.String()]})
			if err != nil {
				return err
			}
			if len(picked) > 0 {
				data.Cover.Asset = &picked[0]
			}
		}
		if data.Form, err = source.Form(chosen, inputs(one.ID)).HTML(); err != nil {
			return err
		}
		return v.Page(frame.Page{Name: "composer/options", Part: "main", Data: data})
	}
	return noPage()
}

func assetsOf(delivered []app.DeliveredAsset) []media.Asset {
	assets := make([]media.Asset, len(delivered))
	for i, one := range delivered {
		assets[i] = one.Asset
	}
	return assets
}
