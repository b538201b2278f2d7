# Haptic Bridge. `make play` and `make test` do all set-up by themselves.

SWIFT ?= swift
PREFIX ?= /usr/local
PATTERN ?= Sources/AHAP/Patterns/tour.ahap
CLANG ?= $(dir $(realpath $(shell command -v $(SWIFT))))clang

BUILD := .build/debug
RELEASE := .build/release
SANITIZED := .build-sanitized

.DEFAULT_GOAL := help
.PHONY: help setup setup-format setup-firmware setup-simulator setup-schematics build play test sanitize firmware simulator bench \
    schematics export-schematics format check check-format check-c check-firmware check-client install clean

help:
	@echo "make play        play a pattern on the virtual board (PATTERN=file.ahap for another)"
	@echo "make test        build and run every test"
	@echo "make bench       measure, and print figures"
	@echo "make firmware    build the image for Arduino Uno and Nano, and print its size"
	@echo "make schematics  check the schematics, and that their exports are what they give"
	@echo "make check       formatting, the committed image, the core under strict warnings"
	@echo "make format      format all sources in place"
	@echo "make install     install the tools under PREFIX=$(PREFIX)"

# ---- Set-up: what the build needs and the system lacks ------------------------------------

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# What apt and brew call what is missing, and how to ask whether it is there.
define install_packages
	if command -v apt-get >/dev/null; then \
	    $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	        apt-get install -y -qq --no-install-recommends $(1) >&2; \
	elif command -v brew >/dev/null; then \
	    brew install $(2) >&2; \
	else \
	    echo "install $(2), then try again" >&2; exit 1; \
	fi
endef

setup:
	@pkg-config --exists libserialport 2>/dev/null || { \
	    $(call install_packages,libserialport-dev pkg-config,libserialport pkg-config); }
	@command -v $(SWIFT) >/dev/null || { \
	    echo "Swift 6.2 or later is needed: https://www.swift.org/install" >&2; exit 1; }

setup-format:
	@command -v clang-format >/dev/null || { $(call install_packages,clang-format,clang-format); }

setup-firmware:
	@{ command -v avr-gcc >/dev/null && avr-gcc -mmcu=atmega328p -E -include avr/io.h -x c \
	    /dev/null >/dev/null 2>&1; } || { \
	    $(call install_packages,gcc-avr avr-libc,osx-cross/avr/avr-gcc); }

# Debian 12 has KiCad 6, which cannot draw without a screen: its backports have a later one. Only
# the packages that are asked for by suite come from there.
BACKPORTS := /etc/apt/sources.list.d/bookworm-backports.list
KICAD_APT = kicad$(if $(shell grep -s bookworm /etc/os-release),/bookworm-backports) poppler-utils

setup-schematics:
	@{ command -v kicad-cli && command -v pdftotext; } >/dev/null || { \
	    grep -qs bookworm /etc/os-release && \
	        echo "deb http://deb.debian.org/debian bookworm-backports main" | \
	            $(SUDO) tee $(BACKPORTS) >/dev/null; \
	    $(call install_packages,$(KICAD_APT),kicad poppler); }

setup-simulator:
	@pkg-config --exists simavr 2>/dev/null || { \
	    $(call install_packages,libsimavr-dev libelf-dev pkg-config,simavr pkg-config); }

# ---- Building and playing ------------------------------------------------------------------

build: setup
	$(SWIFT) build --product bridge
	$(SWIFT) build --product virtual-board

play: setup
	@$(SWIFT) build --product bridge >&2
	@$(BUILD)/bridge play --virtual $(PATTERN)

# ---- The reference board ---------------------------------------------------------------------

BOARD := Firmware/boards/atmega328p
IMAGE := .build/firmware/atmega328p
BUILD_IMAGE = $(MAKE) --no-print-directory -C $(BOARD) BUILD=$(CURDIR)/.build/firmware
SIMULATOR := .build/simulator/avr-board

# The image that users flash is committed; building it again gives the same bytes.
firmware: setup-firmware
	@$(BUILD_IMAGE)
	@cp $(IMAGE).hex $(BOARD)/atmega328p.hex

$(SIMULATOR): $(wildcard Firmware/simulator/*.[ch] Firmware/model/*.[ch]) | setup-simulator
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -IFirmware/model -o $@ \
	    $(filter %.c,$^) $(subst -I,-isystem ,$(shell pkg-config --cflags simavr)) \
	    $(shell pkg-config --libs simavr) -lutil -lm

simulator: setup-simulator $(SIMULATOR)

# ---- Tests -----------------------------------------------------------------------------------

# Where the simulated board can be built, its absence is a failure. Boards in real time are judged
# while nothing else runs.
test: setup simulator
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --skip 'ConformanceTests|EngineTests'
	$(SWIFT) test --skip-build --no-parallel --filter EngineTests
	BRIDGE_REQUIRE=inProcess,virtual,simulated,simulatedPort \
	    $(SWIFT) test --skip-build --filter ConformanceTests
	$(MAKE) sanitize

# The firmware core and its model under AddressSanitizer and UndefinedBehaviorSanitizer, whose
# findings trap: Swift brings no runtime that would print them.
sanitize: setup
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --scratch-path $(SANITIZED) --sanitize address \
	    -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined \
	    --filter 'FirmwareTests|ModelTests'

bench: setup simulator setup-firmware
	@$(SWIFT) build -c release >&2
	@$(RELEASE)/bench
	@$(BUILD_IMAGE) -s | awk '{ print "figure", $$1, $$2, "bytes" }'
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    'char context[sizeof(struct bridge)], events[BRIDGE_EVENT_MEMORY];' | \
	    $(CLANG) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -c - -o .build/size.o
	@$(dir $(CLANG))llvm-nm --radix=d --print-size .build/size.o | awk \
	    '/context/ { print "figure context_bytes_avr", $$2 + 0, "bytes" } \
	     /events/ { print "figure event_memory_bytes_avr", $$2 + 0, "bytes" }'

# ---- Schematics ------------------------------------------------------------------------------

PROJECTS := uno-nano uno-nano-several pico pico-several
EXPORTS := .build/schematics

# Every rule of KiCad's check holds; what is committed beside a project is what it gives.
schematics: setup-schematics
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project && \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project || exit; \
	    echo "$$project: no violations, exports as committed"; done

# A PDF that says the same is left as it is, for its dates.
export-schematics: setup-schematics
	@for project in $(PROJECTS); do \
	    Schematics/export.sh $$project $(EXPORTS)/$$project || exit; \
	    Schematics/compare.sh $$project $(EXPORTS)/$$project 2>/dev/null || \
	        cp $(EXPORTS)/$$project/* Schematics/$$project; done

# ---- Formatting and portability ------------------------------------------------------------

C_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
SWIFT_FILES := $(shell git ls-files '*.swift' 2>/dev/null)

format: setup-format
	clang-format -i $(C_FILES)
	$(SWIFT) format --in-place $(SWIFT_FILES)

check: check-format check-c check-firmware check-client

check-format: setup-format
	clang-format --dry-run --Werror $(C_FILES)
	$(SWIFT) format lint --strict $(SWIFT_FILES)

WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only
CORE := $(wildcard Firmware/core/*.c)
MODEL := $(wildcard Firmware/model/*.c)

# No heap and no globals: nothing in the core's data or bss, no call to an allocator. A context for
# one actuator takes at most 1,040 of the ATmega328P's 2,048 bytes.
check-c: | .build
	$(CLANG) $(WARNINGS) $(CORE) $(MODEL)
	$(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv6m-none-eabi -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv7em-none-eabi -ffreestanding $(CORE)
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    '_Static_assert(sizeof(struct bridge) <= 1040, "context");' \
	    '_Static_assert(BRIDGE_EVENT_MEMORY >= 384, "event memory");' | \
	    $(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -
	@for file in $(CORE); do \
	    $(CLANG) -std=c11 -Os -fno-pic -c $$file -o .build/check.o && \
	    ! $(dir $(CLANG))llvm-nm .build/check.o 2>/dev/null | grep -E ' [bBdDC] | (malloc|free|calloc)$$' \
	        || { echo "$$file: a global or an allocation" >&2; exit 1; }; done

check-firmware: setup-firmware
	@$(BUILD_IMAGE)
	@cmp $(IMAGE).hex $(BOARD)/atmega328p.hex || { \
	    echo "$(BOARD)/atmega328p.hex is not what its sources give: make firmware" >&2; exit 1; }

# A package that depends on the library alone builds, and links none of the firmware.
check-client: setup
	$(SWIFT) build --package-path Tests/ClientPackage --scratch-path .build-client
	@! $(dir $(CLANG))llvm-nm .build-client/debug/client | grep -E ' T (bridge_|drv2605_)' || \
	    { echo "the library links firmware code" >&2; exit 1; }

# ---- Installing -----------------------------------------------------------------------------

install: setup
	$(SWIFT) build -c release --static-swift-stdlib --product bridge
	$(SWIFT) build -c release --static-swift-stdlib --product virtual-board
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/haptic-bridge/patterns
	install -m 755 $(RELEASE)/bridge $(RELEASE)/virtual-board $(DESTDIR)$(PREFIX)/bin
	install -m 644 Sources/AHAP/Patterns/*.ahap $(DESTDIR)$(PREFIX)/share/haptic-bridge/patterns

clean:
	rm -rf .build .build-client $(SANITIZED)

.build:
	mkdir -p $@
