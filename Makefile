# Measures the service side by side with its ceilings; see docs/performance.md. BENCH=-only publish,deliver narrows it.
.PHONY: bench
bench:
	go build -trimpath -o .bin/ ./services/api ./services/worker ./services/sandbox ./services/migrate ./services/bench
	cd deploy/devstack && GOWORK=off go build -trimpath -o ../../.bin/devstack .
	.bin/devstack exec -- .bin/bench $(BENCH)
