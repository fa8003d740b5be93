package inbox

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/ident"
)

// ofLead is a lead of a conversation.
type ofLead struct{ Href, Name, Stage string }

// leadsOf returns the leads of a conversation that the visitor may see.
func (p *pages) leadsOf(v *frame.Visit, of ident.Conversation) ([]ofLead, error) {
	found, err := p.leads.Of(v.Request.Context(), v.Principal, of)
	list := make([]ofLead, len(found))
	for i, l := range found {
		list[i] = ofLead{v.Path("/leads/" + l.ID.String()), l.Name, frame.Words(l.Stage)}
	}
	return list, err
}
