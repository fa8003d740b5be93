package bootstrap

import (
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/mailer"
)

// Mailer returns the client of the mail server, or nil if none is configured.
func Mailer(cfg config.Mail) (*mailer.Sender, error) {
	if cfg.SMTPHost == "" {
		return nil, nil //nolint:nilnil // without a mail server there is no sender
	}
	if cfg.SMTPFrom == "" {
		return nil, &config.Error{Problems: []config.Problem{{
			Variable: "SMTP_FROM", Message: "is required with SMTP_HOST", Example: "Publishing <posts@example.com>",
		}}}
	}
	return mailer.New(mailer.Config{
		Host: cfg.SMTPHost, Port: cfg.SMTPPort, User: cfg.SMTPUser, Password: cfg.SMTPPassword.Reveal(), TLS: cfg.SMTPTLS,
		From: cfg.SMTPFrom,
	})
}
