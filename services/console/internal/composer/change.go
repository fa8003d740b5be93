package composer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// conflict is a post that someone else changed too, in the same members.
type conflict struct {
	Channel channel.Channel
	Tag     string // of their version
	Members []difference
}

// difference is a member that both changed.
type difference struct{ Name, Theirs, Mine string }

// contentOf returns the whole content of a channel's post in the draft.
func (l *look) contentOf(id ident.Channel) post.Edit {
	in := l.request([]ident.Channel{id})
	media, options := in.MediaIDs, in.Options
	for _, v := range in.Variants {
		set(&in.Content, v.Content)
		set(&in.Title, v.Title)
		set(&in.ContentType, v.ContentType)
		set(&media, v.MediaIDs)
		set(&options, v.Options)
		set(&in.Thread, v.Thread)
		set(&in.Comment, v.Comment)
	}
	texts := in.MediaAltTexts.Of(media)
	return post.Edit{
		Content: &in.Content, Title: &in.Title, ContentType: &in.ContentType, MediaIDs: &media, MediaAltTexts: &texts, Options: &options,
		Thread: &in.Thread, Comment: &in.Comment,
	}
}

func set[T any](member, own *T) {
	if own != nil {
		*member = *own
	}
}

// texts returns the members of a channel's post for people, and for comparing them.
func (l *look) texts(id ident.Channel) map[post.Member]string {
	of := l.contentOf(id)
	var files, described []string
	for _, asset := range l.attached() {
		if slices.Contains(*of.MediaIDs, asset.ID) {
			files = append(files, asset.Name)
			if text, own := (*of.MediaAltTexts)[asset.ID]; own {
				described = append(described, asset.Name+": "+text)
			}
		}
	}
	return map[post.Member]string{
		post.MemberContent: *of.Content, post.MemberTitle: *of.Title, post.MemberContentType: frame.Words(*of.ContentType),
		post.MemberMediaIDs: strings.Join(files, ", "), post.MemberMediaAltTexts: strings.Join(described, "\n"),
		post.MemberOptions: l.summary(id), post.MemberThread: threadText(*of.Thread), post.MemberFirstComment: of.Comment.Content,
	}
}

// threadText returns the parts of a thread as one text.
func threadText(thread []post.Part) string {
	texts := make([]string, len(thread))
	for i, p := range thread {
		texts[i] = p.Content
	}
	return strings.Join(texts, "\n\n")
}

// summary returns what is chosen of the options of a channel.
func (l *look) summary(id ident.Channel) string {
	for _, m := range l.Marks {
		if m.ID == id {
			return m.Options.Summary
		}
	}
	return ""
}

// hashes returns the members of a channel's post as hashes.
func (l *look) hashes(id ident.Channel) map[post.Member]string {
	of, found := l.contentOf(id), make(map[post.Member]string)
	for name, value := range map[post.Member]any{
		post.MemberContent: *of.Content, post.MemberTitle: *of.Title, post.MemberContentType: *of.ContentType,
		post.MemberMediaIDs: *of.MediaIDs, post.MemberMediaAltTexts: *of.MediaAltTexts, post.MemberOptions: encodedOptions(*of.Options),
		post.MemberThread: *of.Thread, post.MemberFirstComment: *of.Comment,
	} {
		sum := sha256.Sum256(fmt.Appendf(nil, "%v", value))
		const long = 8
		found[name] = hex.EncodeToString(sum[:long])
	}
	return found
}

// memberWords names a member for people.
func memberWords(name post.Member) string {
	return map[post.Member]string{
		post.MemberContent: "Text", post.MemberTitle: "Title", post.MemberContentType: "Kind", post.MemberMediaIDs: "Media",
		post.MemberMediaAltTexts: "Descriptions", post.MemberOptions: "Options", post.MemberThread: "Thread", post.MemberFirstComment: "First comment",
	}[name]
}

// ownsOf returns the members that the channel's post has of its own in the draft.
func (d draft) ownsOf(id ident.Channel) []post.Member {
	one, members := d.Own[id.String()], []post.Member{post.MemberOptions}
	for name, has := range map[post.Member]bool{
		post.MemberContent: one.Text != nil, post.MemberTitle: one.Title != nil, post.MemberContentType: one.Kind != "",
		post.MemberMediaIDs: len(one.Media) > 0 || d.Covers[id.String()] != ident.Media{},
		post.MemberThread:   one.Thread != nil, post.MemberFirstComment: one.Comment != nil,
	} {
		if has {
			members = append(members, name)
		}
	}
	return members
}

// editOf returns what a person changed of a post, and what someone else changed of the same members since. Theirs is the
// draft that the posts are now; mine wins where the person has seen it.
func (l *look) editOf(of post.Post, theirs *look, seen bool) (edit post.Edit, both []post.Member) {
	id, all := of.ChannelID, l.contentOf(of.ChannelID)
	mine, now := l.hashes(id), theirs.hashes(id)
	was, known := l.draft.Origin.Seen[id.String()]
	if !known {
		was.Members = now
	}
	alone, owns := !l.draft.Origin.Post.IsZero(), l.draft.ownsOf(id)
	for _, name := range post.Members() {
		kept := name == post.MemberMediaAltTexts && !alone && slices.Contains(of.Own, name)
		if mine[name] == was.Members[name] || mine[name] == now[name] || kept {
			continue
		}
		if now[name] != was.Members[name] && !seen {
			both = append(both, name)
		}
		switch name {
		case post.MemberContent:
			edit.Content = all.Content
		case post.MemberTitle:
			edit.Title = all.Title
		case post.MemberContentType:
			edit.ContentType = all.ContentType
		case post.MemberMediaIDs:
			edit.MediaIDs = all.MediaIDs
		case post.MemberMediaAltTexts:
			edit.MediaAltTexts = all.MediaAltTexts
		case post.MemberOptions:
			edit.Options = all.Options
		case post.MemberThread:
			edit.Thread = all.Thread
		case post.MemberFirstComment:
			edit.Comment = all.Comment
		}
		if !alone && !slices.Contains(owns, name) {
			edit.Follows = append(edit.Follows, name)
		}
	}
	edit.Labels = l.labelsOf(of)
	if l.draft.Campaign != l.draft.Origin.Campaign {
		edit.CampaignID = &l.draft.Campaign
	}
	if l.draft.When == approval && !l.Timing.At.IsZero() {
		edit.ScheduledAt = &l.Timing.At
	}
	return edit, both
}

// labelsOf returns the labels of a post with those that the person added, and without those that the person removed; nil: it
// keeps its labels.
func (l *look) labelsOf(of post.Post) *[]string {
	before, _ := draft{Labels: l.draft.Origin.Labels}.labels()
	now, _ := l.draft.labels()
	labels := slices.DeleteFunc(slices.Clone(of.Labels), func(name string) bool {
		return slices.Contains(before, name) && !slices.Contains(now, name)
	})
	for _, name := range now {
		if !slices.Contains(before, name) && !slices.Contains(post.LabelKeys(labels), post.LabelKey(name)) {
			labels = append(labels, name)
		}
	}
	if slices.Equal(labels, of.Labels) {
		return nil
	}
	return &labels
}

// change changes the posts that the draft is about.
func (c *composer) change(v *frame.Visit, data *page) error {
	changes, err := c.changes(v, data)
	if err != nil {
		return err
	}
	if len(data.Conflicts) > 0 {
		return c.again(v, data, http.StatusConflict)
	}
	results, err := c.app.Recompose(v.Request.Context(), v.Principal, data.Scratch, changes)
	if err != nil {
		return err
	}
	return c.changed(v, data, changes, results)
}

// changes returns the changes of the posts of the picked channels. It sets the conflicts.
func (c *composer) changes(v *frame.Visit, data *page) (changes []app.Recomposed, err error) {
	alone, theirs := !data.draft.Origin.Post.IsZero(), look{}
	if len(data.existing.posts) > 0 {
		var now draft
		if now, err = c.draftOf(v, data.existing, alone); err == nil {
			theirs, err = c.examine(v, now, desk{data.existing.channels, data.existing})
		}
	}
	if err != nil {
		return nil, err
	}
	for _, id := range data.draft.Channels {
		of, ok := data.existing.of(id)
		if !ok {
			continue // it is among the closed ones
		}
		tag := app.PostTag(of)
		edit, both := data.editOf(of, &theirs, slices.Contains(v.Fields()["over"], tag))
		if len(both) > 0 {
			one := conflict{Channel: data.existing.channel(id), Tag: tag}
			mine, now := data.texts(id), theirs.texts(id)
			for _, name := range both {
				one.Members = append(one.Members, difference{memberWords(name), now[name], mine[name]})
			}
			data.Conflicts = append(data.Conflicts, one)
		}
		change := app.Recomposed{Post: of.ID, Tag: tag, Edit: edit, Ask: data.draft.When == approval}
		if schedule := data.draft.schedule(data.Timing); schedule.Kind != app.ScheduleDraft {
			change.Schedule = &schedule
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// again shows the form with what prevents the change. What the person wrote is kept.
func (c *composer) again(v *frame.Visit, data *page, status int) error {
	if err := c.keep(v, data); err != nil {
		return err
	}
	return c.page(v, *data, status)
}

// changed responds to a change: with the posts, or with those that did not take it.
func (c *composer) changed(v *frame.Visit, data *page, changes []app.Recomposed, results []app.UpdateResult) error {
	var left []ident.Channel
	var done []ident.Post
	for i, one := range results {
		at := slices.IndexFunc(data.existing.posts, func(p post.Post) bool { return p.ID == changes[i].Post })
		id := data.existing.posts[at].ChannelID
		if one.Err == nil {
			done = append(done, changes[i].Post)
			delete(data.draft.Origin.Seen, id.String())
			continue
		}
		why, err := poststate.Refusal(results[i : i+1])
		if apperr.Is(one.Err, apperr.PreconditionFailed) {
			why = "Someone changed it at this moment. Save again to see how."
		}
		if known, ok := errors.AsType[*apperr.Error](one.Err); ok && known.Code == apperr.InsufficientScope {
			err = nil
		}
		if err != nil {
			return err
		}
		left = append(left, id)
		data.Refusals = append(data.Refusals, closed{changes[i].Post, data.existing.channel(id), why})
	}
	if len(left) == 0 {
		return v.Done(data.after(v, done), data.notice(len(done)))
	}
	data.draft.Channels = left
	var err error
	if data.look, err = c.examine(v, data.draft, desk{data.existing.channels, data.existing}); err != nil {
		return err
	}
	return c.again(v, data, http.StatusUnprocessableEntity)
}

// after returns the page on which the changed posts are seen.
func (p page) after(v *frame.Visit, changed []ident.Post) string {
	if p.draft.When == atTime || p.draft.When == atSlot || len(changed) == 0 {
		return p.target(v, changed)
	}
	return v.Path("/posts/" + changed[0].String())
}
