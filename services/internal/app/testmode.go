package app

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/testnet"
)

// scriptFaults returns the fault of a script that the test network does not know. In live mode the member has no meaning
// (docs/contract.md, Test mode).
func (p Principal) scriptFaults(metadata post.Metadata) []apperr.Field {
	script, named := metadata[platform.ScriptKey]
	if !named || !p.InTest() {
		return nil
	}
	if fault := testnet.ScriptFault(script); fault != "" {
		return []apperr.Field{{Pointer: "/metadata/" + platform.ScriptKey, Message: fault}}
	}
	return nil
}
