#include "i2c_bus.h"

#include <inttypes.h>

void i2c_bus_init(struct i2c_bus *bus, struct chip *chip, const struct trace *trace) {
    *bus = (struct i2c_bus){.chip = chip, .trace = trace};
}

// ---- Levels ----

bool i2c_bus_scl(const struct i2c_bus *bus) {
    bool is_low = bus->is_stuck || (bus->has_twi ? bus->twi_holds_scl : bus->pins.scl);
    return !is_low;
}

bool i2c_bus_sda(const struct i2c_bus *bus) {
    bool is_low = chip_holds_sda(bus->chip) || (!bus->has_twi && bus->pins.sda);
    return !is_low;
}

// A pulse ends as SCL rises; SDA rising while SCL is high is a STOP.
static void settle(struct i2c_bus *bus, uint64_t when, bool scl_was_high, bool sda_was_high) {
    bool scl_is_high = i2c_bus_scl(bus);
    if (!scl_was_high && scl_is_high) {
        drv2605_model_clock_bus(&bus->chip->model);
    } else if (scl_was_high && scl_is_high && !sda_was_high && i2c_bus_sda(bus)) {
        chip_stop(bus->chip, when);
    }
    i2c_bus_changed(bus, when);
}

void i2c_bus_set_pins(struct i2c_bus *bus, uint64_t when, struct i2c_pulls pins) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->pins = pins;
    settle(bus, when, scl, sda);
}

void i2c_bus_connect_twi(struct i2c_bus *bus, uint64_t when, bool on) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->has_twi = on;
    settle(bus, when, scl, sda);
}

void i2c_bus_set_stuck(struct i2c_bus *bus, uint64_t when, bool on) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->is_stuck = on;
    settle(bus, when, scl, sda);
}

void i2c_bus_changed(struct i2c_bus *bus, uint64_t when) { bus->changed(bus->owner, when); }

// ---- The transaction ----

static void record(struct i2c_bus *bus, uint8_t byte) {
    if (bus->length < I2C_TRANSACTION_MAX) {
        bus->bytes[bus->length++] = byte;
    }
}

static void trace_transaction(struct i2c_bus *bus, uint64_t when, const char *outcome) {
    char hex[2 * I2C_TRANSACTION_MAX + 1] = "";
    for (uint16_t index = 0; index < bus->length; index++) {
        snprintf(&hex[2 * index], 3, "%02X", bus->bytes[index]);
    }
    trace_line(bus->trace, "i2c %" PRIu64 " %" PRIu64 " %s %s %d", bus->asked, when, hex, outcome,
               bus->chip->drive);
    bus->is_open = false;
}

void i2c_bus_start(struct i2c_bus *bus, uint64_t asked) {
    if (!bus->is_open) {
        bus->is_open = true;
        bus->has_nack = false;
        bus->asked = asked;
        bus->length = 0;
    }
    bus->is_address = true;
}

bool i2c_bus_write(struct i2c_bus *bus, uint64_t when, uint8_t byte) {
    bool acknowledged =
        bus->is_address ? chip_start(bus->chip, when, byte) : chip_write(bus->chip, when, byte);
    bus->is_address = false;
    bus->has_nack = bus->has_nack || !acknowledged;
    record(bus, byte);
    return acknowledged;
}

uint8_t i2c_bus_read(struct i2c_bus *bus, uint64_t when) { return chip_read(bus->chip, when); }

void i2c_bus_has_read(struct i2c_bus *bus, uint8_t byte) { record(bus, byte); }

void i2c_bus_stop(struct i2c_bus *bus, uint64_t when) {
    chip_stop(bus->chip, when);
    trace_transaction(bus, when, bus->has_nack ? "nack" : "ack");
}

void i2c_bus_abandon(struct i2c_bus *bus, uint64_t when) {
    if (bus->is_open && bus->length) {
        trace_transaction(bus, when, "cut");
    }
    bus->is_open = false;
}
