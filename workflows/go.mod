module socialpub.internal/workflows

go 1.26.0

require socialpub.internal/shared v0.0.0

require (
	github.com/stretchr/testify v1.12.1 // indirect
	go.temporal.io/sdk v1.50.0 // indirect
)

replace socialpub.internal/shared => ../shared
