package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// Unversioned is the build of the workers without a deployment.
const Unversioned = "unversioned"

// Deployment is the workers of an installation, in all versions.
type Deployment struct {
	temporal  client.Client
	namespace string
	name      string
}

// New returns the deployment of the name.
func New(temporal client.Client, namespace, name string) (*Deployment, error) {
	if temporal == nil || namespace == "" || name == "" {
		return nil, errors.New("deployment: client, namespace and name are required")
	}
	return &Deployment{temporal: temporal, namespace: namespace, name: name}, nil
}

// Status is the position of a version in a replacement.
type Status string

// Positions of versions.
const (
	Current  Status = "current"  // new workflows begin on it
	Ramping  Status = "ramping"  // a part of the new workflows begin on it
	Draining Status = "draining" // workflows that began on it are running
	Drained  Status = "drained"  // its workers may be stopped
	Inactive Status = "inactive" // never current
)

// Version is the workers of one build.
type Version struct {
	Build   string
	Status  Status
	Percent float32 // of the new workflows, if it is ramping
	Pinned  int64   // running workflows that only its workers continue
	Since   time.Time
}

func (d *Deployment) handle() client.WorkerDeploymentHandle {
	return d.temporal.WorkerDeploymentClient().GetHandle(d.name)
}

// ErrNone is returned while no worker of the deployment has connected.
var ErrNone = errors.New("no worker with TEMPORAL_DEPLOYMENT_NAME has connected to this namespace")

// Versions returns the versions, the newest first.
func (d *Deployment) Versions(ctx context.Context) ([]Version, error) {
	described, err := d.handle().Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	routing := described.Info.RoutingConfig
	var versions []Version
	for _, summary := range described.Info.VersionSummaries {
		v := Version{Build: summary.Version.BuildID, Status: Inactive, Since: summary.CreateTime}
		switch summary.DrainageStatus {
		case client.WorkerDeploymentVersionDrainageStatusDraining:
			v.Status = Draining
		case client.WorkerDeploymentVersionDrainageStatusDrained:
			v.Status = Drained
		case client.WorkerDeploymentVersionDrainageStatusUnspecified:
		}
		if routing.CurrentVersion != nil && routing.CurrentVersion.BuildID == v.Build {
			v.Status = Current
		}
		if routing.RampingVersion != nil && routing.RampingVersion.BuildID == v.Build {
			v.Status, v.Percent = Ramping, routing.RampingVersionPercentage
		}
		counted, err := d.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: d.namespace, Query: d.pinned(v.Build),
		})
		if err != nil {
			return nil, err
		}
		v.Pinned = counted.GetCount()
		versions = append(versions, v)
	}
	slices.SortFunc(versions, func(a, b Version) int { return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Build, b.Build)) })
	return versions, nil
}

// pinned is the query for the running workflows of a version.
func (d *Deployment) pinned(build string) string {
	return fmt.Sprintf("TemporalWorkerDeploymentVersion = '%s:%s' AND TemporalWorkflowVersioningBehavior = 'Pinned' AND "+
		"ExecutionStatus = 'Running'", d.name, build)
}

// SetCurrent lets new workflows begin on a version, and waiting ones that have not begun. It ends a ramp of the version.
// It returns an error while the version's workers do not serve every queue of the version before.
func (d *Deployment) SetCurrent(ctx context.Context, build string) error {
	_, err := d.handle().SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: buildID(build)})
	return err
}

// Ramp lets a percentage of the workflows begin on a version; zero ends the ramp.
func (d *Deployment) Ramp(ctx context.Context, build string, percent float32) error {
	options := client.WorkerDeploymentSetRampingVersionOptions{BuildID: buildID(build), Percentage: percent}
	if percent == 0 {
		options.BuildID = ""
	}
	_, err := d.handle().SetRampingVersion(ctx, options)
	return err
}

func buildID(build string) string {
	if build == Unversioned {
		return ""
	}
	return build
}

// Release lets the current version continue the running workflows of a version, so that its workers can be stopped, and
// returns their number. The code of the current version must replay them, as the replay tests check for every version.
func (d *Deployment) Release(ctx context.Context, build string) (released int, err error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: d.namespace, Query: d.pinned(build)}
	for {
		page, err := d.temporal.ListWorkflow(ctx, request)
		if err != nil {
			return released, err
		}
		for _, found := range page.GetExecutions() {
			_, err := d.temporal.UpdateWorkflowExecutionOptions(ctx, client.UpdateWorkflowExecutionOptionsRequest{
				WorkflowId: found.GetExecution().GetWorkflowId(), RunId: found.GetExecution().GetRunId(),
				WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{
					VersioningOverride: &client.VersioningOverrideChange{Value: &client.AutoUpgradeVersioningOverride{}},
				},
			})
			_, ended := errors.AsType[*serviceerror.NotFound](err)
			switch {
			case err == nil:
				released++
			case !ended:
				return released, fmt.Errorf("release %s: %w", found.GetExecution().GetWorkflowId(), err)
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			return released, nil
		}
	}
}
