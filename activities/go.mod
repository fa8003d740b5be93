module socialpub.internal/activities

go 1.26.0

require socialpub.internal/shared v0.0.0

require (
	code.dny.dev/ssrf v0.3.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/prometheus/client_golang v1.25.0 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	go.temporal.io/sdk v1.50.0 // indirect
	golang.org/x/net v0.62.0 // indirect
)

replace socialpub.internal/shared => ../shared
