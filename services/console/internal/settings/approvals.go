package settings

import (
	"fmt"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

const pathApprovals = "/settings/approvals"

// ruleChoice is a policy that people can choose.
type ruleChoice struct {
	Name, Title, Text string
	Chosen            bool
	Waiting           int // SCHEDULED posts that would wait for approval
}

// channelRule is the policy of a channel.
type channelRule struct {
	channel.Channel

	Choices []ruleChoice // those that are stricter than the workspace's; empty: none is
}

// approvalsPage is the data of the page.
type approvalsPage struct {
	Choices  []ruleChoice
	Channels []channelRule
	Fault    string
}

// ruleChoiceOf words a policy.
func ruleChoiceOf(p approval.Policy, chosen bool) ruleChoice {
	c := ruleChoice{Name: p.String(), Chosen: chosen}
	switch p {
	case approval.None:
		c.Title, c.Text = "None", "Posts need no approval. People who may publish, publish."
	case approval.Optional:
		c.Title, c.Text = "Optional", "People can ask for approval. Those who may publish need none."
	case approval.Required:
		c.Title, c.Text = "Required", "Another person approves each post before it is published. API keys and programs cannot."
	case approval.TwoStep:
		c.Title, c.Text = "Two people", "Two people approve each post, neither of whom wrote it or changed it last."
	}
	return c
}

func (s *settings) approvals(v *frame.Visit) error {
	return s.approvalsPage(v, http.StatusOK, "")
}

func (s *settings) approvalsPage(v *frame.Visit, status int, fault string) error {
	ctx, page := v.Request.Context(), approvalsPage{Fault: fault}
	for _, policy := range approval.Policies() {
		c := ruleChoiceOf(policy, policy == v.Workspace.Approval)
		if policy > v.Workspace.Approval {
			var err error
			if c.Waiting, err = s.app.ApprovalEffect(ctx, v.Principal, app.SetApproval{Policy: policy}); err != nil {
				return err
			}
		}
		page.Choices = append(page.Choices, c)
	}
	channels, err := s.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	for _, of := range channels {
		rule := channelRule{Channel: of}
		for _, policy := range approval.Policies() {
			if policy > v.Workspace.Approval {
				rule.Choices = append(rule.Choices, ruleChoiceOf(policy, policy == of.OwnApproval))
			}
		}
		page.Channels = append(page.Channels, rule)
	}
	return v.Page(frame.Page{
		Name: "settings/approvals", Title: "Approvals · Settings", Status: status, Tabs: Tabs("Approvals"), Data: page,
	})
}

// setApproval sets the policy of the workspace, or of a channel.
func (s *settings) setApproval(v *frame.Visit) error {
	policy, known := approval.Read(v.Form("policy"))
	if !known {
		return s.approvalsPage(v, http.StatusUnprocessableEntity, "Choose one of the rules.")
	}
	in := app.SetApproval{Policy: policy}
	if text := v.Form("channel"); text != "" {
		in.Channel, _ = ident.Parse[ident.Channel](text)
		if in.Channel.IsZero() {
			return s.approvalsPage(v, http.StatusUnprocessableEntity, "There is no such channel.")
		}
	}
	held, err := s.app.SetApprovalPolicy(v.Request.Context(), v.Principal, in)
	if faults, ok := frame.Faults(err); ok {
		return s.approvalsPage(v, http.StatusUnprocessableEntity, faults["policy"])
	}
	if err != nil {
		return err
	}
	text := "Saved."
	switch {
	case held == 1:
		text = "Saved. 1 scheduled post now waits for approval."
	case held > 1:
		text = fmt.Sprintf("Saved. %d scheduled posts now wait for approval.", held)
	}
	return v.Done(v.Path(pathApprovals), text)
}
