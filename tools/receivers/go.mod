// The reference verifiers of Standard Webhooks in Go, Python and PHP, to hold the signatures against (tools/receivers.sh).
module fencepost.internal/tools/receivers

go 1.26.0

require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
