package app

import (
	"context"
	"maps"
	"slices"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// PlanFile is the state of a file of the web that an import of posts needs.
type PlanFile struct {
	ID    ident.Media // of the asset, once it is ready
	State media.ImportState
	Fault string // of a failed one
}

// PlanFiles returns the states of the files of an import that were requested, by their addresses.
func (a *planUseCases) PlanFiles(ctx context.Context, p Principal, of plan.Settings) (map[string]PlanFile, error) {
	if len(of.Files) == 0 {
		return nil, nil
	}
	ready, err := a.media.Named(ctx, p.WorkspaceID, nil, slices.Collect(maps.Values(of.Files)))
	if err != nil {
		return nil, err
	}
	files := make(map[string]PlanFile, len(of.Files))
	for address, id := range of.Files {
		if files[address], err = a.planFile(ctx, p, id); err != nil {
			return nil, err
		}
	}
	for _, asset := range ready {
		for address, id := range of.Files {
			if id == asset.ID {
				files[address] = PlanFile{ID: id, State: media.ImportDone}
			}
		}
	}
	return files, nil
}

// planFile returns the state of an import whose asset does not exist.
func (a *planUseCases) planFile(ctx context.Context, p Principal, id ident.Media) (PlanFile, error) {
	found, err := a.library.imports.State(ctx, p.WorkspaceID, id)
	switch {
	case apperr.Is(err, apperr.NotFound), err == nil && found.State == media.ImportDone:
		return PlanFile{State: media.ImportFailed, Fault: "The file was deleted from the library."}, nil
	case err == nil && found.State == media.ImportFailed:
		return PlanFile{State: media.ImportFailed, Fault: found.ErrorText}, nil
	case err == nil && a.now().After(found.Deadline.Add(afterDeadline)):
		return PlanFile{State: media.ImportFailed, Fault: "The file did not arrive in time."}, nil
	default:
		return PlanFile{State: media.ImportRunning}, err
	}
}

// CheckPlanFile returns IMPORT_FAILED for an address from which no file can be fetched.
func (a *planUseCases) CheckPlanFile(address string) error { return a.library.admitsAddress(address) }

// FetchPlanFiles starts the imports of files from the web that an import of posts needs, as many as the workspace may run
// at once, and keeps them in its settings. Again also starts those that failed. Errors: NOT_FOUND as PlanImport,
// QUOTA_EXCEEDED.
func (a *planUseCases) FetchPlanFiles(
	ctx context.Context, p Principal, id ident.PlanImport, addresses []string, again bool,
) error {
	if err := p.Require(credential.MediaWrite); err != nil {
		return err
	}
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		found, err := a.imports.Get(ctx, p.WorkspaceID, p.Person.ID, id)
		if err != nil {
			return err
		}
		known, err := a.PlanFiles(ctx, p, found.Settings)
		if err != nil {
			return err
		}
		if found.Settings.Files == nil {
			found.Settings.Files = make(map[string]ident.Media)
		}
		for _, address := range addresses {
			if file, requested := known[address]; requested && (file.State != media.ImportFailed || !again) {
				continue
			}
			started, _, err := a.library.startImport(ctx, p, ImportMedia{URL: address})
			if apperr.Is(err, apperr.RateLimited) {
				break // the others start once these have ended
			}
			if err != nil {
				return err
			}
			found.Settings.Files[address] = started.ID
		}
		return a.imports.Configure(ctx, id, found.Settings, a.now())
	})
}
