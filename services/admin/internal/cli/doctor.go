package cli

import (
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/doctor"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/telemetry"
)

// unhealthy is the error of a deployment with problems, which are printed already.
type unhealthy struct{}

func (unhealthy) Error() string { return "the deployment has problems" }

// diagnosis is the result of the command in JSON.
type diagnosis struct {
	Level    doctor.Level     `json:"level"` // the most severe one
	Findings []doctor.Finding `json:"findings"`
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check a deployment and name each problem", GroupID: groupOther,
		Long: `doctor checks configuration, database, schema, encryption keys, Temporal, workers, object store, public addresses, clocks,
API versions of networks, the credentials of one channel of each type, and the mail server. It names each problem with its cause
and its remedy.

Run it in the environment of a worker, from the network of the programs. It changes nothing: it writes and deletes one object and
one workflow.

The exit code is 1 if there is a problem. Warnings alone do not change it.`,
		Example: "  admin doctor\n  admin doctor --json",
		Args:    cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			logging, err := config.Load[config.Logging](a.process.Environ)
			if err != nil {
				return err
			}
			logger, err := telemetry.NewLogger(telemetry.LogConfig{
				Output: a.process.Err, Level: max(logging.LogLevel, slog.LevelError+1), Format: logging.LogFormat, Service: "admin",
				Version: telemetry.Build(),
			})
			if err != nil {
				return err
			}
			findings, err := doctor.Run(cmd.Context(), doctor.Config{
				Environ: a.process.Environ, Clock: a.process.Clock, Logger: logger,
			})
			if err != nil {
				return err
			}
			worst := doctor.Worst(findings)
			err = a.show(diagnosis{worst, findings}, func() error { return a.findings(findings) })
			if err == nil && worst == doctor.Problem {
				err = unhealthy{}
			}
			return err
		}),
	}
}

// findings prints the findings, each problem with its cause and its remedy.
func (a *app) findings(findings []doctor.Finding) error {
	for _, f := range findings {
		head := strings.ToUpper(string(f.Level))
		if f.Level == doctor.OK {
			head = string(f.Level)
		}
		if err := a.print("%-8s %s: %s\n", head, f.Check, f.Text); err != nil {
			return err
		}
		for _, line := range []struct{ name, text string }{{"Cause: ", f.Cause}, {"Remedy:", f.Remedy}} {
			if line.text == "" {
				continue
			}
			if err := a.print("         %s %s\n", line.name, line.text); err != nil {
				return err
			}
		}
	}
	return nil
}
