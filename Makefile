# Haptic Bridge. `make play` and `make test` do all set-up by themselves.

SWIFT ?= swift
PREFIX ?= /usr/local
PATTERN ?= Sources/AHAP/Patterns/tour.ahap
CLANG ?= $(dir $(realpath $(shell command -v $(SWIFT))))clang

BUILD := .build/debug
RELEASE := .build/release
SANITIZED := .build-sanitized
FUZZ := .build-fuzz
# What is tested and the soak are built once, with optimization: the tests then take a third of the
# time. Overflows and preconditions trap as in a debug build. -enable-testing has a folder of its own.
OPTIMIZED := -c release -Xswiftc -enable-testing --scratch-path .build-optimized
TESTED := .build-optimized/release

.DEFAULT_GOAL := help
.PHONY: FORCE help setup setup-format setup-firmware setup-python setup-simulator setup-schematics build play test \
    sanitize firmware simulator bench schematics export-schematics format check check-format \
    check-c check-includes check-modules check-words check-firmware check-client docs install clean \
    test-client tsan setup-bootloader deb check-deb soak soak-board mutants fuzz build-fuzz \
    independent test-conformance test-tuning test-usb setup-usb referee-m0 setup-unicorn referee-image \
    pictures check-pictures test-simulator arduino-library arduino-boards test-arduino check-arduino \
    test-board test-websocket test-audition test-osc setup-osc test-studio setup-chromium test-sound setup-sound

help:
	@echo "make play        play a pattern on the virtual board (PATTERN=file.ahap for another)"
	@echo "make test        build and run every test"
	@echo "make test-board  hold the board at the port BRIDGE_PORT to SPEC"
	@echo "make independent hold both ends against a second implementation, from SPEC.md alone"
	@echo "make test-websocket  hold the page's server against other people's WebSocket clients"
	@echo "make test-studio  hold the page of bridge studio in Chromium to what its users need"
	@echo "make test-osc    play by other people's senders of Open Sound Control"
	@echo "make test-sound  listen to patterns with sound on a null sink of PulseAudio"
	@echo "make test-simulator  hold the simulated RP2040 to its data sheet"
	@echo "make referee-m0  hold the simulator's Cortex-M0+ against unicorn, opcode by opcode"
	@echo "make referee-image  run the image of the RP2040 on another emulator, from the boot ROM"
	@echo "make test-audition  feel the edits of independent editors on a virtual board"
	@echo "make test-usb    try bridge and the image for the Pico with Linux's own drivers, in a guest"
	@echo "make sanitize    the core's tests under the sanitizers of addresses and undefined behaviour"
	@echo "make tsan        the engine's tests under the thread sanitizer"
	@echo "make bench       measure, and print figures"
	@echo "make soak        run host and core through SEEDS disasters in virtual time, from SEED_FROM on"
	@echo "make soak-board  the same on the images, and QUERIES at any cycle of their interrupts"
	@echo "make mutants     break the code in one place after the other: a test must notice each"
	@echo "make fuzz        fuzz everything that reads bytes (RUNS=1000000 for each)"
	@echo "make firmware    build the images for Arduino Uno and Nano and for the Pico, and print their sizes"
	@echo "make arduino-library  lay the Arduino library, as a folder and a ZIP, in $(ARDUINO_BUILD)"
	@echo "make test-arduino  run its sketches on simulated boards, and check its format"
	@echo "make schematics  check the schematics, and that their exports are what they give"
	@echo "make docs        the library's documentation, in $(DOCS)"
	@echo "make pictures    draw its pictures of the named patterns"
	@echo "make check       formatting, the committed image, the core under strict warnings"
	@echo "make format      format all sources in place"
	@echo "make deb         build a package for Debian; make check-deb tries it in a bare system"
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
	@pkg-config --exists libserialport sndfile zlib $(if $(filter Linux,$(shell uname)),alsa) 2>/dev/null || { \
	    $(call install_packages,libserialport-dev libsndfile1-dev libasound2-dev zlib1g-dev pkg-config,libserialport libsndfile zlib pkg-config); }
	@command -v $(SWIFT) >/dev/null || { \
	    echo "Swift 6.2 or later is needed: https://www.swift.org/install" >&2; exit 1; }

setup-format:
	@command -v clang-format >/dev/null || { $(call install_packages,clang-format,clang-format); }

setup-python:
	@command -v python3 >/dev/null || { $(call install_packages,python3,python3); }

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

setup-bootloader:
	@{ command -v avrdude >/dev/null && [ -e $(ARDUINO)/optiboot/optiboot.c ]; } || { \
	    $(call install_packages,avrdude arduino-core-avr,avrdude); }

# ---- Building and playing ------------------------------------------------------------------

# To play, neither an index nor debug information is necessary; without them, and with each module
# compiled as a whole, the build takes two thirds of the time.
QUICK := --disable-index-store -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 \
    -Xswiftc -gnone

build: setup
	$(SWIFT) build $(QUICK) --product bridge
	$(SWIFT) build $(QUICK) --product virtual-board

play: setup
	@$(SWIFT) build $(QUICK) --product bridge >&2
	@$(BUILD)/bridge play --virtual $(PATTERN)

# ---- The reference board ---------------------------------------------------------------------

CORE := $(wildcard Firmware/core/*.c Firmware/core/*/*.c)
MODEL := $(wildcard Firmware/model/*.c)
BOARD := Firmware/boards/atmega328p
IMAGE := .build/firmware/atmega328p
BUILD_IMAGE = $(MAKE) --no-print-directory -C $(BOARD) BUILD=$(CURDIR)/.build/firmware
# For several actuators: as many as the schematic has; as many as the EEPROM has room for, which the
# RAM bar has not, to measure.
SEVERAL_IMAGE := .build/firmware-4/atmega328p
BUILD_SEVERAL = $(BUILD_IMAGE)-4 ACTUATORS=4
BUILD_SEVEN = $(BUILD_IMAGE)-7 ACTUATORS=7
SIMULATOR := .build/simulator/avr-board
PICO_SIMULATOR := .build/simulator/pico-board
SKETCH_SIMULATOR := .build/simulator/sketch-board

# The image of boards with an RP2040, by the Swift toolchain's own compiler and linker.
PICO := Firmware/boards/rp2040
PICO_IMAGE := .build/firmware-rp2040/rp2040
BUILD_PICO = $(MAKE) --no-print-directory -C $(PICO) CLANG=$(CLANG) BUILD=$(CURDIR)/.build/firmware-rp2040

$(PICO_IMAGE).uf2: FORCE | setup-python
	@$(BUILD_PICO)

# The images that users flash are committed; building them again gives the same bytes.
firmware: setup-firmware $(PICO_IMAGE).uf2
	@$(BUILD_IMAGE)
	@cp $(IMAGE).hex $(BOARD)/atmega328p.hex
	@$(BUILD_SEVERAL)
	@cp $(SEVERAL_IMAGE).hex $(BOARD)/atmega328p-several.hex
	@cp $(PICO_IMAGE).uf2 $(PICO)/rp2040.uf2

# What the simulators share stands once; each has a folder for its controller.
SIMULATED := Firmware/simulator
SIMULATOR_FILES = $(wildcard $(SIMULATED)/common/*.[ch] $(SIMULATED)/$(1)/*.[ch] Firmware/model/*.[ch])
BUILD_SIMULATOR = cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -IFirmware/model \
    -I$(SIMULATED)/common -I$(SIMULATED)/$(1) -o $@ $(filter %.c,$^)

$(SIMULATOR): $(call SIMULATOR_FILES,atmega328p) | setup-simulator
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,atmega328p) $(subst -I,-isystem ,$(shell pkg-config --cflags simavr)) \
	    $(shell pkg-config --libs simavr) -lutil -lm

$(SKETCH_SIMULATOR): $(call SIMULATOR_FILES,arduino)
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,arduino) -rdynamic -ldl -lm

$(PICO_SIMULATOR): $(call SIMULATOR_FILES,rp2040)
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,rp2040) -lm

# A boot loader as Arduinos ship with it, from the source that Debian packages: the package's own
# image is larger than the boot section. Without its flashes of an LED it fits.
ARDUINO := /usr/share/arduino/hardware/arduino/avr/bootloaders
OPTIBOOT := .build/simulator/optiboot.hex

$(OPTIBOOT): | setup-bootloader setup-firmware
	@mkdir -p $(@D)
	avr-gcc -w -Os -fno-inline-small-functions -fno-split-wide-types -mrelax -mmcu=atmega328p \
	    -DF_CPU=16000000L -DLED_START_FLASHES=0 -DBAUD_RATE=115200 -nostartfiles -nostdlib \
	    -Wl,--section-start=.text=0x7e00 -Wl,--section-start=.version=0x7ffe -Wl,--relax \
	    -o $(@:.hex=.elf) $(ARDUINO)/optiboot/optiboot.c
	avr-objcopy -j .text -j .version -O ihex $(@:.hex=.elf) $@

# The boot loader of old Nanos, as they shipped with it.
ATMEGABOOT := .build/simulator/atmegaboot.hex

$(ATMEGABOOT): | setup-bootloader
	@mkdir -p $(@D)
	cp $(ARDUINO)/atmega/ATmegaBOOT_168_atmega328.hex $@

# Makes a pseudo-terminal a USB serial port to whatever is run with it; for the GNU system only.
PORT_SHIM := .build/simulator/port-shim.so

$(PORT_SHIM): Tests/PortShim/port_shim.c
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -shared -fPIC -o $@ $< -ldl

# The firmware as it would be in an older version, and with a protocol too that is older than the host's.
EARLIER_IMAGE := .build/simulator/earlier.hex
OLD_IMAGE := .build/simulator/old.hex
OLD_PICO_IMAGE := .build/simulator/old.uf2
FIRMWARE_FILES := $(wildcard Firmware/core/*.[ch] Firmware/core/*/*.[ch] Firmware/protocol/*.h \
    $(BOARD)/*.[ch] $(BOARD)/*/*.h)
OLDER := sed -i '/define BRIDGE_FIRMWARE_VERSION/s/0x.*/0x0009/' core/support/version.h
OLDER_PROTOCOL := sed -i '/define BRIDGE_VERSION_M/s/1$$/0/' protocol/bridge_protocol.h

# $(1): a folder to build in; $(2): what changes the sources; $(3): the board; $(4): its make's variables.
define build_changed_image
	@rm -rf $(1) && mkdir -p $(1)/build $(@D) && cp -r Firmware $(1)
	@cd $(1)/Firmware && $(2)
	$(MAKE) --no-print-directory -C $(1)/$(3) $(4) BUILD=$(CURDIR)/$(1)/build
	cp $(1)/build/$(notdir $(3))$(suffix $@) $@
endef

CHANGED_GCC := CC='avr-gcc -Wno-type-limits'

$(EARLIER_IMAGE): $(FIRMWARE_FILES) | setup-firmware
	$(call build_changed_image,.build/earlier,$(OLDER),$(BOARD),$(CHANGED_GCC))

$(OLD_IMAGE): $(FIRMWARE_FILES) | setup-firmware
	$(call build_changed_image,.build/old,$(OLDER) && $(OLDER_PROTOCOL),$(BOARD),$(CHANGED_GCC))

$(OLD_PICO_IMAGE): $(FIRMWARE_FILES) $(wildcard $(PICO)/*.[ch]) | setup-python
	$(call build_changed_image,.build/old-pico,$(OLDER) && $(OLDER_PROTOCOL),$(PICO),CLANG=$(CLANG))

simulator: setup-simulator $(SIMULATOR) $(PICO_SIMULATOR) $(if $(wildcard /etc/debian_version),arduino-boards $(OPTIBOOT) $(ATMEGABOOT) $(PORT_SHIM) $(EARLIER_IMAGE) \
    $(OLD_IMAGE) $(OLD_PICO_IMAGE))

# ---- The Arduino library -----------------------------------------------------------------------

# Laid from the firmware's sources, as users install it; the ZIP is the same bytes each time.
ARDUINO_SOURCES := Firmware/boards/arduino
ARDUINO_BUILD := .build/arduino
ARDUINO_LIBRARY := $(ARDUINO_BUILD)/HapticBridge
ARDUINO_FILES := $(shell find $(ARDUINO_SOURCES) -type f) $(CORE) Firmware/boards/template/port.c \
    $(wildcard Firmware/core/*.h Firmware/core/*/*.h Firmware/protocol/*.h Firmware/boards/template/*.h)

$(ARDUINO_LIBRARY)/library.properties: $(ARDUINO_FILES) | setup-python
	@python3 -B $(ARDUINO_SOURCES)/lay.py $(ARDUINO_BUILD)
	@touch $@

arduino-library: $(ARDUINO_LIBRARY)/library.properties

# Its sketches for the simulated Uno, with Debian's core for AVR, and for sketch-board, with a core of
# our own that offers what others do.
SKETCHES := $(wildcard Tests/ArduinoBoard/*/*.ino) $(ARDUINO_SOURCES)/examples/Bridge/Bridge.ino
SKETCH_NAMES := $(basename $(notdir $(SKETCHES)))
SKETCH_CORES := esp32 renesas teensy nrf52 samd
CORE_esp32 := -DARDUINO_ARCH_ESP32
CORE_renesas := -DARDUINO_ARCH_RENESAS
CORE_teensy := -DTEENSYDUINO=159
CORE_nrf52 := -DARDUINO_ARCH_NRF52 -DARDUINO_NRF52_ADAFRUIT
CORE_samd := -DARDUINO_ARCH_SAMD
# An Uno has one actuator.
UNO_SKETCHES := $(patsubst %,$(ARDUINO_BUILD)/%.hex,$(filter-out Several,$(SKETCH_NAMES)))
BOARD_SKETCHES := $(SKETCH_CORES:%=$(ARDUINO_BUILD)/Bridge-%.so)

$(UNO_SKETCHES): $(ARDUINO_BUILD)/%.hex: $(ARDUINO_LIBRARY)/library.properties $(SKETCHES) \
    Tests/ArduinoBoard/build-uno.sh | setup-firmware setup-bootloader
	@Tests/ArduinoBoard/build-uno.sh $(ARDUINO_LIBRARY) $(filter %/$*.ino,$(SKETCHES)) $@

# All sketches of a core are made together.
$(BOARD_SKETCHES): $(ARDUINO_BUILD)/Bridge-%.so: $(ARDUINO_LIBRARY)/library.properties $(SKETCHES) \
    $(wildcard $(SIMULATED)/arduino/core/* $(SIMULATED)/arduino/api.h $(SIMULATED)/arduino/*.sh)
	@$(SIMULATED)/arduino/build-sketches.sh $(ARDUINO_LIBRARY) $(ARDUINO_BUILD) $* "$(CORE_$*)" $(SKETCHES)

arduino-boards: $(UNO_SKETCHES) $(BOARD_SKETCHES) $(SIMULATOR) $(SKETCH_SIMULATOR)

test-arduino: arduino-boards
	@python3 -B Tests/ArduinoBoard/check_library.py $(ARDUINO_BUILD)
	@python3 -B Tests/ArduinoBoard/check.py $(ARDUINO_BUILD)

# For the processors of other boards, against the headers of our core, in the C++ of old and new cores;
# for Xtensa too, where Debian's compiler for an ESP8266 is there.
ARDUINO_TARGETS := armv6m-none-eabi:samd armv7em-none-eabi:nrf52 armv7em-none-eabi:renesas \
    armv7em-none-eabi:teensy riscv32-none-elf:esp32

# $(1): compilers of C and C++; $(2): the core.
define compile_library
	@for file in $$(find $(ARDUINO_LIBRARY)/src -name '*.c'); do \
	    $(firstword $(1)) $(ARDUINO_CHECKED) $(CORE_$(2)) $(3) -std=gnu11 $$file || exit; done; \
	for standard in gnu++11 gnu++17 gnu++20; do \
	    for file in $(ARDUINO_LIBRARY)/src/*.cpp; do \
	        $(lastword $(1)) $(ARDUINO_CHECKED) $(CORE_$(2)) $(3) -std=$$standard -fno-exceptions \
	            -fno-rtti $$file || exit; done; done; \
	echo "$(2) $(3): compiles"

endef
ARDUINO_CHECKED = -Os -ffreestanding -Wall -Wextra -Werror -DARDUINO=10819 -I$(SIMULATED)/arduino/core \
    -I$(ARDUINO_LIBRARY)/src -c -o .build/check.o

check-arduino: arduino-library | .build
	$(foreach target,$(ARDUINO_TARGETS),$(call compile_library,$(CLANG),$(lastword $(subst :, ,$(target))),--target=$(firstword $(subst :, ,$(target)))))
	$(if $(shell command -v xtensa-lx106-elf-g++),$(call compile_library,xtensa-lx106-elf-gcc xtensa-lx106-elf-g++,esp32),@echo "esp32, Xtensa: skipped, there is no gcc-xtensa-lx106")

# ---- The smallest port -------------------------------------------------------------------------

# The template on the model of the chip, behind a pseudo-terminal: what the conformance suite runs on.
TEMPLATE := Firmware/boards/template
TEMPLATE_BOARD := .build/template-board

$(TEMPLATE_BOARD): $(wildcard Tests/TemplateBoard/*.[ch] $(TEMPLATE)/*.[ch]) $(CORE) $(MODEL) \
    $(wildcard Firmware/core/*.h Firmware/core/*/*.h Firmware/model/*.h)
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. -DBRIDGE_ACTUATOR_COUNT=1 \
	    -include $(TEMPLATE)/critical.h -o $@ Tests/TemplateBoard/main.c Tests/TemplateBoard/board.c \
	    $(TEMPLATE)/port.c $(CORE) $(MODEL) -lm

# ---- Tests -----------------------------------------------------------------------------------

# Where the simulated board can be built, its absence is a failure. Boards in real time are judged
# while nothing else runs.
IN_REAL_TIME := Engine[A-Za-z]*Tests|OddBoardTests|BoardSearchTests|SystemFeedbackTests
IN_REAL_TIME := $(IN_REAL_TIME)|StartStopOrderTests|CoreHaptics[A-Za-z]*Tests|TransportTests
ALONE := $(IN_REAL_TIME)|ClientTests|BoardToolTests|ConformanceTests

BUILD_TESTS := $(SWIFT) build $(OPTIMIZED) --build-tests
RUN_TESTS := $(SWIFT) test $(OPTIMIZED) --skip-build

SIMULATED_BOARDS := simulated,simulatedPort,simulatedPico,simulatedPicoPort,simulatedSketch,simulatedSketchPort
# Boards in real time are judged one at a time, while no image is simulated as fast as it can be.
IMAGE_TESTS := ConformanceTests\.(Image|SeveralActuatorsImage|Cable|USBBus)
RUN_CONFORMANCE := $(RUN_TESTS) --no-parallel --filter ConformanceTests --skip '$(IMAGE_TESTS)'
define CONFORMANCE
	BRIDGE_REQUIRE=$(SIMULATED_BOARDS),inProcess,virtual,real Tests/TemplateBoard/run.sh $(TEMPLATE_BOARD) \
	    $(RUN_CONFORMANCE)
	$(RUN_TESTS) --filter '$(IMAGE_TESTS)'
endef

test-board: setup
	$(BUILD_TESTS)
	BRIDGE_REQUIRE=real $(RUN_CONFORMANCE)

test: setup simulator $(TEMPLATE_BOARD)
	$(BUILD_TESTS)
	$(RUN_TESTS) --skip '$(ALONE)'
	$(MAKE) test-simulator referee-m0 $(if $(CI),BRIDGE_REQUIRE=unicorn)
	$(RUN_TESTS) --no-parallel --filter '$(IN_REAL_TIME)'
	$(MAKE) test-client
	BRIDGE_REQUIRE=simulatedPort $(RUN_TESTS) --no-parallel --filter BoardToolTests
	$(CONFORMANCE)
	$(MAKE) test-arduino
	$(MAKE) soak
	$(MAKE) soak-board
	$(MAKE) independent
	$(MAKE) test-audition

# The conformance suite on every board, the template among them.
test-conformance: setup simulator $(TEMPLATE_BOARD)
	$(BUILD_TESTS)
	$(CONFORMANCE)

# The image built from the C that the reference board's assembler replaces: the tests of the image and
# the soak hold it to the same results.
UNTUNED := $(CURDIR)/.build/firmware-untuned
TUNING_SEEDS ?= 20

test-tuning: setup simulator
	@$(MAKE) --no-print-directory -C $(BOARD) TUNING=0 BUILD=$(UNTUNED)
	@$(MAKE) --no-print-directory -C $(BOARD) TUNING=0 ACTUATORS=4 BUILD=$(UNTUNED)-4
	$(BUILD_TESTS)
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    HAPTIC_BRIDGE_SEVERAL_IMAGE=$(UNTUNED)-4/atmega328p.hex HAPTIC_BRIDGE_PICO_SIMULATOR=none \
	    $(RUN_TESTS) --filter 'ConformanceTests.*Image'
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    $(TESTED)/bridge-soak --lock-step --seeds $(TUNING_SEEDS)

# The client package's programs, built as their users would, at a virtual board.
test-client: check-client
	$(BUILD_TESTS)
	BRIDGE_CLIENTS=.build-client/debug $(RUN_TESTS) --filter ClientTests

# A second device and a second host, written in Python from the specification alone.
independent: setup simulator setup-python
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@$(SWIFT) build $(OPTIMIZED) --product virtual-board >&2
	INDEPENDENT_PROGRAMS=$(TESTED) python3 -B Tests/Independent/check.py

# Editors made from what is published of their protocols, the one that speaks Socket.IO on a server that
# is independent of this project.
AUDITION := .build/audition

$(AUDITION)/installed: Tests/Audition/requirements.txt | setup-python
	@python3 -m venv --clear $(AUDITION) 2>/dev/null || { \
	    $(call install_packages,python3-venv,python3); python3 -m venv --clear $(AUDITION); }
	@$(AUDITION)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $< >&2
	@touch $@

test-audition: setup $(AUDITION)/installed
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@$(SWIFT) build $(OPTIMIZED) --product virtual-board >&2
	@INDEPENDENT_PROGRAMS=$(TESTED) $(AUDITION)/bin/python -B Tests/Audition/check.py

# The page of the studio in a real browser, on a virtual board. Its screenshots are for people to look at.
STUDIO := .build/studio
STUDIO_PICTURES := .build/studio-pictures

setup-chromium:
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { \
	    $(call install_packages,chromium chromium-driver,chromium chromedriver); }

$(STUDIO)/installed: Tests/Studio/requirements.txt | setup-python
	@python3 -m venv --clear $(STUDIO) 2>/dev/null || { \
	    $(call install_packages,python3-venv,python3); python3 -m venv --clear $(STUDIO); }
	@$(STUDIO)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $< >&2
	@touch $@

test-studio: setup setup-chromium $(STUDIO)/installed
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@$(SWIFT) build $(OPTIMIZED) --product virtual-board >&2
	@INDEPENDENT_PROGRAMS=$(TESTED) $(STUDIO)/bin/python -B Tests/Studio/check.py $(STUDIO_PICTURES)

# The simulator's Cortex-M0+ against unicorn (QEMU's translator; GPL, version 2: a program of its own).
# Where libunicorn can not be had, the referee is skipped by name; BRIDGE_REQUIRE=unicorn forbids that.
REFEREE_M0 := .build/simulator/m0-against-unicorn
INTERPRETER := $(wildcard Firmware/simulator/rp2040/m0*.c) Firmware/simulator/rp2040/nvic.c

setup-unicorn:
	@pkg-config --exists unicorn 2>/dev/null || \
	    ( $(call install_packages,libunicorn-dev pkg-config,unicorn pkg-config) ) || \
	    case ",$(BRIDGE_REQUIRE)," in *,unicorn,*) exit 1;; esac

$(REFEREE_M0): Tests/Referees/m0_against_unicorn.c $(INTERPRETER) \
    $(wildcard Firmware/simulator/rp2040/m0*.h) Firmware/simulator/rp2040/nvic.h | setup-unicorn
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -o $@ $(filter %.c,$^) \
	    $(shell pkg-config --cflags unicorn) $(shell pkg-config --libs unicorn)

referee-m0: setup-unicorn
	@if pkg-config --exists unicorn; then \
	    $(MAKE) --no-print-directory $(REFEREE_M0) && $(REFEREE_M0); \
	else echo "referee-m0: skipped, there is no libunicorn"; fi

# Clients and senders by other people. Autobahn's suite is the field's referee for WebSockets. It needs a
# Python 2.7 of Debian 11: where that cannot be had, it is skipped by name, and BRIDGE_REQUIRE=autobahn
# forbids that.
PEERS := .build/peers
AUTOBAHN := .build/autobahn

$(PEERS)/installed: Tests/Peers/requirements.txt | setup-python
	@python3 -m venv --clear $(PEERS) 2>/dev/null || { \
	    $(call install_packages,python3-venv,python3); python3 -m venv --clear $(PEERS); }
	@$(PEERS)/bin/pip install -q --disable-pip-version-check -r $< >&2
	@touch $@

test-websocket: setup $(PEERS)/installed
	@$(SWIFT) build $(OPTIMIZED) --product page-echo >&2
	@$(PEERS)/bin/python -B Tests/Peers/check_websocket.py $(TESTED)/page-echo
	@Tests/Peers/install_autobahn.sh $(AUTOBAHN) "$(CURDIR)/$(PEERS)/bin/pip"; status=$$?; \
	if [ $$status = 0 ]; then \
	    $(AUTOBAHN)/python -B Tests/Peers/referee_websocket.py $(TESTED)/page-echo .build/autobahn-report; \
	elif [ $$status = 3 ]; then \
	    echo "autobahn: skipped, its Python 2.7 cannot be had"; \
	    case ",$(BRIDGE_REQUIRE)," in *,autobahn,*) exit 1;; esac; \
	else exit $$status; fi

setup-osc:
	@command -v oscsend >/dev/null || { $(call install_packages,liblo-tools,liblo); }

test-osc: setup setup-osc $(PEERS)/installed
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@$(SWIFT) build $(OPTIMIZED) --product virtual-board >&2
	@$(PEERS)/bin/python -B Tests/Peers/check_osc.py $(TESTED)

# Patterns with sound, on a sound server that needs no card.
setup-sound:
	@{ command -v pulseaudio && command -v parec && ls /usr/lib/*/alsa-lib/libasound_module_pcm_pulse.so; } \
	    >/dev/null 2>&1 || { $(call install_packages,pulseaudio pulseaudio-utils libasound2-plugins,pulseaudio); }

test-sound: setup setup-sound setup-python
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@python3 -B Tests/Sound/check.py $(TESTED)

# Programs for the simulated RP2040, and what holds its core to the data sheet without a board.
MACHINE_TESTS := .build/simulator/machine-tests
PROGRAMS := .build/simulator/programs.bin
PROGRAM_SOURCES := $(addprefix Tests/Simulator/,programs.c cycles.c exceptions.c blocks.c times.c)
# What the simulator has of the chip itself.
MACHINE := $(INTERPRETER) $(addprefix Firmware/simulator/rp2040/,machine.c bus.c boot_rom.c clocks.c \
    pll.c resets.c watchdog.c timer.c gpio.c step_mark.c uf2.c) \
    $(addprefix Firmware/simulator/common/,schedule.c trace.c random.c)

$(PROGRAMS): $(PROGRAM_SOURCES) Tests/Simulator/program.h Tests/Simulator/programs.ld
	@mkdir -p $(@D)
	$(CLANG) --target=armv6m-none-eabi -mcpu=cortex-m0plus -std=c11 -Os -ffreestanding \
	    -ffunction-sections -Wall -Wextra -Werror -nostdlib -fuse-ld=lld \
	    -Wl,-T,Tests/Simulator/programs.ld -o $(@:.bin=.elf) $(PROGRAM_SOURCES)
	$(dir $(CLANG))llvm-objcopy -O binary $(@:.bin=.elf) $@

$(MACHINE_TESTS): $(wildcard Tests/Simulator/*_test*.c) $(MACHINE) \
    $(wildcard Tests/Simulator/*.h Firmware/simulator/rp2040/*.h Firmware/simulator/common/*.h)
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -o $@ $(filter %.c,$^)

# What the simulated Pico has around its processor, without an image.
BOARD_TESTS := .build/simulator/board-tests

$(BOARD_TESTS): $(wildcard Tests/Simulator/board/*.[ch] Tests/Simulator/*_test.[ch]) \
    $(filter-out %/main.c,$(call SIMULATOR_FILES,rp2040))
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,rp2040) -lm

test-simulator: $(MACHINE_TESTS) $(PROGRAMS) $(BOARD_TESTS)
	@$(MACHINE_TESTS) $(PROGRAMS)
	@$(BOARD_TESTS)

# The committed image of the RP2040 on somebody else's emulator (rp2040py, MIT), from the chip's own boot
# ROM. Where the emulator cannot be had, each check is skipped by name; BRIDGE_REQUIRE=rp2040py forbids that.
REFEREES := .build/referees

$(REFEREES)/installed: Tests/Referees/requirements.txt | setup-python
	@python3 -m venv --clear $(REFEREES) 2>/dev/null || { \
	    $(call install_packages,python3-venv,python3); python3 -m venv --clear $(REFEREES); }
	@$(REFEREES)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $< >&2 || \
	    case ",$(BRIDGE_REQUIRE)," in *,rp2040py,*) exit 1;; esac
	@touch $@

referee-image: $(REFEREES)/installed
	@$(REFEREES)/bin/python -B Tests/Referees/check_rp2040.py

# The firmware core and its model under AddressSanitizer and UndefinedBehaviorSanitizer, whose
# findings trap: Swift brings no runtime that would print them.
sanitize: setup
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --scratch-path $(SANITIZED) --sanitize address \
	    -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined \
	    --filter 'FirmwareTests|ModelTests'

# Engines and players under ThreadSanitizer. The other tests have one thread each.
tsan: setup
	ENGINE_OPERATIONS=10000 $(SWIFT) test --scratch-path .build-tsan --sanitize thread --no-parallel \
	    --filter 'EngineTests|EngineEndingTests|EngineEventTests|EngineReturnTests'

# ---- Linux's own drivers ----------------------------------------------------------------------

USB_GUEST := .build/usb-guest

setup-usb:
	@[ "$$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || { \
	    echo "the guest is made of Debian's packages, on amd64 only" >&2; exit 1; }
	@{ command -v qemu-system-x86_64 && command -v python3; } >/dev/null || { \
	    $(call install_packages,qemu-system-x86 python3,qemu python3); }

$(USB_GUEST)/initramfs: Tests/UsbGuest/prepare.sh Tests/UsbGuest/init | setup-usb
	@$(SUDO) apt-get update -qq
	Tests/UsbGuest/prepare.sh $(USB_GUEST)

# In a guest without KVM: Debian's kernel, its drivers, and the files of this computer.
test-usb: setup setup-usb $(PICO_SIMULATOR) $(USB_GUEST)/initramfs
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/check.py $(TESTED)/bridge"

# ---- Simulation and mutants --------------------------------------------------------------------

SEEDS ?= 2000
SEED_FROM ?= 0
# On the image each seed takes a hundred times as long: unless somebody says how many, a few.
BOARD_SEEDS = $(if $(filter file default,$(origin SEEDS)),50,$(SEEDS))
QUERIES ?= 6000
SWEEP ?= 12000

soak: setup
	@$(SWIFT) build $(OPTIMIZED) --product bridge-soak >&2
	@$(TESTED)/bridge-soak --seeds $(SEEDS) --from $(SEED_FROM)

# The same on the images of the simulated boards, in lock-step: BOARD_SEEDS, or SEEDS if it is given.
# Then QUERIES during dense play, and a byte that arrives at each of SWEEP cycles of the ATmega328P: on
# USB, the host decides when bytes arrive.
soak-board: setup simulator
	@$(SWIFT) build $(OPTIMIZED) --product bridge-soak >&2
	@for board in uno pico; do \
	    $(TESTED)/bridge-soak --lock-step --board $$board --seeds $(BOARD_SEEDS) --from $(SEED_FROM) && \
	    $(TESTED)/bridge-soak --board $$board --queries $(QUERIES) || exit; done
	@$(TESTED)/bridge-soak --sweep $(SWEEP)

# MUTANTS names some of them; without, it is all.
mutants: setup simulator
	@SWIFT=$(SWIFT) Tests/Mutants/run.sh $(MUTANTS)

# ---- Fuzzers ---------------------------------------------------------------------------------

# Each is fed RUNS inputs on top of its corpus, under AddressSanitizer and, in C,
# UndefinedBehaviorSanitizer; what it finds ends it and lies in $(FUZZ). Then comes how much of the
# code that reads the bytes its corpus covers. Tests/README.md says more.
RUNS ?= 20000
CORE_FUZZERS := frame player bridge several
HOST_FUZZERS := host_frame host_session host_json host_ahap host_profile host_compiled \
    host_haptic host_android host_arrays host_haps host_hjif host_hla host_midi host_sound \
    host_osc host_osc_rules host_studio host_haptrix host_zip
FUZZERS ?= $(CORE_FUZZERS) $(HOST_FUZZERS)
FUZZ_SOURCES := Tests/Fuzzers
CORPORA := $(FUZZ_SOURCES)/Corpora
FUZZ_FLAGS := -std=c11 -g -O1 -I. -fuse-ld=lld -fprofile-instr-generate -fcoverage-mapping
FUZZ_C = $(CLANG) $(FUZZ_FLAGS) -Wall -Wextra -Wpedantic -Wconversion -Werror \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
# What -sanitize=fuzzer alone instruments, libFuzzer does not read.
FUZZ_COVERAGE := -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table
FUZZ_BOARD := $(FUZZ_SOURCES)/Core/fuzz_bridge.c Tests/TemplateBoard/board.c $(TEMPLATE)/port.c
HOST_LIBRARY := $(FUZZ)/host/release/libHostFuzzers.a
FUZZ_ENVIRONMENT := ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no

build-fuzz: setup
	@mkdir -p $(FUZZ)
	$(FUZZ_C) $(FUZZ_SOURCES)/Core/fuzz_frame.c Firmware/core/link/frame.c Firmware/core/support/bytes.c \
	    -o $(FUZZ)/frame
	$(FUZZ_C) -DBRIDGE_ACTUATOR_COUNT=1 $(FUZZ_SOURCES)/Core/fuzz_player.c $(CORE) -o $(FUZZ)/player
	$(FUZZ_C) -DBRIDGE_ACTUATOR_COUNT=1 $(FUZZ_BOARD) $(CORE) $(MODEL) -lm -o $(FUZZ)/bridge
	$(FUZZ_C) -DBRIDGE_ACTUATOR_COUNT=3 -DBRIDGE_STREAM_COUNT=2 $(FUZZ_BOARD) \
	    $(CORE) $(MODEL) -lm -o $(FUZZ)/several
	$(SWIFT) build --package-path $(FUZZ_SOURCES)/Host --scratch-path $(FUZZ)/host -c release \
	    --product HostFuzzers -Xswiftc -sanitize=fuzzer -Xswiftc -sanitize=address \
	    -Xswiftc $(FUZZ_COVERAGE) -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
	@for fuzzer in $(HOST_FUZZERS); do \
	    $(CLANG) -DFUZZER=fuzz_$$fuzzer -c $(FUZZ_SOURCES)/Host/entry.c -o $(FUZZ)/$$fuzzer.o && \
	    $(SWIFT)c -use-ld=lld -sanitize=fuzzer -sanitize=address -profile-generate \
	        $(FUZZ)/$$fuzzer.o $(HOST_LIBRARY) $(shell pkg-config --libs libserialport zlib) \
	        -o $(FUZZ)/$$fuzzer || exit; done

fuzz: build-fuzz
	@for fuzzer in $(FUZZERS); do \
	    echo "$$fuzzer" >&2; mkdir -p $(FUZZ)/corpus/$$fuzzer; \
	    $(FUZZ_ENVIRONMENT) LLVM_PROFILE_FILE=/dev/null $(FUZZ)/$$fuzzer -runs=$(RUNS) \
	        -max_len=1024 -timeout=10 -artifact_prefix=$(FUZZ)/$$fuzzer- \
	        $(FUZZ)/corpus/$$fuzzer $(CORPORA)/$$fuzzer >$(FUZZ)/$$fuzzer.log 2>&1 || { \
	        tail -n 30 $(FUZZ)/$$fuzzer.log >&2; echo "$$fuzzer has found something" >&2; exit 1; }; \
	    if grep -q "instrumented for coverage" $(FUZZ)/$$fuzzer.log; then \
	        echo "$$fuzzer is not guided by coverage" >&2; exit 1; fi; \
	    tail -n 1 $(FUZZ)/$$fuzzer.log; \
	    CLANG=$(CLANG) $(FUZZ_ENVIRONMENT) $(FUZZ_SOURCES)/coverage.sh $(FUZZ) $$fuzzer || exit; done

bench: setup simulator setup-firmware
	@$(SWIFT) build -c release >&2
	@$(BUILD_SEVEN) -s >&2
	@$(RELEASE)/bench
	@$(BUILD_IMAGE) -s | awk '{ print "figure", $$1, $$2, "bytes" }'
	@$(BUILD_SEVERAL) -s | awk '{ print "figure", "several_" $$1, $$2, "bytes" }'
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

C_FILES := $(shell git ls-files '*.c' '*.h' '*.cpp' 2>/dev/null)
SWIFT_FILES := $(shell git ls-files '*.swift' 2>/dev/null)

format: setup-format
	clang-format -i $(C_FILES)
	$(SWIFT) format --in-place $(SWIFT_FILES)

check: check-format check-words check-modules check-includes check-c check-arduino check-firmware check-client check-pictures docs

check-format: setup-format
	@clang-format --dry-run --Werror $(C_FILES)
	@$(SWIFT) format lint --strict $(SWIFT_FILES)

# Doc comments that can be understood alone, and a summary for each public declaration.
check-words: setup-python
	@python3 -B Tests/Style/comments.py

# The modules without I/O import no operating system, and nothing in Sources depends on Tests.
check-modules: setup
	@SWIFT=$(SWIFT) Tests/check-modules.sh

TEMPLATE_SOURCES = -include $(TEMPLATE)/critical.h $(wildcard $(TEMPLATE)/*.c) $(CORE)
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only
# The rooms of the firmware core: what may include what, and who may name the chip.
check-includes:
	@Tests/check-includes.sh

# No heap and no globals: nothing in the core's data or bss, no call to an allocator. A context for
# one actuator takes at most 1,048 of the ATmega328P's 2,048 bytes. C++ may include what a port calls.
check-c: | .build
	$(CLANG) $(WARNINGS) $(CORE) $(MODEL)
	cc $(WARNINGS) $(CORE) $(MODEL)
	$(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv6m-none-eabi -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv7em-none-eabi -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) $(TEMPLATE_SOURCES)
	$(CLANG) $(WARNINGS) --target=armv6m-none-eabi -ffreestanding $(TEMPLATE_SOURCES)
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    '_Static_assert(sizeof(struct bridge) <= 1048, "context");' \
	    '_Static_assert(BRIDGE_EVENT_MEMORY >= 384, "event memory");' | \
	    $(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -
	@echo '#include "Firmware/core/bridge.h"' > .build/check.cpp
	$(CLANG) -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. .build/check.cpp
	@! command -v g++ >/dev/null || g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. .build/check.cpp
	@for file in $(CORE); do \
	    $(CLANG) -std=c11 -Os -fno-pic -c $$file -o .build/check.o && \
	    ! $(dir $(CLANG))llvm-nm .build/check.o 2>/dev/null | grep -E ' [bBdDC] | (malloc|free|calloc)$$' \
	        || { echo "$$file: a global or an allocation" >&2; exit 1; }; done

check-firmware: setup-firmware $(PICO_IMAGE).uf2
	@cmp $(PICO_IMAGE).uf2 $(PICO)/rp2040.uf2 || { \
	    echo "the image in $(PICO) is not what its sources give: make firmware" >&2; exit 1; }
	@$(BUILD_IMAGE)
	@$(BUILD_SEVERAL)
	@cmp $(IMAGE).hex $(BOARD)/atmega328p.hex && \
	    cmp $(SEVERAL_IMAGE).hex $(BOARD)/atmega328p-several.hex || { \
	    echo "the images in $(BOARD) are not what its sources give: make firmware" >&2; exit 1; }

# A package that depends on the library alone builds, and links none of the firmware.
check-client: setup
	$(SWIFT) build --package-path Tests/ClientPackage --scratch-path .build-client
	@! $(dir $(CLANG))llvm-nm .build-client/debug/client | grep -E ' T (bridge_|driver_|drv2605_)' || \
	    { echo "the library links firmware code" >&2; exit 1; }
	@! ldd .build-client/debug/client 2>/dev/null | grep -E 'libasound|libsndfile' || \
	    { echo "the library links a sound library" >&2; exit 1; }

# ---- Documentation -----------------------------------------------------------------------------

DOCS := .build/docs
DOCC = $(dir $(CLANG))docc

# Every link leads somewhere, every parameter is described.
docs: setup
	@$(BUILD_TESTS) >&2 # of which the next line wants the modules
	@$(SWIFT) package $(OPTIMIZED) dump-symbol-graph --minimum-access-level public >/dev/null
	@mkdir -p $(DOCS)-symbols
	@rm -rf $(DOCS)-symbols/* && cp .build-optimized/*/symbolgraph/HapticBridge.symbols.json \
	    .build-optimized/*/symbolgraph/HapticBridge@*.symbols.json $(DOCS)-symbols
	@$(DOCC) convert Sources/HapticBridge/HapticBridge.docc --warnings-as-errors \
	    --additional-symbol-graph-dir $(DOCS)-symbols --output-path $(DOCS) \
	    --fallback-display-name HapticBridge --fallback-bundle-identifier haptic-bridge >&2
	@echo "$(DOCS)/index.html"

# The pictures of the named patterns in the documentation: the same bytes each time.
PICTURES := Sources/HapticBridge/HapticBridge.docc/Resources
PATTERNS = $(basename $(notdir $(wildcard Sources/HapticBridge/Feedback/Patterns/*.ahap)))

# $(1): the folder to draw in.
define draw_pictures
	@$(SWIFT) build $(OPTIMIZED) --product bridge >&2
	@mkdir -p $(1)
	@for pattern in $(PATTERNS); do \
	    $(TESTED)/bridge render -q $$pattern -o $(1)/$$pattern.svg || exit; done
endef

pictures: setup
	$(call draw_pictures,$(PICTURES))

check-pictures: setup
	@rm -rf .build/pictures
	$(call draw_pictures,.build/pictures)
	@diff -rq .build/pictures $(PICTURES) || { \
	    echo "the pictures in $(PICTURES) are not what the patterns give: make pictures" >&2; exit 1; }

# ---- Installing -----------------------------------------------------------------------------

SHARE := $(DESTDIR)$(PREFIX)/share
PACKAGING := Sources/bridge/Packaging
RULES := 60-haptic-bridge.rules

install: setup
	$(SWIFT) build -c release --static-swift-stdlib --product bridge
	$(SWIFT) build -c release --static-swift-stdlib --product virtual-board
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/haptic-bridge/patterns/sampler $(SHARE)/man/man1 \
	    $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	    $(SHARE)/fish/vendor_completions.d
	install -m 755 $(RELEASE)/bridge $(RELEASE)/virtual-board $(DESTDIR)$(PREFIX)/bin
	install -m 644 Sources/AHAP/Patterns/*.ahap $(SHARE)/haptic-bridge/patterns
	install -m 644 Sources/SamplePatterns/Patterns/*.ahap $(SHARE)/haptic-bridge/patterns/sampler
	install -m 644 $(PACKAGING)/$(RULES) $(SHARE)/haptic-bridge
	install -m 644 $(PACKAGING)/bridge.1 $(SHARE)/man/man1
	$(RELEASE)/bridge --generate-completion-script bash > \
	    $(SHARE)/bash-completion/completions/bridge
	$(RELEASE)/bridge --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_bridge
	$(RELEASE)/bridge --generate-completion-script fish > \
	    $(SHARE)/fish/vendor_completions.d/bridge.fish
	@[ -n "$(DESTDIR)" ] || [ "$$(uname)" != Linux ] || { \
	    echo "So that you may open the ports of boards without being in a group:"; \
	    echo "  sudo install -m 644 $(PREFIX)/share/haptic-bridge/$(RULES) /etc/udev/rules.d"; \
	    echo "  sudo udevadm control --reload && sudo udevadm trigger"; }

# ---- A package for Debian ---------------------------------------------------------------------

VERSION = $(shell sed -n 's/.*version: "\(.*\)",/\1/p' Sources/bridge/Bridge.swift)
ARCHITECTURE = $(shell dpkg --print-architecture)
DEB = .build/haptic-bridge_$(VERSION)_$(ARCHITECTURE).deb
TREE := .build/deb

deb:
	rm -rf $(TREE)
	$(MAKE) install PREFIX=/usr DESTDIR=$(CURDIR)/$(TREE)
	strip $(TREE)/usr/bin/*
	install -d $(TREE)/usr/lib/udev/rules.d $(TREE)/usr/share/doc/haptic-bridge $(TREE)/DEBIAN
	mv $(TREE)/usr/share/haptic-bridge/$(RULES) $(TREE)/usr/lib/udev/rules.d
	install -m 644 LICENSE $(TREE)/usr/share/doc/haptic-bridge/copyright
	gzip -9n $(TREE)/usr/share/man/man1/bridge.1
	sed -e 's/@VERSION@/$(VERSION)/' -e 's/@ARCHITECTURE@/$(ARCHITECTURE)/' \
	    -e "s/@SIZE@/$$(du -sk $(TREE)/usr | cut -f1)/" $(PACKAGING)/control \
	    > $(TREE)/DEBIAN/control
	dpkg-deb --root-owner-group --build $(TREE) $(DEB)

# The package in a bare Debian: it installs with what it depends on, and plays.
ROOT := .build/root

check-deb: deb
	@command -v debootstrap >/dev/null || { $(call install_packages,debootstrap,debootstrap); }
	$(SUDO) $(PACKAGING)/check-deb.sh $(DEB) $(ROOT)

clean:
	rm -rf .build .build-client .build-optimized .build-tsan $(SANITIZED) $(FUZZ)

.build:
	mkdir -p $@
