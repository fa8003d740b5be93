package metaapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	// life is the time in which a container can be published.
	life = 24 * time.Hour
	// videoTime is the time that a video is in progress, unless its state is read twice before.
	videoTime = time.Second
)

// The states of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
	Published  = "PUBLISHED"
)

// Container is an unpublished post, an item of one, or a file for one.
type Container struct {
	ID      string         `json:"id"`
	Account string         `json:"account"`
	Kind    string         `json:"kind,omitempty"` // the network's media_type; empty for an image on Instagram
	Text    string         `json:"text"`
	Item    bool           `json:"item,omitempty"`
	Parent  string         `json:"parent,omitempty"` // id of the account's post that it replies to
	Media   []ledger.Media `json:"media,omitempty"`
	// Details are further properties of the post.
	Details   map[string]string `json:"details,omitempty"`
	Problem   string            `json:"problem,omitempty"` // the network's reason why the container failed
	CreatedAt time.Time         `json:"createdAt"`

	// Of a file that arrives in ranges: the bytes, zero if the client has not said it yet, and when they were complete.
	Total   int64     `json:"total,omitempty"`
	EndedAt time.Time `json:"endedAt,omitzero"`
	// The post that contains the file, on a network whose files are no posts themselves.
	Post     string    `json:"post,omitempty"`
	PostedAt time.Time `json:"postedAt,omitzero"`
}

// Key returns the id.
func (c Container) Key() string { return c.ID }

// IsVideo reports whether the only file of a post is a video.
func IsVideo(files []ledger.Media) bool { return len(files) == 1 && isVideo(files[0]) }

func isVideo(file ledger.Media) bool { return file.Type == string(media.Video) }

// Containers stores containers across restarts. It is safe for concurrent use.
type Containers struct {
	*mediastore.Uploads[Container]

	prefix string // of the ids
	stage  *stage.Stage
	looked sync.Map // ids of the containers whose processing was read
}

// Create stores a container, sets its id and creation time, and returns when it is on disk. A media file without an id
// gets the container's id.
func (c *Containers) Create(created Container) (Container, error) {
	created.CreatedAt = c.stage.Clock.Now()
	created.ID = c.Next(ledger.IDAt(c.prefix, created.CreatedAt))
	for i := range created.Media {
		created.Media[i].ID = cmp.Or(created.Media[i].ID, created.ID)
	}
	return created, c.Keep(created)
}

// Of returns the account's container with that id. It returns false if there is none.
func (c *Containers) Of(account, id string) (Container, bool) {
	found, ok := c.Get(id)
	return found, ok && found.Account == account
}

// Fresh reports whether a post can contain the container, or contains it already.
func (c *Containers) Fresh(of Container) bool {
	return !of.PostedAt.IsZero() || c.stage.Clock.Now().Sub(of.CreatedAt) < life
}

// Kind returns the kind of the container that the post was made from. It is empty if the container is no longer stored.
func (c *Containers) Kind(post ledger.Post) string {
	created, _ := c.Of(post.Account, post.Origin)
	return created.Kind
}

// Processed reports whether the processing that began at the time is over: after a while, or at the second call.
func (c *Containers) Processed(of Container, begun time.Time) bool {
	_, looked := c.looked.LoadOrStore(of.ID, true)
	return looked || c.stage.Clock.Now().Sub(begun) >= videoTime
}

// State returns the container's state. A video is finished at the second call at the latest.
func (c *Containers) State(of Container) string {
	processed := c.Processed(of, of.CreatedAt)
	switch {
	case !c.Fresh(of):
		return Expired
	case !processed && (of.Problem != "" || slices.ContainsFunc(of.Media, isVideo)):
		return InProgress
	case of.Problem != "":
		return Failed
	default:
		return Finished
	}
}

// Verdict is the result of a network's check of a fetched file.
type Verdict int

// The verdicts.
const (
	Good Verdict = iota
	Unreachable
	TooLarge
	WrongFormat
	WrongShape
)

// Requirements are those of a network for a file.
type Requirements struct {
	Video   bool
	Formats []string // MIME types, detected from the bytes
	Limit   int64    // bytes
	// Narrow and Wide limit the aspect ratio (width/height) of an image; zero means any.
	Narrow, Wide float64
}

// Videos returns the requirements for a video.
func Videos(limit int64) Requirements {
	return Requirements{Video: true, Formats: []string{media.ContentTypeMP4, media.ContentTypeMOV}, Limit: limit}
}

// Fetch fetches the file at the address and checks it by its bytes.
func (c *Containers) Fetch(ctx context.Context, address string, required Requirements) (ledger.Media, Verdict) {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ledger.Media{}, Unreachable // addresses contain only ASCII characters
	}
	item, err := c.stage.Media.Fetch(ctx, address, required.Limit)
	switch {
	case errors.Is(err, mediastore.ErrTooLarge):
		return ledger.Media{}, TooLarge
	case errors.Is(err, mediastore.ErrUnsupported):
		return ledger.Media{}, WrongFormat
	case err != nil:
		return ledger.Media{}, Unreachable
	}
	return item.Media("", ""), required.judge(item)
}

func (r Requirements) judge(item mediastore.Item) Verdict {
	const slack = 0.01 // for rounded pixels
	ratio := float64(item.Width) / float64(max(item.Height, 1))
	switch {
	case !slices.Contains(r.Formats, item.ContentType), r.Video != (item.Type == media.Video),
		!r.Video && item.Height == 0:
		return WrongFormat
	case r.Narrow > 0 && (ratio < r.Narrow-slack || ratio > r.Wide+slack):
		return WrongShape
	default:
		return Good
	}
}

// Rules are a network's rules for containers, with its responses.
type Rules struct {
	Fewest, Most int            // items of a carousel
	Count        stage.Response // to a carousel with another number of items
	Unknown      stage.Response // to a container that does not exist or is published already
	// States are the responses to the use of a container by its state, and Images those to a faulty image.
	States map[string]stage.Response
	Images map[Verdict]stage.Response
	Videos map[Verdict]string // problems
}

// Attach fetches the file at an address for a container. A faulty image is refused at once, a faulty video sets the
// container's Problem.
func (a *API) Attach(r stage.Request, c *Container, address string, required Requirements) stage.Check {
	file, verdict := a.Fetch(r.Context(), address, required)
	file.AltText = r.Values.Get("alt_text")
	switch {
	case verdict == Good:
		c.Media = []ledger.Media{file}
	case required.Video:
		c.Problem = a.Rules.Videos[verdict]
	default:
		return stage.Refused(a.Rules.Images[verdict])
	}
	return stage.Check{}
}

// Carousel adds the files of its items to a container.
func (a *API) Carousel(r stage.Request, c *Container) stage.Check {
	children := r.List("children")
	bad := stage.If(len(children) < a.Rules.Fewest || len(children) > a.Rules.Most || c.Item, a.Rules.Count)
	for i, id := range children {
		item, ok := a.Of(r.Account, id)
		bad = bad.Or(!ok || !item.Item || slices.Contains(children[:i], id), a.Rules.Unknown)
		if !bad.Broken {
			bad = a.unusable(item)
		}
		c.Media = append(c.Media, item.Media...)
	}
	return bad
}

// unusable refuses a container that is not finished.
func (a *API) unusable(c Container) stage.Check {
	response, bad := a.Rules.States[a.State(c)]
	return stage.If(bad, response)
}

// Store stores a container that passed the checks, and responds with its id.
func (a *API) Store(c Container, bad stage.Check) stage.Response {
	if bad.Broken {
		return bad.Fault
	}
	c, err := a.Create(c)
	return a.After(err, stage.OK(map[string]string{"id": c.ID}))
}

// PublishContainer publishes the container in the parameter, once.
func (a *API) PublishContainer(r stage.Request) stage.Response {
	c, ok := a.Of(r.Account, r.Values.Get("creation_id"))
	if !ok || c.Item {
		return a.Rules.Unknown
	}
	if bad := a.unusable(c); bad.Broken {
		return bad.Fault
	}
	return a.Release(r, c)
}
