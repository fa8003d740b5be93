package httpapi

import (
	"time"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

func exampleRotated(overlap time.Duration) apiforms.CreatedWebhook {
	out := apiforms.CreatedWebhook{Webhook: exampleEndpoint(), Secret: exampleSecret}
	if overlap > 0 {
		out.PreviousSecretExpiresAt = apiforms.OptionalTimestamp(exampleDay(6).Add(overlap))
	}
	return out
}

func exampleDelivery() app.DeliveryLog {
	const elapsed = 84 * time.Millisecond
	return app.DeliveryLog{
		Delivery: webhook.Delivery{
			ID: idOf[ident.Delivery]("0190a3cc-8279-7ee0-91bb-c08e9d02b1c6"), WebhookID: idOf[ident.Webhook](exampleWebhook),
			EventID: idOf[ident.Event](exampleEvent), EventType: event.PostPublished, State: webhook.Pending, Attempts: 1,
			NextAttemptAt: exampleDay(7).Add(10 * time.Second), CreatedAt: exampleDay(7),
		},
		Log: []webhook.Attempt{{
			N: 1, Trigger: webhook.Automatic, StartedAt: exampleDay(7), Duration: elapsed, StatusCode: 503,
			Response: "upstream is down", ErrorClass: "status_5xx",
		}},
	}
}

func exampleReplay(completed bool) apiforms.WebhookReplay {
	replay := webhook.Replay{
		ID: idOf[ident.Replay]("0190a3cd-938a-7ff1-82cc-d19fae13c2d7"), WebhookID: idOf[ident.Webhook](exampleWebhook),
		Since: exampleDay(0),
		Until: exampleDay(6), OnlyFailed: true, State: webhook.ReplayRunning, CreatedAt: exampleDay(7),
	}
	if completed {
		replay.State, replay.Queued, replay.CompletedAt = webhook.ReplayCompleted, 42, exampleDay(7).Add(time.Second)
	}
	return apiforms.ToAPIReplay(replay)
}

// exampleSequence is the sequence number of examples.
const exampleSequence = 1207

// exampleEnvelope is an event in its stored form.
const exampleEnvelope = `{"id":"evt_` + exampleEvent + `","type":"post.published","createdAt":"` +
	apiforms.ExampleTime + `","workspaceId":"` + exampleRequest + `",` +
	`"data":{"postId":"` + exampleID + `","channelId":"` + exampleChannel + `","status":"PUBLISHED","publishedAt":"` +
	apiforms.ExampleTime + `",` +
	`"postUrl":"https://t.me/acme_news/42","error":null}}`

func exampleLogged() apiforms.LoggedEvent {
	return apiforms.ToAPIEvent(postgres.LoggedEvent{Sequence: exampleSequence, Event: event.Event{Body: []byte(exampleEnvelope)}})
}
