package main

import (
	"context"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
)

// background returns the recording of a workflow that consists of activities with these outcomes and the waits between
// them.
func (s *scripts) background(name, id, queue, kind string, in any, outcomes ...any) recording {
	s.outcomes[id] = outcomes
	ends := len(outcomes)
	if outcomes[ends-1] == any(hang{}) {
		ends--
	}
	return recording{
		module: "background", name: name, failed: fails(outcomes),
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, kind, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				ended := kinds[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED] + kinds[enums.EVENT_TYPE_ACTIVITY_TASK_FAILED]
				return ended >= ends && kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= len(outcomes)
			})
		},
	}
}

func (s *scripts) deliveries() []recording {
	done := flow.DeliveryOutcome{Done: true, Note: "Delivered with attempt 1."}
	again := func(d time.Duration) flow.DeliveryOutcome { return flow.DeliveryOutcome{Wait: d, Note: "waits"} }
	deliver := func(name string, run int, requested ident.Redelivery, outcomes ...any) recording {
		in := flow.DeliveryInput{
			DeliveryID: ident.New[ident.Delivery](), WorkspaceID: ident.New[ident.Workspace](),
			WebhookID: ident.New[ident.Webhook](), Run: run, RedeliveryID: requested,
		}
		return s.background("delivery_"+name, in.ID(), flow.QueueDeliveries, flow.WorkflowDelivery, in, outcomes...)
	}
	replay := func(name string, outcomes ...any) recording {
		in := flow.ReplayInput{
			ReplayID: ident.New[ident.Replay](), WorkspaceID: ident.New[ident.Workspace](),
			WebhookID: ident.New[ident.Webhook](),
		}
		return s.background("delivery_"+name, in.ID(), flow.QueueDeliveries, flow.WorkflowReplay, in, outcomes...)
	}
	none := ident.Redelivery{}
	return []recording{
		deliver("delivered", 1, none, done),
		deliver("retried", 1, none, again(time.Second), again(time.Second), done),
		deliver("left_the_line_again", 2, none, done),
		deliver("redelivered", 0, ident.New[ident.Redelivery](), again(time.Second), done),
		deliver("open_waiting_for_retry", 1, none, again(time.Second), again(far)),
		replay("replayed", again(time.Second), again(time.Second), done),
		replay("open_replaying", again(time.Second), again(far)),
	}
}

func (s *scripts) media() []recording {
	file := func(name, kind string, outcomes ...any) recording {
		in := flow.MediaInput{MediaID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
		id := flow.ImportID(in.MediaID)
		if kind == flow.WorkflowProcess {
			id = flow.ProcessID(in.MediaID)
		}
		return s.background("media_"+name, id, flow.QueueProcess, kind, in, outcomes...)
	}
	noted := func(activity string) flow.MediaOutcome { return flow.MediaOutcome{Note: activity} }
	down := temporal.NewNonRetryableApplicationError("storage is down", "Down", nil)
	return []recording{
		file("imported", flow.WorkflowImport, noted(flow.ActivityImport)),
		file("import_failed", flow.WorkflowImport, down, noted(flow.ActivityFailImport)),
		file("open_importing", flow.WorkflowImport, hang{}),
		file("open_failing_import", flow.WorkflowImport, down, hang{}),
		file("processed", flow.WorkflowProcess, noted(flow.ActivityProcess)),
		file("given_up", flow.WorkflowProcess, down, noted(flow.ActivityGiveUp)),
		file("open_processing", flow.WorkflowProcess, hang{}),
		file("open_giving_up", flow.WorkflowProcess, down, hang{}),
	}
}

func (s *scripts) insights() []recording {
	collect := func(name string, outcomes ...any) recording {
		in := flow.InsightsInput{
			ChannelID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Network: network,
		}
		return s.background("insights_"+name, flow.InsightsScheduleID(in.ChannelID), flow.QueueInsights,
			flow.WorkflowInsights, in, outcomes...)
	}
	done := flow.InsightsOutcome{Done: true, Note: "Collected: every day and every post of the last 90 days."}
	page := flow.InsightsOutcome{Next: flow.InsightsStep{Posts: true}, Note: "Read the days."}
	wait := func(d time.Duration) flow.InsightsOutcome {
		return flow.InsightsOutcome{Wait: d, Next: flow.InsightsStep{Tries: 1}, Note: "The network asks to wait."}
	}
	return []recording{
		collect("collected", page, done),
		collect("rate_limited", wait(time.Second), page, done),
		collect("stopped", flow.InsightsOutcome{Done: true, Note: "Stopped until the channel is reconnected."}),
		collect("open_waiting_for_the_network", page, wait(far)),
		collect("open_reading", page, hang{}),
	}
}

func (s *scripts) mailing() []recording {
	send := func(name string, outcomes ...any) recording {
		in := flow.MailInput{
			MailID: ident.New[ident.Mail](), WorkspaceID: ident.New[ident.Workspace](), Kind: mail.Invitation,
		}
		return s.background("mail_"+name, flow.MailID(in.MailID), flow.QueueMails, flow.WorkflowMail, in, outcomes...)
	}
	sent := flow.MailOutcome{Done: true, Note: "Sent."}
	refused := flow.MailOutcome{Done: true, Refused: true, Note: "The mail server refused the mail with code 550."}
	wait := func(d time.Duration) flow.MailOutcome {
		return flow.MailOutcome{Wait: d, Note: "The mail server cannot be reached."}
	}
	return []recording{
		send("sent", sent),
		send("retried", wait(time.Second), wait(time.Second), sent),
		send("given_up", wait(time.Second), refused),
		send("open_waiting_for_the_server", wait(far)),
		send("open_sending", wait(time.Second), hang{}),
	}
}

func (s *scripts) replying() []recording {
	reply := func(name string, outcomes ...any) recording {
		in := flow.ReplyInput{MessageID: ident.New[ident.Message](), WorkspaceID: ident.New[ident.Workspace](), Network: network}
		return s.background("reply_"+name, flow.ReplyID(in.MessageID), flow.QueueReplies(network), flow.WorkflowReply, in, outcomes...)
	}
	wait := func(d time.Duration) flow.ReplyOutcome {
		return flow.ReplyOutcome{Wait: d, Note: "NETWORK_UNAVAILABLE"}
	}
	sent := flow.ReplyOutcome{Done: true, Note: "Sent."}
	return []recording{
		reply("sent", sent),
		reply("retried", wait(time.Second), wait(time.Second), sent),
		reply("refused", flow.ReplyOutcome{Done: true, Refused: true, Note: "The time to answer was over."}),
		reply("open_waiting_for_the_network", wait(far)),
		reply("open_sending", wait(time.Second), hang{}),
	}
}

func (s *scripts) following() []recording {
	follow := func(name string, wait time.Duration, outcomes ...any) recording {
		in := flow.FollowupInput{
			LeadID: ident.New[ident.Lead](), WorkspaceID: ident.New[ident.Workspace](), Revision: 1, At: time.Now().Add(wait).UTC(),
		}
		return s.background("followup_"+name, flow.FollowupID(in.LeadID), flow.QueueFollowups, flow.WorkflowFollowup, in, outcomes...)
	}
	sent := flow.FollowupOutcome{Note: "The owner was reminded."}
	waiting := follow("open_waiting_for_its_time", far, sent)
	waiting.script = nil // no activity is scheduled
	return []recording{
		follow("reminded", time.Second, sent),
		follow("moved", 0, flow.FollowupOutcome{At: time.Now().Add(2 * time.Second).UTC(), Note: "The follow-up was moved."}, sent),
		waiting,
		follow("open_reminding", 0, hang{}),
	}
}

func (s *scripts) renewing() []recording {
	due := func(delay time.Duration, outcomes ...any) flow.RenewalInput {
		in := flow.RenewalInput{
			ChannelID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Network: network,
			Delay: delay,
		}
		s.outcomes[flow.RenewalID(in.ChannelID)] = outcomes
		return in
	}
	renew := func(name string, delay time.Duration, outcomes ...any) recording {
		in := due(delay)
		return s.background("renewal_"+name, flow.RenewalID(in.ChannelID), flow.QueueRenewals, flow.WorkflowRenewal, in,
			outcomes...)
	}
	sweep := func(name string, pages ...any) recording {
		first := flow.RenewalsPage{After: ident.New[ident.Channel]()}
		return s.background("renewal_"+name, flow.RenewalsScheduleID+"/"+name+"/"+first.After.String(), flow.QueueRenewals,
			flow.WorkflowRenewalSweep, first, pages...)
	}
	renewed := flow.RenewalOutcome{Done: true, Note: "Renewed."}
	refused := flow.RenewalOutcome{Done: true, Refused: true, Note: "Threads no longer accepts this connection."}
	wait := func(d time.Duration) flow.RenewalOutcome {
		return flow.RenewalOutcome{Wait: d, Begun: time.Now().UTC(), Note: "Threads could not be reached."}
	}
	slow := due(far, renewed)
	swept := sweep("swept", flow.RenewalsFound{Due: []flow.RenewalInput{due(0, renewed)}, More: true},
		flow.RenewalsFound{Due: []flow.RenewalInput{slow, due(0, renewed)}})
	begin := swept.start
	swept.start = func(ctx context.Context, c client.Client) (client.WorkflowRun, error) { // while a renewal is running
		options := client.StartWorkflowOptions{ID: flow.RenewalID(slow.ChannelID), TaskQueue: flow.QueueRenewals}
		if _, err := c.ExecuteWorkflow(ctx, options, flow.WorkflowRenewal, slow); err != nil {
			return nil, err
		}
		return begin(ctx, c)
	}
	late := renew("open_waiting_for_its_turn", far, renewed)
	late.script = nil // no activity is scheduled
	return []recording{
		sweep("swept_nothing", flow.RenewalsFound{Due: []flow.RenewalInput{}}),
		swept,
		sweep("open_sweeping", hang{}),
		renew("renewed", time.Second, renewed),
		renew("retried", 0, wait(time.Second), renewed),
		renew("refused", 0, refused),
		late,
		renew("open_waiting_for_the_network", 0, wait(far)),
		renew("open_renewing", 0, hang{}),
	}
}
