# Haptic Bridge. Each verb installs what it needs, builds it and runs it; `make help` lists them. The other
# targets stand where their subject is, in a file rules.mk, whose paths begin here.

SWIFT ?= swift
CLANG ?= $(dir $(realpath $(shell command -v $(SWIFT))))clang
LLVM := $(dir $(CLANG))llvm
PREFIX ?= /usr/local
PATTERN ?= Sources/AHAP/Patterns/tour.ahap

# For C that runs on this computer.
C_FLAGS := -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror

.DEFAULT_GOAL := help
.PHONY: FORCE help build play test proof check format clean built

help: ## prints this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- The programs ------------------------------------------------------------------------------

# Neither an index nor debug information is needed to use the tool; without them, and with each module
# compiled as a whole, the build takes two thirds of the time.
QUICK := --disable-index-store -debug-info-format none

# Without servers (Package.swift) and without optimization. Packages of the system are installed beside the
# first modules, which need none of them.
PLAY := BRIDGE_SERVERS=no $(SWIFT) build -c release -Xswiftc -Onone $(QUICK) --use-integrated-swift-driver \
    --scratch-path .build-play

play: ## plays a pattern on the virtual board (PATTERN=file.ahap for another)
	@SWIFT=$(SWIFT) .ci/setup build & $(if $(wildcard .build-play),,$(PLAY) --target PatternFormats >&2;) wait $$!
	@$(PLAY) --product bridge >&2
	@.build-play/release/bridge play --virtual '$(subst ','\'',$(PATTERN))'

build: setup-build ## builds bridge and virtual-board in .build/debug
	$(SWIFT) build $(QUICK) --product bridge
	$(SWIFT) build $(QUICK) --product virtual-board

# ---- The one build of all programs and tests -----------------------------------------------------

# A release build without optimization, for what is only defined for debugging takes long: the argument parser
# checks all options at each call. Only the C and the targets whose speed the tests feel are optimized
# (Package.swift): to optimize all takes three times as long. One process compiles each module as a whole.
# SwiftPM is started only if a file has changed that it would read.
HOT := BRIDGE_HOT=-O
TESTING := -c release -debug-info-format none $(addprefix -Xswiftc ,-Onone -enable-testing -num-threads 1 \
    -no-emit-module-separately-wmo) --scratch-path .build-tests
TESTED := .build-tests/release
BUILT := .build-tests/built
BUILD_FILES := $(shell find Sources Firmware Tests \( -name Simulators -o -name Fuzzers -o -name Mutants \
    -o -name ClientPackage \) -prune -o \( -type d -o -name '*.swift' -o -name '*.[ch]' -o -name '*.modulemap' \
    -o -name '*.ahap' -o -name '*.json' -o -name '*.hex' -o -name '*.uf2' -o -path '*/Page/*' \) -print)

$(BUILT): Package.swift $(BUILD_FILES) | setup-build
	@mkdir -p $(@D) && touch $@.begun
	$(HOT) $(SWIFT) build $(TESTING) --build-tests
	@mv $@.begun $@

built: $(BUILT)

# ---- The proof: .ci/*.steps list what it consists of -------------------------------------------------

test: ## builds everything, and tests what a change needs
	@.ci/steps .ci/test.steps

proof: ## everything that can be proven, as every night
	@BRIDGE_PROOF=1 .ci/steps .ci/test.steps .ci/run.steps .ci/proof.steps

CHECKS := $(addprefix check-,format words modules page clocks includes mutants c arduino firmware client pictures) docs

check: $(CHECKS) ## what is checked without running it: format, words, modules, images, documentation

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

# What the system lacks is installed by groups, which .ci/setup lists.
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

clean: ## removes all that was built
	rm -rf .build .build-*

.build:
	mkdir -p $@
