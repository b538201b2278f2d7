// The address map (datasheet 2.2), and the processor's accesses to registers and memories.
#ifndef BUS_H
#define BUS_H

#include "m0.h"

struct machine;
struct memory;

struct m0_bus bus_of(struct machine *machine);

// Returns the memory at an address, or NULL if the address is not in memory.
const struct memory *bus_find_memory(const struct machine *machine, uint32_t address);

// Accesses memory in the same way as an instruction, but without taking cycles.
uint32_t bus_read(struct machine *machine, uint32_t address, unsigned size);
void bus_write(struct machine *machine, uint32_t address, unsigned size, uint32_t value);

#endif
