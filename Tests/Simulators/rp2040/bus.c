#include "bus.h"

#include "machine.h"

#include <stddef.h>

#define SIO_BASE 0xD0000000u
#define SIO_SIZE 0x1000u

// The additional cycles of an access: one cycle on the AHB, more cycles behind the bridge to the
// APB (2.1.3), and no cycles in the SIO.
#define WAIT_AHB 1u
#define WAIT_APB_READ 2u
#define WAIT_APB_WRITE 3u
#define AHB_BASE 0x50000000u

// Aliases for atomic access (2.1.2).
#define ALIAS_SHIFT 12
#define ALIAS_XOR 1u
#define ALIAS_SET 2u
#define ALIAS_CLR 3u
#define BLOCK_SIZE 0x4000u
#define OFFSET_BITS 0xFFFu

// ---- Address lookup ----

const struct memory *bus_find_memory(const struct machine *machine, uint32_t address) {
    for (size_t index = 0; index < machine->memory_count; index++) {
        const struct memory *memory = &machine->memories[index];
        if (address - memory->base < memory->size) {
            return memory;
        }
    }
    return NULL;
}

static const struct registers *find_registers(const struct machine *machine, uint32_t address) {
    for (size_t index = 0; index < machine->register_count; index++) {
        const struct registers *registers = &machine->registers[index];
        if (address - registers->base < BLOCK_SIZE) {
            return registers;
        }
    }
    return NULL;
}

// Returns true if an address belongs to any block of the chip, even if the block is not modeled. No
// block responds to other addresses.
static bool is_something(uint32_t address) {
    return (address >= 0x10000000 && address < 0x20000000) ||
           (address >= 0x20042000 && address < 0x21042000 && (address & 0xFFFFFF) < 0x42000) ||
           (address >= 0x40000000 && address < 0x50400000) ||
           (address >= SIO_BASE && address < 0xE0100000);
}

static void find_nothing(struct machine *machine, uint32_t address) {
    if (is_something(address)) {
        machine_crash(machine, "an access to 0x%08x, which is not modeled", address);
    }
    m0_fault(&machine->cpu, "an access to an address without a block");
}

static void check_supply(const struct machine *machine, const char *name,
                         const struct block_supply *supply) {
    if ((machine->resets.held & supply->resets) != 0) {
        machine_crash(machine, "an access to %s, which is held in reset", name);
    }
    if (supply->clock == BLOCK_CLOCK_USB && !clocks_usb_runs(&machine->clocks)) {
        machine_crash(machine, "an access to %s, whose clock clk_usb does not run", name);
    }
    if (supply->clock == BLOCK_CLOCK_USB && clocks_sys_period(&machine->clocks) != 1) {
        machine_crash(machine, "an access to %s, for which clk_sys is too slow", name);
    }
}

// ---- Registers ----

// Returns the bytes of a register that an access reads.
static uint32_t lane(uint32_t word, uint32_t address, unsigned size) {
    uint32_t value = word >> 8 * (address & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

// Replicates a narrow write on all lanes of the bus. A register stores the values of all lanes
// (2.1.4).
static uint32_t replicate(uint32_t value, unsigned size) {
    if (size == 4) {
        return value;
    }
    return size == 2 ? (value & 0xFFFF) * 0x10001u : (value & 0xFF) * 0x1010101u;
}

static bool write_clears(const struct registers *registers, uint32_t offset) {
    const uint16_t *list = registers->write_clears;
    while (list != NULL && *list != NO_REGISTER) {
        if (*list++ == offset) {
            return true;
        }
    }
    return false;
}

static uint32_t changed(struct machine *machine, const struct registers *registers, uint32_t offset,
                        uint32_t alias, uint32_t bits) {
    if (write_clears(registers, offset)) {
        if (alias != ALIAS_CLR) {
            machine_crash(machine, "setting bits of %s + 0x%x is not modeled", registers->name,
                          offset);
        }
        return bits;
    }
    uint32_t value = registers->peek != NULL ? registers->peek(registers->owner, offset)
                                             : registers->read(registers->owner, offset);
    switch (alias) {
    case ALIAS_XOR:
        return value ^ bits;
    case ALIAS_SET:
        return value | bits;
    default:
        return value & ~bits;
    }
}

static void write_register(struct machine *machine, const struct registers *registers,
                           uint32_t address, uint32_t value) {
    uint32_t offset = address & OFFSET_BITS & ~3u;
    uint32_t alias = (address - registers->base) >> ALIAS_SHIFT;
    if (alias != 0) {
        value = changed(machine, registers, offset, alias, value);
    }
    registers->write(registers->owner, offset, value);
}

// ---- SIO ----

static uint32_t read_sio(struct machine *machine, uint32_t offset) {
    return offset == SIO_INTERP0_ACCUM0 ? machine->step_mark.value
                                        : gpio_read_sio(&machine->gpio, offset);
}

static void write_sio(struct machine *machine, uint32_t offset, uint32_t value) {
    if (offset == SIO_INTERP0_ACCUM0) {
        step_mark_write(&machine->step_mark, machine->now, value);
    } else {
        gpio_write_sio(&machine->gpio, offset, value);
    }
}

// ---- Reading ----

static uint32_t read_rom(const struct machine *machine, uint32_t address, unsigned size) {
    uint32_t value = 0;
    for (unsigned byte = 0; byte < size; byte++) {
        value |= (uint32_t)boot_rom_byte(&machine->boot_rom, address + byte) << 8 * byte;
    }
    return value;
}

static uint32_t read_memory(struct machine *machine, const struct memory *memory, uint32_t address,
                            unsigned size) {
    uint32_t offset = address - memory->base;
    uint32_t value = 0;
    check_supply(machine, memory->name, &memory->supply);
    if (memory->before != NULL) {
        memory->before(memory->owner, offset);
    }
    for (unsigned byte = 0; byte < size; byte++) {
        value |= (uint32_t)memory->bytes[offset + byte] << 8 * byte;
    }
    return value;
}

static uint32_t read_system(struct machine *machine, uint32_t address, unsigned size) {
    uint32_t value = 0;
    if (size != 4 || !nvic_read(&machine->cpu.nvic, address - NVIC_BASE, &value)) {
        machine_crash(machine, "reading 0x%08x is not modeled", address);
    }
    return value;
}

static uint32_t read_block(struct machine *machine, uint32_t address, unsigned size) {
    const struct registers *registers = find_registers(machine, address);
    if (registers == NULL) {
        find_nothing(machine, address);
        return 0;
    }
    check_supply(machine, registers->name, &registers->supply);
    uint32_t offset = address & OFFSET_BITS & ~3u;
    machine_wait(machine, address < AHB_BASE ? WAIT_APB_READ : WAIT_AHB);
    return lane(registers->read(registers->owner, offset), address, size);
}

uint32_t bus_read(struct machine *machine, uint32_t address, unsigned size) {
    if (address - SIO_BASE < SIO_SIZE) {
        return lane(read_sio(machine, (address - SIO_BASE) & ~3u), address, size);
    }
    const struct memory *memory = bus_find_memory(machine, address);
    if (memory == NULL && address >= ROM_SIZE && address - NVIC_BASE >= NVIC_SIZE) {
        return read_block(machine, address, size);
    }
    machine_wait(machine, WAIT_AHB);
    if (memory != NULL) {
        return read_memory(machine, memory, address, size);
    }
    return address < ROM_SIZE ? read_rom(machine, address, size)
                              : read_system(machine, address, size);
}

// ---- Writing ----

static void write_memory(struct machine *machine, const struct memory *memory, uint32_t address,
                         unsigned size, uint32_t value) {
    uint32_t offset = address - memory->base;
    check_supply(machine, memory->name, &memory->supply);
    if (memory->written == NULL) {
        machine_crash(machine, "a write to %s, which is read-only", memory->name);
    }
    if (memory->before != NULL) {
        memory->before(memory->owner, offset);
    }
    for (unsigned byte = 0; byte < size; byte++) {
        memory->bytes[offset + byte] = (uint8_t)(value >> 8 * byte);
    }
    memory->written(memory->owner, offset & ~3u);
}

static void write_system(struct machine *machine, uint32_t address, unsigned size, uint32_t value) {
    if (size != 4 || !nvic_write(&machine->cpu.nvic, address - NVIC_BASE, value)) {
        machine_crash(machine, "writing 0x%x to 0x%08x is not modeled", value, address);
    }
}

static void write_block(struct machine *machine, uint32_t address, unsigned size, uint32_t value) {
    const struct registers *registers = find_registers(machine, address);
    if (registers == NULL) {
        find_nothing(machine, address);
        return;
    }
    check_supply(machine, registers->name, &registers->supply);
    machine_wait(machine, address < AHB_BASE ? WAIT_APB_WRITE : WAIT_AHB);
    write_register(machine, registers, address, replicate(value, size));
}

void bus_write(struct machine *machine, uint32_t address, unsigned size, uint32_t value) {
    if (address - SIO_BASE < SIO_SIZE) {
        write_sio(machine, (address - SIO_BASE) & ~3u, replicate(value, size));
        return;
    }
    const struct memory *memory = bus_find_memory(machine, address);
    if (memory == NULL && address - NVIC_BASE >= NVIC_SIZE) {
        write_block(machine, address, size, value);
        return;
    }
    machine_wait(machine, WAIT_AHB);
    if (memory != NULL) {
        write_memory(machine, memory, address, size, value);
    } else {
        write_system(machine, address, size, value);
    }
}

// ---- Accesses of the processor ----

static uint32_t on_read(void *owner, uint32_t address, unsigned size) {
    machine_synchronize(owner);
    return bus_read(owner, address, size);
}

static void on_write(void *owner, uint32_t address, unsigned size, uint32_t value) {
    machine_synchronize(owner);
    bus_write(owner, address, size, value);
}

// Fetches an opcode. The fetch takes no additional cycles.
static uint16_t on_fetch(void *owner, uint32_t address) {
    struct machine *machine = owner;
    if (address < ROM_SIZE) {
        return (uint16_t)read_rom(machine, address, 2);
    }
    const struct memory *memory = bus_find_memory(machine, address);
    if (memory == NULL) {
        m0_fault(&machine->cpu, "an instruction at an address without memory");
        return 0;
    }
    return (uint16_t)read_memory(machine, memory, address, 2);
}

static bool on_breakpoint(void *owner) {
    struct machine *machine = owner;
    machine_synchronize(machine);
    return boot_rom_break(&machine->boot_rom);
}

static void on_fault(void *owner, const char *why) { machine_tell_fault(owner, why); }

__attribute__((noreturn)) static void on_crash(void *owner, const char *what) {
    machine_crash(owner, "%s", what);
}

struct m0_bus bus_of(struct machine *machine) {
    return (struct m0_bus){.read = on_read,
                           .write = on_write,
                           .fetch = on_fetch,
                           .breakpoint = on_breakpoint,
                           .has_faulted = on_fault,
                           .crash = on_crash,
                           .owner = machine};
}
