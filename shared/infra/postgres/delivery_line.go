package postgres

import (
	"context"
	"database/sql/driver"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
)

// hold is the time that a place is held for a delivery without activity: longer than an attempt and its retry, and
// longer than most restarts of Temporal.
const hold = 5 * time.Minute

// attemptTime is the minimum time for which a place must still be held when an attempt starts.
const attemptTime = time.Minute

// Admit gives free places to waiting deliveries, enqueues them for Temporal or the express lane, and returns the number
// of admitted deliveries. Deliveries without a place stay in the database, however many there are: Temporal only sees
// deliveries that can be sent now, and no endpoint or workspace blocks another.
func (s *Deliveries) Admit(ctx context.Context) (int, error) {
	var admitted int
	after := value(s.db.express).Seconds()
	err := s.db.conn(ctx).Raw(admitDeliveries, map[string]any{
		"hold": hold.Seconds(), "express": s.db.express != nil, "after": after, "silence": expressSilence.Seconds(),
		"busy": expressBusy.Seconds(), "backlog": int(after * expressRate), "traced": s.db.traced,
	}).Scan(&admitted).Error
	return admitted, classify(err)
}

// TakePlace holds a place for the next attempt of a delivery or redelivery; false if its endpoint has no free place.
func (s *Deliveries) TakePlace(ctx context.Context, in flow.DeliveryInput) (bool, error) {
	var places int
	params := map[string]any{"webhook": in.WebhookID, "holder": holder(in), "hold": hold.Seconds()}
	err := s.db.conn(ctx).Raw(takePlace, params).Scan(&places).Error
	return places > 0, classify(err)
}

// GiveBack frees the place of an attempt that is not made, unless the place is held for another run of the delivery.
func (s *Deliveries) GiveBack(ctx context.Context, in flow.DeliveryInput) error {
	place := s.db.conn(ctx).Table("webhook_place").Where("webhook_id = ? AND held_by = ?", in.WebhookID, holder(in))
	if in.RedeliveryID.IsZero() {
		place = place.Where("EXISTS (SELECT FROM delivery WHERE id = ? AND run = ?)", in.DeliveryID, in.Run)
	}
	return classify(place.Updates(map[string]any{"held_by": nil, "held_until": gorm.Expr("'-infinity'")}).Error)
}

// Requeue puts a delivery whose endpoint has no free place back into its line, in the lane of live events, whatever
// its origin. Another workflow continues from there.
func (s *Deliveries) Requeue(ctx context.Context, in flow.DeliveryInput) error {
	return classify(openDelivery(s.db.conn(ctx), in).Updates(map[string]any{
		"lane": laneLive, "next_attempt_at": nil, "run": gorm.Expr("greatest(run, 1)"),
	}).Error)
}

// holder returns the ID under which a place is held.
func holder(in flow.DeliveryInput) driver.Valuer {
	if !in.RedeliveryID.IsZero() {
		return in.RedeliveryID
	}
	return in.DeliveryID
}

// Waiting returns the number of deliveries that wait in the line of an endpoint.
func (s *Deliveries) Waiting(ctx context.Context, id ident.Webhook) (int, error) {
	var count int64
	err := s.db.conn(ctx).Table("delivery").Where("webhook_id = ? AND lane IS NOT NULL", id).Count(&count).Error
	return int(count), classify(err)
}

// InLine returns the number of deliveries that wait in the lines of all endpoints.
func (s *Deliveries) InLine(ctx context.Context) (int, error) {
	var count int64
	err := s.db.conn(ctx).Table("delivery").Where("lane IS NOT NULL").Count(&count).Error
	return int(count), classify(err)
}
