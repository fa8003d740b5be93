package containers

import (
	"context"
	"net/url"
	"slices"
	"time"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

// Times of making.
const (
	// A container is looked at again after as long as it has taken so far, within these bounds. Meta asks not to look more
	// often than that, and to wait half a minute where nothing is known.
	leastWait = 5 * time.Second
	mostWait  = 30 * time.Second
	// life is how long a container is used; Meta keeps it for a day.
	life = 23 * time.Hour
	// stuck is how long a container may be worked on before it counts as failed.
	stuck = time.Hour
	// settling is how long a container that was just made may not be found.
	settling = time.Minute
	// makingTime bounds how long one step makes containers. What it made is then kept before it goes on.
	makingTime = 30 * time.Second
)

// A network that fails container after container is left alone for a while: it allows some hundreds of them a day.
const (
	mostAgain = 4
	rest      = 5 * time.Minute
)

// prepare goes on making the plan where the handle says that it ended. Each step that makes something ends by telling its
// handle, so that a crash costs what one step made and never leads to a second container of the whole beside a known one.
// What fails after something was made is met again by the next step, which then reports it.
func (s session) prepare(ctx context.Context, plan Plan, handle platform.Handle) (platform.Preparation, error) {
	w := &work{session: s, plan: plan, before: handle, held: parse(handle), started: s.Client.Now()}
	if w.Container != "" {
		preparation, again, err := w.resume(ctx)
		if !again {
			return preparation, err
		}
		w.forget()
	}
	if len(w.Items) != len(plan.Items) || w.Since != 0 && w.age(w.Since) > life {
		w.forget()
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
	further bool // than when the step began: the handle has to be kept
}

func (w *work) age(unix int64) time.Duration { return w.Client.Now().Sub(time.Unix(unix, 0)) }

// late says that the step has lasted long enough.
func (w *work) late() bool { return w.Client.Now().Sub(w.started) > makingTime }

// resume looks at the container of the whole. Again says that there is none any more.
func (w *work) resume(ctx context.Context) (preparation platform.Preparation, again bool, err error) {
	done, err := w.judge(ctx, w.Container)
	switch {
	case err != nil:
		return platform.Preparation{}, false, err
	case done == finished:
		return platform.Preparation{Handle: w.before, Ready: true}, false, nil
	case done == pending:
		return platform.Preparation{Handle: w.before, Wait: w.wait()}, false, nil
	default:
		return platform.Preparation{}, true, nil
	}
}

// items looks at those that are not finished, and makes those that are missing; true when all are finished. Items that were
// just made are looked at in the next step, when they are safe in the handle.
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
		case done == finished:
			w.Items[i].Done, w.further = true, true
		case done == renewed:
			w.Items[i] = item{}
		}
	}
	return nil
}

// whole makes the container that is published.
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

// doubt follows up what the network says of the items when it refuses the whole: they are looked at again, or made anew.
func (w *work) doubt(code string) {
	switch {
	case len(w.Items) == 0:
	case code == CodeNotReady:
		for i := range w.Items {
			w.Items[i].Done = false
		}
		w.further = true
	case code == CodeStale && w.again():
		w.forget()
		w.Items, w.further = make([]item, len(w.plan.Items)), true
	}
}

func (w *work) add(ctx context.Context, form url.Values) (string, error) {
	id, err := w.create(ctx, form)
	if err != nil {
		return "", err
	}
	w.made(w.Client.Now())
	w.further = true
	return id, nil
}

// end tells what the step achieved. From the moment a container exists nothing fails any more that may be over later, so that
// the handle is not lost. The container of the whole is looked at once: those of text and of many pictures are finished at once.
func (w *work) end(ctx context.Context, err error) (platform.Preparation, error) {
	if err != nil && (!w.further || platform.FailureOf(err).Class == platform.ClassRejected) {
		return platform.Preparation{}, err
	}
	preparation := platform.Preparation{Handle: w.handle(w.plan.Bare), Wait: w.wait()}
	if w.Container == "" {
		return preparation, nil
	}
	if look, err := w.look(ctx, w.Container); err == nil && look.State == Finished {
		preparation.Ready, preparation.Wait = true, 0
	}
	return preparation, nil
}

func (w *work) wait() time.Duration {
	if w.Since == 0 || w.plan.Bare {
		return mostWait
	}
	return min(max(w.age(w.Since), leastWait), mostWait)
}

// progress is what looking at a container leads to.
type progress int

const (
	pending  progress = iota
	finished          // can be used
	renewed           // has to be made anew
)

// judge decides what becomes of a container that exists.
func (w *work) judge(ctx context.Context, id string) (progress, error) {
	look, err := w.look(ctx, id)
	if err != nil {
		return pending, err
	}
	switch look.State {
	case Finished:
		return finished, nil
	case Published:
		return pending, w.Client.Fail(platform.ClassUnknown, post.ErrorOutcomeUnknown, nil, "%s has already published this post.", w.Client.Name())
	case InProgress:
		if w.Made == 0 || w.age(w.Made) <= stuck {
			return pending, nil
		}
		return w.renew(w.Client.Unavailable(errStuck))
	case Gone:
		if w.Made != 0 && w.age(w.Made) < settling {
			return pending, nil
		}
		return renewed, nil
	case Expired:
		return renewed, nil
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

// renew has a failed container made anew, unless that was tried too often of late: then the failure stands.
func (w *work) renew(failure *platform.Failure) (progress, error) {
	if !w.again() {
		return pending, failure
	}
	return renewed, nil
}

// again counts a container that is made in place of another; false when there were too many of late.
func (w *work) again() bool {
	if w.Again >= mostAgain && w.age(w.Made) < rest {
		return false
	}
	w.Again++
	return true
}
