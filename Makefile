# picklaw: everything that is done from a shell. Needs Go, git and make.
GO      ?= go
PEERS   := grpc small
# Further modules of real balancers: with more dependencies, and two that take
# minutes to build.
MORE    := rings kafka clients web stores queues
HEAVY   := caddy gozero
SOURCES := $(shell git ls-files '*.go' go.mod go.sum)

.PHONY: help verify test test-peers short race bench mutants opinion fuzz calibrate generate audit-peers audit-proxies identify lint clean

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

verify: bin/picklaw $(PEERS:%=bin/peers-%) ## hold the reference policies and real balancers against the specification
	bin/picklaw verify $(PEERS:%=--with bin/peers-%)

test: ## run every test, with those of the two modules of peers that verify uses
	$(GO) test ./...
	@for p in $(PEERS); do echo "spec/peers/$$p" && (cd spec/peers/$$p && $(GO) test ./...) || exit 1; done

test-peers: ## hold the other real balancers to their record, but for Caddy and go-zero
	@for p in $(MORE); do echo "spec/peers/$$p" && (cd spec/peers/$$p && $(GO) test ./...) || exit 1; done

short: ## run the tests that take seconds
	$(GO) test -short ./...

race: ## run the tests of concurrent code under the race detector
	$(GO) test -race -short ./policies/...
	$(GO) test -race -short -run 'TestReference/balancer|FourKinds|Hostile' ./spec

bench: ## print benchmarks
	$(GO) test -run '^$$' -bench . -benchtime 200ms ./policies/... ./queue/...
	cd spec/peers/grpc && $(GO) test -run '^$$' -bench . -benchtime 200ms .

mutants: bin/picklaw ## plant every bug of the catalog and print the kill matrix
	bin/picklaw mutants

# The part of queue and oracle that is changed; policies are changed wholly.
OPINION ?= 0.04
opinion: bin/picklaw ## change the code in every small way, and write mutants/opinion/OPINION.md (takes long)
	bin/picklaw mutants opinion --sample queue=$(OPINION) --sample oracle=$(OPINION) --results bin/opinion.jsonl --document mutants/opinion/OPINION.md

FUZZTIME ?= 10s
FUZZLIMIT ?= 120
fuzz: ## run every fuzz target for FUZZTIME
	@for f in $$($(GO) test -list '^Fuzz' ./fuzz | grep '^Fuzz'); do \
		echo "$$f" && $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) ./fuzz || exit 1; done

fuzz-proof: ## show that every fuzz target finds a planted bug from an empty corpus, within FUZZLIMIT seconds
	fuzz/find.sh $(FUZZLIMIT)

calibrate: ## measure false alarms and picks to conviction of the evidence
	$(GO) run ./oracle/calibrate

generate: ## write the generated twins of reference files
	$(GO) generate ./mutants

audit-peers: ## audit the real balancers and write spec/peers/AUDIT.md
	@for p in $(PEERS) $(MORE) $(HEAVY); do echo "spec/peers/$$p" && (cd spec/peers/$$p && PICKLAW_UPDATE=1 $(GO) test -count=1 ./...) || exit 1; done

audit-proxies: bin/caddy ## hold real proxies against the specification, and write spec/remote/PROXIES.md (takes many minutes)
	spec/remote/proxies/install.sh
	$(GO) run ./spec/remote/proxies

identify: ## write spec/remote/IDENTIFY.md, what identify names for each policy and each planted bug
	$(GO) run ./spec/cmd/confusion >IDENTIFY.tmp && mv IDENTIFY.tmp spec/remote/IDENTIFY.md

lint: ## vet and staticcheck
	$(GO) vet ./...
	$(GO) vet -tags mutants ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bin/picklaw: $(SOURCES)
	$(GO) build -o $@ ./spec/cmd/picklaw

bin/peers-%: $(SOURCES)
	cd spec/peers/$* && $(GO) build -o ../../../$@ .

bin/caddy: spec/peers/caddy/go.mod spec/peers/caddy/server/main.go
	cd spec/peers/caddy && $(GO) build -o ../../../$@ ./server

clean: ## remove what was built
	rm -rf bin
