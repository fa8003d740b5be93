package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/trial"
	"fencepost.internal/shared/infra/config"
)

func run(ctx context.Context, args []string) error {
	var all, usual []string
	for _, t := range trial.All() {
		all = append(all, t.Name)
		if !t.Only {
			usual = append(usual, t.Name)
		}
	}
	cfg := lab.Config{Out: os.Stdout}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("only", strings.Join(usual, ","),
		"what to measure, separated by commas, of "+strings.Join(all, ","))
	flags.StringVar(&cfg.Bin, "bin", ".bin", "folder of the built programs")
	flags.StringVar(&cfg.Outpost, "outpost", ".bin/outpost", "folder of Outpost's programs outpost and outpost-server")
	flags.StringVar(&cfg.Folder, "folder", ".run/bench", "folder for logs")
	flags.IntVar(&cfg.Backlog, "backlog", 20_000,
		"posts of burst and relays for tomorrow; fewer also shorten webhooks_api, outpost, neighbour and disk")
	flags.IntVar(&cfg.RushPosts, "posts", 10_000, "posts of rush")
	path := flags.String("out", ".run/bench.json", "file for the results")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := strings.Split(*only, ",")
	for _, name := range chosen {
		if !slices.Contains(all, name) {
			return fmt.Errorf("-only: unknown %s; want some of %s", name, strings.Join(all, ","))
		}
	}
	var err error
	if cfg.Environment, err = config.Load[lab.Environment](config.OS()); err != nil {
		return fmt.Errorf("run me with make bench, or below devstack exec: %w", err)
	}
	rows, err := measure(ctx, cfg, chosen)
	if err != nil {
		return err
	}
	if err := trial.Write(*path, rows); err != nil {
		return err
	}
	return trial.Table(os.Stdout, rows)
}

func measure(ctx context.Context, cfg lab.Config, chosen []string) (rows []trial.Row, err error) {
	l, err := lab.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, t := range trial.All() {
		if !slices.Contains(chosen, t.Name) {
			continue
		}
		l.Logf("%s …", t.Name)
		err := l.Do(ctx, func(r *lab.Run) {
			if len(rows) > 0 {
				r.Settle()
			}
			rows = append(rows, t.Measure(r)...)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return rows, nil
}
