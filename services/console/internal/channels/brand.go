package channels

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/pictures"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// places returns the places for pictures of a channel.
func places(id ident.Channel) []pictures.Place {
	path := "/channels/" + id.String()
	back := frame.Link{Text: "Channel", Path: path}
	place := func(use media.OwnerType, name, title, hint string) pictures.Place {
		return pictures.Place{
			Use: app.PictureUse{Type: use, Channel: id}, Title: title, Hint: hint, Path: path + "/" + name, Back: back,
		}
	}
	return []pictures.Place{
		place(media.OwnerChannelAvatar, "avatar", "Avatar",
			"Shown beside the channel here. The network keeps its own picture."),
		place(media.OwnerBrandLogo, "logo", "Logo", "The logo of the brand behind this channel."),
		place(media.OwnerBrandPersonaPhoto, "personas", "Persona photos", "People who appear in the brand’s pictures."),
		place(media.OwnerBrandStyleReference, "styles", "Style references", "Pictures that show the brand’s look."),
	}
}

// pictureRoutes returns the routes of the pictures of a channel.
func (c *channels) pictureRoutes() []frame.Route {
	var routes []frame.Route
	for i, named := range places(ident.Channel{}) {
		handle := func(do func(*frame.Visit, *app.App, pictures.Place) error) func(*frame.Visit) error {
			return func(v *frame.Visit) error {
				id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
				if err != nil {
					return err
				}
				return do(v, c.app, places(id)[i])
			}
		}
		path := "/w/{workspace}/channels/{channel}" + named.Path[len("/channels/"+ident.Channel{}.String()):]
		routes = append(routes,
			frame.Route{
				Pattern: "GET " + path, Access: frame.Members, Needs: credential.ChannelsConnect, Handle: handle(pictures.Show),
			},
			frame.Route{
				Pattern: "POST " + path, Access: frame.Members, Needs: credential.ChannelsConnect, MaxForm: pictures.MaxForm,
				Handle: handle(pictures.Save),
			})
	}
	return routes
}

// kit is a place with its pictures, on the page of a channel.
type kit struct {
	pictures.Place

	Pictures []app.DeliveredAsset
}

func (c *channels) kits(v *frame.Visit, id ident.Channel) ([]kit, error) {
	found, err := c.app.ChannelPictures(v.Request.Context(), v.Principal, id)
	if err != nil {
		return nil, err
	}
	var kits []kit
	for _, place := range places(id) {
		kits = append(kits, kit{place, found[place.Use.Type]})
	}
	return kits, nil
}
