# The fuzzers. Each fuzzer runs the inputs of its corpus and RUNS further inputs under AddressSanitizer. The fuzzers in
# C also run under UndefinedBehaviorSanitizer. A finding ends the fuzzer and is stored in .build-fuzz. Afterwards, the
# recipe prints the coverage of the code that reads the bytes. Tests/README.md has the details.

.PHONY: build-fuzz fuzz

FUZZ := .build-fuzz
RUNS ?= 20000
CORE_FUZZERS := frame player bridge several
FUZZ_SOURCES := Tests/Fuzzers
HOST_FUZZERS := $(shell sed -n 's/^@_cdecl("fuzz_\(.*\)")$$/\1/p' $(FUZZ_SOURCES)/Host/Sources/HostFuzzers/*.swift)
FUZZERS ?= $(CORE_FUZZERS) $(HOST_FUZZERS)
CORPORA := $(FUZZ_SOURCES)/Corpora
FUZZ_FLAGS := -std=c11 -g -O1 -I. -fuse-ld=lld -fprofile-instr-generate -fcoverage-mapping
FUZZ_C = $(CLANG) $(FUZZ_FLAGS) -Wall -Wextra -Wpedantic -Wconversion -Werror \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
# libFuzzer receives no coverage from code that is instrumented only by -sanitize=fuzzer.
FUZZ_COVERAGE := -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table
FUZZ_BOARD := $(FUZZ_SOURCES)/Core/fuzz_bridge.c Tests/ModelBoard/board.c $(COMMON)/port.c
HOST_LIBRARY := $(FUZZ)/host/release/libHostFuzzers.a
FUZZ_ENVIRONMENT := ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no

build-fuzz: setup-build
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

fuzz: build-fuzz ## fuzzes all code that reads bytes (RUNS=1000000 for each)
	@for fuzzer in $(FUZZERS); do \
	    echo "$$fuzzer" >&2; mkdir -p $(FUZZ)/corpus/$$fuzzer; \
	    $(FUZZ_ENVIRONMENT) LLVM_PROFILE_FILE=/dev/null $(FUZZ)/$$fuzzer -runs=$(RUNS) \
	        -max_len=1024 -timeout=10 -artifact_prefix=$(FUZZ)/$$fuzzer- \
	        $(FUZZ)/corpus/$$fuzzer $(CORPORA)/$$fuzzer >$(FUZZ)/$$fuzzer.log 2>&1 || { \
	        tail -n 30 $(FUZZ)/$$fuzzer.log >&2; echo "$$fuzzer has found an error" >&2; exit 1; }; \
	    if grep -q "instrumented for coverage" $(FUZZ)/$$fuzzer.log; then \
	        echo "$$fuzzer is not guided by coverage" >&2; exit 1; fi; \
	    tail -n 1 $(FUZZ)/$$fuzzer.log; \
	    CLANG=$(CLANG) $(FUZZ_ENVIRONMENT) $(FUZZ_SOURCES)/coverage.sh $(FUZZ) $$fuzzer || exit; done
