# Social publishing service. `make` alone lists what there is to do.
SHELL := /bin/bash
.DEFAULT_GOAL := help

MODULES  := shared workflows activities services
PACKAGES := $(addprefix ./,$(addsuffix /...,$(MODULES)))
SERVICES := api worker sandbox migrate admin
BIN      := $(CURDIR)/.bin
DEVSTACK := $(BIN)/devstack
PORT_BASE ?=
export CGO_ENABLED ?= 0

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ running

.PHONY: run
run: build ## everything on this machine: infrastructure, migrations, seed, services (PORT_BASE=20000 shifts the ports)
	@$(DEVSTACK) run $(if $(PORT_BASE),--port-base $(PORT_BASE))

.PHONY: stop
stop: devstack ## stop what `make run` started
	@$(DEVSTACK) stop

.PHONY: reset
reset: devstack ## stop and delete all local data
	@$(DEVSTACK) reset --yes

.PHONY: build
build: devstack ## build every program into .bin/
	@mkdir -p $(BIN)
	@go build -trimpath -o $(BIN)/ $(addprefix ./services/,$(SERVICES))

.PHONY: devstack
devstack: ## build the development stack into .bin/ (minutes when it is cold)
	@mkdir -p $(BIN)
	@cd deploy/devstack && GOWORK=off go build -trimpath -o $(DEVSTACK) .

##@ checking

.PHONY: test
test: build tools ## every test, with the race detector, on real infrastructure
	@tools/test.sh

.PHONY: lint
lint: tools ## golangci-lint, workflowcheck, go vet
	@go vet $(PACKAGES)
	@$(BIN)/golangci-lint run $(PACKAGES)
	@cd deploy/devstack && GOWORK=off $(BIN)/golangci-lint run --config ../../.golangci.yml ./...
	@cd workflows && $(BIN)/workflowcheck ./publishing/... ./delivery/...

.PHONY: verify
verify: ## modules stand alone, generated files are current, go.mod files are tidy
	@for m in $(MODULES); do (cd $$m && GOWORK=off go build ./... && go mod tidy -diff) || exit 1; done
	@go run ./services/api openapi | diff -u docs/openapi.yaml - || { echo "docs/openapi.yaml is stale: make generate"; exit 1; }

.PHONY: generate
generate: ## write docs/openapi.yaml and the configuration table anew
	@go run ./services/api openapi > docs/openapi.yaml
	@go run docs/configtable/main.go

.PHONY: record
record: build ## record the histories of the present workflows for the replay tests (SET=v2 for a new set)
	@go build -trimpath -o $(BIN)/record ./workflows/record
	@$(DEVSTACK) exec --fast -- $(BIN)/record -out workflows -set $(or $(SET),v1)

.PHONY: bench
bench: build ## measure the service side by side with its ceilings (docs/performance.md); BENCH='-only publish' narrows it
	@go build -trimpath -o $(BIN)/ ./services/bench
	@$(DEVSTACK) exec -- $(BIN)/bench $(BENCH)

##@ housekeeping

.PHONY: fmt
fmt: tools ## format the code
	@$(BIN)/golangci-lint fmt $(PACKAGES)

.PHONY: tidy
tidy: ## go mod tidy in every module
	@for m in $(MODULES) deploy/devstack; do (cd $$m && go mod tidy) || exit 1; done

.PHONY: tools
tools: $(BIN)/golangci-lint $(BIN)/workflowcheck $(BIN)/gotestsum

$(BIN)/golangci-lint $(BIN)/workflowcheck $(BIN)/gotestsum: tools/go.mod
	@mkdir -p $(BIN)
	@cd tools && GOWORK=off GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint go.temporal.io/sdk/contrib/tools/workflowcheck gotest.tools/gotestsum
	@touch $(BIN)/golangci-lint $(BIN)/workflowcheck $(BIN)/gotestsum
