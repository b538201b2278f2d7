# Haptic Bridge. Each command installs its requirements, builds its programs and runs them; `make help` lists the
# commands. Other targets are defined in the files rules.mk next to their subject. Paths are relative to this folder.

SWIFT ?= swift
CLANG ?= $(dir $(realpath $(shell command -v $(SWIFT))))clang
LLVM := $(dir $(CLANG))llvm
PREFIX ?= /usr/local
PATTERN ?= Sources/AHAP/Patterns/tour.ahap

# The compiler options for C code that runs on this computer.
C_FLAGS := -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror

.DEFAULT_GOAL := help
.PHONY: FORCE help build play test proof check format clean built

help: ## prints this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- The programs ------------------------------------------------------------------------------

# The tool needs neither an index nor debug information. Without an index and debug information, and with each module
# compiled as a whole, the build takes two thirds of the time.
QUICK := --disable-index-store -debug-info-format none

# This build has no servers (Package.swift) and no optimization. System packages are installed while the first
# modules, which do not need them, are compiled.
PLAY := BRIDGE_SERVERS=no $(SWIFT) build -c release -Xswiftc -Onone $(QUICK) --use-integrated-swift-driver \
    --scratch-path .build-play

play: ## plays a pattern on the virtual board (PATTERN=file.ahap for another)
	@SWIFT=$(SWIFT) .ci/setup build & $(if $(wildcard .build-play),,$(PLAY) --target HapticCompiler >&2;) wait $$!
	@$(PLAY) --product bridge >&2
	@.build-play/release/bridge play --virtual '$(subst ','\'',$(PATTERN))'

build: setup-build ## builds bridge and virtual-board in .build/debug
	$(SWIFT) build $(QUICK) --product bridge
	$(SWIFT) build $(QUICK) --product virtual-board

# ---- The single build of all programs and tests -----------------------------------------------------

# This is a release build without optimization. A debug build would be slow at run time, because the argument
# parser then checks all options at each call. Only the C code and the targets whose speed affects the tests are
# optimized (Package.swift), because optimizing everything takes three times as long. One process compiles each
# module as a whole. SwiftPM is started only if a file that it reads has changed.
HOT := BRIDGE_HOT=-O
TESTING := -c release -debug-info-format none $(addprefix -Xswiftc ,-Onone -enable-testing -num-threads 1 \
    -no-emit-module-separately-wmo) --scratch-path .build-tests
TESTED := .build-tests/release
BUILT := .build-tests/built
BUILD_FILES := $(shell find Sources Firmware Tests \( -name Simulators -o -name Fuzzers -o -name Mutants \
    -o -name ClientPackage -o -name Clients \) -prune -o \( -type d -o -name '*.swift' -o -name '*.[ch]' -o -name '*.modulemap' \
    -o -name '*.ahap' -o -name '*.json' -o -name '*.hex' -o -name '*.uf2' -o -path '*/Page/*' \) -print)

$(BUILT): Package.swift $(BUILD_FILES) | setup-build
	@mkdir -p $(@D) && touch $@.begun
	$(HOT) $(SWIFT) build $(TESTING) --build-tests
	@mv $@.begun $@

built: $(BUILT)

# ---- The proof, whose steps are in .ci/*.steps --------------------------------------------------------

test: ## builds everything, and runs the tests for a change
	@.ci/steps .ci/test.steps

proof: ## runs all tests and checks, as every night
	@BRIDGE_PROOF=1 .ci/steps .ci/test.steps .ci/run.steps .ci/proof.steps

CHECKS := $(addprefix check-,format words modules boards page clients clocks includes mutants c wasm arduino firmware client \
    pictures) docs

check: $(CHECKS) ## runs the static checks: format, words, modules, images, documentation

# ---- Formatting ----------------------------------------------------------------------------------

C_FILES := $(shell git ls-files '*.c' '*.h' '*.cpp' 2>/dev/null)
SWIFT_FILES := $(shell git ls-files '*.swift' 2>/dev/null)

format: setup-format ## formats all sources in place
	clang-format -i $(C_FILES)
	$(SWIFT) format --in-place $(SWIFT_FILES)

.PHONY: check-format
check-format: setup-format
	@clang-format --dry-run --Werror $(C_FILES)
	@$(SWIFT) format lint --strict $(SWIFT_FILES)

# ---- Everything else -----------------------------------------------------------------------------

# .ci/setup defines groups of programs and libraries, and installs those that are missing.
setup-%:
	@SWIFT=$(SWIFT) .ci/setup $*

include Firmware/rules.mk
include Firmware/boards/arduino/rules.mk
include Tests/Simulators/rules.mk
include Tests/rules.mk
include Tests/Fuzzers/rules.mk
include Schematics/rules.mk
include Sources/rules.mk
include Sources/bridge/Packaging/rules.mk
include Web/rules.mk
include Web/Page/rules.mk

clean: ## removes all build products
	rm -rf .build .build-*

.build:
	mkdir -p $@
