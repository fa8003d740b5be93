package googlebusinessapi

import (
	"time"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/googletoken"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
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
