# The firmware: its images, and the checks of the device's C code.

.PHONY: firmware images check-c check-includes check-firmware

CORE := $(wildcard Firmware/core/*.c Firmware/core/*/*.c)
CORE_HEADERS := $(wildcard Firmware/core/*.h Firmware/core/*/*.h Firmware/protocol/*.h)
MODEL := $(wildcard Firmware/model/*.c)
COMMON := Firmware/boards/common
TEMPLATE := Firmware/boards/template

# ---- Images ------------------------------------------------------------------------------------------

# The images are built for one actuator, for the number of actuators in the schematic, and, to
# measure the memory limit, for the number of actuators whose records fill the EEPROM.
AVR := Firmware/boards/atmega328p
AVR_IMAGE := .build/firmware/atmega328p
AVR_SEVERAL_IMAGE := .build/firmware-4/atmega328p
BUILD_AVR = $(MAKE) --no-print-directory -C $(AVR) BUILD=$(CURDIR)/.build/firmware
BUILD_AVR_SEVERAL = $(BUILD_AVR)-4 ACTUATORS=4
BUILD_AVR_SEVEN = $(BUILD_AVR)-7 ACTUATORS=7

# The RP2040 image is built with the compiler and linker of the Swift toolchain.
PICO := Firmware/boards/rp2040
PICO_IMAGE := .build/firmware-rp2040/rp2040
BUILD_PICO = $(MAKE) --no-print-directory -C $(PICO) CLANG=$(CLANG) BUILD=$(CURDIR)/.build/firmware-rp2040

images: setup-firmware setup-python
	@$(BUILD_AVR)
	@$(BUILD_AVR_SEVERAL)
	@$(BUILD_PICO)

# The images that users flash are committed; a rebuild produces the same bytes.
firmware: images ## builds the images of the boards, and prints their sizes
	@cp $(AVR_IMAGE).hex $(AVR)/atmega328p.hex
	@cp $(AVR_SEVERAL_IMAGE).hex $(AVR)/atmega328p-several.hex
	@cp $(PICO_IMAGE).uf2 $(PICO)/rp2040.uf2

check-firmware: images
	@cmp $(PICO_IMAGE).uf2 $(PICO)/rp2040.uf2 && cmp $(AVR_IMAGE).hex $(AVR)/atmega328p.hex && \
	    cmp $(AVR_SEVERAL_IMAGE).hex $(AVR)/atmega328p-several.hex || { \
	    echo "the images in Firmware/boards differ from a build of their sources: run make firmware" >&2; exit 1; }

# ---- The device's C code -----------------------------------------------------------------------------

# Checks the layers of the firmware core: which files a file may include, and which files may name
# the chip.
check-includes:
	@Tests/check-includes.sh

TEMPLATE_SOURCES = -include $(COMMON)/critical.h $(wildcard $(TEMPLATE)/*.c) $(COMMON)/port.c $(CORE)
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only

# Checks that the core has no heap and no globals: its data and bss sections are empty, and it does not call an
# allocator. A context for one actuator takes at most 1,154 of the ATmega328P's 2,048 bytes. The check also shows that
# C++ code can include the header for ports. Linking the template shows that the template has a stub for each function
# that the common port calls.
check-c: | .build
	$(CLANG) $(WARNINGS) $(CORE) $(MODEL)
	cc $(WARNINGS) $(CORE) $(MODEL)
	$(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv6m-none-eabi -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) --target=armv7em-none-eabi -ffreestanding $(CORE)
	$(CLANG) $(WARNINGS) $(TEMPLATE_SOURCES)
	$(CLANG) $(WARNINGS) --target=armv6m-none-eabi -ffreestanding $(TEMPLATE_SOURCES)
	$(CLANG) -std=c11 -o .build/template $(TEMPLATE_SOURCES)
	@printf '%s\n' '#include "Firmware/core/bridge.h"' \
	    '_Static_assert(sizeof(struct bridge) <= 1154, "context");' \
	    '_Static_assert(BRIDGE_EVENT_MEMORY >= 384, "event memory");' | \
	    $(CLANG) $(WARNINGS) --target=avr -mmcu=atmega328p -ffreestanding -I. -xc -
	@echo '#include "Firmware/core/bridge.h"' > .build/check.cpp
	$(CLANG) -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. .build/check.cpp
	@! command -v g++ >/dev/null || g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. .build/check.cpp
	@for file in $(CORE); do \
	    $(CLANG) -std=c11 -Os -fno-pic -c $$file -o .build/check.o && \
	    ! $(LLVM)-nm .build/check.o 2>/dev/null | grep -E ' [bBdDC] | (malloc|free|calloc)$$' \
	        || { echo "$$file: contains a global variable or a call to an allocator" >&2; exit 1; }; done
