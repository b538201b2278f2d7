// The ATmega328P's CPU: instructions, registers, interrupts, sleep and reset.
//
// libsimavr executes the instructions, one at a time, and nothing else: its peripherals and its
// interrupt controller are not used (README.md says why). mcu.c alone knows libsimavr.
//
// An access to a register counts at the first cycle of its instruction.
#ifndef MCU_H
#define MCU_H

#include "atmega328p.h"

#include <stdbool.h>
#include <stdint.h>

struct avr_t;

// The effect of an access to a register. A register without a handler is a byte of memory.
struct mcu_register {
    uint8_t (*read)(void *owner, uint16_t address);
    void (*write)(void *owner, uint16_t address, uint8_t value);
    void *owner;
};

// The flag that the execution of an interrupt vector clears.
struct mcu_vector {
    void (*acknowledge)(void *owner);
    void *owner;
};

enum mcu_hang { MCU_RUNS, MCU_HANGS_WITH_INTERRUPTS, MCU_HANGS_WITHOUT_INTERRUPTS };

struct mcu {
    uint64_t now;   // clock cycles since power-up of the program; never reset
    uint64_t slept; // of these, with the CPU asleep, since power-up
    uint8_t *data;  // general purpose registers, I/O registers, SRAM
    uint8_t *flash;
    uint32_t boot_start; // of the boot loader section; the end of flash if there is none
    uint64_t starts_at;  // until then the oscillator starts up
    // The bits the present write to a register means: SBI and CBI write a single one (14.2.2),
    // libsimavr writes back all eight.
    uint8_t written_bits;
    uint16_t lowest_stack; // the lowest stack pointer since reset

    // The state of the CPU, of mcu.c only.
    struct avr_t *core;
    bool asleep;
    bool one_more_instruction; // after SEI and RETI, before an interrupt (7.7)
    bool stack_is_split;       // between OUT SPH and OUT SPL
    enum mcu_hang hang;        // to come
    uint32_t requests;         // a bit for each vector
    struct mcu_register registers[SRAM_START];
    struct mcu_vector vectors[VECTOR_COUNT];
    struct mcu_vector watchdog_reset; // called by WDR
    struct mcu_vector store_program;  // called by SPM
};

// An MCU without power.
void mcu_init(struct mcu *mcu);

void mcu_on_read(struct mcu *mcu, uint16_t address, uint8_t (*read)(void *owner, uint16_t address),
                 void *owner);
void mcu_on_write(struct mcu *mcu, uint16_t address,
                  void (*write)(void *owner, uint16_t address, uint8_t value), void *owner);

// An interrupt is requested as long as its flag and its enable bit are set (7.7).
void mcu_on_interrupt(struct mcu *mcu, uint8_t vector, void (*acknowledge)(void *owner),
                      void *owner);
void mcu_request(struct mcu *mcu, uint8_t vector, bool requested);

// Sets the fuses for a boot loader that starts at an address: the smallest section that holds it,
// and resets start in it (BOOTSZ, BOOTRST).
void mcu_set_boot_loader(struct mcu *mcu, uint32_t address);

// Fills SRAM and general purpose registers with random values, as after power-up. The values depend
// only on the seed.
void mcu_scramble(struct mcu *mcu, uint64_t seed);

// Resets the controller: I/O registers become 0 (their owners set some to other values), and the
// program restarts. SRAM and general purpose registers keep their values.
void mcu_reset(struct mcu *mcu);

// Executes one instruction or the entry into an interrupt, or sleeps until `limit` at most.
void mcu_step(struct mcu *mcu, uint64_t limit);

bool mcu_is_asleep(const struct mcu *mcu);

// The program counter, in bytes.
uint32_t mcu_program_counter(const struct mcu *mcu);

// Writes a byte of memory as an instruction would: to an I/O register too.
void mcu_poke(struct mcu *mcu, uint16_t address, uint8_t value);

// Sends the program to an endless loop as soon as it is not in an interrupt.
void mcu_hang(struct mcu *mcu, enum mcu_hang hang);

// Ends the simulator with status 70, because the firmware did something invalid or something that
// is not modelled.
_Noreturn void mcu_crash(const struct mcu *mcu, const char *what);

#endif
