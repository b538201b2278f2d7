#include "i2c_bus.h"

#include "clock.h"

#include <inttypes.h>

// The minimum period of SCL at which SDA rises in time despite weak pull-ups.
#define WEAK_PERIOD (5u * CYCLES_PER_US)

void i2c_bus_init(struct i2c_bus *bus, struct chip *chips, unsigned count,
                  const struct trace *trace, struct vcd *vcd) {
    *bus = (struct i2c_bus){.chips = chips, .count = count, .trace = trace, .vcd = vcd};
}

void i2c_bus_set_power(struct i2c_bus *bus, bool on) { tca9548a_model_power(&bus->mux, on); }

// ---- The connected chips ----

static bool has_mux(const struct i2c_bus *bus) { return bus->count > 1; }

static uint8_t reached(const struct i2c_bus *bus) {
    return has_mux(bus) ? bus->mux.open & (uint8_t)((1u << bus->count) - 1) : 1;
}

// Returns the next chip after `chip` that the bus reaches, or the first such chip if `chip` is
// NULL.
static struct chip *next_reached(const struct i2c_bus *bus, const struct chip *chip) {
    unsigned index = chip == NULL ? 0 : (unsigned)(chip - bus->chips) + 1;
    while (index < bus->count && !(reached(bus) >> index & 1)) {
        index++;
    }
    return index < bus->count ? &bus->chips[index] : NULL;
}

// ---- Levels ----

bool i2c_bus_is_stuck(const struct i2c_bus *bus) {
    return bus->is_stuck || (reached(bus) & bus->stuck_channels) != 0;
}

bool i2c_bus_is_held(const struct i2c_bus *bus) {
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        if (chip_holds_sda(chip)) {
            return true;
        }
    }
    return false;
}

bool i2c_bus_scl(const struct i2c_bus *bus) {
    bool is_low = i2c_bus_is_stuck(bus) || (bus->is_swapped && bus->ports.acknowledges) ||
                  (bus->has_controller ? bus->controller_holds_scl : bus->pins.scl);
    return !is_low;
}

bool i2c_bus_sda(const struct i2c_bus *bus) {
    bool is_low = i2c_bus_is_held(bus) || (!bus->is_swapped && bus->ports.acknowledges) ||
                  (!bus->has_controller && bus->pins.sda);
    return !is_low;
}

static void stop_all(struct i2c_bus *bus, uint64_t when) {
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        chip_stop(chip, when);
    }
    tca9548a_model_stop(&bus->mux);
    if (bus->sensor != NULL) {
        accelerometer_model_stop(bus->sensor, chip_time_us(when));
    }
}

// Sends a byte to the sensor. Returns true if it is acknowledged.
static bool give_sensor(struct i2c_bus *bus, uint64_t when, uint8_t byte) {
    uint64_t now_us = chip_time_us(when);
    return bus->sensor != NULL &&
           (bus->is_address ? accelerometer_model_start(bus->sensor, now_us, byte)
                            : accelerometer_model_write_byte(bus->sensor, now_us, byte));
}

// Sends a byte to the multiplexer, to the sensor and to the chips. Returns true if it is
// acknowledged.
static bool give(struct i2c_bus *bus, uint64_t when, uint8_t byte) {
    bool acknowledged = bus->is_address ? tca9548a_model_start(&bus->mux, byte)
                                        : tca9548a_model_write_byte(&bus->mux, byte);
    acknowledged = acknowledged && has_mux(bus);
    acknowledged = give_sensor(bus, when, byte) || acknowledged;
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        bool takes = bus->is_address ? chip_start(chip, when, byte) : chip_write(chip, when, byte);
        acknowledged = acknowledged || takes;
    }
    bus->is_address = false;
    return acknowledged;
}

// Handles a change of the levels at the clock and the data pins of the chips. A byte ends with its
// eighth clock, and the acknowledgement ends with the ninth clock.
static void follow_ports(struct i2c_bus *bus, uint64_t when, bool clock_was_high,
                         bool clock_is_high, bool data_was_high, bool data_is_high) {
    struct i2c_port_transaction *ports = &bus->ports;
    if (clock_was_high && clock_is_high && data_was_high != data_is_high) {
        *ports = (struct i2c_port_transaction){.is_open = !data_is_high};
        bus->is_address = true;
        if (data_is_high) {
            stop_all(bus, when);
        }
    } else if (!clock_was_high && clock_is_high) {
        i2c_bus_clock(bus, 1);
        ports->byte = (uint8_t)(ports->byte << 1 | data_is_high);
        ports->clocks++;
    } else if (clock_was_high && !clock_is_high && ports->clocks == 8) {
        ports->acknowledges = ports->is_open && give(bus, when, ports->byte);
    } else if (clock_was_high && !clock_is_high && ports->clocks == 9) {
        ports->acknowledges = false;
        ports->clocks = 0;
    }
}

// Handles a change of the wires. Separate functions handle the transactions of the I2C peripheral.
static void settle(struct i2c_bus *bus, uint64_t when, bool scl_was_high, bool sda_was_high) {
    bool scl_is_high = i2c_bus_scl(bus);
    bool sda_is_high = i2c_bus_sda(bus);
    if (bus->has_controller) {
        bus->ports = (struct i2c_port_transaction){0};
    }
    if (bus->is_swapped) {
        follow_ports(bus, when, sda_was_high, sda_is_high, scl_was_high, scl_is_high);
    } else {
        follow_ports(bus, when, scl_was_high, scl_is_high, sda_was_high, sda_is_high);
    }
    i2c_bus_changed(bus, when);
}

void i2c_bus_set_pins(struct i2c_bus *bus, uint64_t when, struct i2c_pulls pins) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->pins = pins;
    settle(bus, when, scl, sda);
}

void i2c_bus_connect_controller(struct i2c_bus *bus, uint64_t when, bool on) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->has_controller = on;
    settle(bus, when, scl, sda);
}

void i2c_bus_set_stuck(struct i2c_bus *bus, uint64_t when, bool on) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    bus->is_stuck = on;
    settle(bus, when, scl, sda);
}

void i2c_bus_set_channel_stuck(struct i2c_bus *bus, uint64_t when, unsigned chip, bool on) {
    bool scl = i2c_bus_scl(bus);
    bool sda = i2c_bus_sda(bus);
    uint8_t bit = (uint8_t)(1u << chip);
    bus->stuck_channels = on ? bus->stuck_channels | bit : bus->stuck_channels & (uint8_t)~bit;
    settle(bus, when, scl, sda);
}

void i2c_bus_changed(struct i2c_bus *bus, uint64_t when) {
    vcd_levels(bus->vcd, when, i2c_bus_scl(bus), i2c_bus_sda(bus));
    bus->changed(bus->owner, when);
}

void i2c_bus_clock(struct i2c_bus *bus, unsigned clocks) {
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        for (unsigned clock = 0; clock < clocks; clock++) {
            drv2605_model_clock_bus(&chip->model);
        }
    }
}

void i2c_bus_hold(struct i2c_bus *bus, unsigned clocks) {
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        if (chip->model.powered) {
            drv2605_model_inject_bus_held(&chip->model, (uint8_t)clocks);
        }
    }
}

// ---- The transaction ----

static void record(struct i2c_bus *bus, uint8_t byte) {
    if (bus->length < I2C_TRANSACTION_MAX) {
        bus->bytes[bus->length++] = byte;
    }
}

// Traces a transaction. If there are several chips, the line also contains the mask of the chips
// that were reached, and the drive of each of them.
static void trace_transaction(struct i2c_bus *bus, uint64_t when, const char *outcome) {
    char hex[2 * I2C_TRANSACTION_MAX + 1] = "";
    for (uint16_t index = 0; index < bus->length; index++) {
        snprintf(&hex[2 * index], 3, "%02X", bus->bytes[index]);
    }
    char drives[8 * TCA9548A_MODEL_CHANNELS] = "";
    int length = 0;
    for (unsigned index = 0; index < bus->count; index++) {
        if (bus->reached >> index & 1) {
            length += snprintf(&drives[length], sizeof drives - (size_t)length, "%s%d",
                               length == 0 ? "" : ",", bus->chips[index].drive);
        }
    }
    if (has_mux(bus)) {
        trace_line(bus->trace, "i2c %" PRIu64 " %" PRIu64 " %s %s %s %02X", bus->asked, when, hex,
                   outcome, length == 0 ? "-" : drives, bus->reached);
    } else {
        trace_line(bus->trace, "i2c %" PRIu64 " %" PRIu64 " %s %s %s", bus->asked, when, hex,
                   outcome, drives);
    }
    bus->is_open = false;
}

void i2c_bus_start(struct i2c_bus *bus, uint64_t asked, uint64_t when, uint64_t period) {
    vcd_start(bus->vcd, when, period);
    bus->is_garbled = bus->is_weak && period < WEAK_PERIOD;
    if (!bus->is_open) {
        bus->is_open = true;
        bus->has_nack = false;
        bus->asked = asked;
        bus->length = 0;
        bus->reached = reached(bus);
    }
    bus->is_address = true;
}

bool i2c_bus_write(struct i2c_bus *bus, uint64_t when, uint8_t byte) {
    bool acknowledged = !bus->is_garbled && !bus->is_swapped && give(bus, when, byte);
    bus->is_address = false;
    bus->has_nack = bus->has_nack || !acknowledged;
    record(bus, byte);
    vcd_write(bus->vcd, when, byte, acknowledged);
    return acknowledged;
}

// Reads a byte. If several chips send a bit, the bit is 0 if any chip sends a 0.
uint8_t i2c_bus_read(struct i2c_bus *bus, uint64_t when) {
    uint8_t byte = has_mux(bus) ? tca9548a_model_read_byte(&bus->mux) : 0xFF;
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        byte &= chip_read(chip, when);
    }
    if (bus->sensor != NULL) {
        byte &= accelerometer_model_read_byte(bus->sensor, chip_time_us(when));
    }
    vcd_read(bus->vcd, when, byte);
    return byte;
}

uint8_t i2c_bus_next_byte(const struct i2c_bus *bus, uint64_t when) {
    uint8_t byte = 0xFF;
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        byte &= chip_next_byte(chip, when);
    }
    if (bus->sensor != NULL) {
        byte &= accelerometer_model_next_byte(bus->sensor);
    }
    return byte;
}

uint64_t i2c_bus_stretch(const struct i2c_bus *bus) {
    uint64_t longest = 0;
    for (struct chip *chip = next_reached(bus, NULL); chip; chip = next_reached(bus, chip)) {
        longest = chip->stretch > longest ? chip->stretch : longest;
    }
    return longest;
}

void i2c_bus_has_read(struct i2c_bus *bus, uint8_t byte) { record(bus, byte); }

void i2c_bus_stop(struct i2c_bus *bus, uint64_t when) {
    stop_all(bus, when);
    vcd_stop(bus->vcd, when);
    trace_transaction(bus, when, bus->has_nack ? "nack" : "ack");
}

void i2c_bus_abandon(struct i2c_bus *bus, uint64_t when) {
    if (bus->is_open && bus->length) {
        trace_transaction(bus, when, "cut");
    }
    bus->is_open = false;
    vcd_abandon(bus->vcd, when);
}
