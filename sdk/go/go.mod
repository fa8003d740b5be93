module fencepost.internal/sdk/go

go 1.24
