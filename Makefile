# Fencepost. Run `make` to list the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

MODULES  := shared workflows activities services
PACKAGES := $(addprefix ./,$(addsuffix /...,$(MODULES)))
SERVICES := api worker mcp console pages files sandbox migrate admin
BIN      := $(CURDIR)/.bin
DEVSTACK := $(BIN)/devstack
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
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

.PHONY: devstack
devstack: ## build the development stack into .bin/ (minutes without a build cache)
	@mkdir -p $(BIN)
	@cd deploy/devstack && GOWORK=off go build -o $(DEVSTACK) .

##@ checking

.PHONY: test
test: build $(BIN)/gotestsum ## run every test, with the race detector, on real infrastructure (SUITE=system runs one suite)
	@KEEP='$(KEEP)' tools/test.sh $(SUITE)

.PHONY: test-unit
test-unit: $(BIN)/gotestsum ## run the tests that need no infrastructure
	@tools/test.sh unit

.PHONY: readme
readme: build ## run the commands of README.md against a separate stack and check every response (part of `make test`)
	@tools/install.sh curl
	@cd deploy/devstack && GOWORK=off go test -count=1 -run README ./stacktest

.PHONY: replay
replay: ## replay the recorded histories of every workflow on the current code
	@go test -count=1 -run '^TestReplay$$' ./workflows/...

.PHONY: flakes
flakes: build ## find flaky tests: run each package 20 times beside two busy loops; hours (PACKAGES=./shared/infra/postgres COUNT=50 RESUME=1)
	@PACKAGES='$(if $(filter command,$(origin PACKAGES)),$(PACKAGES))' COUNT='$(COUNT)' PARALLEL='$(PARALLEL)' NICE='$(NICE)' RESUME='$(RESUME)' tools/flakes.sh

.PHONY: upgrade
upgrade: devstack ## upgrade an installation with 1,000 waiting posts from the previous commit to this one (FROM=REVISION)
	@tools/upgrade.sh $(FROM)

.PHONY: fresh
fresh: ## test the first steps on a fresh machine, in a chroot with Go, make and git: make run, a post, make test (PART=run, CACHE=1; needs root)
	@CACHE='$(CACHE)' tools/fresh.sh $(PART)

.PHONY: media-versions
media-versions: ## run the tests of mediabox with the FFmpeg, libheif and Poppler of Debian 12 and 13, in chroots (needs root)
	@tools/mediaversions.sh

.PHONY: fuzz
fuzz: devstack ## run every fuzz target, two at a time (FUZZTIME=60s for parsers of untrusted input, a sixth for the others)
	@FUZZTIME=$(FUZZTIME) $(DEVSTACK) exec --fast -- tools/fuzz.sh

.PHONY: s3-smoke
s3-smoke: ## test the object store and the files gateway with a second S3 server, also over TLS (builds it once)
	@tools/s3smoke.sh

.PHONY: live
live: ## run the connector suite on a real network with the tokens in the environment, and record sanitized responses (NETWORK=threads; without tokens it prints the variables)
	@go run ./services/e2e/live '$(NETWORK)'

.PHONY: receivers
receivers: ## test the signatures of webhooks with verifiers in Go, TypeScript, Python, PHP and those of Standard Webhooks
	@tools/receivers.sh

.PHONY: clients
clients: ## generate clients from the OpenAPI document with oapi-codegen, ogen and openapi-typescript, and compile them
	@tools/clients.sh

.PHONY: browser
browser: build ## test link pages and the application in Chromium: phone and desktop, light and dark, keyboard, the rules of axe-core
	@tools/browser.sh

.PHONY: agents
agents: build ## test the authorization server and the tool server with third-party clients: the MCP SDKs, the MCP Inspector, oauth4webapi
	@tools/agents.sh

.PHONY: alerts
alerts: ## check the rules of Prometheus, and test their times and thresholds with promtool (part of `make lint`)
	@tools/install.sh metrics
	@promtool check rules deploy/prometheus/alerts.yaml
	@promtool test rules deploy/prometheus/alerts_test.yaml

.PHONY: bluesky
bluesky: ## test the Bluesky connector against the reference server, which it installs once; minutes the first time
	@tools/bluesky.sh

.PHONY: containers
containers: devstack ## build the images and check the composed stack in a container engine, its own if the machine has none (needs root; KEEP=1)
	@KEEP='$(KEEP)' tools/containers.sh

.PHONY: mutants
mutants: devstack ## change the code one operator at a time and report the changes that no test detects; hours (MUTANTS=relay selects packages)
	@nice $(DEVSTACK) exec --fast -- tools/mutants.sh $(MUTANTS)

.PHONY: cover
cover: ## check the coverage of the last `make test` against the floors
	@tools/cover.sh

.PHONY: lint
lint: $(BIN)/golangci-lint $(BIN)/workflowcheck lint-openapi alerts ## check form, layers, house rules, prose, determinism of workflows and the OpenAPI document
	@$(BIN)/golangci-lint run $(PACKAGES)
	@$(BIN)/golangci-lint run --build-tags failpoint $(FAILPOINTS)
	@for module in deploy/devstack tools/browser tools/pds tools/release; do (cd $$module && GOWORK=off $(BIN)/golangci-lint run ./...) || exit; done
	@$(BIN)/golangci-lint fmt --diff docs tools/gen
	@tools/prose.sh
	@tools/assets/check.sh
	@for program in $(SCRIPTS); do go vet $$program*.go || exit; done
	@$(BIN)/workflowcheck ./workflows/... ./shared/flow/...

.PHONY: lint-openapi
lint-openapi: ## lint the OpenAPI document with the rules of tools/openapi/redocly.yaml (installs the linter)
	@tools/openapi/lint.sh

.PHONY: verify
verify: build $(BIN)/oapi-codegen ## check that modules build alone and are tidy, and that generated files are current
	@for module in $(MODULES); do (cd $$module && GOWORK=off go build ./...) || exit; done
	@for module in $(MODULES) deploy/devstack tools/browser tools/pds tools/release; do (cd $$module && GOWORK=off go mod tidy -diff) || exit; done
	@tools/generate.sh --check
	@$(MAKE) -s licences

.PHONY: vuln
vuln: ## check the dependencies with the Go vulnerability database (needs vuln.go.dev, so it is not part of the gate)
	@for module in $(MODULES) deploy/devstack; do (cd $$module && GOWORK=off go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...) || \
		{ echo "govulncheck: it found a vulnerability, or it could not be downloaded, or https://vuln.go.dev is not reachable" >&2; exit 1; }; done

.PHONY: chart
chart: build $(BIN)/golangci-lint ## test the Helm chart: Helm 3 and 4, kubeconform, Pod Security Standards, the variables of the programs (builds Helm once)
	@cd tools/chart && GOWORK=off go mod tidy -diff
	@cd tools/chart && GOWORK=off $(BIN)/golangci-lint run ./...
	@cd tools/chart && GOWORK=off go test -count=1 ./...

.PHONY: licences
licences: $(BIN)/release build ## check the licences of the modules in the programs
	@$(BIN)/release licences $(addprefix $(BIN)/,$(SERVICES))

.PHONY: release
release: $(BIN)/release ## build archives, bills of materials, the Helm chart and checksums into dist/ (CHECK=1 tests them; PLATFORMS=linux/amd64)
	@tools/release.sh $(if $(CHECK),--check)

.PHONY: ci
ci: ## run the whole gate, as CI does
	@.ci/run

.PHONY: nightly
nightly: ## run the gate with every fault and longer fuzzing; hours
	@.ci/run nightly

##@ measuring

.PHONY: bench
bench: build ## measure the service and its upper bounds (docs/performance.md); BENCH='-only publish' selects a part
	@go build -o $(BIN)/ ./services/bench
	@$(DEVSTACK) exec -- $(BIN)/bench $(BENCH)

.PHONY: bench-rival
bench-rival: build ## measure webhooks beside Hookdeck Outpost, whose programs .bin/outpost must contain (docs/performance.md)
	@for program in outpost outpost-server; do [ -x $(BIN)/outpost/$$program ] || \
		{ echo "Outpost's program $$program is not in $(BIN)/outpost" >&2; exit 1; }; done
	@tools/install.sh rival
	@go build -o $(BIN)/ ./services/bench
	@$(DEVSTACK) exec -- $(BIN)/bench -only webhooks_api,outpost -out .run/rival.json $(BENCH)

.PHONY: faults
faults: build $(BIN)/gotestsum ## inject every fault and compare the ledgers (docs/reference/faults.md); FAULT=F07 selects one, EXPRESS=off another mode of deliveries
	@FAULTS_EXPRESS='$(EXPRESS)' tools/faults.sh '$(FAULT)'

##@ writing

.PHONY: generate
generate: build $(BIN)/oapi-codegen ## generate the OpenAPI document, the Go client of the tests and the tables of the documentation
	@tools/generate.sh

.PHONY: record
record: build ## record the histories of the current workflows for the replay tests (SET=v2 for a new set, MODULE=publishing for one module)
	@go build -o $(BIN)/record ./services/e2e/record
	@$(DEVSTACK) exec --fast -- $(BIN)/record -out workflows -set $(or $(SET),v1) -module '$(MODULE)'

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## format the code
	@$(BIN)/golangci-lint fmt $(MODULES) deploy docs tools/gen tools/browser tools/chart tools/pds tools/release

.PHONY: tidy
tidy: ## run go mod tidy in every module
	@for module in $(MODULES) deploy/devstack tools tools/clients tools/receivers tools/browser tools/chart tools/pds tools/release; do (cd $$module && GOWORK=off go mod tidy) || exit; done

$(BIN)/release: $(wildcard tools/release/*.go) tools/release/go.mod
	@mkdir -p $(BIN)
	@cd tools/release && GOWORK=off go build -o $@ .

# The tools of the gate, in the versions of tools/go.mod; built once.
$(BIN)/golangci-lint: TOOL = github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(BIN)/gotestsum: TOOL = gotest.tools/gotestsum
$(BIN)/workflowcheck: TOOL = go.temporal.io/sdk/contrib/tools/workflowcheck
$(BIN)/oapi-codegen: TOOL = github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
$(BIN)/golangci-lint $(BIN)/gotestsum $(BIN)/workflowcheck $(BIN)/oapi-codegen: tools/go.mod tools/go.sum
	@mkdir -p $(BIN)
	@cd tools && GOWORK=off go build -ldflags='-s -w' -o $@ $(TOOL)
	@touch $@
