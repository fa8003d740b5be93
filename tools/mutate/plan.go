package main

// ours is the plan of this repository. When a package is moved, only this file changes.
var ours = plan{
	packages: []target{
		{path: delivering},
		{path: publishing},
		{path: relay},
		{path: wire},
		{path: postgres, only: []kind{sqlTexts}},
		{path: deliveryFlow},
		{path: publishingFlow},
	},
	named:      changes,
	equivalent: accepted,
}

const (
	delivering     = "activities/delivering"
	publishing     = "activities/publishing"
	relay          = "services/internal/relay"
	wire           = "shared/platform/connectors/internal/httpcall"
	linkedin       = "shared/platform/connectors/linkedin"
	postgres       = "shared/infra/postgres"
	deliveryFlow   = "workflows/delivery"
	publishingFlow = "workflows/publishing"
)

// changes lists mutants that no operator generates. Each once survived the tests.
var changes = []named{
	{
		file: linkedin + "/reconcile.go", pkg: linkedin, tests: "TestReconcile",
		original: `		if !time.UnixMilli(post.CreatedAt).Before(since) {
			return false
		}
	}
	return true`,
		replacement: `		if time.UnixMilli(post.CreatedAt).Before(since) {
			return true
		}
	}
	return len(l.Elements) == 0`,
	},
	{
		file: linkedin + "/publish.go", pkg: linkedin, tests: "TestTheNameOfAPost",
		original: `response.Status == http.StatusCreated &&
		(response.Header.Get("X-Restli-Protocol-Version") != "" || response.Header.Get("X-Li-Uuid") != "")`,
		replacement: `response.Status == http.StatusCreated`,
	},
	{
		file: wire + "/commit.go", pkg: wire, tests: "TestABrokenAnswer.*",
		original:    `incomplete = incomplete && !answerBegun(err)`,
		replacement: `_ = answerBegun`,
	},
	{
		file: publishing + "/attempt.go", pkg: publishing, tests: "TestAnIntent.*",
		original:    `errors.Join(err, r.withdraw(ctx))`,
		replacement: `errors.Join(err)`,
	},
	{
		file: delivering + "/deliverer.go", pkg: delivering, tests: "TestACancelledDelivery.*",
		original:    `err := d.Deliveries.GiveBack(ctx, in); err != nil`,
		replacement: `err := error(nil); err != nil`,
	},
	{
		file: delivering + "/deliverer.go", pkg: delivering, tests: "TestAResponseIsRecorded.*",
		original:    `d.Deliveries.Record(context.WithoutCancel(ctx), `,
		replacement: `d.Deliveries.Record(ctx, `,
	},
	unreachableWithout(`isA[*serviceerror.Unavailable], `),
	unreachableWithout(`isA[*serviceerror.Canceled], `),
	unreachableWithout(`isA[*serviceerror.NamespaceNotFound],`),
	unreachableWithout(`isA[*serviceerror.Internal], `),
	unreachableWithout(`isA[*serviceerror.NotFound],`),
	{
		file: deliveryFlow + "/delivery.go", pkg: deliveryFlow, tests: "Test.*",
		original:    `InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,`,
		replacement: `MaximumAttempts: 1,`,
	},
	{
		file: publishingFlow + "/post.go", pkg: publishingFlow, tests: "Test.*",
		original:    `HeartbeatTimeout:    heartbeatTimeout,`,
		replacement: `HeartbeatTimeout: 0 * heartbeatTimeout,`,
	},
}

// unreachableWithout returns a mutant that treats one kind of Temporal error as a failure of the message.
func unreachableWithout(kind string) named {
	return named{
		file: relay + "/deliver.go", original: kind, replacement: "", pkg: relay, tests: "TestAnOutageOfTemporal.*",
	}
}

// accepted lists the changes that need no test.
var accepted = []equivalent{
	{delivering + "/deliverer.go", "Deliverer.prepare", "dispatch.Early > earliness: >=", exactly},
	{delivering + "/express.go", "Express.Run", "drop defer release()", resource},
	{
		delivering + "/express.go", "Express.Run", "drop e.pause(ctx, claimed)",
		"saves statements; the pauses themselves have a test",
	},
	{delivering + "/express.go", "Express.hold", "drop delete(e.holds, id)", resource},
	{delivering + "/express.go", "Express.conclude", "drop e.report(ctx, FailAfterRecord", crashPoint},
	{delivering + "/express.go", "Express.recordBatch", "drop e.report(ctx, FailBeforeRecord", crashPoint},
	{delivering + "/express.go", "Express.recordBatch", "drop e.report(ctx, FailAfterRecord", crashPoint},
	{delivering + "/outage.go", "outage.prune", "drop o.recent = nil", resource},
	{publishing + "/failures.go", "run.processing", "now.Sub(r.firstTry()) > processingBudget: >=", exactly},
	{publishing + "/limits.go", "run.letIn", "if err != nil: negated", "the condition affects only a log entry"},
	{publishing + "/publisher.go", "run.unseen", "r.Now.Sub(r.Post.ScheduledAt) < unseenBudget: <=", exactly},
	{publishing + "/publisher.go", "run.obstacle", "late > post.MissedAfter: >=", exactly},
	{publishing + "/reconcile.go", "run.cannotAsk", "left > 0: >=", exactly},
	{publishing + "/reconcile.go", "run.ask", "drop err = failpoint.Hit(ctx, FailBeforeEvidence)", crashPoint},
	{relay + "/relay.go", "sleep", "return false: negated", "both callers check the context right after it"},
	{relay + "/relay.go", "Relay.fanOut", "handled > 0: >=", crashPoint},
	{relay + "/relay.go", "Relay.fanOut", "if handled > 0: negated", crashPoint},
	{relay + "/lanes.go", "Relay.carry", "drop down = failpoint.Hit(ctx, FailBeforeDelete)", crashPoint},
	{
		relay + "/relay.go", "Relay.admit", "err != nil || admitted == 0: without err != nil",
		"Admit returns 0 with an error",
	},
	{relay + "/lanes.go", "Relay.carry", "drop defer release()", resource},
	{wire + "/call.go", "Client.exchange", "drop defer cancel(nil)", resource},
	{wire + "/call.go", "Client.exchange", "drop defer func() { _ = answer.Body.Close() }()", resource},
	{wire + "/commit.go", "Client.CommitCall", "return c.OutcomeUnknown(err): nil", crashPoint},
	{
		wire + "/commit.go", "Client.dialTLS", `return fmt.Errorf("host of the certificate`,
		"the transport passes only addresses with a port",
	},
	{wire + "/failures.go", "answerBegun", "ok && cut.begun: without ok", "exchange returns no other error"},
	{wire + "/gate.go", "gate.enter", "if !opened: negated", crashPoint},
	{wire + "/gate.go", "gate.enter", "if err != nil: negated", crashPoint},
	{wire + "/gate.go", "gate.enter", "drop g.shut(err)", crashPoint},
	{
		wire + "/gate.go", "gate.mayOpen",
		"now.After(until) || now.Round(0).After(until.Round(0)): without now.After(until)", twoClocks,
	},
	{
		wire + "/gate.go", "gate.mayOpen", "now.After(until) || now.Round(0).After(until.Round(0)): without now.Round(0)",
		twoClocks,
	},
	{wire + "/grant.go", "Seconds.UnmarshalJSON", "seconds > 0: >=", "zero is the value of an unusual lifetime"},
	{wire + "/stream.go", "stream.Close", "drop s.rest()", resource},
	{
		postgres + "/sql/event_fanout.sql", "", `SQL "l.workspace_id = c.workspace_id"`,
		"every row of the join gives the same values; the join has the sequences locked first",
	},
	{postgres + "/insights_read.go", "Insights.rates", `SQL "c.workspace_id = @workspace"`, otherChannels},
	{postgres + "/insights_read.go", "Insights.totals", `SQL "p.workspace_id = @workspace"`, otherChannels},
	{
		postgres + "/sql/media_loosen_derived.sql", "", `SQL "workspace_id = @workspace"`,
		"the transaction is undone when the statement after it finds no such asset",
	},
	{
		deliveryFlow + "/delivery.go", "pause", "return workflow.NewTimerWithOptions(",
		"a cancelled wait is followed by an attempt, which is cancelled too",
	},
	{publishingFlow + "/post.go", "setup", "return r.answerQueries(ctx): nil", sdkAccepts},
	{publishingFlow + "/queries.go", "postRun.answerQueries", "return fmt.Errorf(", sdkAccepts},
	{publishingFlow + "/post.go", "postRun.publish", "return r.announce(ctx, out.Status): nil", sdkAccepts},
	{publishingFlow + "/post.go", "postRun.announce", "return fmt.Errorf(", sdkAccepts},
}

const (
	crashPoint = "crash points do nothing without their build tag; services/e2e/faults covers them"
	exactly    = "the database's clock never hits the boundary exactly"
	twoClocks  = "a test has no times whose wall and monotonic readings differ; the machine has them when it sleeps or " +
		"its clock is set"
	sdkAccepts = "the SDK refuses only handlers and attributes of a wrong form, which are constant here; others are " +
		"refused by the server"
	// Figures are read of all channels then, and looked up for those of the workspace.
	otherChannels = "it avoids reading the figures of other workspaces, which are not used"
	resource      = "frees memory or a connection early; nothing else depends on it"
)
