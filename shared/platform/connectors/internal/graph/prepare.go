package graph

import (
	"context"
	"net/url"
	"slices"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Durations of the preparation.
const (
	// leastWait and mostWait bound the wait before the next status call, which is the time since the containers were
	// started. Meta asks clients not to poll more often, and to wait half a minute if nothing is known.
	leastWait = 5 * time.Second
	mostWait  = 30 * time.Second
	// life is the time for which a container is used. Meta keeps it for a day.
	life = 23 * time.Hour
	// stuck is the time in progress after which a container counts as failed.
	stuck = time.Hour
	// settling is the time for which a new container may be reported as missing.
	settling = time.Minute
	// makingTime is the time for which one step creates containers. Their handle is then stored before the next step.
	makingTime = 30 * time.Second
)

// Limits on replacements of failed containers. After mostAgain replacements, no container is created for the rest
// period, because the network allows only some hundreds of containers a day.
const (
	mostAgain = 4
	rest      = 5 * time.Minute
)

// prepare continues the plan from the handle. Each step that creates a container ends by returning the handle, so that
// a crash loses at most one step and never leads to a second container of the post if one is known. If a step fails
// after it created something, the failure is reported by the next step, which meets it again.
func (s session) prepare(ctx context.Context, plan Plan, handle platform.Handle) (platform.Preparation, error) {
	w := &work{session: s, plan: plan, before: handle, held: parse(handle), started: s.Client.Now()}
	if w.Container != "" {
		preparation, again, err := w.resume(ctx)
		if !again {
			return preparation, err
		}
		w.reset()
	}
	if len(w.Items) != len(plan.Items) || w.Since != 0 && w.age(w.Since) > life {
		w.reset()
		w.Items = make([]item, len(plan.Items))
	}
	ready, err := w.items(ctx)
	if err == nil && ready {
		err = w.whole(ctx)
	}
	return w.end(ctx, err)
}

// work is one step.
type work struct {
	session
	held

	plan    Plan
	before  platform.Handle
	started time.Time
	further bool // this step made progress, so the handle must be stored
}

func (w *work) age(unix int64) time.Duration { return w.Client.Now().Sub(time.Unix(unix, 0)) }

// late reports whether the step has exceeded makingTime.
func (w *work) late() bool { return w.Client.Now().Sub(w.started) > makingTime }

// resume checks the container of the post. It sets again if the container must be created again.
func (w *work) resume(ctx context.Context) (preparation platform.Preparation, again bool, err error) {
	if rest := w.unsettled(); rest > 0 {
		return platform.Preparation{Handle: w.before, Wait: rest}, false, nil
	}
	done, err := w.judge(ctx, w.Container)
	switch {
	case err != nil:
		return platform.Preparation{}, false, err
	case done == finished, done == unread:
		return w.release(), false, nil
	case done == pending:
		return platform.Preparation{Handle: w.before, Wait: w.wait()}, false, nil
	default:
		return platform.Preparation{}, true, nil
	}
}

// release hands the finished container over to be published, after the time that the network needs for it.
func (w *work) release() platform.Preparation {
	if w.Ready == 0 && w.Settle > 0 && !w.plan.Instant {
		w.Ready = w.Client.Now().Unix()
	}
	if rest := w.unsettled(); rest > 0 {
		return platform.Preparation{Handle: httpcall.Handle(&w.held), Wait: rest}
	}
	return platform.Preparation{Handle: httpcall.Handle(&w.held), Ready: true}
}

// unsettled returns the rest of the time for which a finished container is left.
func (w *work) unsettled() time.Duration {
	if w.Ready == 0 {
		return 0
	}
	return w.Settle - w.age(w.Ready)
}

// items checks unfinished items and creates missing ones. It returns true if all are finished. Items created in this
// step are checked in the next one, after the handle is stored.
func (w *work) items(ctx context.Context) (bool, error) {
	if err := w.lookAtItems(ctx); err != nil {
		return false, err
	}
	for i, one := range w.Items {
		if one.ID != "" {
			continue
		}
		if w.late() {
			return false, nil
		}
		form, err := w.plan.Items[i](ctx)
		if err != nil {
			return false, err
		}
		if w.Items[i].ID, err = w.add(ctx, form); err != nil {
			return false, err
		}
	}
	return !slices.ContainsFunc(w.Items, func(i item) bool { return !i.Done }), nil
}

func (w *work) lookAtItems(ctx context.Context) error {
	for i, one := range w.Items {
		if one.ID == "" || one.Done || w.late() {
			continue
		}
		done, err := w.judge(ctx, one.ID)
		switch {
		case err != nil:
			return err
		case done == finished, done == unread:
			w.Items[i].Done, w.further = true, true
		case done == renewed:
			w.Items[i] = item{}
		}
	}
	return nil
}

// whole creates the container that is published.
func (w *work) whole(ctx context.Context) error {
	form, err := w.plan.Whole(ctx, w.ids())
	if err != nil {
		return err
	}
	id, err := w.add(ctx, form)
	if err != nil {
		w.doubt(platform.FailureOf(err).Code)
		return err
	}
	w.Container, w.Items = id, nil
	return nil
}

// doubt handles a refusal of the post's container because of its items: the items are checked again or created again.
func (w *work) doubt(code string) {
	switch {
	case len(w.Items) == 0:
	case code == CodeNotReady:
		for i := range w.Items {
			w.Items[i].Done = false
		}
		w.further = true
	case code == CodeStale && w.again():
		w.reset()
		w.Items, w.further = make([]item, len(w.plan.Items)), true
	}
}

func (w *work) add(ctx context.Context, form url.Values) (string, error) {
	id, err := w.create(ctx, form)
	if err != nil {
		return "", err
	}
	w.created(w.Client.Now())
	w.further = true
	return id, nil
}

// end returns the result of the step. After a container was created, only a rejection is returned as an error, so that
// the handle is not lost. end checks the container of the post once, because containers of text and of many images are
// finished at once.
func (w *work) end(ctx context.Context, err error) (platform.Preparation, error) {
	if err != nil && (!w.further || platform.FailureOf(err).Class == platform.ClassRejected) {
		return platform.Preparation{}, err
	}
	if w.Container != "" {
		if look, err := w.look(ctx, w.Container); err == nil && look.State == Finished {
			return w.release(), nil
		}
	}
	return platform.Preparation{Handle: httpcall.Handle(&w.held), Wait: w.wait()}, nil
}

func (w *work) wait() time.Duration {
	if w.Since == 0 {
		return mostWait
	}
	return min(max(w.age(w.Since), leastWait), mostWait)
}

// progress is the result of checking a container.
type progress int

const (
	pending  progress = iota
	finished          // can be used
	renewed           // must be created again
	unread            // cannot be read, although it may exist: its use decides
)

// judge checks an existing container.
func (w *work) judge(ctx context.Context, id string) (progress, error) {
	look, err := w.look(ctx, id)
	if err != nil {
		return pending, err
	}
	switch look.State {
	case Finished:
		return finished, nil
	case Published:
		return pending, w.Client.Fail(platform.ClassUnknown, post.ErrorOutcomeUnknown, nil,
			"%s has already published this post.", w.Client.Name())
	case InProgress:
		if w.Created == 0 || w.age(w.Created) <= stuck {
			return pending, nil
		}
		return w.renew(w.Client.Unavailable(errStuck))
	case Gone:
		switch {
		case w.ofPage() && w.age(w.Created) <= life:
			return unread, nil
		case w.Created != 0 && w.age(w.Created) < settling:
			return pending, nil
		}
		return w.renew(w.Client.Unavailable(errGone))
	case ContainerExpired:
		return w.renew(w.Client.Unavailable(errGone))
	case Failed:
		if look.Failure == nil {
			look.Failure = w.Client.Unavailable(errFailed)
		}
		if !look.Passing {
			return pending, look.Failure
		}
		return w.renew(look.Failure)
	case Unknown:
	}
	return pending, w.Client.Unavailable(errUnknownState)
}

// renew requests a replacement of a failed container. It returns the failure if there were too many replacements
// recently.
func (w *work) renew(failure *platform.Failure) (progress, error) {
	if !w.again() {
		return pending, failure
	}
	return renewed, nil
}

// again counts a replacement of a container. It returns false if there were too many recently.
func (w *work) again() bool {
	if w.Again >= mostAgain && w.age(w.Created) < rest {
		return false
	}
	w.Again++
	return true
}
