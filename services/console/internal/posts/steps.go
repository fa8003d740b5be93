package posts

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
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
			Icon: "radio", Title: "Connect a channel", Text: "Choose the account to publish to.",
			Href: v.Path("/connect"), Action: "Connect", Done: connected,
		})
	}
	if v.Principal.Allows(credential.KeysManage) {
		keys, err := p.app.Keys(v.Request.Context(), v.Principal)
		if err != nil {
			return nil, err
		}
		list = append(list, step{
			Icon: "key", Title: "Create an API key", Text: "Your programs and AI agents use it to write posts.",
			Href: v.Path("/developers/keys"), Action: "Create", Done: len(keys) > 0,
		})
	}
	if len(list) == 0 {
		return nil, nil
	}
	text := "Let a program write it. It appears here."
	if v.Principal.Allows(credential.KeysManage) {
		text = "Send it through the API with your key. It appears here."
	}
	return append(list, step{Icon: "send", Title: "Create your first post", Text: text}), nil
}
