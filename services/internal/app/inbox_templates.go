package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// templatesKept is the time for which a process does not ask a network for the templates of a channel again.
	templatesKept = 10 * time.Minute
	// templatesTime is the time limit of that.
	templatesTime = 20 * time.Second
)

// templateCache keeps the templates of channels.
type templateCache struct {
	mu    sync.Mutex
	lists map[ident.Channel]templateList
}

type templateList struct {
	all   []inbox.Template
	until time.Time
}

func (c *templateCache) get(id ident.Channel, now time.Time) ([]inbox.Template, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, known := c.lists[id]
	return list.all, known && now.Before(list.until)
}

// put keeps the templates of a channel, and drops those whose time is over.
func (c *templateCache) put(id ident.Channel, all []inbox.Template, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = make(map[ident.Channel]templateList)
	}
	for other, list := range c.lists {
		if !now.Before(list.until) {
			delete(c.lists, other)
		}
	}
	c.lists[id] = templateList{all, now.Add(templatesKept)}
}

// HasTemplates reports whether the network of a conversation has templates.
func (a *Inbox) HasTemplates(of postgres.Shown) bool {
	_, has := a.lister(of)
	return has && of.Kind == inbox.Messages
}

func (a *Inbox) lister(of postgres.Shown) (platform.TemplateLister, bool) {
	link, _ := a.connectors.Link(channelOf(of))
	lister, has := link.(platform.TemplateLister)
	return lister, has
}

// Templates returns the approved templates of a conversation's channel. INVALID_STATE, in words for people, if the network does not
// return them.
func (a *Inbox) Templates(ctx context.Context, p Principal, of postgres.Shown) ([]inbox.Template, error) {
	if err := p.Require(credential.InboxReply); err != nil {
		return nil, err
	}
	lister, has := a.lister(of)
	if !has {
		return nil, nil
	}
	if all, known := a.templates.get(of.ChannelID, a.now()); known {
		return all, nil
	}
	c, err := a.channels.Get(ctx, of.WorkspaceID, of.ChannelID)
	if err != nil {
		return nil, err
	}
	if !c.Ready() {
		return nil, apperr.New(apperr.InvalidState, "The channel must be connected again before it can send.")
	}
	ctx, cancel := context.WithTimeout(ctx, templatesTime)
	defer cancel()
	var all []inbox.Template
	err = a.access.Do(ctx, lister, c, func(ctx context.Context, account platform.Account) (err error) {
		all, err = lister.Templates(ctx, account)
		return err
	})
	if failure, is := errors.AsType[*platform.Failure](err); is {
		return nil, apperr.New(apperr.InvalidState, "%s does not return its templates: %s", c.Type.Network().Name(), failure.Message)
	}
	if err == nil {
		a.templates.put(c.ID, all, a.now())
	}
	return all, err
}

// TemplateDraft is a template that a person wants to send.
type TemplateDraft struct {
	ID             ident.Message // made with the form, so that the same form sends one message
	Conversation   ident.Conversation
	Name, Language string
	Values         map[string]string // by the keys of the variables
	Seen           time.Time         // of the last message of the account that the form showed
	Anyway         bool              // although another answer was sent since
}

// SendTemplate queues a template as an answer, whether or not the time for answers is over. VALIDATION_FAILED with what is wrong
// with the values; INVALID_STATE if the template is gone, or another answer was sent since the form was shown.
func (a *Inbox) SendTemplate(ctx context.Context, p Principal, d TemplateDraft) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	of, err := a.Conversation(ctx, p, d.Conversation)
	if err != nil {
		return err
	}
	all, err := a.Templates(ctx, p, of)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(t inbox.Template) bool { return t.Name == d.Name && t.Language == d.Language })
	if at < 0 {
		return apperr.New(apperr.InvalidState, "This template is not approved any more. Choose another one.")
	}
	use, text, err := all[at].Fill(d.Values)
	if err != nil {
		return err
	}
	m := inbox.Message{
		ID: d.ID, ConversationID: of.ID, WorkspaceID: of.WorkspaceID, ChannelID: of.ChannelID, Direction: inbox.Out, UserID: p.Person.ID,
		Text: text, SentAt: a.now(), State: inbox.Queued, Template: &use,
	}
	if d.Anyway {
		return a.queue(ctx, p, m, of, nil)
	}
	return a.queue(ctx, p, m, of, &d.Seen)
}
