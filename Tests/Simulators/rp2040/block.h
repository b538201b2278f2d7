// A block of registers or of memory on the buses of the RP2040 (datasheet 2.1, 2.2).
#ifndef BLOCK_H
#define BLOCK_H

#include <stdbool.h>
#include <stdint.h>

// The end marker of a list of registers.
#define NO_REGISTER UINT16_MAX

// The clock that must run for a block to respond. If this clock is clk_usb, clk_sys must also run
// at 48 MHz.
enum block_clock { BLOCK_CLOCK_SYS, BLOCK_CLOCK_USB };

// The conditions under which a block responds.
struct block_supply {
    uint32_t resets; // the block's bit in RESETS, or 0
    enum block_clock clock;
};

// Registers of 32 bits. The machine calls these functions only with whole registers, because it
// replicates narrow writes and resolves the aliases for atomic access (2.1.2, 2.1.4). An access to
// a register that is not modeled must call machine_not_modelled.
struct registers {
    const char *name; // as in the datasheet
    uint32_t base;
    struct block_supply supply;
    uint32_t (*read)(void *owner, uint32_t offset);
    uint32_t (*peek)(void *owner, uint32_t offset); // NULL if `read` has no side effects
    void (*write)(void *owner, uint32_t offset, uint32_t value);
    void (*reset)(void *owner); // sets all registers to their reset values and cancels events
    void *owner;
    // The registers whose bits are cleared by writing a 1, or by a write to the CLR alias. The list
    // ends with NO_REGISTER. The pointer is NULL if there are no such registers.
    const uint16_t *write_clears;
};

// Memory that the processor accesses as bytes, halfwords and words.
struct memory {
    const char *name;
    uint32_t base;
    uint32_t size;
    uint8_t *bytes;
    struct block_supply supply;
    // A function that is called before each access, for example to end the program if the memory
    // cannot be accessed now, or to spend cycles (machine_wait). The pointer may be NULL.
    void (*before)(void *owner, uint32_t offset);
    // A function that is called after a write to the word at the given offset. The pointer is NULL
    // if the memory cannot be written.
    void (*written)(void *owner, uint32_t offset);
    void *owner;
};

#endif
