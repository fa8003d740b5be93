# Fencepost. Run `make` to list the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

MODULES  := shared workflows activities services
PACKAGES := $(addprefix ./,$(addsuffix /...,$(MODULES)))
SERVICES := api worker mcp console pages files inbound sandbox migrate admin
BIN      := $(CURDIR)/.bin
DEVSTACK := $(BIN)/devstack
comma    := ,
PORT_BASE ?=
FUZZTIME ?= 60s
# Packages whose tests or code differ when crash points are compiled in.
FAILPOINTS = $(addprefix ./,$(sort $(dir $(shell grep -rlE '^//go:build .*\bfailpoint\b' --include='*.go' $(MODULES)))))
# Programs outside of every module: the generator, and the examples of the documentation.
SCRIPTS = $(sort $(dir $(wildcard tools/gen/*.go docs/examples/*/*/*.go)))
# The same flags everywhere, so that linting, building and testing share their build cache.
export CGO_ENABLED ?= 0
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9%-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ running

.PHONY: run
run: build ## run everything on this machine: infrastructure, migrations, seed, services (PORT_BASE=20000 shifts the ports)
	@$(DEVSTACK) run $(if $(PORT_BASE),--port-base $(PORT_BASE))

# Neither target builds: without a program in .bin/, nothing was ever started.
.PHONY: stop
stop: ## stop the stack started by `make run`
	@if [ -x $(DEVSTACK) ]; then $(DEVSTACK) stop; else echo "nothing to stop: $(DEVSTACK) was never built"; fi

.PHONY: reset
reset: ## stop the stack and delete all local data, after a confirmation (YES=1 skips it)
	@if [ -x $(DEVSTACK) ]; then $(DEVSTACK) reset $(if $(YES),--yes); \
	elif [ -e .run ]; then echo "$(DEVSTACK) is required to delete the data of .run: run make devstack first" >&2; exit 1; \
	else echo "nothing to delete"; fi

.PHONY: build
build: devstack ## build every program into .bin/
	@mkdir -p $(BIN)
	@go build -o $(BIN)/ $(addprefix ./services/,$(SERVICES))
	@go build -o $(BIN)/fencepost ./services/cli

.PHONY: devstack
devstack: ## build the development stack into .bin/ (minutes without a build cache)
	@mkdir -p $(BIN)
	@cd deploy/devstack && GOWORK=off go build -o $(DEVSTACK) .

##@ checking

.PHONY: test
test: build $(BIN)/gotestsum ## run every test, concurrent code with the race detector, on real infrastructure (SUITE=system runs one suite; tools/test.sh lists them)
	@KEEP='$(KEEP)' tools/test.sh $(SUITE)

.PHONY: fuzz
fuzz: devstack ## run every fuzz target, two at a time (FUZZTIME=60s for parsers of untrusted input, a sixth for the others)
	@FUZZTIME=$(FUZZTIME) $(DEVSTACK) exec --fast -- tools/fuzz.sh

.PHONY: live
live: ## run the connector suite on a real network with the tokens in the environment, and record sanitized responses (NETWORK=threads; without tokens it prints the variables)
	@go run ./services/e2e/live '$(NETWORK)'

.PHONY: browser
browser: build ## test link pages and the application in Chromium: phone and desktop, light and dark, keyboard, the rules of axe-core
	@tools/browser.sh

# One pattern for the checks with programs of others. Variables of the command line reach the script.
check-%: build $(BIN)/golangci-lint ## run one check of the nightly run, such as check-containers (make check-help lists them)
	@tools/check.sh $*

.PHONY: mutants
mutants: devstack ## change the code one operator at a time and report the changes that no test detects; hours (MUTANTS=relay selects packages)
	@nice $(DEVSTACK) exec --fast -- tools/mutants.sh $(MUTANTS)

.PHONY: cover
cover: ## check the coverage of the last `make test` against the floors
	@tools/cover.sh

.PHONY: lint
lint: $(BIN)/golangci-lint $(BIN)/workflowcheck ## check form, layers, house rules, words, determinism of workflows, the OpenAPI document and the alerts
	@tools/openapi/lint.sh
	@tools/install.sh metrics
	@promtool check rules deploy/prometheus/alerts.yaml
	@promtool test rules deploy/prometheus/alerts_test.yaml
	@$(BIN)/golangci-lint run $(PACKAGES)
	@$(BIN)/golangci-lint run --build-tags failpoint $(FAILPOINTS)
	@for module in deploy/devstack tools/browser tools/pds tools/release; do (cd $$module && GOWORK=off $(BIN)/golangci-lint run ./...) || exit; done
	@$(BIN)/golangci-lint fmt --diff docs tools/gen
	@tools/prose.sh
	@tools/identifiers.sh
	@tools/assets/check.sh
	@for program in $(SCRIPTS); do go vet $$program*.go || exit; done
	@$(BIN)/workflowcheck ./workflows/... ./shared/flow/...

.PHONY: verify
verify: build $(BIN)/release ## check that modules build alone and are tidy, generated files are current, and licences of modules allow them
	@for module in $(MODULES); do (cd $$module && GOWORK=off go build ./...) || exit; done
	@for module in $(MODULES) deploy/devstack tools/browser tools/pds tools/release; do (cd $$module && GOWORK=off go mod tidy -diff) || exit; done
	@tools/generate.sh --check
	@$(BIN)/release licences $(addprefix $(BIN)/,$(SERVICES) fencepost)

.PHONY: release
release: $(BIN)/release ## build archives, bills of materials, the Helm chart and checksums into dist/ (CHECK=1 tests them; PLATFORMS=linux/amd64)
	@tools/release.sh $(if $(CHECK),--check)

.PHONY: nightly
nightly: ## run the gate with every fault and longer fuzzing; hours
	@.ci/run nightly

##@ measuring

.PHONY: bench
bench: build ## measure the service and its upper bounds (docs/performance.md); BENCH='-only publish' selects a part; RIVAL=1 measures webhooks beside Hookdeck Outpost
	@go build -o $(BIN)/ ./services/bench
	@if [ -n '$(RIVAL)' ]; then tools/install.sh rival; fi
	@$(DEVSTACK) exec -- $(BIN)/bench $(if $(RIVAL),-only webhooks_api$(comma)outpost -out .run/rival.json) $(BENCH)

.PHONY: faults
faults: build $(BIN)/gotestsum ## inject every fault and compare the ledgers (docs/reliability.md); FAULT=F07 selects one, EXPRESS=off another mode of deliveries
	@FAULTS_EXPRESS='$(EXPRESS)' tools/faults.sh '$(FAULT)'

##@ writing

.PHONY: generate
generate: build ## generate the OpenAPI document, the SDKs and the tables of the documentation
	@tools/generate.sh

.PHONY: record
record: build ## record the histories of the current workflows for the replay tests (SET=v2 for a new set, MODULE=publishing for one module)
	@go build -o $(BIN)/record ./services/e2e/record
	@$(DEVSTACK) exec --fast -- $(BIN)/record -out workflows -set $(or $(SET),v1) -module '$(MODULE)'

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## format the code and tidy the modules
	@$(BIN)/golangci-lint fmt $(MODULES) deploy docs tools/gen tools/browser tools/chart tools/pds tools/release
	@for module in $(MODULES) deploy/devstack tools tools/clients tools/receivers tools/browser tools/chart tools/pds tools/release; do (cd $$module && GOWORK=off go mod tidy) || exit; done

$(BIN)/release: $(wildcard tools/release/*.go) tools/release/go.mod
	@mkdir -p $(BIN)
	@cd tools/release && GOWORK=off go build -o $@ .

# The tools of the gate, in the versions of tools/go.mod; built once.
$(BIN)/golangci-lint: TOOL = github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(BIN)/gotestsum: TOOL = gotest.tools/gotestsum
$(BIN)/workflowcheck: TOOL = go.temporal.io/sdk/contrib/tools/workflowcheck
$(BIN)/golangci-lint $(BIN)/gotestsum $(BIN)/workflowcheck: tools/go.mod tools/go.sum
	@mkdir -p $(BIN)
	@cd tools && GOWORK=off go build -ldflags='-s -w' -o $@ $(TOOL)
	@touch $@
