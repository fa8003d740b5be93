package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// costMonths is the number of months whose costs the page of a channel shows, with the present one.
const costMonths = 12

// ChannelInbox holds the facts of its inbox that the page of a channel shows.
type ChannelInbox struct {
	postgres.SourceHealth

	MarksRead   bool // the network shows people what was read
	ReadsOnOpen bool // also what was opened, not only what was replied to
	Counts      bool // the network counts answers by category
	Costs       []postgres.Cost
}

func channelOf(of postgres.Shown) channel.Channel {
	return channel.Channel{ID: of.ChannelID, WorkspaceID: of.WorkspaceID, Type: of.ChannelType}
}

// OfChannel returns what the page of a channel shows of its inbox; nil if its network reports no conversations, or the person may
// not read them.
func (a *Inbox) OfChannel(ctx context.Context, p Principal, of channel.Channel) (*ChannelInbox, error) {
	link, _ := a.connectors.Link(of)
	source, reports := link.(platform.Source)
	if !reports || !p.Allows(credential.InboxRead) {
		return nil, nil //nolint:nilnil // there is none
	}
	out := &ChannelInbox{}
	_, out.MarksRead = link.(platform.ReadMarker)
	_, out.Counts = link.(platform.TemplateLister)
	var err error
	account := source.SourceOf(platform.Account{Type: of.Type, ExternalID: of.ExternalID})
	if out.SourceHealth, err = a.kept.Health(ctx, of.Type.Network(), account); err != nil {
		return out, err
	}
	if out.ReadsOnOpen, err = a.kept.ReadsOnOpen(ctx, of.ID); err != nil || !out.Counts {
		return out, err
	}
	zone, err := time.LoadLocation(of.Timezone)
	if err != nil {
		zone = time.UTC
	}
	now := a.now().In(zone)
	since := time.Date(now.Year(), now.Month()-costMonths+1, 1, 0, 0, 0, 0, zone)
	out.Costs, err = a.kept.Costs(ctx, postgres.CostQuery{Channel: of.ID, Since: since, Zone: zone.String()})
	return out, err
}

// SetReadsOnOpen decides whether people see that a member has opened their conversation. NOT_FOUND unless the person has the channel.
func (a *Inbox) SetReadsOnOpen(ctx context.Context, p Principal, id ident.Channel, reads bool) error {
	if err := p.Require(credential.InboxManage); err != nil {
		return err
	}
	of, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return a.kept.SetReadsOnOpen(ctx, of.ID, reads)
}
