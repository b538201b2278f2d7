// The ATmega328P's CPU: instructions, registers, interrupts, sleep and reset.
//
// libsimavr executes single instructions; its peripherals and its interrupt controller are not used
// (README.md gives the reasons). Only mcu.c uses libsimavr.
//
// An access to a register takes effect at the first cycle of its instruction.
#ifndef MCU_H
#define MCU_H

#include "atmega328p.h"

#include <stdbool.h>
#include <stdint.h>

struct avr_t;

// The functions that handle accesses to a register. A register without such a function is a byte of
// memory.
struct mcu_register {
    uint8_t (*read)(void *owner, uint16_t address);
    void (*write)(void *owner, uint16_t address, uint8_t value);
    void *owner;
};

// A function that clears the flag of an interrupt when the vector of the interrupt is executed.
struct mcu_vector {
    void (*acknowledge)(void *owner);
    void *owner;
};

enum mcu_hang { MCU_RUNS, MCU_HANGS_WITH_INTERRUPTS, MCU_HANGS_WITHOUT_INTERRUPTS };

struct mcu {
    uint64_t now;   // the clock cycles since the simulator started; never reset
    uint64_t slept; // the number of cycles since power-up during which the CPU was asleep
    uint8_t *data;  // general-purpose registers, I/O registers, SRAM
    uint8_t *flash;
    uint32_t
        boot_start; // start of the boot loader section; the end of flash if there is no boot loader
    uint64_t starts_at; // the cycle at which the start-up of the oscillator ends
    // The bits that the current write to a register affects: SBI and CBI write a single bit
    // (14.2.2), but libsimavr writes all eight bits.
    uint8_t written_bits;
    uint16_t lowest_stack; // the lowest stack pointer since the last reset

    // Internal state of mcu.c.
    struct avr_t *core;
    bool asleep;
    bool one_more_instruction; // true after SEI and RETI, which delay interrupts by one instruction
                               // (7.7)
    bool stack_is_split;       // true between OUT SPH and OUT SPL
    enum mcu_hang hang;        // the requested hang that has not begun
    uint32_t requests;         // a bit for each vector
    struct mcu_register registers[SRAM_START];
    struct mcu_vector vectors[VECTOR_COUNT];
    struct mcu_vector watchdog_reset; // the function that WDR executes
    struct mcu_vector store_program;  // the function that SPM executes
};

// Initializes an MCU that has no power.
void mcu_init(struct mcu *mcu);

void mcu_on_read(struct mcu *mcu, uint16_t address, uint8_t (*read)(void *owner, uint16_t address),
                 void *owner);
void mcu_on_write(struct mcu *mcu, uint16_t address,
                  void (*write)(void *owner, uint16_t address, uint8_t value), void *owner);

// Requests an interrupt if its flag and its enable bit are set (7.7).
void mcu_on_interrupt(struct mcu *mcu, uint8_t vector, void (*acknowledge)(void *owner),
                      void *owner);
void mcu_request(struct mcu *mcu, uint8_t vector, bool requested);

// Sets the fuses BOOTSZ and BOOTRST for a boot loader with the given start address. The smallest
// boot section that contains this address is used, and a reset starts the boot loader.
void mcu_set_boot_loader(struct mcu *mcu, uint32_t address);

// Fills SRAM and general-purpose registers with pseudorandom values, as after power-up. The values
// depend only on the seed.
void mcu_scramble(struct mcu *mcu, uint64_t seed);

// Resets the controller: I/O registers become 0 (peripherals then set some of their registers to
// other values), and the program restarts. SRAM and general-purpose registers keep their values.
void mcu_reset(struct mcu *mcu);

// Executes one instruction, enters an interrupt, or sleeps until at most `limit`.
void mcu_step(struct mcu *mcu, uint64_t limit);

bool mcu_is_asleep(const struct mcu *mcu);

// Returns the program counter, in bytes.
uint32_t mcu_program_counter(const struct mcu *mcu);

// Writes a byte of memory or an I/O register, as an instruction would.
void mcu_poke(struct mcu *mcu, uint16_t address, uint8_t value);

// Causes the program to hang in an endless loop as soon as it is not in an interrupt.
void mcu_hang(struct mcu *mcu, enum mcu_hang hang);

// Ends the simulator with status 70, because the firmware has performed an action that is invalid
// or not modeled.
_Noreturn void mcu_crash(const struct mcu *mcu, const char *what);

#endif
