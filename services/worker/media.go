package main

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// importAgent is the User-Agent sent to the servers that files are imported from.
const importAgent = "Fencepost-Media/1"

// mediaParts holds the worker's components for files.
type mediaParts struct {
	importer    *mediaactivity.Importer
	processor   *mediaactivity.Processor
	attachments *mediaactivity.Files
	converter   *mediaactivity.Converter
	pictures    *mediaactivity.Pictures
	objects     *objectstore.Store
	box         *mediabox.Box
	downloader  *egress.Downloader
}

func buildMedia(
	ctx context.Context, cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring, policy *egress.Policy,
) (*mediaParts, error) {
	objects, err := bootstrap.Files(cfg.ObjectStore)
	if err != nil {
		return nil, err
	}
	downloader, err := egress.NewDownloader(egress.DownloaderConfig{Policy: policy, UserAgent: importAgent})
	if err != nil {
		return nil, err
	}
	box, err := mediabox.New(ctx, mediabox.Config{Folder: cfg.MediaFolder, Clock: p.Clock, Logger: p.Logger})
	if err != nil {
		return nil, err
	}
	metrics, loose := mediaactivity.NewMetrics(p.Registry), postgres.NewLoose(db)
	m := mediaParts{objects: objects, box: box, downloader: downloader}
	m.importer, err = mediaactivity.NewImporter(mediaactivity.ImporterConfig{
		Imports: postgres.NewImports(db, keyring), Workspaces: postgres.NewWorkspaces(db), Usage: postgres.NewUsage(db),
		Loose:   loose,
		Objects: objects, Media: postgres.NewMedia(db), Downloader: downloader, Box: box, Folder: cfg.MediaFolder,
		Clock: p.Clock, Logger: p.Logger, Metrics: metrics,
	})
	if err != nil {
		return nil, err
	}
	m.processor, err = mediaactivity.NewProcessor(mediaactivity.ProcessorConfig{
		Media: postgres.NewMedia(db), Loose: loose, Objects: objects, Box: box, Folder: cfg.MediaFolder, Clock: p.Clock,
		Logger:  p.Logger,
		Metrics: metrics,
	})
	if err != nil {
		return nil, err
	}
	m.attachments, err = mediaactivity.NewFiles(mediaactivity.FilesConfig{
		Loose: loose, Objects: objects, Box: box, Folder: cfg.MediaFolder, Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	m.pictures, err = mediaactivity.NewPictures(mediaactivity.PicturesConfig{
		Store: postgres.NewPictures(db), Loose: loose, Objects: objects, Downloader: downloader, Box: box,
		Folder: cfg.MediaFolder, Clock: p.Clock, Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	m.converter, err = mediaactivity.NewConverter(mediaactivity.ConverterConfig{
		Renditions: postgres.NewRenditions(db), Files: m.attachments, Box: box,
	})
	return &m, err
}

// queues returns the queues of the media workflows. Imports have their own queue, so that slow imports do not delay
// thumbnails.
func (m *mediaParts) queues(imports, files int) []Queue {
	return []Queue{
		{
			Name: flow.QueueImport, Workflows: true, Activities: true,
			Options: worker.Options{MaxConcurrentActivityExecutionSize: imports},
			Register: func(w worker.Worker) {
				w.RegisterWorkflowWithOptions(background.ImportFile, workflow.RegisterOptions{Name: flow.WorkflowImport})
				w.RegisterActivityWithOptions(m.importer.Import, activity.RegisterOptions{Name: flow.ActivityImport})
				w.RegisterActivityWithOptions(m.importer.FailImport, activity.RegisterOptions{Name: flow.ActivityFailImport})
			},
		},
		{
			Name: flow.QueueProcess, Workflows: true, Activities: true,
			Options: worker.Options{MaxConcurrentActivityExecutionSize: files},
			Register: func(w worker.Worker) {
				w.RegisterWorkflowWithOptions(background.ProcessFile, workflow.RegisterOptions{Name: flow.WorkflowProcess})
				w.RegisterActivityWithOptions(m.processor.Process, activity.RegisterOptions{Name: flow.ActivityProcess})
				w.RegisterActivityWithOptions(m.processor.GiveUp, activity.RegisterOptions{Name: flow.ActivityGiveUp})
			},
		},
	}
}
