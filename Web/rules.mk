# The modules without I/O, the firmware core and the model of the chip as WebAssembly, built with the compiler from the
# Swift toolchain.

.PHONY: check-wasm

WEB := Web
WASM := .build/wasm
WASM_TRIPLE := wasm32-unknown-none-wasm
WASM_TOOLS = $(dir $(CLANG))
WASM_LIBRARY = $(WASM_TOOLS)../lib/swift/embedded/$(WASM_TRIPLE)
UNICODE = $(WASM_LIBRARY)/libswiftUnicodeDataTables.a

# The files that do I/O are omitted: the files of HapticBoards that open ports, and the trace file and the server of
# VirtualBoard.
SOURCES_OF_HapticBoards := $(addprefix Sources/HapticBoards/, DeviceProfile+Configuration.swift FaultAdvice.swift \
    KnownBoard.swift NamedActuator.swift RP2040Pins.swift)
SOURCES_OF_VirtualBoard := $(filter-out %/BusTrace.swift %/InProcessBoard+Sensor.swift,\
    $(wildcard Sources/VirtualBoard/*.swift)) $(WEB)/Embedded/NoSensor.swift
# The page reads other formats, but does not write them. Embedded Swift cannot cast to protocols, and the browser
# performs the decompression.
SOURCES_OF_PatternFormats := $(filter-out %/Conversion.swift %/PatternDifference.swift %/PatternFormats+Casts.swift \
    %/Deflate.swift,$(shell find Sources/PatternFormats -name '*.swift')) $(WEB)/Embedded/Deflate.swift
# The comparison of drives, the analysis of recordings and fits are not used here.
SOURCES_OF_Prediction := $(wildcard Sources/Prediction/Felt*.swift)
SOURCES_OF_WebPlayer := $(wildcard $(WEB)/Player/*.swift) Sources/HapticBridge/Preview/PreviewTone.swift \
    Sources/BoardFlashing/UF2Image.swift
SOURCES_OF_WebFormats := $(wildcard $(WEB)/Formats/*.swift) $(WEB)/Player/Memory.swift

# SwiftPM's header maps do not exist here, so CEmbeddedFiles receives a module map in the build folder.
WASM_INCLUDES := -I $(WASM) -I $(WASM)/CEmbeddedFiles -I Firmware/protocol -I Firmware/core -I Firmware/model \
    -I Sources/CMath
# The board that the page simulates has no accelerometer.
WASM_BOARD := -DBRIDGE_SENSOR=0
WASM_SWIFT = $(WASM_TOOLS)swiftc -target $(WASM_TRIPLE) -enable-experimental-feature Embedded -wmo -Osize \
    -parse-as-library -swift-version 6 -package-name haptic_bridge -warnings-as-errors -Xcc -fdeclspec $(addprefix -Xcc ,$(WASM_BOARD)) \
    -module-cache-path $(WASM)/cache $(WASM_INCLUDES)
WASM_C = $(CLANG) --target=$(WASM_TRIPLE) -std=c11 -Oz -Wall -Wextra -Wpedantic -Wconversion -Werror -ffreestanding \
    $(WASM_BOARD) -I $(WEB)/Embedded/include

# $(1): the module, $(2): the modules that it imports.
define wasm_module
SOURCES_OF_$(1) ?= $$(shell find Sources/$(1) -name '*.swift')
$(WASM)/$(1).o: $$(SOURCES_OF_$(1)) $(WEB)/Embedded/Codable.swift $(WEB)/rules.mk $(patsubst %,$(WASM)/%.o,$(2)) \
    | $(WASM)/CEmbeddedFiles/module.modulemap
	@$$(WASM_SWIFT) -module-name $(1) -emit-module -emit-module-path $(WASM)/$(1).swiftmodule -c -o $$@ \
	    $(WEB)/Embedded/Codable.swift $$(SOURCES_OF_$(1))
endef
$(eval $(call wasm_module,EmbeddedFiles))
$(eval $(call wasm_module,JSONText))
$(eval $(call wasm_module,Checksum))
$(eval $(call wasm_module,HapticPatterns,JSONText))
$(eval $(call wasm_module,AHAP,HapticPatterns))
$(eval $(call wasm_module,HapticCompiler,EmbeddedFiles Checksum HapticPatterns))
$(eval $(call wasm_module,BridgeLink,Checksum))
$(eval $(call wasm_module,DRV2605,BridgeLink))
$(eval $(call wasm_module,HapticBoards,HapticCompiler DRV2605))
$(eval $(call wasm_module,VirtualBoard,DRV2605))
$(eval $(call wasm_module,Prediction,HapticCompiler VirtualBoard))
$(eval $(call wasm_module,PatternFormats,AHAP HapticCompiler))
$(eval $(call wasm_module,WebPlayer,AHAP HapticBoards Prediction))
$(eval $(call wasm_module,WebFormats,PatternFormats))

$(WASM)/CEmbeddedFiles/module.modulemap:
	@mkdir -p $(@D)
	@echo 'module CEmbeddedFiles { header "$(CURDIR)/Sources/CEmbeddedFiles/include/CEmbeddedFiles.h" export * }' >$@

# The C code of the device and of the embedded files; the linker removes unused functions.
WASM_C_FILES := $(CORE) $(MODEL) Sources/CEmbeddedFiles/files.c $(WEB)/Embedded/runtime.c
WASM_C_OBJECTS := $(patsubst %.c,$(WASM)/c/%.o,$(WASM_C_FILES))

$(WASM)/c/%.o: %.c $(CORE_HEADERS) $(wildcard Firmware/model/*.h $(WEB)/Embedded/include/*.h) $(WEB)/rules.mk
	@mkdir -p $(@D)
	@$(WASM_C) -I Sources/CEmbeddedFiles/include -c $< -o $@

$(WASM)/c/Sources/CEmbeddedFiles/files.o: $(shell find Sources -name '*.ahap' -o -name '*.json')

PATTERN_MODULES := EmbeddedFiles JSONText Checksum HapticPatterns AHAP HapticCompiler
PLAYER_MODULES := $(PATTERN_MODULES) BridgeLink DRV2605 HapticBoards VirtualBoard Prediction \
    WebPlayer
FORMATS_MODULES := $(PATTERN_MODULES) PatternFormats WebFormats
WASM_LINK = $(WASM_TOOLS)wasm-ld --no-entry --gc-sections --strip-all --stack-first -z stack-size=262144 \
    $(addprefix --allow-undefined-file=,$(WEB)/Embedded/imports.txt) $^ $(UNICODE) -o $@

$(WASM)/haptic-bridge.wasm: $(PLAYER_MODULES:%=$(WASM)/%.o) $(WASM_C_OBJECTS)
	@$(WASM_LINK)

$(WASM)/formats.wasm: $(FORMATS_MODULES:%=$(WASM)/%.o) $(WASM_C_OBJECTS)
	@$(WASM_LINK)

WASM_FILES := $(WASM)/haptic-bridge.wasm $(WASM)/formats.wasm

# The reason why the toolchain cannot build for WebAssembly; empty if it can.
wasm_missing = $(if $(wildcard $(UNICODE)),,this Swift toolchain has no Embedded Swift for $(WASM_TRIPLE))

check-wasm: ## builds the modules without I/O for WebAssembly
	@$(if $(wasm_missing),echo "check-wasm: skipped: $(wasm_missing)",$(MAKE) -j2 --no-print-directory $(WASM_FILES))
