// Package cli implements the command line of bench.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/bench/internal/bare"
	"fencepost.internal/services/bench/internal/ceiling"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/services/bench/internal/trial"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
)

const (
	defaultResults = ".run/bench.json"
	backlog        = 20_000
	rushPosts      = 10_000
	rushPatience   = 30 * time.Minute
)

// Main runs the command and returns its exit code: 0, even if goals are missed, or 1 if a measurement failed.
func Main(ctx context.Context, args []string, out, problems io.Writer) int {
	command := "run"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "run":
		err = run(ctx, args, out)
	case "report":
		err = report(args, out)
	case "ceiling-worker":
		err = ceilingWorker(ctx, args)
	case "bare-api":
		err = bareAPI(ctx, args)
	case "bare-page":
		err = barePage(ctx, args)
	case "bare-tool":
		err = bareTool(ctx, args)
	case "bare-hooks":
		err = bareHooks(ctx, args)
	default:
		err = fmt.Errorf("unknown command %q; want none, report, or -help", command)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	_, _ = fmt.Fprintln(problems, "bench:", err)
	return 1
}

type measurement struct {
	name    string
	measure func(context.Context, *lab.Lab) ([]result.Row, error)
	asked   bool // runs only if requested by name
}

// measurements returns the measurements in execution order: memory first, while the processes are fresh, and those with
// many sleeping posts last.
func measurements() []measurement {
	return []measurement{
		{name: "rss", measure: trial.Memory},
		{name: result.Publish, measure: trial.Publish},
		{name: result.Deliver, measure: trial.Deliver},
		{name: "webhook_latency", measure: trial.WebhookLatency},
		{name: result.WebhooksAPI, measure: trial.WebhooksAPI},
		{name: "outpost", measure: trial.Outpost, asked: true},
		{name: "http", measure: trial.HTTP},
		{name: result.Tools, measure: trial.Tools},
		{name: result.Pages, measure: trial.Pages},
		{name: result.PagesApp, measure: trial.Application},
		{name: result.Thumbnails, measure: trial.Thumbnails},
		{name: "import", measure: trial.Import},
		{name: result.Neighbour, measure: trial.Neighbour},
		{name: "lateness", measure: trial.Lateness},
		{name: "insights", measure: trial.Insights},
		{name: result.Burst, measure: trial.Burst},
		{name: result.Relays, measure: trial.Relays},
		{name: "serial", measure: trial.Serial},
		{name: "disk", measure: trial.Disk},
		{name: "rush", measure: trial.Rush, asked: true},
	}
}

// names returns the names of all measurements, and of those that run by default.
func names() (all, usual []string) {
	for _, m := range measurements() {
		all = append(all, m.name)
		if !m.asked {
			usual = append(usual, m.name)
		}
	}
	return all, usual
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	all, usual := names()
	only := flags.String("only", strings.Join(usual, ","),
		"what to measure, separated by commas, of "+strings.Join(all, ","))
	bin := flags.String("bin", ".bin", "folder of the built programs")
	outpost := flags.String("outpost", ".bin/outpost", "folder of Outpost's programs outpost and outpost-server")
	folder := flags.String("folder", ".run/bench", "folder for logs")
	path := flags.String("out", defaultResults, "file for the results")
	sleeping := flags.Int("backlog", backlog, "posts of burst and relays for tomorrow; fewer also shorten webhooks_api and outpost")
	posts := flags.Int("posts", rushPosts, "posts of rush")
	patience := flags.Duration("patience", rushPatience, "how long rush waits until all dead endpoints are disabled")
	profiles := flags.String("cpuprofile", "", "folder for CPU profiles of the service's processes; none when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := strings.Split(*only, ",")
	if unknown := slices.DeleteFunc(slices.Clone(chosen),
		func(n string) bool { return slices.Contains(all, n) }); len(unknown) > 0 {
		return fmt.Errorf("-only: unknown %s; want some of %s", strings.Join(unknown, ","), strings.Join(all, ","))
	}
	environment, err := config.Load[lab.Environment](config.OS())
	if err != nil {
		return fmt.Errorf("run me with make bench, or below devstack exec: %w", err)
	}
	l, err := lab.Open(ctx, lab.Config{
		Environment: environment, Bin: *bin, Outpost: *outpost, Folder: *folder, Profiles: *profiles, Backlog: *sleeping,
		RushPosts: *posts, RushPatience: *patience, Clock: clock.System(), Out: out,
	})
	if err != nil {
		return err
	}
	rows, err := measure(ctx, l, chosen)
	if err = errors.Join(err, l.Close()); err != nil {
		return err
	}
	if err := result.Write(*path, rows); err != nil {
		return err
	}
	return result.Table(out, rows)
}

func measure(ctx context.Context, l *lab.Lab, chosen []string) ([]result.Row, error) {
	var rows []result.Row
	for _, m := range measurements() {
		if !slices.Contains(chosen, m.name) {
			continue
		}
		if len(rows) > 0 {
			if err := l.Settle(ctx); err != nil {
				return nil, err
			}
		}
		l.Say("%s …", m.name)
		got, err := m.measure(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

func report(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench report", flag.ContinueOnError)
	path := flags.String("in", defaultResults, "file with the results")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := result.Read(*path)
	if err != nil {
		return err
	}
	return result.Markdown(out, rows)
}

func ceilingWorker(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench ceiling-worker", flag.ContinueOnError)
	cfg := ceiling.Config{Clock: clock.System()}
	flags.StringVar(&cfg.Address, "address", "", "where it says how far it is")
	flags.StringVar(&cfg.Temporal, "temporal", "", "host and port of Temporal")
	flags.StringVar(&cfg.Namespace, "namespace", "", "Temporal namespace")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return ceiling.Serve(ctx, cfg)
}

func bareAPI(ctx context.Context, args []string) error {
	environment, err := config.Load[config.Migrate](config.OS())
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("bench bare-api", flag.ContinueOnError)
	cfg := bare.Config{DatabaseURL: environment.Database.URL.Reveal(), Now: clock.System().Now}
	flags.StringVar(&cfg.Address, "address", "", "where it serves")
	flags.StringVar(&cfg.Workspace, "workspace", "", "whose posts it lists and creates")
	flags.IntVar(&cfg.Connections, "connections", 1, "connections to the database")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return bare.Serve(ctx, cfg)
}

func barePage(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench bare-page", flag.ContinueOnError)
	address := flags.String("address", "", "where it serves")
	file := flags.String("file", "", "what it answers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return bare.ServePage(ctx, *address, *file)
}

func bareTool(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench bare-tool", flag.ContinueOnError)
	address := flags.String("address", "", "where it serves")
	tool := flags.String("tool", "", "name of the tool")
	file := flags.String("file", "", "what it gives")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return bare.ServeTools(ctx, *address, *tool, *file)
}

func bareHooks(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench bare-hooks", flag.ContinueOnError)
	var cfg bare.HookConfig
	flags.StringVar(&cfg.Address, "address", "", "where it serves")
	flags.StringVar(&cfg.Receiver, "receiver", "", "URL to which the names of the endpoints are appended")
	flags.IntVar(&cfg.Endpoints, "endpoints", 1, "endpoints of each workspace")
	flags.IntVar(&cfg.Places, "places", 1, "concurrent requests to each endpoint")
	file := flags.String("file", "", "body of each delivery")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return bare.ServeHooks(ctx, cfg, *file)
}
