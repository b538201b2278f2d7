# The Arduino library, and the sketches that test it.

.PHONY: arduino-library arduino-boards test-arduino test-arduino-others check-arduino

# The library is assembled from the firmware's sources, in the form that users install. The ZIP file has the same bytes
# in each build.
ARDUINO_SOURCES := Firmware/boards/arduino
ARDUINO_BUILD := .build/arduino
ARDUINO_LIBRARY := $(ARDUINO_BUILD)/HapticBridge
ARDUINO_FILES := $(shell find $(ARDUINO_SOURCES) -type f ! -name rules.mk) $(CORE) $(CORE_HEADERS) \
    $(COMMON)/port.c $(wildcard $(COMMON)/*.h)

$(ARDUINO_LIBRARY)/library.properties: $(ARDUINO_FILES) | setup-python
	@python3 -B $(ARDUINO_SOURCES)/lay.py $(ARDUINO_BUILD)
	@touch $@

arduino-library: $(ARDUINO_LIBRARY)/library.properties ## creates the Arduino library and its ZIP in .build/arduino

# The sketches of the library for the simulated Uno, with Debian's core for AVR, and for sketch-board, with a core from
# this project that has the functions of other cores.
SKETCHES := $(wildcard Tests/ArduinoBoard/*/*.ino) $(ARDUINO_SOURCES)/examples/Bridge/Bridge.ino
SKETCH_NAMES := $(basename $(notdir $(SKETCHES)))
# The tests for every change use the cores listed here, because these cores differ most from each other.
SKETCH_CORES := esp32 renesas
OTHER_SKETCH_CORES := teensy nrf52 samd
CORE_esp32 := -DARDUINO_ARCH_ESP32
CORE_renesas := -DARDUINO_ARCH_RENESAS
CORE_teensy := -DTEENSYDUINO=159
CORE_nrf52 := -DARDUINO_ARCH_NRF52 -DARDUINO_NRF52_ADAFRUIT
CORE_samd := -DARDUINO_ARCH_SAMD
# An Uno has one actuator.
UNO_SKETCHES := $(patsubst %,$(ARDUINO_BUILD)/%.hex,$(filter-out Several,$(SKETCH_NAMES)))
BOARD_SKETCHES := $(SKETCH_CORES:%=$(ARDUINO_BUILD)/Bridge-%.so)
OTHER_BOARD_SKETCHES := $(OTHER_SKETCH_CORES:%=$(ARDUINO_BUILD)/Bridge-%.so)
SKETCH_CORE := Tests/Simulators/arduino

# All sketches for a core are built together.
$(UNO_SKETCHES) &: $(ARDUINO_LIBRARY)/library.properties $(SKETCHES) \
    Tests/ArduinoBoard/build-uno.sh | setup-firmware setup-arduino
	@Tests/ArduinoBoard/build-uno.sh $(ARDUINO_LIBRARY) $(ARDUINO_BUILD) \
	    $(foreach name,$(basename $(notdir $(UNO_SKETCHES))),$(filter %/$(name).ino,$(SKETCHES)))

$(BOARD_SKETCHES) $(OTHER_BOARD_SKETCHES): $(ARDUINO_BUILD)/Bridge-%.so: \
    $(ARDUINO_LIBRARY)/library.properties $(SKETCHES) $(wildcard $(SKETCH_CORE)/core/* $(SKETCH_CORE)/api.h $(SKETCH_CORE)/*.sh)
	@$(SKETCH_CORE)/build-sketches.sh $(ARDUINO_LIBRARY) $(ARDUINO_BUILD) $* "$(CORE_$*)" $(SKETCHES)

arduino-boards: $(UNO_SKETCHES) $(BOARD_SKETCHES)

CHECK_SKETCHES := python3 -B Tests/ArduinoBoard/check.py $(ARDUINO_BUILD)

test-arduino: arduino-boards simulators ## runs the Arduino library's sketches on simulated boards, and checks its format
	@python3 -B Tests/ArduinoBoard/check_library.py $(ARDUINO_BUILD)
	@$(CHECK_SKETCHES) Uno ESP32 'UNO R4'

test-arduino-others: $(OTHER_BOARD_SKETCHES) simulators
	@$(CHECK_SKETCHES) Teensy nRF52 SAMD

# Compiles the library for the processors of other boards, with the headers of this project's core, in the C++ standards
# of old and new cores; the processors include Xtensa if Debian's compiler for the ESP8266 is installed.
ARDUINO_TARGETS := armv6m-none-eabi:samd armv7em-none-eabi:nrf52 armv7em-none-eabi:renesas \
    armv7em-none-eabi:teensy riscv32-none-elf:esp32
ARDUINO_CHECKED = -Os -ffreestanding -Wall -Wextra -Werror -DARDUINO=10819 -I$(SKETCH_CORE)/core \
    -I$(ARDUINO_LIBRARY)/src -c -o .build/check.o

# $(1): compilers of C and C++; $(2): the core; $(3): options.
define compile_library
	@for file in $$(find $(ARDUINO_LIBRARY)/src -name '*.c'); do \
	    $(firstword $(1)) $(ARDUINO_CHECKED) $(CORE_$(2)) $(3) -std=gnu11 $$file || exit; done; \
	for standard in gnu++11 gnu++17 gnu++20; do \
	    for file in $(ARDUINO_LIBRARY)/src/*.cpp; do \
	        $(lastword $(1)) $(ARDUINO_CHECKED) $(CORE_$(2)) $(3) -std=$$standard -fno-exceptions \
	            -fno-rtti $$file || exit; done; done; \
	echo "$(2) $(3): compiles"

endef

check-arduino: arduino-library | .build
	$(foreach target,$(ARDUINO_TARGETS),$(call compile_library,$(CLANG),$(lastword $(subst :, ,$(target))),--target=$(firstword $(subst :, ,$(target)))))
	$(if $(shell command -v xtensa-lx106-elf-g++),$(call compile_library,xtensa-lx106-elf-gcc xtensa-lx106-elf-g++,esp32),@echo "esp32, Xtensa: skipped, because gcc-xtensa-lx106 is not installed")
