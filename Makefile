# walguard: make <target>. Tools are built from their pinned modules into a cache by tests/tools/build; nothing else is needed
# than Rust (rustup reads rust-toolchain.toml) and Go.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo lint rego chart workflows test mutants fuzz rego-mutants changes shared unit verdict attacks cures engines e2e node kubewarden kubewarden-policy incidents truth values image generate pictures new-check bundle vscode dist playground site browser deny bench ci clean

# What cargo builds for tests. Built with the whole workspace, so that no dependency is compiled twice, with features of one package and of all.
programs = $(abspath $(or $(CARGO_TARGET_DIR),target))/debug
xtask = cargo build -q --workspace --bin xtask && $(programs)/xtask
tool = $(shell tests/tools/build $(1))
# As tests/tools/build and tests/engines/run compile: what tools and tests share of Go is compiled once.
export CGO_ENABLED = 0
# The tables are JSON files for engines that load data; OPA reads their generated Rego twins.
OPA_IGNORE := --ignore '*.yaml' --ignore '*.json'

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Lint the examples: good and bad clusters of every operator
	cargo run -q -p walguard --no-default-features -- lint --fail-on never examples/

lint: rego chart workflows ## Formatting, clippy, Rego style and strictness, chart, workflows, generated files
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo update --quiet --workspace --locked --manifest-path policies/kubewarden/Cargo.toml
	$(xtask) generate --check

rego: ## Rego: format, strict check, tests with coverage
	@opa=$(call tool,opa); set -x; \
	  test -z "$$($$opa fmt --list rules policies)" || { $$opa fmt --diff rules policies; exit 1; }; \
	  $$opa check --strict $(OPA_IGNORE) rules policies/gatekeeper
	$(xtask) rego --opa "$(call tool,opa)"

chart: ## The Helm chart: lint (its tests are in make unit, a real installation in make e2e)
	$(call tool,helm) lint --strict --quiet .

workflows: ## The workflows and the action: actionlint, zizmor
	"$$(cd tests/packages && go tool -n actionlint)" -shellcheck= -pyflakes=
	$(call tool,zizmor) --offline --quiet --no-progress .github action.yml

test: ## Everything but engines, kubewarden, node, mutants, rego-mutants and fuzz, which take long, and with few generated clusters; prints the time of each part
	COUNT=$(or $(COUNT),60) BUILT=--built tests/run lint deny unit verdict cures e2e+truth

mutants: ## A million mutants of manifests, read as Kubernetes reads them: make mutants [SEEDS="1 2 3"] [MUTANTS=100000]
	for seed in $(or $(SEEDS),1 2 3 4 5 6 7 8 9 10); do \
	  WALGUARD_SEED=$$seed WALGUARD_MUTANTS=$(or $(MUTANTS),100000) cargo test -q -p walguard-manifest --test yaml_go -- mutations; \
	done

fuzz: ## Inputs that nobody wrote, for every reader and for --fix: make fuzz [SEEDS="1 2 3"] [CASES=20000]
	for seed in $(or $(SEEDS),1); do \
	  WALGUARD_SEED=$$seed WALGUARD_FUZZ=$(or $(CASES),20000) cargo test -q --workspace --test fuzz; \
	done

rego-mutants: ## Mistakes put into the rules, one at a time, and whether the tests of the rules see them: make rego-mutants [SEED=1] [COUNT=400]
	cd tests/mutants && GOWORK=off GOFLAGS='-mod=readonly -buildvcs=false' go build -ldflags '-s -w' -o $(programs)/rego-mutants .
	cargo test -q --workspace --test findings --test changes
	cargo build -q --workspace --bin xtask
	$(programs)/rego-mutants -judge $(programs)/xtask -reviews $(programs)/../tmp/reviews.jsonl -reviews $(programs)/../tmp/changes.jsonl -seed $(or $(SEED),1) -count $(or $(COUNT),400) -only "$(ONLY)" -equivalent tests/mutants/equivalent.yaml rules

changes: ## What is said of changed manifests, taken as right: make changes, or, to look for other changes (minutes): make changes SEARCH=1
	WALGUARD_CHANGES=$(if $(SEARCH),search,renew) cargo test -q $(if $(SEARCH),--release) -p walguard-engine --test changes

unit: ## Tests of the Rust code, comparison with the real Go YAML reader and with conftest
	cargo test --workspace
	cd image && go test -count=1 ./...

verdict: ## All manifests here, every eighth attack and 400 generated manifests, in every engine and host except Kubewarden's; slow hosts check a sample
	tests/engines/run --manifests 400 --attacks 8 --every conftest=6,gatekeeper=3

attacks: ## Forged evidence of every kind, each beside the honest case (part of unit)
	cargo test -q --workspace --test attacks

cures: ## Apply every fix of every fixture, example and generated cluster, each alone and all at once; the findings must be gone: make cures [COUNT=2000]
	FIXES=1 tests/cures/run $(or $(COUNT),2000)

engines: ## 20,000 generated manifests in every engine; slow hosts check a sample. Takes a while
	ENGINES_ALL=1 tests/engines/run --manifests 20000 \
	  --every conftest=20,direct=5,gatekeeper=5,kubewarden=5,webhook=5

e2e: ## A real kube-apiserver, the webhook behind it, kubectl
	cargo build -q --workspace --bins
	export WALGUARD=$(programs)/walguard WALGUARD_BIN=$(programs)/walguard; \
	cd tests/admission && go test -count=1 -timeout 30m -v ./...; \
	cd ../packages && GOGC=400 go test -count=1 -timeout 30m -v ./...

node: ## The chart on a real node (kubelet, containerd), disturbed under load; without a container engine
	tests/node/run

kubewarden: ## The Kubewarden policy in a real waPC host: the same findings, and figures of its size and speed
	policies/kubewarden/build
	cargo test -q -p walguard --test kubewarden -- --ignored --nocapture

kubewarden-policy: ## Build the Kubewarden policy and print where it is
	@policies/kubewarden/build

incidents: ## Public incidents: each is reported in its manifest, and its fix has no finding (part of unit)
	cargo test -q -p walguard --test incidents -- --nocapture

truth: ## Claims and values, tested on real PostgreSQL servers
	tests/postgres/run all

values: ## Values of every parameter, compared with real servers (part of truth)
	tests/postgres/run values

image: ## The container image, without a container engine: target/image
	image/build

shared: ## Tests on the operators' own samples and CRDs, which are not part of the project: make shared WALGUARD_SHARED=DIRECTORY
	@test -n "$(WALGUARD_SHARED)" || { echo "usage: make shared WALGUARD_SHARED=DIRECTORY, which has corpus/ and crds/" >&2; exit 2; }
	cargo test -q --workspace -- samples_of_operators every_manifest_is_judged every_cluster_is_read every_path_that_an_adapter_reads
	cargo build --workspace --bins -q
	cd tests/admission && go test -count=1 -timeout 30m -run 'TestAdmissionWithOperatorsCRDs$$' ./...

generate: ## Write what follows from the rules: catalogue, twins, chart rules, docs
	$(xtask) generate
	@$(call tool,opa) fmt --write rules

pictures: ## Draw the pictures of the README from what walguard prints
	cargo build -q --workspace --bins
	$(programs)/xtask pictures --walguard $(programs)/walguard

new-check: ## Write the four files of a new check: make new-check ID=area/name
	@test -n "$(ID)" || { echo "usage: make new-check ID=area/name" >&2; exit 2; }
	$(xtask) new-check "$(ID)"

bundle: ## The rules as an OPA bundle and as an OCI layout for conftest pull, in target/bundle
	policies/opa/build "$(call tool,opa)" target/bundle "$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"

dist: ## What a release consists of, for this machine, in target/dist: binary, wheel, plugin, chart, rules, image, bill of materials, checksums
	binary=$$(dist/binary); dist/build target/dist "$$(basename "$$(dirname "$$(dirname "$$binary")")")=$$binary"; \
	  cd tests/packages && WALGUARD=$$binary go test -count=1 -run 'TestWheel|TestEmptyRoot|TestGet|TestKubectlPlugin' ./...

playground: ## walguard in WebAssembly, as the page runs it: the same answers as here
	cargo build -q --workspace --bins
	node tests/playground/run.mjs "$$(docs/playground/build)" $(programs)/walguard

site: ## The documentation as a site with the playground, in target/site (compiles mdBook and walguard in WebAssembly once)
	wasm=$$(docs/playground/build) || { wasm=; echo "SKIPPED: the playground, since walguard cannot be built for WebAssembly here" >&2; }; \
	  $(xtask) site target/site-source $${wasm:+--wasm "$$wasm"}
	$(call tool,mdbook) build target/site-source --dest-dir "$(abspath target/site)"

browser: ## The HTML report, and the site with its playground where make site has built it, in headless Chromium; SCREENSHOTS=DIRECTORY keeps pictures
	cargo build -q --workspace --bins
	cd tests/browser && npm ci --silent --no-audit --no-fund && node run.mjs "$(programs)/walguard" "$(abspath target/site)" $(SCREENSHOTS)

vscode: ## The extension for VS Code, in editors/vscode (Node.js), tried with walguard
	cargo build -q --workspace --bins
	cd editors/vscode && npm ci --no-audit --no-fund && npx vsce package && node test.mjs $(programs)/walguard

deny: ## Licences, sources and advisories of all dependencies (cargo-deny, which make test does not build)
	@deny=$$(tests/tools/build $(BUILT) cargo-deny) || { \
	    [ -n "$(BUILT)" ] && echo "SKIPPED: licences, sources and advisories, since cargo-deny is not built here (make deny builds it)" >&2; exit; }; \
	  advisories=advisories; \
	  "$$deny" fetch db 2>/dev/null || { \
	    [ -z "$(ADVISORIES)" ] || { echo "the database of advisories cannot be fetched" >&2; exit 1; }; \
	    advisories=; echo "SKIPPED: advisories, whose database cannot be fetched" >&2; }; \
	  for manifest in Cargo.toml policies/kubewarden/Cargo.toml; do \
	    "$$deny" --manifest-path "$$manifest" --log-level error --config "$$PWD/deny.toml" check licenses bans sources $$advisories; \
	  done

bench: ## Speed, side by side with OPA and conftest in one run
	bench/run

ci: ## What CI runs
	.ci/run

clean: ## Remove what was built here (the cache of tools stays)
	cargo clean
