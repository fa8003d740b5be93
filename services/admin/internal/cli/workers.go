package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/doctor"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

const (
	argBuild   = "BUILD"
	argPercent = "PERCENT"
)

func (a *app) workers() *cobra.Command {
	cmd := group("workers", "Route posts to versions of the workers",
		"These commands replace workers that run with TEMPORAL_DEPLOYMENT_NAME. A post that a worker has begun stays on the "+
			"worker's version.\nSee \"Upgrade guide\" in docs/reference/upgrade.md. BUILD is a version of \"admin workers list\", or "+
			"\"unversioned\" for workers without\nTEMPORAL_DEPLOYMENT_NAME.",
		a.workersList(), a.workersCurrent(), a.workersRamp(), a.workersRelease())
	cmd.GroupID = groupOther
	return cmd
}

// workersConfig is the part of the configuration that the commands need.
type workersConfig struct {
	config.WorkerDeployment

	Temporal config.Temporal
}

// versionRecord is a version of the workers in JSON.
type versionRecord struct {
	Build   string        `json:"build"`
	Status  doctor.Status `json:"status"`
	Percent float32       `json:"percent"`
	Pinned  int64         `json:"pinned"`
	Since   *string       `json:"since"`
}

func (a *app) workersList() *cobra.Command {
	return a.deploymentCommand(&cobra.Command{
		Use: "list", Short: "List the versions of the workers",
		Long: `list prints the versions of the workers, the newest first, and the number of running workflows that only this version continues.
Stop the workers of a version when it has none and is not current.`,
		Example: "  admin workers list", Args: cobra.NoArgs,
	}, func(ctx context.Context, d *doctor.Deployment, _ []string) error {
		found, err := d.Versions(ctx)
		if err != nil {
			return err
		}
		records := convert(found, func(v doctor.Version) versionRecord {
			return versionRecord{v.Build, v.Status, v.Percent, v.Pinned, atJSON(v.Since)}
		})
		return a.show(records, func() error {
			return a.list([]string{"BUILD", "STATUS", "PERCENT", "PINNED", "SINCE"},
				convert(found, func(v doctor.Version) []string {
					return []string{
						v.Build, string(v.Status), strconv.FormatFloat(float64(v.Percent), 'f', -1, 32),
						strconv.FormatInt(v.Pinned, 10), at(v.Since, "-"),
					}
				}), "There is no version.")
		})
	})
}

func (a *app) workersCurrent() *cobra.Command {
	return a.deploymentCommand(&cobra.Command{
		Use: "current BUILD", Short: "Let new posts begin on a version",
		Long: `current lets every post begin on the version, also those that sleep until their time. Posts that workers of other versions have
begun stay there. The command fails while the version's workers do not serve every queue.`,
		Example: "  admin workers current 0.9.0+1a2b3c4d5e6f\n  admin workers current unversioned", Args: exactly(argBuild),
	}, func(ctx context.Context, d *doctor.Deployment, args []string) error {
		if err := d.SetCurrent(ctx, args[0]); err != nil {
			return err
		}
		return a.print("New posts begin on %s.\n", args[0])
	})
}

func (a *app) workersRamp() *cobra.Command {
	return a.deploymentCommand(&cobra.Command{
		Use: "ramp BUILD PERCENT", Short: "Let a part of the new posts begin on a version",
		Long:    `ramp lets a percentage of the posts begin on the version, the others on the current one. 0 ends it.`,
		Example: "  admin workers ramp 0.9.0+1a2b3c4d5e6f 10", Args: exactly(argBuild, argPercent),
	}, func(ctx context.Context, d *doctor.Deployment, args []string) error {
		percent, err := strconv.ParseFloat(args[1], 32)
		if err != nil || percent < 0 || percent > 100 {
			return fmt.Errorf("%s %q is not a number from 0 to 100", argPercent, args[1])
		}
		if err := d.Ramp(ctx, args[0], float32(percent)); err != nil {
			return err
		}
		return a.print("%s %% of the new posts begin on %s.\n", args[1], args[0])
	})
}

func (a *app) workersRelease() *cobra.Command {
	return a.deploymentCommand(&cobra.Command{
		Use: "release BUILD", Short: "Let the current version continue the posts of an old one",
		Long: `release lets the current version continue the posts that workers of an old version have begun, so that these can be stopped. Most
posts are published within minutes and need no release. Those that wait for an approval, or that were moved to a later time, wait
for long. Repeat the command until "admin workers list" counts none.`,
		Example: "  admin workers release 0.8.0", Args: exactly(argBuild),
	}, func(ctx context.Context, d *doctor.Deployment, args []string) error {
		released, err := d.Release(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print("%d workflows continue on the current version.\n", released)
	})
}

// deploymentCommand adds the flag for the deployment and runs fn with it.
func (a *app) deploymentCommand(
	cmd *cobra.Command, fn func(ctx context.Context, d *doctor.Deployment, args []string) error,
) *cobra.Command {
	var name string
	cmd.RunE = a.run(func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load[workersConfig](a.process.Environ)
		if err != nil {
			return err
		}
		name = cmp.Or(name, cfg.DeploymentName)
		if name == "" {
			return errors.New("set TEMPORAL_DEPLOYMENT_NAME as for the workers, or give --deployment")
		}
		c, err := bootstrap.Temporal(cfg.Temporal, &bootstrap.Process{
			Name: "admin", Logger: slog.New(slog.DiscardHandler), Clock: a.process.Clock,
		})
		if err != nil {
			return err
		}
		defer c.Close()
		d, err := doctor.New(c, cfg.Temporal.Namespace, name)
		if err != nil {
			return err
		}
		return fn(cmd.Context(), d, args)
	})
	ordered(cmd).StringVar(&name, "deployment", "", "`NAME` of the worker deployment; TEMPORAL_DEPLOYMENT_NAME if empty")
	return cmd
}
