package googlebusinessapi

import (
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Network declares Google Business Profiles.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkGoogleBusiness,
		Tokens: []token.Policy{{Access: googletoken.Life, Scopes: []string{scopeManage}}},
		Limits: []stage.Limit{
			{Calls: 300, Window: time.Minute, Shared: true}, {Step: fault.StepCommit, Calls: 10, Window: time.Minute},
		},
		Reviews: stage.ReviewEnds(),
		Mount:   stage.Stateless(register),
	}
}
