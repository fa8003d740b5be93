module socialpub.internal/workflows

go 1.26.0

require socialpub.internal/shared v0.0.0

require (
	github.com/stretchr/testify v1.12.1 // indirect
	go.temporal.io/api v1.63.5 // indirect
	go.temporal.io/sdk v1.50.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace socialpub.internal/shared => ../shared
