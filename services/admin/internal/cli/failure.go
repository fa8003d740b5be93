package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/services/admin/internal/seed"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// failure is an error that a command's own code returned. Every other error comes from parsing the command line.
type failure struct{ cause error }

func (f failure) Error() string { return f.cause.Error() }

func (f failure) Unwrap() error { return f.cause }

// run wraps fn as a cobra RunE function and marks its error as a failure.
func (a *app) run(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := fn(cmd, args); err != nil {
			return failure{err}
		}
		return nil
	}
}

// operate is run for a command that works on the database.
func (a *app) operate(
	fn func(ctx context.Context, op *operator.Operator, args []string) error,
) func(*cobra.Command, []string) error {
	return a.run(func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error { return fn(ctx, op, args) })
	})
}

// onlyCommands refuses an unknown command and suggests similar ones.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("%q is not a command", args[0])
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
		message += "; did you mean " + strings.Join(meant, " or ") + "?"
	}
	return errors.New(message)
}

// exactly requires the arguments that the command's usage names.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return fmt.Errorf("want one %s, got %d arguments", strings.Join(names, " and one "), len(args))
		}
		return nil
	}
}

// fail prints the error with its remedy and returns the exit code.
func (a *app) fail(cmd *cobra.Command, err error) int {
	own, code, remedy := failure{}, exitFailed, ""
	switch {
	case !errors.As(err, &own):
		code, remedy = exitUsage, usageOf(cmd)
	case apperr.Is(err, apperr.ValidationFailed):
		code, remedy = exitUsage, usageOf(cmd)
	}
	text := explain(err)
	if remedy != "" {
		text += "\n" + remedy
	}
	_, _ = fmt.Fprintf(a.process.Err, "%s: %s\n", cmd.CommandPath(), text)
	return code
}

func usageOf(cmd *cobra.Command) string { return "Usage: " + cmd.CommandPath() + " --help" }

// explain returns the error text, with a remedy where there is one.
func explain(err error) string {
	if e, ok := errors.AsType[*apperr.Error](err); ok && len(e.Fields) > 0 {
		return faults(e.Fields)
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return err.Error() + "\nRun \"admin config\" for a description of each variable."
	}
	switch {
	case seed.IsStateError(err), errors.Is(err, postgres.ErrBehind):
		return err.Error()
	case errors.Is(err, context.Canceled):
		return "interrupted; nothing was changed"
	}
	if text := explainDatabase(err); text != "" {
		return text
	}
	if e, ok := errors.AsType[*apperr.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// explainDatabase explains why a database cannot be used. It returns "" for every other error.
func explainDatabase(err error) string {
	if refusal, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		switch refusal.SQLState() {
		case "28P01", "28000":
			return "PostgreSQL rejected the user or the password in DATABASE_URL: " + oneLine(refusal)
		case "3D000":
			return "the database in DATABASE_URL does not exist; create it, then run the migrate program"
		case "42P01", "42703":
			return "the schema of the database is not the one that this program expects; run the migrate program first: " +
				oneLine(refusal)
		case "42501":
			return "the user in DATABASE_URL lacks a privilege: " + oneLine(refusal)
		}
	}
	if e, ok := errors.AsType[*apperr.Error](err); ok && e.Code == apperr.Unavailable {
		return "the database does not respond. Is PostgreSQL running, and is DATABASE_URL correct? " + oneLine(e.Cause)
	}
	return ""
}

func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// faults writes each fault on a line of its own, with the flag or argument that it concerns.
func faults(fields []apperr.Field) string {
	lines := make([]string, len(fields))
	for i, f := range fields {
		name := "--" + f.Pointer
		if f.Pointer == strings.ToUpper(f.Pointer) { // an argument such as KEY_ID
			name = f.Pointer
		}
		lines[i] = name + " " + f.Message
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%d problems\n  %s", len(lines), strings.Join(lines, "\n  "))
}
