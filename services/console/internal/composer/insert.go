package composer

import (
	"encoding/json"
	"slices"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/campaign"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/snippet"
)

// insertRoutes returns the routes of what can be inserted into texts.
func (c *composer) insertRoutes() []frame.Route {
	return []frame.Route{
		{Pattern: "GET /w/{workspace}/compose/texts", Access: frame.Members, Needs: credential.PostsWrite, Handle: c.texts},
		{
			Pattern: "POST /w/{workspace}/compose/links", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Handle: c.links,
		},
		{
			Pattern: "POST /w/{workspace}/compose/shorten", Access: frame.Members, Needs: credential.PostsWrite, MaxForm: maxForm, Handle: c.shorten,
		},
	}
}

// kept holds the texts of a workspace as the module reads them.
type kept struct {
	Texts []keptText `json:"texts"`
	// Networks are those of the channels, by the channel's ID.
	Networks map[string]string `json:"networks"`
	Links    keptRule          `json:"links"`
}

type keptText struct {
	Kind      snippet.Kind      `json:"kind"`
	Name      string            `json:"name"`
	Text      string            `json:"text"`
	Handles   map[string]string `json:"handles"`  // by the network
	Channels  []string          `json:"channels"` // IDs
	Automatic bool              `json:"automatic"`
}

type keptRule struct {
	Active    bool `json:"active"`
	Automatic bool `json:"automatic"`
	Short     bool `json:"short"` // links can be shortened
}

// texts responds with the texts of the workspace.
func (c *composer) texts(v *frame.Visit) error {
	list, err := c.app.Snippets(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	rule, err := c.app.LinkRule(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	campaigns, err := c.app.Campaigns(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	active := rule.Active() || slices.ContainsFunc(campaigns, func(one campaign.Campaign) bool { return one.Links.Source != "" })
	channels, err := c.channels(v)
	if err != nil {
		return err
	}
	out := kept{Texts: []keptText{}, Networks: make(map[string]string), Links: keptRule{active, rule.Automatic, c.app.ShortLinks()}}
	for _, one := range channels {
		out.Networks[one.ID.String()] = string(one.Type.Network())
	}
	for _, s := range list {
		text := keptText{Kind: s.Kind, Name: s.Name, Text: s.Text, Handles: make(map[string]string), Channels: []string{}, Automatic: s.Settings.Automatic}
		for network := range s.Settings.Handles {
			text.Handles[network] = s.In(network)
		}
		for _, id := range s.Settings.Channels {
			text.Channels = append(text.Channels, id.String())
		}
		out.Texts = append(out.Texts, text)
	}
	return respond(v, out)
}

func respond(v *frame.Visit, content any) error {
	document, err := json.Marshal(content)
	if err == nil {
		v.JSON(document)
	}
	return err
}

// tagged holds the links that get parameters, each with the link with them.
type tagged struct {
	Varies   bool                   `json:"varies"` // the parameters depend on the channel
	Common   [][2]string            `json:"common"` // unless they vary
	Channels map[string][][2]string `json:"channels"`
}

// replacements returns what a rule changes in a text.
func replacements(rule snippet.LinkRule, text string, at snippet.Placement) [][2]string {
	return pairs(rule.Replacements(text, at))
}

func pairs(replaced []snippet.Replacement) [][2]string {
	list := [][2]string{}
	for _, r := range replaced {
		list = append(list, [2]string{r.From, r.To})
	}
	return list
}

// links responds with the links that get parameters in the posts of the picked channels. The day of a post without a time is
// today.
func (c *composer) links(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	rule, err := c.app.LinksIn(v.Request.Context(), v.Principal, s.draft.Campaign)
	if err != nil {
		return err
	}
	l := look{draft: s.draft, Timing: s.draft.timing(v)}
	found, err := c.found(v.Request.Context(), v, l)
	if err != nil {
		return err
	}
	out := tagged{Varies: rule.Varies(), Common: [][2]string{}, Channels: make(map[string][][2]string)}
	if !out.Varies {
		out.Common = replacements(rule, s.draft.Text, snippet.Placement{})
	}
	for _, one := range s.desk.channels {
		id := one.ID.String()
		if !s.draft.picked(one.ID) {
			continue
		}
		text := s.draft.both(id)
		at := found[id].At.In(v.Zone())
		if found[id].At.IsZero() {
			at = v.Now()
		}
		out.Channels[id] = replacements(rule, text, snippet.Placement{Network: string(one.Type.Network()), Channel: one.Name, Date: at})
	}
	return respond(v, out)
}

// both returns the common text with that of a channel.
func (d draft) both(id string) string {
	if own := d.Own[id].Text; own != nil {
		return d.Text + "\n" + *own
	}
	return d.Text
}

// shorten responds with the short addresses of links. Each of several posts has its own, so that their clicks are counted apart.
func (c *composer) shorten(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	out := tagged{Varies: len(s.draft.Channels) > 1, Common: [][2]string{}, Channels: make(map[string][][2]string)}
	for _, id := range s.draft.Channels {
		found, err := c.app.ShortenLinks(v.Request.Context(), v.Principal, s.id, id, s.draft.both(id.String()))
		if err != nil {
			return err
		}
		out.Channels[id.String()] = pairs(found)
		if !out.Varies {
			out.Common = out.Channels[id.String()]
		}
	}
	return respond(v, out)
}
