package mailing

import (
	"context"
	"errors"
	"fmt"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/mailer"
)

// pathReport begins the address at which the owner of an address stops the reports of a workspace.
const pathReport = "/reports/"

// reportLetter writes a mail with the report of a month. Its readers may have no account.
func (m *Mailing) reportLetter(due mail.Mail) (letter, error) {
	month, ok := analytics.ParseMonth(due.Content.Month)
	if !ok {
		return letter{}, errors.New("mailing: a report has no month")
	}
	return letter{
		Subject: "Figures of " + month.Name() + ": " + due.Content.Workspace,
		Lines:   []string{fmt.Sprintf("The report of “%s” for %s is attached.", due.Content.Workspace, month.Name())},
		Why:     "You get this mail each month because members of this workspace chose your address.",
		Off:     m.AppURL + pathReport + due.Content.Secret,
	}, nil
}

// attach adds what a mail has beside its text.
func (m *Mailing) attach(ctx context.Context, due mail.Mail, to *mailer.Message) error {
	if due.Kind != mail.MonthlyReport {
		return nil
	}
	month, _ := analytics.ParseMonth(due.Content.Month) // checked with the letter
	content, err := m.Reports.Make(ctx, due.WorkspaceID, month)
	if err != nil {
		return fmt.Errorf("the report could not be made: %w", err)
	}
	to.Stop = m.AppURL + pathReport + due.Content.Secret
	to.Files = []mailer.File{{Name: "report-" + month.String() + ".pdf", Type: "application/pdf", Content: content}}
	return nil
}
