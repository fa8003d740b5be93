package posts

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
)

// blank is the text of an empty list.
type blank struct {
	Icon, Title, Text string
	Href, Action      string
}

func blankOf(v *frame.Visit, q query, connected bool) blank {
	all := func(b blank) blank {
		b.Href, b.Action = v.Path("/posts"), "Show all posts"
		return b
	}
	switch {
	case q.unknown != "":
		return all(blank{Icon: "list-filter", Title: "Unknown filter", Text: "There is nothing called “" + poststate.Clipped(q.unknown, longestName) + "” to filter by."})
	case q.fault != "":
		return all(blank{Icon: "search", Title: "No search", Text: "A search " + q.fault + "."})
	case q.text != "":
		return all(blank{Icon: "search", Title: "No match", Text: "No post contains “" + q.text + "”."})
	case !q.after.ID.IsZero():
		return all(blank{Icon: "send", Title: "No more posts", Text: "The list ends here."})
	case !connected:
		return unconnected(v)
	case q.status == "" && !q.narrowed():
		return blank{Icon: "send", Title: "No posts yet", Text: "Posts from your team and your programs appear here."}
	default:
		return emptyTab(v, q)
	}
}

func unconnected(v *frame.Visit) blank {
	b := blank{Icon: "radio", Title: "No channels yet", Text: "Connect an account to publish to it."}
	if v.Principal.Allows(credential.ChannelsConnect) {
		b.Href, b.Action = v.Path("/connect"), "Connect a channel"
	} else {
		b.Text = "Ask an owner or admin to connect an account."
	}
	return b
}

// emptyTab says that a tab, or a channel within it, has no posts.
func emptyTab(v *frame.Visit, q query) blank {
	b := blank{Icon: "list-filter", Title: "Nothing here"}
	switch q.status {
	case post.Scheduled:
		b.Icon, b.Title, b.Text = "clock", "Nothing scheduled", "Posts with a time appear here, the next one first."
	case post.PendingApproval:
		b.Icon, b.Title, b.Text = "circle-check", "All done", "Nothing waits for approval."
		if v.Principal.Allows(credential.PostsApprove) {
			b.Text = "Nothing waits for your approval."
		}
	case post.Draft:
		b.Icon, b.Title, b.Text = "pencil", "No drafts", "Posts without a time appear here until someone schedules them."
	case post.Published:
		b.Icon, b.Title, b.Text = "send", "Nothing published yet", "Posts appear here once their network has them."
	case post.Failed:
		b.Icon, b.Title, b.Text = "circle-check", "No failed posts", "Everything went out."
	case post.Archived:
		b.Icon, b.Title, b.Text = "archive", "Nothing archived", "Archive a post to keep it out of the other lists."
	}
	switch {
	case q.label != "" || !q.author.IsZero():
		b.Text, b.Href, b.Action = "No post fits these filters.", query{}.address(v, q.status, ""), "Clear the filters"
	case !q.channel.IsZero():
		b.Text, b.Href, b.Action = "This channel has no posts in this list.", query{}.address(v, q.status, ""), "Show all channels"
	}
	return b
}

// longestName is the number of characters of a filter's name that a page repeats.
const longestName = 60
