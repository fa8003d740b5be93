package posts

import (
	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/shared/domain/credential"
)

// step is a step that sets a new workspace up.
type step struct {
	Icon, Title, Text string
	Href, Action      string
	Done              bool
}

// steps returns the steps of a workspace without posts to its first one; none for a visitor who may do none of them.
func (p *posts) steps(v *frame.Visit, connected bool) ([]step, error) {
	var list []step
	if v.Principal.Allows(credential.ChannelsConnect) {
		list = append(list, step{
			Icon: "radio", Title: "Connect a channel", Text: "A post belongs to a channel: an account on a network.",
			Href: v.Path("/connect"), Action: "Connect", Done: connected,
		})
	}
	if v.Principal.Allows(credential.KeysManage) {
		keys, err := p.app.Keys(v.Request.Context(), v.Principal)
		if err != nil {
			return nil, err
		}
		list = append(list, step{
			Icon: "key", Title: "Create an API key", Text: "Programs and AI agents write posts with it.",
			Href: v.Path("/developers/keys"), Action: "Create", Done: len(keys) > 0,
		})
	}
	if len(list) == 0 {
		return nil, nil
	}
	text := "Through a program that you allow to write posts. It appears here, with its state and what it waits for."
	if v.Principal.Allows(credential.KeysManage) {
		text = "With the key, through the REST API. It appears here, with its state and what it waits for."
	}
	return append(list, step{Icon: "send", Title: "Create the first post", Text: text}), nil
}
