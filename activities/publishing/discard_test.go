package publishing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

// leaving is a network whose preparation leaves something behind that can be deleted.
type leaving struct {
	*network

	discarded []platform.Handle
	err       error
}

func (l *leaving) Discard(_ context.Context, _ platform.Account, handle platform.Handle) error {
	l.discarded = append(l.discarded, handle)
	return l.err
}

// TestAFailedPostLeavesNothingBehind checks after which endings the preparation is deleted: never after a post that may
// be published, and not if a later attempt uses it.
func TestAFailedPostLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commit  error
		discard error
		want    []platform.Handle
	}{
		"refused":              {fails(platform.ClassRejected, "REFUSED"), nil, []platform.Handle{"upload"}},
		"the owner must act":   {fails(platform.ClassUser, "BANNED"), nil, []platform.Handle{"upload"}},
		"deletion fails":       {fails(platform.ClassRejected, "REFUSED"), errors.New("down"), []platform.Handle{"upload"}},
		"it is tried again":    {fails(platform.ClassTransient, "DOWN"), nil, nil},
		"the response is lost": {fails(platform.ClassUnknown, "LOST"), nil, nil},
		"published":            {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &leaving{network: &network{}, err: c.discard}
			net.prepare = func(platform.Handle) (platform.Preparation, error) {
				return platform.Preparation{Ready: true, Handle: "upload"}, nil
			}
			net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
				return platform.Publication{ExternalID: "ext-1"}, c.commit
			}
			b := setupWith(t, net.network, net)
			p := b.due(t, time.Second)
			b.publish(t, p)
			require.Equal(t, c.want, net.discarded)
			if c.want != nil {
				require.Equal(t, post.Failed, b.reload(t, p).Post.Status)
			}
		})
	}
}
