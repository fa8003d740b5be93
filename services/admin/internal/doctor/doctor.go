// Package doctor checks a deployment: its configuration, database, Temporal, object store, public addresses, clocks,
// networks and mail server. Each finding names a problem, its cause and its remedy. A check that depends on a failed one is left out.
//
// It also routes workflows to the versions of the workers, by Temporal's worker deployments (docs/reference/upgrade.md).
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
)

// Level is the weight of a finding.
type Level string

// Levels of findings.
const (
	OK      Level = "ok"
	Warning Level = "warning" // the service works, but will not, or not for all
	Problem Level = "problem" // a part of the service does not work
)

// Finding is the result of a check.
type Finding struct {
	Check  string `json:"check"` // the part that was checked
	Level  Level  `json:"level"`
	Code   string `json:"code"` // identifies the kind of problem; OK
	Text   string `json:"text"`
	Cause  string `json:"cause,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// Names of checks.
const (
	checkConfiguration = "configuration"
	checkDatabase      = "database"
	checkSchema        = "schema"
	checkSecrets       = "secrets"
	checkTemporal      = "temporal"
	checkWorkers       = "workers"
	checkStore         = "object store"
	checkAddresses     = "addresses"
	checkClocks        = "clocks"
	checkNetworks      = "networks"
	checkMail          = "mail"
)

// stepLimit bounds one check of a dependency.
const stepLimit = 15 * time.Second

// Config describes the deployment to check.
type Config struct {
	Environ map[string]string // of an api and a worker
	Clock   clock.Clock
	Logger  *slog.Logger
}

// exam is one run.
type exam struct {
	Config

	findings []Finding
	db       *postgres.DB             // nil: not usable
	ring     *secretbox.Keyring       // nil: not usable
	offsets  map[string]time.Duration // of clocks from this machine's
	client   *http.Client
}

// Run checks the deployment and returns the findings in order of the checks. It changes nothing, except that it writes
// and deletes one object and one workflow.
func Run(ctx context.Context, cfg Config) ([]Finding, error) {
	if cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("doctor: clock and logger are required")
	}
	e := &exam{Config: cfg, offsets: make(map[string]time.Duration), client: newClient()}
	defer e.close()
	for _, check := range []func(context.Context){
		e.database, e.secrets, e.temporal, e.store, e.addresses, e.clocks, e.networks, e.mail,
	} {
		check(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return e.findings, nil
}

// Worst returns the most severe level of the findings.
func Worst(findings []Finding) Level {
	weight := map[Level]int{OK: 0, Warning: 1, Problem: 2}
	worst := OK
	for _, f := range findings {
		if weight[f.Level] > weight[worst] {
			worst = f.Level
		}
	}
	return worst
}

func (e *exam) close() {
	if e.db != nil {
		_ = e.db.Close()
	}
}

func (e *exam) ok(check, format string, args ...any) {
	e.findings = append(e.findings, Finding{Check: check, Level: OK, Code: "OK", Text: fmt.Sprintf(format, args...)})
}

// report adds a finding, unless an equal one exists: variables that are read twice are reported once.
func (e *exam) report(f Finding) {
	f.Level = cmp.Or(f.Level, Problem)
	if !slices.Contains(e.findings, f) {
		e.findings = append(e.findings, f)
	}
}

// load reads a part of the configuration. It reports every invalid variable and returns false if there is one.
func load[T any](e *exam) (T, bool) {
	part, err := config.Load[T](e.Environ)
	if err == nil {
		return part, true
	}
	if invalid, ok := errors.AsType[*config.Error](err); ok {
		for _, p := range invalid.Problems {
			f := Finding{
				Check: checkConfiguration, Code: "CONFIGURATION", Text: "The variable " + p.Variable + " is not valid.",
				Cause:  p.Variable + " " + p.Message,
				Remedy: "Run admin doctor with the variables of a worker. \"admin config\" and docs/operations.md describe them.",
			}
			if p.Example != "" {
				f.Remedy += " Example: " + p.Example
			}
			e.report(f)
		}
		return part, false
	}
	e.report(Finding{Check: checkConfiguration, Code: "CONFIGURATION", Text: "A variable is not valid.", Cause: err.Error()})
	return part, false
}

// timed runs a step and stores the difference between a clock that the step reads and this machine's clock.
func (e *exam) timed(name string, read func() (time.Time, error)) error {
	before := e.Clock.Now()
	there, err := read()
	if err != nil {
		return err
	}
	after := e.Clock.Now()
	e.offsets[name] = there.Sub(before.Add(after.Sub(before) / 2))
	return nil
}
