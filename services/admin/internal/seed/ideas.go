package seed

import (
	"context"

	"fencepost.internal/services/admin/internal/operator"
)

// ideas returns the cards of the first workspace's board in their order.
func ideas() []operator.NewIdea {
	const inProgress, ready, done = "In progress", "Ready", "Done"
	const evergreen, campaign, announcement, behind, question = "Evergreen", "Campaign", "Announcement", "Behind the scenes", "Question"
	return []operator.NewIdea{
		{
			Title: "Five glazes that survive the dishwasher", Labels: []string{evergreen},
			Content: "One picture per glaze.\nAsk Ada which ones we can still buy.",
		},
		{
			Title: "What would you fire first?", Labels: []string{question},
			Content: "A poll for the story; the answers become a post of their own.",
		},
		{
			Title: "Ceramics trends of the year, commented", Link: "https://example.com/ceramics-trends",
			Content: "Agree with two of them, disagree with one.",
		},
		{
			Title: "How a mug gets its handle", Labels: []string{evergreen, behind},
			Content: "Short vertical video, hands only.",
		},
		{Title: "Gift guide for people who have everything", Labels: []string{campaign}},
		{
			Title: "Opening the new kiln", Column: inProgress, Labels: []string{behind, announcement},
			Content: "1. Delivery through the window\n2. First firing\n3. What broke\n\nVideo is cut, the text is missing.",
		},
		{
			Title: "Ten years of Acme Studio", Column: inProgress, Labels: []string{campaign, announcement},
			Content: "Pictures from the archive, one for each year.",
		},
		{Title: "Meet Jonas, who packs every parcel", Column: inProgress, Labels: []string{behind}},
		{
			Title: "Course dates for spring", Column: ready, Labels: []string{announcement},
			Link: "https://example.com/courses",
		},
		{
			Title: "Why we reuse clay", Column: ready, Labels: []string{evergreen},
			Content: "Numbers are checked: 38 % less waste since March.",
		},
		{Title: "Thank you for 10,000 followers", Column: done, Labels: []string{campaign}},
		{Title: "Which blue is it?", Column: done, Labels: []string{question}, Content: "It was cobalt. 214 answers."},
	}
}

func (p plan) addIdeas(ctx context.Context, op *operator.Operator, workspaceID string) error {
	for _, in := range p.ideas {
		in.Workspace = workspaceID
		if err := op.AddIdea(ctx, in); err != nil {
			return err
		}
	}
	return nil
}
