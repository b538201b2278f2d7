# The suites of Swift, and what other people's programs, second implementations and real time show.

.PHONY: test-unit test-lock-step test-lock-step-others test-conformance test-board test-real-time \
    test-real-time-longer test-client check-client check-clocks check-mutants test-tuning independent \
    test-audition test-studio test-page test-websocket test-osc test-sound coverage analyse static-proof sanitize tsan test-usb \
    soak soak-board soak-programs mutants bench check-macos

RUN_TESTS := $(HOT) $(SWIFT) test $(TESTING) --skip-build

# ---- The suites --------------------------------------------------------------------------------------

test-unit: $(BUILT)
	$(RUN_TESTS) --skip 'ConformanceTests|RealTimeTests'

# One test at a time, while nothing else runs: first what a change needs, which are real threads, processes,
# signals and ports; then what takes longer: flashing, a shared board, and what articles, examples and programs
# show.
LONGER := RealTimeTests\.(Article|BoardPort|Client|Example|Flashing|Journey|Mishap|Pico|Sampler|SharedBoard)Tests
RUN_REAL_TIME := BRIDGE_REQUIRE=simulatedPort $(RUN_TESTS) --no-parallel

test-real-time: $(BUILT) simulator
	$(RUN_REAL_TIME) --filter RealTimeTests --skip '$(LONGER)'

test-real-time-longer: $(BUILT) simulator flashed-images
	$(RUN_REAL_TIME) --filter '$(LONGER)'

# The conformance suite on boards in virtual time, and the tests of their images: first what a change needs.
# BRIDGE_REQUIRE makes it a failure that a simulated board is absent; BRIDGE_BOARDS leaves out the others.
test-lock-step: BOARDS := inProcess,simulated
test-lock-step-others: BOARDS := simulatedPico,simulatedSketch
test-lock-step test-lock-step-others: $(BUILT) simulator
	BRIDGE_BOARDS=$(BOARDS) BRIDGE_REQUIRE=$(BOARDS) $(RUN_TESTS) --filter ConformanceTests

# The same on boards in real time, one at a time; the real one is the common port with the model.
RUN_CONFORMANCE := $(RUN_TESTS) --no-parallel --filter ConformanceTests
BRIDGE_BOARDS ?= virtual,simulatedPort,simulatedPicoPort,simulatedSketchPort,real

test-conformance: $(BUILT) simulator $(MODEL_BOARD) ## the conformance suite on every board in real time
	BRIDGE_BOARDS=$(BRIDGE_BOARDS) BRIDGE_REQUIRE=$(BRIDGE_BOARDS) \
	    Tests/ModelBoard/run.sh $(MODEL_BOARD) $(RUN_CONFORMANCE)

test-board: $(BUILT) ## holds the board at the port BRIDGE_PORT to SPEC
	BRIDGE_BOARDS=real BRIDGE_REQUIRE=real $(RUN_CONFORMANCE)

# Time is an input of every test outside RealTimeTests.
check-clocks:
	@Tests/check-clocks.sh

# A package that depends on the library alone builds, and links none of the firmware.
check-client: setup-build
	$(SWIFT) build --package-path Tests/ClientPackage --scratch-path .build-client
	@! $(LLVM)-nm .build-client/debug/client | grep -E ' T (bridge_|driver_|drv2605_)' || \
	    { echo "the library links firmware code" >&2; exit 1; }
	@! ldd .build-client/debug/client 2>/dev/null | grep -E 'libasound|libsndfile' || \
	    { echo "the library links a sound library" >&2; exit 1; }

# The client package's programs, built as their users would, at a virtual board.
test-client: check-client $(BUILT) ## programs that use the library, at a virtual board
	BRIDGE_CLIENTS=.build-client/debug $(RUN_TESTS) --filter ClientTests

# The image built from the C that the reference board's assembler replaces: the tests of the image and
# the soak hold it to the same results.
UNTUNED := $(CURDIR)/.build/firmware-untuned
TUNING_SEEDS ?= 20

test-tuning: $(BUILT) simulator ## holds the image without assembler to the same results
	@$(MAKE) --no-print-directory -C $(AVR) TUNING=0 BUILD=$(UNTUNED)
	@$(MAKE) --no-print-directory -C $(AVR) TUNING=0 ACTUATORS=4 BUILD=$(UNTUNED)-4
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    HAPTIC_BRIDGE_SEVERAL_IMAGE=$(UNTUNED)-4/atmega328p.hex BRIDGE_BOARDS=simulated \
	    $(RUN_TESTS) --filter 'ConformanceTests.*Image'
	HAPTIC_BRIDGE_IMAGE=$(UNTUNED)/atmega328p.hex \
	    $(TESTED)/bridge-soak --lock-step --seeds $(TUNING_SEEDS)

# ---- Sanitizers: only what they test is built ---------------------------------------------------------

# The firmware core and its model under AddressSanitizer and UndefinedBehaviorSanitizer, whose
# findings trap: Swift brings no runtime that would print them.
# By the tests of the core alone. llvm-cov is that of the toolchain, which wrote the profile.
COVERED := .build-coverage
LLVM_COV := $(dir $(realpath $(shell command -v $(SWIFT))))llvm-cov

coverage: setup-build setup-python ## what the core's tests cover of it, and each branch that is left
	BRIDGE_SUITES=FirmwareTests $(SWIFT) test --scratch-path $(COVERED) --disable-xctest \
	    --enable-code-coverage -Xcc -fprofile-instr-generate -Xcc -fcoverage-mapping --filter FirmwareTests
	@$(LLVM_COV) export $(COVERED)/debug/*.xctest -instr-profile $(COVERED)/debug/codecov/default.profdata | \
	    python3 -B Tests/coverage.py .

# What has no reason to be mended: pairs of parameters of one type; loops over tables that are shorter than
# their index reaches; functions of Annex K, which no controller has. BRIDGE_OPTIMIZER_HIDE looks like
# an assignment to itself.
TIDY := -*,clang-analyzer-*,bugprone-*,cert-*,performance-*
TIDY := $(TIDY),-bugprone-easily-swappable-parameters,-bugprone-too-small-loop-variable
TIDY := $(TIDY),-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling

analyse: setup-analysis ## clang-tidy and cppcheck over the core
	clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY)' $(CORE) -- -std=c11
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
	    --suppress=selfAssignment -IFirmware/core Firmware/core

# Five minutes of a processor. The reports are in .build/static-proof.
static-proof: setup-static-proof ## any message on a board in each state, interpreted with all values at once (Frama-C)
	Tests/StaticProof/run.sh

sanitize: setup-build ## the core's tests under the sanitizers of addresses and undefined behaviour
	$(HOT) BRIDGE_SUITES=FirmwareTests ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test \
	    --scratch-path .build-sanitized --sanitize address -Xcc -fsanitize=undefined \
	    -Xcc -fsanitize-trap=undefined

# Engines and players on real threads under ThreadSanitizer. In virtual time one thread runs at a time.
tsan: setup-build ## the engine's tests under the thread sanitizer
	$(HOT) BRIDGE_SUITES=RealTimeTests ENGINE_OPERATIONS=10000 $(SWIFT) test \
	    --scratch-path .build-tsan --sanitize thread --no-parallel --filter ThreadedEngineTests

# ---- A second implementation, and other people's programs ---------------------------------------------

# A second device and a second host, written in Python from the specification alone.
independent: $(BUILT) simulator setup-python ## holds both ends against a second implementation, from SPEC.md alone
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

# Editors made from what is published of their protocols, the one that speaks Socket.IO on a server that
# is independent of this project.
test-audition: $(BUILT) $(AUDITION)/installed ## feels the edits of independent editors on a virtual board
	@INDEPENDENT_PROGRAMS=$(TESTED) $(AUDITION)/bin/python -B Tests/Audition/check.py

# The page's modules that touch neither the browser nor the tool.
test-page: setup-node ## tests the modules of the page of bridge studio in Node, in a second
	@node --test Tests/Studio/*.test.mjs

# Its screenshots are for people to look at.
test-studio: $(BUILT) setup-chromium $(STUDIO)/installed ## the page of bridge studio in Chromium, on a virtual board
	@INDEPENDENT_PROGRAMS=$(TESTED) $(STUDIO)/bin/python -B Tests/Studio/check.py $(STUDIO_PICTURES)

# Clients and senders by other people. Autobahn's suite is the field's referee for WebSockets. It needs a
# Python 2.7 of Debian 11: where that cannot be had, it is skipped by name, and BRIDGE_REQUIRE=autobahn
# forbids that.
test-websocket: $(BUILT) $(PEERS)/installed ## holds the page's server against other people's WebSocket clients
	@$(PEERS)/bin/python -B Tests/Peers/check_websocket.py $(TESTED)/test-programs
	@Tests/Peers/install_autobahn.sh $(AUTOBAHN) "$(CURDIR)/$(PEERS)/bin/pip"; status=$$?; \
	if [ $$status = 0 ]; then \
	    $(AUTOBAHN)/python -B Tests/Peers/referee_websocket.py $(TESTED)/test-programs .build/autobahn-report; \
	elif [ $$status = 3 ]; then \
	    echo "autobahn: skipped, its Python 2.7 cannot be had"; \
	    case ",$(BRIDGE_REQUIRE)," in *,autobahn,*) exit 1;; esac; \
	else exit $$status; fi

test-osc: $(BUILT) setup-osc $(PEERS)/installed ## plays by other people's senders of Open Sound Control
	@$(PEERS)/bin/python -B Tests/Peers/check_osc.py $(TESTED)

# On a sound server that needs no card.
test-sound: $(BUILT) setup-sound setup-python ## listens to patterns with sound on a null sink of PulseAudio
	@python3 -B Tests/Sound/check.py $(TESTED)

# ---- Linux's own drivers -------------------------------------------------------------------------------

USB_GUEST := .build/usb-guest

$(USB_GUEST)/initramfs: Tests/UsbGuest/prepare.sh Tests/UsbGuest/init | setup-usb
	@$$([ "$$(id -u)" = 0 ] || echo sudo) apt-get update -qq
	Tests/UsbGuest/prepare.sh $(USB_GUEST)

# In a guest without KVM: Debian's kernel, its drivers, and the files of this computer.
test-usb: $(BUILT) $(PICO_SIMULATOR) $(USB_GUEST)/initramfs ## bridge and the Pico's image with Linux's own drivers
	@Tests/UsbGuest/run.sh $(USB_GUEST) "python3 -B Tests/UsbGuest/check.py $(TESTED)/bridge $(USB_GUEST)/usbtest.ko"

# ---- Simulation and mutants ------------------------------------------------------------------------------

SEEDS ?= 2000
SEED_FROM ?= 0
# On the image each seed takes a hundred times as long: unless somebody says how many, a few.
BOARD_SEEDS = $(if $(filter file default,$(origin SEEDS)),50,$(SEEDS))
QUERIES ?= 6000
SWEEP ?= 12000
EVERY ?= 1

soak: $(BUILT) ## runs host and core through SEEDS disasters in virtual time, from SEED_FROM on
	@$(TESTED)/bridge-soak --seeds $(SEEDS) --from $(SEED_FROM)

# The same on the images of the simulated boards, in lock-step: BOARD_SEEDS, or SEEDS if it is given.
# Then QUERIES during dense play, and a byte that arrives at each of SWEEP cycles of the ATmega328P, or at
# one of EVERY so many: on USB, the host decides when bytes arrive.
soak-board: $(BUILT) simulator ## the same on the images, and QUERIES at any cycle of their interrupts
	@for board in uno pico; do \
	    $(TESTED)/bridge-soak --lock-step --board $$board --seeds $(BOARD_SEEDS) --from $(SEED_FROM) && \
	    $(TESTED)/bridge-soak --board $$board --queries $(QUERIES) || exit; done
	@$(TESTED)/bridge-soak --sweep $(SWEEP) --every $(EVERY) --from $(SEED_FROM)

# Programs that share a board, in virtual time: SEEDS worlds of them, from SEED_FROM on.
soak-programs: $(BUILT) ## many programs on one board through SEEDS worlds in virtual time
	@PROGRAM_SEEDS=$(SEEDS) PROGRAM_SEED_FROM=$(SEED_FROM) $(RUN_TESTS) --filter ProgramSoakTests

# Each mutant names text that its file has exactly once.
check-mutants:
	@Tests/Mutants/run.sh --check

# MUTANTS names some of them; without, it is all.
mutants: setup-build simulator ## breaks the code in one place after the other: a test must notice each
	@$(HOT) SWIFT=$(SWIFT) Tests/Mutants/run.sh $(MUTANTS)

# ---- macOS -------------------------------------------------------------------------------------------------

MACOS := .build/macos

$(MACOS)/venv/installed: Tests/MacOS/requirements.txt
	@.ci/venv $(@D) $< --only-binary :all:

check-macos: $(BUILT) $(MACOS)/venv/installed ## type-checks libraries and tools for macOS, without a Mac
	@SWIFT=$(SWIFT) python3 Tests/MacOS/check.py $(MACOS)

# ---- Measurements ------------------------------------------------------------------------------------------

# With the options of an installation, in a build of their own.
bench: setup-build simulator setup-firmware ## measures, and prints figures
	@$(SWIFT) build -c release --product bench >&2
	@$(BUILD_AVR_SEVEN) -s >&2
	@.build/release/bench
	@$(BUILD_AVR) -s | awk '{ print "figure", $$1, $$2, "bytes" }'
	@$(BUILD_AVR_SEVERAL) -s | awk '{ print "figure", "several_" $$1, $$2, "bytes" }'
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    'char context[sizeof(struct bridge)], events[BRIDGE_EVENT_MEMORY];' | \
	    $(CLANG) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -c - -o .build/size.o
	@$(LLVM)-nm --radix=d --print-size .build/size.o | awk \
	    '/context/ { print "figure context_bytes_avr", $$2 + 0, "bytes" } \
	     /events/ { print "figure event_memory_bytes_avr", $$2 + 0, "bytes" }'
