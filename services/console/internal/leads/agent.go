package leads

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/suggest"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/ident"
)

// suggestionsPage is the data of the list of suggestions.
type suggestionsPage struct {
	Suggestions []suggest.Suggestion
	MayManage   bool
}

// suggested shows the people whom the agent suggests as leads.
func (p *pages) suggested(v *frame.Visit) error {
	list, err := p.agent.Suggestions(v.Request.Context(), v.Principal, ident.Person{})
	if err != nil {
		return err
	}
	data := suggestionsPage{MayManage: v.Principal.Allows(credential.LeadsManage)}
	for _, one := range list {
		data.Suggestions = append(data.Suggestions, suggest.Of(v, one, ident.Conversation{}))
	}
	return page(v, http.StatusOK, "suggestions", "Suggested leads", data)
}

func (p *pages) accept(v *frame.Visit) error {
	id, err := frame.PathID(v, "suggestion", ident.Parse[ident.Suggestion])
	if err != nil {
		return err
	}
	created, err := p.agent.Accept(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	return v.Done(v.Path(path+"/"+created.ID.String()), "Lead added.")
}

func (p *pages) reject(v *frame.Visit) error { return p.rejects(v, false, "Rejected.") }

func (p *pages) never(v *frame.Visit) error {
	return p.rejects(v, true, "This person is not suggested again.")
}

// rejects ends a suggestion, and returns to the page that showed it.
func (p *pages) rejects(v *frame.Visit, never bool, notice string) error {
	id, err := frame.PathID(v, "suggestion", ident.Parse[ident.Suggestion])
	if err != nil {
		return err
	}
	if err := p.agent.Reject(v.Request.Context(), v.Principal, id, never); err != nil {
		return err
	}
	back := path + "/suggestions"
	if from, err := ident.Parse[ident.Conversation](v.Form("from")); err == nil {
		back = "/inbox/" + from.String()
	}
	return v.Done(v.Path(back), notice)
}

// agentPage is the data of the settings of the agent.
type agentPage struct {
	Action string
	Mode   string
	Words  string // one on each line
	Modes  []agentMode
	Faults map[string]string
}

// Fault returns the fault of a field; empty if there is none.
func (a agentPage) Fault(field string) string { return a.Faults[field] }

// agentMode is a mode of the agent as a choice.
type agentMode struct{ Value, Title, Text string }

func (p *pages) settings(v *frame.Visit) error {
	agent, err := p.agent.Settings(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	return agentForm(v, http.StatusOK, agentPage{Mode: string(agent.Mode), Words: strings.Join(agent.Words, "\n")})
}

func agentForm(v *frame.Visit, status int, data agentPage) error {
	data.Action = v.Path(path + "/agent")
	data.Modes = []agentMode{
		{string(lead.AgentSuggests), "Suggest", "You decide about each person."},
		{string(lead.AgentCreates), "Create", "Leads are added without a decision."},
		{string(lead.AgentOff), "Off", "Messages are not looked at."},
	}
	return page(v, status, "agent", "Sales Lead agent", data)
}

func (p *pages) set(v *frame.Visit) error {
	data := agentPage{Mode: v.Form("mode"), Words: v.Form("words")}
	in := lead.Agent{Mode: lead.AgentMode(data.Mode), Words: slices.Collect(strings.SplitSeq(data.Words, "\n"))}
	err := p.agent.Set(v.Request.Context(), v.Principal, in)
	if faults, refused := frame.Faults(err); refused {
		data.Faults = faults
		return agentForm(v, http.StatusUnprocessableEntity, data)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(path+"/agent"), "Saved.")
}
