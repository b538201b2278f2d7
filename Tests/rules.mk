# The targets that run the Swift suites, the tests with independent programs and second implementations, and the tests
# in real time.

.PHONY: test-unit test-lock-step test-lock-step-others test-conformance test-board test-real-time \
    test-real-time-longer test-client check-client test-clients check-clients check-clocks check-mutants test-tuning independent \
    test-audition test-studio test-page test-websocket test-osc test-sound coverage analyse static-proof sanitize tsan test-usb \
    test-rumble test-midi soak soak-board soak-programs mutants bench check-macos

RUN_TESTS := $(HOT) $(SWIFT) test $(TESTING) --skip-build

# ---- The suites --------------------------------------------------------------------------------------

test-unit: $(BUILT)
	$(RUN_TESTS) --skip 'ConformanceTests|RealTimeTests'

# These targets run one test at a time, while no other program runs. `test-real-time` runs the tests for a change, with
# real threads, processes, signals and ports. `test-real-time-longer` runs the longer tests, for example of flashing, of
# a shared board, and of the code in articles and examples.
LONGER := RealTimeTests\.(Article|BoardPort|Client|Example|Flashing|Journey|Mishap|Pico|Sampler|SharedBoard)Tests
RUN_REAL_TIME := BRIDGE_REQUIRE=simulatedPort $(RUN_TESTS) --no-parallel

test-real-time: $(BUILT) simulator
	$(RUN_REAL_TIME) --filter RealTimeTests --skip '$(LONGER)'

test-real-time-longer: $(BUILT) simulator flashed-images
	$(RUN_REAL_TIME) --filter '$(LONGER)'

# These targets run the conformance suite on boards in virtual time, and the tests for the boards' images.
# `test-lock-step` runs the tests for a change. BRIDGE_BOARDS selects the boards, and BRIDGE_REQUIRE causes a failure if
# one of them is not available.
test-lock-step: BOARDS := inProcess,simulated
test-lock-step-others: BOARDS := simulatedPico,simulatedSketch
test-lock-step test-lock-step-others: $(BUILT) simulator setup-sigrok
	BRIDGE_BOARDS=$(BOARDS) BRIDGE_REQUIRE=$(BOARDS) $(RUN_TESTS) --filter ConformanceTests

# Runs the conformance suite on boards in real time, one at a time. In place of a real board, the suite tests the model
# board, which runs the port of Firmware/boards/common.
RUN_CONFORMANCE := $(RUN_TESTS) --no-parallel --filter ConformanceTests
BRIDGE_BOARDS ?= virtual,simulatedPort,simulatedPicoPort,simulatedSketchPort,real

test-conformance: $(BUILT) simulator $(MODEL_BOARD) ## runs the conformance suite on every board in real time
	BRIDGE_BOARDS=$(BRIDGE_BOARDS) BRIDGE_REQUIRE=$(BRIDGE_BOARDS) \
	    Tests/ModelBoard/run.sh $(MODEL_BOARD) env $(RUN_CONFORMANCE)

test-board: $(BUILT) ## tests the board at the port BRIDGE_PORT against SPEC
	BRIDGE_BOARDS=real BRIDGE_REQUIRE=real $(RUN_CONFORMANCE)

# Checks that every test outside RealTimeTests receives the time as an input.
check-clocks:
	@Tests/check-clocks.sh

# Checks that a package that depends only on the library can be built, and does not link the firmware.
check-client: setup-build
	$(SWIFT) build --package-path Tests/ClientPackage --scratch-path .build-client
	@! $(LLVM)-nm .build-client/debug/client | grep -E ' T (bridge_|driver_|drv2605_)' || \
	    { echo "the library links firmware code" >&2; exit 1; }
	@! ldd .build-client/debug/client 2>/dev/null | grep -E 'libasound|libsndfile' || \
	    { echo "the library links a sound library" >&2; exit 1; }

# Builds the programs of the client package as a user of the library would, and runs them with a virtual board.
test-client: check-client $(BUILT) ## runs programs that use the library with a virtual board
	BRIDGE_CLIENTS=.build-client/debug $(RUN_TESTS) --filter ClientTests

# Tests an image in which C code replaces the reference board's assembler code. The tests of the image and the soak must
# have the same results as with the assembler code.
UNTUNED := $(CURDIR)/.build/firmware-untuned
TUNING_SEEDS ?= 20

test-tuning: $(BUILT) simulator ## tests the image without assembler code, with the same results
	@$(MAKE) --no-print-directory -C $(AVR) TUNING=0 BUILD=$(UNTUNED)
	@$(MAKE) --no-print-directory -C $(AVR) TUNING=0 ACTUATORS=4 BUILD=$(UNTUNED)-4
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    HAPTIC_BRIDGE_SEVERAL_IMAGE=$(UNTUNED)-4/atmega328p.hex BRIDGE_BOARDS=simulated \
	    $(RUN_TESTS) --filter 'ConformanceTests.*Image'
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    $(TESTED)/bridge-soak --lock-step --seeds $(TUNING_SEEDS)

# ---- Sanitizers: each build contains only the code under test ------------------------------------------

# The firmware core and its model run under AddressSanitizer and UndefinedBehaviorSanitizer. Findings of
# UndefinedBehaviorSanitizer cause a trap, because Swift has no runtime that would print them. The coverage is measured
# with the tests of the core alone. llvm-cov must come from the toolchain that writes the profile.
COVERED := .build-coverage
LLVM_COV := $(dir $(realpath $(shell command -v $(SWIFT))))llvm-cov

coverage: setup-build setup-python ## measures the coverage of the core by its tests, and lists each branch not covered
	BRIDGE_SUITES=FirmwareTests $(SWIFT) test --scratch-path $(COVERED) --disable-xctest \
	    --enable-code-coverage -Xcc -fprofile-instr-generate -Xcc -fcoverage-mapping --filter FirmwareTests
	@$(LLVM_COV) export $(COVERED)/debug/*.xctest -instr-profile $(COVERED)/debug/codecov/default.profdata | \
	    python3 -B Tests/coverage.py .

# The disabled checks of clang-tidy report code that is correct here: adjacent parameters of the same type, loops whose
# index has a small type that suffices for the length of the table, and functions that have alternatives in Annex K,
# which no controller's library implements. cppcheck must ignore assignments of a variable to itself, because
# BRIDGE_OPTIMIZER_HIDE looks like one.
TIDY := -*,clang-analyzer-*,bugprone-*,cert-*,performance-*
TIDY := $(TIDY),-bugprone-easily-swappable-parameters,-bugprone-too-small-loop-variable
TIDY := $(TIDY),-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling

analyse: setup-analysis ## analyzes the core with clang-tidy and cppcheck
	clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY)' $(CORE) -- -std=c11
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
	    --suppress=selfAssignment -IFirmware/core Firmware/core

# The analysis takes five minutes of processor time. The reports are in .build/static-proof.
static-proof: setup-static-proof ## interprets any message to a board in each state, with all values at once (Frama-C)
	Tests/StaticProof/run.sh

sanitize: setup-build ## runs the core's tests with the sanitizers for addresses and undefined behavior
	$(HOT) BRIDGE_SUITES=FirmwareTests ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test \
	    --scratch-path .build-sanitized --sanitize address -Xcc -fsanitize=undefined \
	    -Xcc -fsanitize-trap=undefined

# Runs engines and players on real threads under ThreadSanitizer, because in virtual time only one thread runs at a
# time.
tsan: setup-build ## runs the engine's tests with the thread sanitizer
	$(HOT) BRIDGE_SUITES=RealTimeTests ENGINE_OPERATIONS=10000 $(SWIFT) test \
	    --scratch-path .build-tsan --sanitize thread --no-parallel --filter ThreadedEngineTests

# ---- A second implementation, and independent programs ------------------------------------------------

# Runs a second device and a second host. These were written in Python from the specification alone.
independent: $(BUILT) simulator setup-python ## tests both ends with a second implementation, based on SPEC.md alone
	INDEPENDENT_PROGRAMS=$(TESTED) python3 -B Tests/Independent/check.py

AUDITION := .build/audition
STUDIO := .build/studio
STUDIO_PICTURES := .build/studio-pictures
PEERS := .build/peers
AUTOBAHN := .build/autobahn

$(AUDITION)/installed: Tests/Audition/requirements.txt
	@.ci/venv $(AUDITION) $< --only-binary :all:

$(STUDIO)/installed: Tests/Studio/requirements.txt
	@.ci/venv $(STUDIO) $< --only-binary :all:

$(PEERS)/installed: Tests/Peers/requirements.txt
	@.ci/venv $(PEERS) $<

# The simulated editors implement the published parts of the editors' protocols. The editor with Socket.IO uses a server
# that is independent of this project.
test-audition: $(BUILT) $(AUDITION)/installed ## plays the edits of independent editors on a virtual board
	@INDEPENDENT_PROGRAMS=$(TESTED) $(AUDITION)/bin/python -B Tests/Audition/check.py

# Tests the modules of the page that use neither the browser nor the tool.
test-page: setup-node ## tests the modules of the page of bridge studio in Node, within a second
	@node --test Tests/Studio/*.test.mjs

# The screenshots are not compared; a person can inspect them.
test-studio: $(BUILT) setup-chromium $(STUDIO)/installed ## tests the page of bridge studio in Chromium
	@INDEPENDENT_PROGRAMS=$(TESTED) $(STUDIO)/bin/python -B Tests/Studio/check.py $(STUDIO_PICTURES)

# Runs clients and senders from other projects. Autobahn's suite is the standard test of WebSockets, and requires the
# Python 2.7 of Debian 11. Without this Python, the suite is skipped with a message; if BRIDGE_REQUIRE=autobahn is set,
# the recipe fails instead.
test-websocket: $(BUILT) $(PEERS)/installed ## tests the page's server with independent WebSocket clients
	@$(PEERS)/bin/python -B Tests/Peers/check_websocket.py $(TESTED)/test-programs
	@Tests/Peers/install_autobahn.sh $(AUTOBAHN) "$(CURDIR)/$(PEERS)/bin/pip"; status=$$?; \
	if [ $$status = 0 ]; then \
	    $(AUTOBAHN)/python -B Tests/Peers/referee_websocket.py $(TESTED)/test-programs .build/autobahn-report; \
	elif [ $$status = 3 ]; then \
	    echo "autobahn: skipped, because Python 2.7 is not available"; \
	    case ",$(BRIDGE_REQUIRE)," in *,autobahn,*) exit 1;; esac; \
	else exit $$status; fi

test-osc: $(BUILT) setup-osc $(PEERS)/installed ## plays with independent senders of Open Sound Control
	@$(PEERS)/bin/python -B Tests/Peers/check_osc.py $(TESTED)

# Tests the clients in other languages with a served board. The script of the conformance test is
# Tests/Clients/steps.txt.
CLIENTS := .build/clients
CLIENT_C := Clients/c/haptic_bridge.c Clients/c/haptic_bridge.h
CLIENT_C_PROGRAMS := $(wildcard Clients/c/examples/*.c) Tests/Clients/steps.c

$(CLIENTS)/venv/installed: Tests/Clients/requirements.txt
	@.ci/venv $(@D) $<

$(CLIENTS)/steps: Tests/Clients/steps.c $(CLIENT_C) | .build
	@mkdir -p $(@D)
	@$(CC) $(C_FLAGS) $< Clients/c/haptic_bridge.c -lm -o $@

$(CLIENTS)/session_test: Clients/c/tests/session_test.c $(CLIENT_C) | .build
	@mkdir -p $(@D)
	@$(CC) $(C_FLAGS) $< -lm -o $@

check-clients: setup-typescript $(CLIENTS)/venv/installed ## checks types and warnings of the clients in Python, C and JavaScript
	@python3 -B Clients/named.py --check
	@PYTHONPYCACHEPREFIX=$(CLIENTS)/pycache $(CLIENTS)/venv/bin/python -m compileall -q -f Clients/python/haptic_bridge Clients/python/examples
	@cd Clients/python && $(CURDIR)/$(CLIENTS)/venv/bin/mypy --cache-dir $(CURDIR)/$(CLIENTS)/mypy haptic_bridge examples/*.py
	@for compiler in $(CC) $(CLANG); do for file in Clients/c/haptic_bridge.c $(CLIENT_C_PROGRAMS); do \
	    $$compiler $(C_FLAGS) -fsyntax-only $$file || exit; done; done
	@tsc -p Clients/javascript/tests/tsconfig.json
	@awk 'length > 120 { print FILENAME ":" FNR ": longer than 120 columns"; bad = 1 } END { exit bad }' \
	    Clients/*/*.js Clients/*/*/*.js Clients/*/*/*.mjs Clients/*/*/*.py Clients/*/*.ts Tests/Clients/*.py Tests/Clients/*.mjs >&2

# Tests the clients' messages, installs the Python package from its wheel, and plays the script with each client.
TEST_CLIENTS := $(CLIENTS)/venv/installed $(CLIENTS)/steps $(CLIENTS)/session_test

# The duration of the soak of the WebSockets, in seconds.
SOAK_SECONDS ?= 30

test-clients: $(BUILT) simulator setup-node setup-chromium $(TEST_CLIENTS) ## plays one script with the clients in all languages, and attacks the WebSockets
	@cd Clients/python && python3 -B -m unittest -q
	@$(CLIENTS)/session_test Tests/Vectors/server/messages.txt
	@node --test Clients/javascript/tests/*.test.mjs
	@Tests/Clients/check_package.sh $(CLIENTS)
	@python3 -B Tests/Clients/adapters.py $(TESTED) -q
	@python3 -B Tests/Clients/examples.py $(TESTED) $(CLIENTS) $(CLIENTS)/venv/bin/python -q
	@python3 -B Tests/Clients/run.py $(TESTED) $(CLIENTS)/steps
	@python3 -B Tests/Clients/run.py $(TESTED) $(CLIENTS)/steps --simulator $(SIMULATOR) $(AVR)/atmega328p.hex
	@$(CLIENTS)/venv/bin/python -B Tests/Clients/check_buttplug.py $(TESTED)
	@$(CLIENTS)/venv/bin/python -B Tests/Clients/check_pages.py $(TESTED)
	@$(CLIENTS)/venv/bin/python -B Tests/Clients/soak_doors.py $(TESTED) $(SOAK_SECONDS)

# The tests use a sound server that requires no sound card.
test-sound: $(BUILT) setup-sound setup-python ## plays patterns with sound, and records a null sink of PulseAudio
	@python3 -B Tests/Sound/check.py $(TESTED)
	@python3 -B Tests/Sound/coils.py $(TESTED)

# ---- Linux's own drivers -------------------------------------------------------------------------------

USB_GUEST := .build/usb-guest

$(USB_GUEST)/initramfs: Tests/UsbGuest/prepare.sh Tests/UsbGuest/init | setup-usb
	@$$([ "$$(id -u)" = 0 ] || echo sudo) apt-get update -qq
	Tests/UsbGuest/prepare.sh $(USB_GUEST)

# Runs the test in a guest system without KVM, with Debian's kernel and its drivers, and with read-only access to the
# files of this computer.
test-usb: $(BUILT) $(PICO_SIMULATOR) $(USB_GUEST)/initramfs ## tests bridge and the Pico's image with Linux's drivers
	@Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/check.py $(TESTED)/bridge $(USB_GUEST)/usbtest.ko"

# Plays rumble effects with SDL and the kernel's uinput in the guest of test-usb.
test-rumble: $(BUILT) $(USB_GUEST)/initramfs setup-sdl ## plays the effects of SDL's test programs on a gamepad of bridge
	@STEADY=yes LIMIT_S=1200 Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/rumble.py $(TESTED)/bridge"

# Plays the example of a MIDI keyboard with the kernel's sequencer in the guest of test-usb.
test-midi: $(BUILT) $(USB_GUEST)/initramfs setup-midi ## plays a MIDI keyboard with the kernel's sequencer
	@STEADY=yes LIMIT_S=600 Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/midi.py $(TESTED)/bridge"

# The models of the accelerometers, as a library for the guest.
SENSOR_MODEL := .build/accelerometer-model.so

$(SENSOR_MODEL): Tests/UsbGuest/accelerometer.c $(wildcard Firmware/model/accelerometer*) | .build
	@$(CC) $(C_FLAGS) -shared -fPIC $(filter %.c,$^) -lm -o $@

# Reads the models of the accelerometers with the kernel's drivers for these chips, through an adapter from USB to I2C.
test-sensor: $(SENSOR_MODEL) $(USB_GUEST)/initramfs setup-python ## compares the models of the accelerometers with Linux's drivers
	@STEADY=yes LIMIT_S=1200 Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/sensor.py $(SENSOR_MODEL)"

# ---- Simulation and mutants ------------------------------------------------------------------------------

SEEDS ?= 2000
SEED_FROM ?= 0
# With an image, each seed takes a hundred times as long, so the default number of seeds is small.
BOARD_SEEDS = $(if $(filter file default,$(origin SEEDS)),50,$(SEEDS))
QUERIES ?= 6000
SWEEP ?= 12000
EVERY ?= 1

soak: $(BUILT) ## runs host and core with SEEDS sequences of faults in virtual time, from SEED_FROM on
	@$(TESTED)/bridge-soak --seeds $(SEEDS) --from $(SEED_FROM)

# Runs the soak with the images of the simulated boards, in lock-step. The number of seeds is BOARD_SEEDS, or SEEDS if
# it is given. The recipe then sends QUERIES queries during dense playback, and sends a byte so that it arrives in each
# of SWEEP cycles of the ATmega328P, or in every EVERY-th of these cycles. Over USB, the host determines when bytes
# arrive.
soak-board: $(BUILT) simulator ## runs the soak with the images, and QUERIES at any cycle of their interrupts
	@for board in uno pico; do \
	    $(TESTED)/bridge-soak --lock-step --board $$board --seeds $(BOARD_SEEDS) --from $(SEED_FROM) && \
	    $(TESTED)/bridge-soak --board $$board --queries $(QUERIES) || exit; done
	@$(TESTED)/bridge-soak --sweep $(SWEEP) --every $(EVERY) --from $(SEED_FROM)

# Runs SEEDS scenarios, from seed SEED_FROM on, in which programs share a board in virtual time.
soak-programs: $(BUILT) ## runs many programs on one board in SEEDS scenarios in virtual time
	@PROGRAM_SEEDS=$(SEEDS) PROGRAM_SEED_FROM=$(SEED_FROM) $(RUN_TESTS) --filter ProgramSoakTests

# Checks that the text that each mutant replaces occurs exactly once in its file.
check-mutants:
	@Tests/Mutants/run.sh --check

# MUTANTS contains the names of mutants. If it is empty, all mutants are tested.
mutants: setup-build simulator ## tests that each deliberate fault in the code is detected by a test
	@$(HOT) SWIFT=$(SWIFT) Tests/Mutants/run.sh $(MUTANTS)

# ---- macOS -------------------------------------------------------------------------------------------------

MACOS := .build/macos

$(MACOS)/venv/installed: Tests/MacOS/requirements.txt
	@.ci/venv $(@D) $< --only-binary :all:

check-macos: $(BUILT) $(MACOS)/venv/installed ## type-checks libraries and tools for macOS, without a Mac
	@SWIFT=$(SWIFT) python3 Tests/MacOS/check.py $(MACOS)

# ---- Measurements ------------------------------------------------------------------------------------------

# Uses a separate build with the same options as an installation.
bench: setup-build simulator setup-firmware setup-node $(CLIENTS)/steps ## measures, and prints figures
	@for product in bridge bench virtual-board test-programs; do $(SWIFT) build -c release --product $$product >&2 || exit 1; done
	@$(BUILD_AVR_SEVEN) -s >&2
	@.build/release/bench
	@python3 -B Tests/Clients/run.py .build/release $(CLIENTS)/steps --measure
	@$(BUILD_AVR) -s | awk '{ print "figure", $$1, $$2, "bytes" }'
	@$(BUILD_AVR_SEVERAL) -s | awk '{ print "figure", "several_" $$1, $$2, "bytes" }'
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    'char context[sizeof(struct bridge)], events[BRIDGE_EVENT_MEMORY];' | \
	    $(CLANG) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -c - -o .build/size.o
	@$(LLVM)-nm --radix=d --print-size .build/size.o | awk \
	    '/context/ { print "figure context_bytes_avr", $$2 + 0, "bytes" } \
	     /events/ { print "figure event_memory_bytes_avr", $$2 + 0, "bytes" }'
