#include "ports.h"

#include <inttypes.h>

// EN of the first four chips is connected to PD4 to PD7, and EN of the other chips to PB0 to PB3.
static void drive_enable(struct ports *ports) {
    const struct mcu *mcu = ports->mcu;
    uint8_t first = (mcu->data[DDRD] & mcu->data[PORTD]) >> 4;
    uint8_t others = (uint8_t)((mcu->data[DDRB] & mcu->data[PORTB]) << 4);
    uint8_t high = first | others;
    for (unsigned index = 0; index < ports->bus->count; index++) {
        if (((high ^ ports->enabled) >> index & 1) == 0) {
            continue;
        }
        bool on = high >> index & 1;
        if (ports->bus->count == 1) {
            trace_line(ports->trace, "pin %" PRIu64 " EN %d", mcu->now, on);
        } else {
            trace_line(ports->trace, "pin %" PRIu64 " EN%u %d", mcu->now, index, on);
        }
        chip_enable(&ports->bus->chips[index], mcu->now, on);
    }
    ports->enabled = high;
}

static void drive_lamp(struct ports *ports) {
    const struct mcu *mcu = ports->mcu;
    lamp_set(ports->lamp, mcu->now, mcu->data[DDRB] & mcu->data[PORTB] & PORTB5_LED);
}

// Sets the level of each wire. A wire is low if any pin holds it low, even if another pin drives it
// high.
static void drive_bus(struct ports *ports) {
    const struct mcu *mcu = ports->mcu;
    uint8_t low = (uint8_t)(mcu->data[DDRC] & ~mcu->data[PORTC]);
    struct i2c_pulls pulls = {.scl = (low & PINC5_SCL) != 0, .sda = (low & PINC4_SDA) != 0};
    i2c_bus_set_pins(ports->bus, mcu->now, pulls);
}

static void write(void *owner, uint16_t address, uint8_t value) {
    struct ports *ports = owner;
    ports->mcu->data[address] = value;
    drive_enable(ports);
    drive_lamp(ports);
    drive_bus(ports);
}

// Writes PINx: a 1 toggles the bit in PORTx (14.2.2).
static void toggle(void *owner, uint16_t address, uint8_t value) {
    struct ports *ports = owner;
    uint16_t port = (uint16_t)(address + PORTB - PINB);
    uint8_t toggled = value & ports->mcu->written_bits;
    write(ports, port, ports->mcu->data[port] ^ toggled);
}

static uint8_t read(void *owner, uint16_t address) {
    const struct ports *ports = owner;
    uint8_t levels = ports->mcu->data[address + PORTB - PINB];
    if (address == PINC) {
        levels &= (uint8_t) ~(PINC4_SDA | PINC5_SCL);
        levels |= i2c_bus_sda(ports->bus) ? PINC4_SDA : 0;
        levels |= i2c_bus_scl(ports->bus) ? PINC5_SCL : 0;
    }
    if (address == PIND && ports->has_jumper) {
        levels &= (uint8_t)~PIND2;
    }
    return levels;
}

void ports_init(struct ports *ports, struct mcu *mcu, struct i2c_bus *bus, struct lamp *lamp,
                const struct trace *trace) {
    *ports = (struct ports){.mcu = mcu, .bus = bus, .lamp = lamp, .trace = trace};
    static const uint16_t pins[] = {PINB, PINC, PIND};
    for (size_t index = 0; index < sizeof pins / sizeof pins[0]; index++) {
        mcu_on_read(mcu, pins[index], read, ports);
        mcu_on_write(mcu, pins[index], toggle, ports);
        mcu_on_write(mcu, (uint16_t)(pins[index] + DDRB - PINB), write, ports);
        mcu_on_write(mcu, (uint16_t)(pins[index] + PORTB - PINB), write, ports);
    }
}

void ports_reset(struct ports *ports) {
    drive_enable(ports);
    drive_lamp(ports);
    drive_bus(ports);
}
