package doctor

import (
	"context"
	"errors"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

// mail connects to the mail server as a worker does, without sending.
func (e *exam) mail(ctx context.Context) {
	cfg, valid := load[config.Mail](e)
	if !valid {
		return
	}
	sender, err := bootstrap.Mailer(cfg)
	if invalid, ok := errors.AsType[*config.Error](err); ok {
		e.report(Finding{
			Check: checkMail, Code: "MAIL_CONFIGURATION", Text: "The settings of the mail server are not complete.",
			Cause: invalid.Problems[0].Variable + " " + invalid.Problems[0].Message, Remedy: "Set the variable for every worker.",
		})
		return
	}
	if err != nil {
		e.report(Finding{
			Check: checkMail, Code: "MAIL_CONFIGURATION", Text: "The settings of the mail server are not valid.",
			Cause: err.Error(), Remedy: "Correct the SMTP variable that the cause names.",
		})
		return
	}
	if sender == nil {
		e.ok(checkMail, "no mail server is set (SMTP_HOST): the application shows links instead of mailing them")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := sender.Check(ctx); err != nil {
		e.report(Finding{
			Check: checkMail, Code: "MAIL", Text: "Mails cannot be sent over " + cfg.SMTPHost + ".", Cause: err.Error(),
			Remedy: "Start the mail server, or correct SMTP_HOST, SMTP_PORT, SMTP_TLS, SMTP_USER and SMTP_PASSWORD. Mails wait up to 3 days.",
		})
		return
	}
	e.ok(checkMail, "%s accepts the connection", cfg.SMTPHost)
}
