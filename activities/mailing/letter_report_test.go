package mailing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/mailer"
	"fencepost.internal/shared/kernel/ident"
)

// TestReportIsAttached sends a report, and repeats the try until it could be made.
func TestReportIsAttached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := b.workspace(t)
	m := mail.New(mail.MonthlyReport, of, mail.Content{
		To: "ada@example.com", Secret: "svc_rep_x", Workspace: "Acme\r\nBcc: eve@example.com", Month: "2026-03",
	}, b.clock.Now(), time.Time{})
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	b.unmade = errors.New("the store does not respond")
	out, err := b.Send(t.Context(), inputOf(m))
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Positive(t, out.Wait)
	require.Empty(t, b.server.mails)
	b.unmade = nil
	for range 2 { // the second has nothing left to send
		_, err = b.Send(t.Context(), inputOf(m))
		require.NoError(t, err)
	}
	require.Len(t, b.server.mails, 1)
	sent := b.server.mails[0]
	require.Equal(t, []mailer.File{{
		Name: "report-2026-03.pdf", Type: "application/pdf", Content: []byte("%PDF of " + of.String() + " 2026-03"),
	}}, sent.Files)
	require.Equal(t, appURL+"/reports/svc_rep_x", sent.Stop)
	require.Contains(t, sent.Text, "Turn it off: "+appURL+"/reports/svc_rep_x")
	require.Contains(t, sent.Subject, "Figures of March 2026")
	require.Equal(t, m.ID, sent.ID)
}

// TestOtherMailsHaveNoFiles checks that only reports have a file, and that one without a month is not sent.
func TestOtherMailsHaveNoFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Send(t.Context(), b.stored(t, mail.PasswordChanged, mail.Content{To: "ada@example.com"}))
	require.NoError(t, err)
	require.Empty(t, b.server.mails[0].Files)
	require.Empty(t, b.server.mails[0].Stop)
	m := mail.New(mail.MonthlyReport, ident.Workspace{}, mail.Content{To: "ada@example.com"}, b.clock.Now(), time.Time{})
	require.NoError(t, b.mails.Enqueue(t.Context(), m))
	_, err = b.Send(t.Context(), inputOf(m))
	require.Error(t, err)
	require.Len(t, b.server.mails, 1)
}
