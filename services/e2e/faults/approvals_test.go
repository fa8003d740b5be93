package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// desk is a post that several people change and decide about.
type desk struct {
	l        *lab.Lab
	judge    *harness.Person
	id       string
	name     string
	versions int
	mu       sync.Mutex
	approved map[string]bool // texts that the judge approved, also if the response was lost
}

// text returns the text of a version. It is unique, and contains no other.
func (d *desk) text(version int) string {
	return fmt.Sprintf("Approvals %s version %d.", d.name, version)
}

// open creates the post as a draft with an intended time, and asks for approval.
func open(t *testing.T, l *lab.Lab, judge *harness.Person, name string, at time.Time) *desk {
	t.Helper()
	d := &desk{l: l, judge: judge, name: name, approved: make(map[string]bool)}
	d.id = l.Create(channel.Twitter, d.text(0), "draft").ID
	edit(t, l, d.id, fencepost.EditPostRequest{ScheduledAt: fencepost.Set(harness.At(at))})
	l.RequestApproval(d.id)
	return d
}

// step makes one of the changes. Most are refused by the state of the post; the errors of processes that die are expected too.
func (d *desk) step(ctx context.Context, which int) {
	page := "/posts/" + d.id
	switch which {
	case 0:
		d.versions++
		text := d.text(d.versions)
		_, _ = d.l.API.Posts.Edit(ctx, d.id, fencepost.EditPostRequest{Content: fencepost.Set(text)})
	case 1:
		_, _ = d.l.API.Posts.RequestApproval(ctx, d.id)
	case 2:
		_, _ = d.judge.Submit(ctx, page, page+"/reject", url.Values{"comment": {"Not yet"}})
	case 3: // a plan without approval
		at := harness.At(time.Now().Add(2 * time.Second))
		_, _ = d.l.API.Posts.Schedule(ctx, d.id, fencepost.SchedulePostRequest{ScheduledAt: at})
	default:
		d.approve(ctx, page)
	}
}

var (
	seenField   = regexp.MustCompile(`name="seen" value="([0-9a-f]{64})"`)
	versionText = regexp.MustCompile(`Approvals \S+ version \d+\.`)
)

// approve approves the version that the page shows.
func (d *desk) approve(ctx context.Context, page string) {
	shown, err := d.judge.Open(ctx, page)
	seen, text := seenField.FindStringSubmatch(shown), versionText.FindString(shown)
	if err != nil || seen == nil {
		return
	}
	d.mu.Lock()
	d.approved[text] = true
	d.mu.Unlock()
	_, _ = d.judge.Submit(ctx, page, page+"/approve", url.Values{"seen": {seen[1]}})
}

// TestF70PostsAreDecidedWhileWorkersDie edits, approves, rejects and schedules posts that need an approval up to their time, while
// workers die.
func TestF70PostsAreDecidedWhileWorkersDie(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F70", Title: "Posts that need an approval are edited, approved, rejected and scheduled up to their time, while workers die",
		Expect: "I1: nothing is published without the approval of exactly its content",
	})
	l.Run(2)
	l.Start("console", "").Ready()
	judge := l.NewPerson("judge@example.com")
	l.NewPerson("owner@example.com") // so that neither is the only owner
	require.NoError(t, judge.SignIn(t.Context()))
	l.Exec(`UPDATE workspace SET approval_policy = 2 WHERE id = CAST($1 AS uuid)`, l.Workspace.String())
	const posts = 8
	desks := make([]*desk, posts)
	for i := range desks {
		desks[i] = open(t, l, judge, fmt.Sprintf("desk-%d", i), time.Now().Add(time.Duration(8+2*i)*time.Second))
	}
	l.Arm(append(lab.Kills("publish.after_claim", 1), lab.Kills("publish.after_intent", 1)...)...)
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(10+2*posts)*time.Second)
	defer stop()
	var all sync.WaitGroup
	for i, d := range desks {
		random := rand.New(rand.NewPCG(70, uint64(i))) //nolint:gosec // G404: a test
		all.Go(func() {
			for ctx.Err() == nil {
				d.step(ctx, random.IntN(10)) // approvals are the most frequent
			}
		})
	}
	all.Wait()
	l.WaitFired("publish.after_claim", 2*recovery)
	l.Healed()
	l.Settle(recovery)
	published := 0
	for _, e := range l.Sandbox.Ledger() {
		if !strings.HasPrefix(e.Text, "Approvals ") {
			continue
		}
		published++
		text := versionText.FindString(e.Text)
		at := -1
		for i, d := range desks {
			if strings.HasPrefix(text, "Approvals "+d.name+" ") {
				at = i
			}
		}
		require.GreaterOrEqual(t, at, 0, e.Text)
		require.True(t, desks[at].approved[text], "published without an approval: %s", text)
		require.Equal(t, "PUBLISHED", l.Get(desks[at].id).Status)
	}
	require.Positive(t, published, "some were approved in time")
	require.Equal(t, []string{"0"}, l.Query(t, `SELECT count(*) FROM post p WHERE p.status = 'PUBLISHED' AND p.approval_status IS DISTINCT FROM 'APPROVED'`))
	l.Check(lab.Without("I7")) // texts of posts change, so that no response has them
}
