// The RP2040: its processor, its buses, and the other blocks that every program needs. The board
// owns the circuits at its pins and the blocks that communicate with them.
//
// Time is counted in cycles of 48 MHz since the start of the simulator, regardless of the clock of
// the processor. The simulator ends with status 70 if the program performs an action that is not
// modeled.
#ifndef MACHINE_H
#define MACHINE_H

#include "../common/schedule.h"
#include "../common/trace.h"
#include "block.h"
#include "boot_rom.h"
#include "clocks.h"
#include "gpio.h"
#include "m0.h"
#include "resets.h"
#include "step_mark.h"
#include "timer.h"
#include "watchdog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CYCLES_PER_US 48u
#define CYCLES_PER_MS (1000u * CYCLES_PER_US)

#define SRAM_BASE 0x20000000u
#define SRAM_SIZE 0x42000u

#define REGISTERS_MAX 24u
#define MEMORIES_MAX 8u

// Interrupt numbers (2.3.2).
enum irq { IRQ_TIMER_0 = 0, IRQ_USBCTRL = 5, IRQ_IO_BANK0 = 13, IRQ_I2C0 = 23, IRQ_I2C1 = 24 };

// Bits of RESETS (2.14.3).
#define RESETS_I2C0 (1u << 3)
#define RESETS_I2C1 (1u << 4)
#define RESETS_IO_BANK0 (1u << 5)
#define RESETS_IO_QSPI (1u << 6)
#define RESETS_PADS_BANK0 (1u << 8)
#define RESETS_PADS_QSPI (1u << 9)
#define RESETS_PLL_SYS (1u << 12)
#define RESETS_PLL_USB (1u << 13)
#define RESETS_SYSINFO (1u << 19)
#define RESETS_TIMER (1u << 21)
#define RESETS_USBCTRL (1u << 24)

enum reset_cause { RESET_POWER, RESET_EXTERNAL, RESET_WATCHDOG };

enum hang { HANG_NOT, HANG_WITH_INTERRUPTS, HANG_WITHOUT_INTERRUPTS };

// The functions of the board that the machine needs.
struct machine_board {
    // Reads the bytes that the flash chip returns to the boot ROM. While the flash chip is busy,
    // these bytes differ from its contents.
    void (*read_flash)(void *owner, uint32_t offset, uint8_t *bytes, size_t count);
    // A function that is called when the boot ROM begins to wait for a file, because of
    // reset_usb_boot, a missing program, or the button. The boot ROM waits until
    // machine_leave_bootsel or another reset.
    void (*enter_bootsel)(void *owner, uint64_t when);
    // A function that is called when all blocks of the machine have been reset and the processor
    // starts.
    void (*has_reset)(void *owner, enum reset_cause cause);
    void *owner;
};

struct machine {
    struct trace *trace;
    struct schedule *schedule;
    uint64_t now; // cycles
    bool has_power;
    bool has_bootsel_button; // true if the button is pressed; CS of the flash is then low when the
                             // boot ROM samples it
    struct gpio gpio;

    // The members below are private to the machine.
    struct m0 cpu;
    struct boot_rom boot_rom;
    struct clocks clocks;
    struct resets resets;
    struct timer timer;
    struct watchdog watchdog;
    struct step_mark step_mark;
    struct machine_board board;
    struct registers registers[REGISTERS_MAX];
    size_t register_count;
    struct memory memories[MEMORIES_MAX];
    size_t memory_count;
    uint8_t sram[SRAM_SIZE];
    uint64_t seed;
    uint64_t slept;
    bool is_running;          // true while an instruction is being executed
    uint64_t run_since;       // the cycle at which the processor began to run
    uint32_t run_period;      // the length of a cycle of clk_sys
    uint32_t watchdog_reason; // the cause of a reset that is due; 0 if no reset is due
    enum hang hang;           // the requested hang that has not begun
};

// Initializes a machine that has no power.
void machine_init(struct machine *machine, struct schedule *schedule, struct trace *trace,
                  const struct machine_board *board, uint64_t seed);

void machine_add_registers(struct machine *machine, const struct registers *registers);
void machine_add_memory(struct machine *machine, const struct memory *memory);

// ---- Events from outside ----

void machine_set_power(struct machine *machine, bool on);
// Pulls RUN low and releases it.
void machine_pull_run(struct machine *machine);
// Restarts after the boot ROM has written a program to the flash.
void machine_leave_bootsel(struct machine *machine);
// Causes the program to hang in an endless loop as soon as it is not in an interrupt.
void machine_hang(struct machine *machine, enum hang hang);

// Runs until the given cycle, and completes an instruction that begins before it.
void machine_run(struct machine *machine, uint64_t until);

// ---- For blocks ----

// Sets an interrupt line. The interrupt is requested while its line is high.
void machine_set_irq(struct machine *machine, enum irq irq, bool level);

// Makes the current access longer by a number of cycles of clk_sys.
void machine_wait(struct machine *machine, uint32_t cycles);

// Ends the simulator with status 70, because the image has performed an action that is invalid or
// not modeled.
__attribute__((format(printf, 2, 3))) _Noreturn void machine_crash(const struct machine *machine,
                                                                   const char *format, ...);
// Ends the simulator because a register of the block, or a value written to it, is not modeled.
_Noreturn void machine_not_modelled(const struct machine *machine, const char *block,
                                    uint32_t offset);
// Ends the simulator with machine_not_modelled if bits of the value are set that are not modeled.
void machine_check_bits(const struct machine *machine, const char *block, uint32_t offset,
                        uint32_t value, uint32_t modeled);

// ---- Private to the files of the machine ----

// Advances the time to the time of the current instruction. machine_run then examines the schedule
// again.
void machine_synchronize(struct machine *machine);
void machine_request_watchdog_reset(struct machine *machine, uint32_t reason);
void machine_restart_in_bootsel(struct machine *machine);
// Resets blocks that are put into reset. `blocks` contains their bits in RESETS.
void machine_reset_blocks(struct machine *machine, uint32_t blocks);
void machine_tell_fault(struct machine *machine, const char *why);

// ---- For commands ----

// Accesses memory without side effects. Returns false if there is no memory at the address.
bool machine_peek(const struct machine *machine, uint32_t address, uint8_t *byte);
// Writes a byte as an instruction does: if the address belongs to a register, the byte is
// replicated (2.1.4).
void machine_poke(struct machine *machine, uint32_t address, uint8_t byte);
// Returns the maximum size of the stack since the last reset, in bytes.
uint32_t machine_stack_used(const struct machine *machine);
// Returns the number of cycles for which the processor has slept since power-up.
uint64_t machine_slept(const struct machine *machine);
// Returns the longest time for which the image's step mark has been set since the last reset, in
// cycles.
uint64_t machine_longest_step(const struct machine *machine);

#endif
