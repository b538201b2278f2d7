#include "machine.h"

#include <assert.h>

void machine_add_registers(struct machine *machine, const struct registers *registers) {
    assert(machine->register_count < REGISTERS_MAX);
    machine->registers[machine->register_count++] = *registers;
}

void machine_add_memory(struct machine *machine, const struct memory *memory) {
    assert(machine->memory_count < MEMORIES_MAX);
    machine->memories[machine->memory_count++] = *memory;
}
