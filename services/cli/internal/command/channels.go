package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
)

func (a *app) channels() *cobra.Command {
	var typ []string
	list := &cobra.Command{
		Use: "list", Short: "List the channels", Args: exactly(),
		Example: "  $ fencepost channels list\n  $ fencepost channels list --json id,name,type",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			found, err := c.Channels.List(ctx, fencepost.ListChannelsParams{Type: upper[fencepost.ChannelType](typ)})
			if err != nil {
				return err
			}
			return output.All(p, found, []output.Column[fencepost.Channel]{
				{Head: "NAME", Cell: func(c fencepost.Channel) string { return c.Name }, Wide: true},
				{Head: "TYPE", Cell: func(c fencepost.Channel) string { return string(c.Type) }},
				{Head: "USERNAME", Cell: func(c fencepost.Channel) string { return c.Username }},
				{Head: "ACCESS", Cell: stateOf},
				{Head: "TIME ZONE", Cell: func(c fencepost.Channel) string { return c.Timezone }},
				{Head: "ID", Cell: func(c fencepost.Channel) string { return c.ID }},
			})
		}),
	}
	list.Flags().StringSliceVar(&typ, "type", nil, "only channels of these `TYPES`")
	return a.group(&cobra.Command{
		Use: "channels", Aliases: []string{"channel"}, Short: "List the accounts to which you can publish",
	}, list)
}

// upper returns the values of an enumeration, which people type in either case.
func upper[T ~string](texts []string) []T {
	values := make([]T, len(texts))
	for i, text := range texts {
		values[i] = T(strings.ToUpper(strings.ReplaceAll(text, "-", "_")))
	}
	return values
}

func stateOf(c fencepost.Channel) string {
	switch {
	case !c.IsConnected:
		return "disconnected"
	case c.IsQueuePaused:
		return "paused"
	default:
		return string(c.TokenStatus)
	}
}

// aliases are names of networks that are not the beginning of their type.
var aliases = map[string]string{"x": "twitter"}

// network reports whether a text names the network of a channel: its type, or the first part of it.
func network(c fencepost.Channel, text string) bool {
	typ := strings.ToLower(string(c.Type))
	short, _, _ := strings.Cut(typ, "_")
	text = strings.ToLower(strings.ReplaceAll(text, "-", "_"))
	if alias, ok := aliases[text]; ok {
		text = alias
	}
	return text == typ || text == short
}

// resolver finds channels by what people call them.
type resolver struct{ all []fencepost.Channel }

func newResolver(ctx context.Context, c *fencepost.Client) (*resolver, error) {
	all, err := c.Channels.List(ctx, fencepost.ListChannelsParams{})
	return &resolver{all: all}, err
}

// find returns the channel that a text names: by its ID, else its name, its username, or its network. Several are an
// error that names them.
func (r *resolver) find(text string) (fencepost.Channel, error) {
	for _, matches := range []func(c fencepost.Channel) bool{
		func(c fencepost.Channel) bool { return c.ID == text },
		func(c fencepost.Channel) bool { return strings.EqualFold(c.Name, text) },
		func(c fencepost.Channel) bool {
			return c.Username != "" && strings.EqualFold(strings.TrimPrefix(c.Username, "@"), strings.TrimPrefix(text, "@"))
		},
		func(c fencepost.Channel) bool { return network(c, text) },
	} {
		found := slices.DeleteFunc(slices.Clone(r.all), func(c fencepost.Channel) bool { return !matches(c) })
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		default:
			return fencepost.Channel{}, failure.Misused("%q names %d channels:\n%s", text, len(found), listed(found)).
				With("name one by its ID, or by a name, a username or a type that no other one has")
		}
	}
	fault := failure.Misused("there is no channel %q", text)
	if len(r.all) == 0 {
		return fencepost.Channel{}, fault.With("connect a channel in the application, under Channels")
	}
	return fencepost.Channel{}, failure.Misused("there is no channel %q; there are:\n%s", text, listed(r.all)).
		With(`"fencepost channels list" shows them`)
}

func listed(channels []fencepost.Channel) string {
	lines := make([]string, len(channels))
	for i, c := range channels {
		lines[i] = fmt.Sprintf("  %s  %s  %s  %s", c.ID, c.Type, c.Username, c.Name)
	}
	return strings.Join(lines, "\n")
}

// title returns the name of a channel by its ID; the ID of an unknown one.
func (r *resolver) title(id string) string {
	for _, c := range r.all {
		if c.ID == id {
			return c.Name + " (" + string(c.Type) + ")"
		}
	}
	return id
}
