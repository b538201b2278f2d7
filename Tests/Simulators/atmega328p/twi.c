#include "twi.h"

// Status codes (tables 22-2 and 22-3).
#define STATUS_START 0x08u
#define STATUS_REPEATED_START 0x10u
#define STATUS_SLA_W_ACK 0x18u
#define STATUS_SLA_W_NACK 0x20u
#define STATUS_SENT_ACK 0x28u
#define STATUS_SENT_NACK 0x30u
#define STATUS_ARBITRATION_LOST 0x38u
#define STATUS_SLA_R_ACK 0x40u
#define STATUS_SLA_R_NACK 0x48u
#define STATUS_RECEIVED_ACK 0x50u
#define STATUS_RECEIVED_NACK 0x58u
#define STATUS_NONE 0xF8u

#define BYTE_CLOCKS 9u // the bits of a byte, including the ACK bit

static bool has(const struct twi *twi, uint8_t bit) { return (twi->mcu->data[TWCR] & bit) != 0; }

static void clear(struct twi *twi, uint8_t bits) { twi->mcu->data[TWCR] &= (uint8_t)~bits; }

// Returns the number of clock cycles of one bit (22.5.2).
static uint64_t scl_period(const struct twi *twi) {
    uint64_t prescaler = UINT64_C(1) << 2 * (twi->mcu->data[TWSR] & TWPS);
    return 16 + 2 * twi->mcu->data[TWBR] * prescaler;
}

static void set_status(struct twi *twi, uint8_t status) {
    twi->mcu->data[TWSR] = (uint8_t)(status | (twi->mcu->data[TWSR] & TWPS));
}

// Updates SCL, which is held low while TWINT is set (22.9.2).
static void update(struct twi *twi) {
    twi->bus->controller_holds_scl = twi->owns_bus && has(twi, TWINT);
    mcu_request(twi->mcu, VECTOR_TWI, has(twi, TWINT) && has(twi, TWIE));
}

static void finish(struct twi *twi, uint8_t status) {
    twi->step = TWI_RESTS;
    set_status(twi, status);
    twi->mcu->data[TWCR] |= TWINT;
    update(twi);
}

// ---- Steps: START and STOP wait until SDA is high ----

static void on_bus_change(void *owner, uint64_t when) {
    struct twi *twi = owner;
    i2c_step_bus_changed(&twi->timing, when);
}

static void start_step(struct twi *twi, uint64_t when, enum twi_step step, uint64_t cycles) {
    twi->step = step;
    i2c_step_start(&twi->timing, when, cycles, step == TWI_STARTS || step == TWI_STOPS);
}

// The cycles from the start of a byte to the middle of its ACK bit, and from there to the end of
// the bit.
static uint64_t cycles_to_acknowledge(const struct twi *twi) {
    return BYTE_CLOCKS * twi->scl_period - twi->scl_period / 2;
}

static uint64_t cycles_from_acknowledge(const struct twi *twi) { return twi->scl_period / 2; }

static void start_sending(struct twi *twi, uint64_t when) {
    twi->shift_register = twi->mcu->data[TWDR];
    twi->byte_began = when;
    if (i2c_bus_is_held(twi->bus) && twi->shift_register != 0) {
        uint64_t clocks = i2c_clocks_to_first_one(twi->shift_register);
        start_step(twi, when, TWI_LOSES, clocks * twi->scl_period);
    } else {
        start_step(twi, when, TWI_SENDS, cycles_to_acknowledge(twi));
    }
}

// Begins to receive a byte. A chip reads the byte from its register when it begins to send the
// byte.
static void start_receiving(struct twi *twi, uint64_t when) {
    twi->shift_register = i2c_bus_read(twi->bus, when);
    twi->byte_began = when;
    start_step(twi, when, TWI_RECEIVES, cycles_to_acknowledge(twi));
}

// Executes TWCR while TWINT is clear. STOP is executed before START (22.9.2).
static void start_next(struct twi *twi, uint64_t when) {
    if (twi->step != TWI_RESTS || !has(twi, TWEN) || has(twi, TWINT)) {
        return;
    }
    set_status(twi, STATUS_NONE);
    twi->scl_period = scl_period(twi);
    if (has(twi, TWSTO) && !twi->owns_bus) {
        clear(twi, TWSTO);
    }
    if (has(twi, TWSTO)) {
        start_step(twi, when, TWI_STOPS, twi->scl_period);
    } else if (has(twi, TWSTA)) {
        start_step(twi, when, TWI_STARTS, twi->scl_period);
    } else if (twi->owns_bus && twi->is_reading && !twi->is_address) {
        start_receiving(twi, when);
    } else if (twi->owns_bus) {
        start_sending(twi, when);
    }
}

// ---- Ends of steps ----

static void end_start(struct twi *twi, uint64_t when) {
    i2c_bus_start(twi->bus, twi->asked, when, twi->scl_period);
    uint8_t status = twi->owns_bus ? STATUS_REPEATED_START : STATUS_START;
    twi->owns_bus = true;
    twi->is_address = true;
    finish(twi, status);
}

static void end_stop(struct twi *twi, uint64_t when) {
    i2c_bus_stop(twi->bus, when);
    twi->owns_bus = false;
    clear(twi, TWSTO);
    twi->step = TWI_RESTS;
    update(twi);
    start_next(twi, when);
}

static uint8_t status_of_sent(const struct twi *twi) {
    if (!twi->is_address) {
        return twi->acknowledged ? STATUS_SENT_ACK : STATUS_SENT_NACK;
    }
    if (twi->is_reading) {
        return twi->acknowledged ? STATUS_SLA_R_ACK : STATUS_SLA_R_NACK;
    }
    return twi->acknowledged ? STATUS_SLA_W_ACK : STATUS_SLA_W_NACK;
}

static void end_sent(struct twi *twi, uint64_t when) {
    if (twi->is_address) {
        twi->is_reading = (twi->shift_register & 1) != 0;
    }
    uint8_t status = status_of_sent(twi);
    twi->is_address = false;
    if (twi->acknowledged) {
        twi->bus->stretched_until = when + i2c_bus_stretch(twi->bus);
    }
    finish(twi, status);
}

static void end_received(struct twi *twi) {
    twi->mcu->data[TWDR] = twi->shift_register;
    i2c_bus_has_read(twi->bus, twi->shift_register);
    finish(twi, twi->acknowledged ? STATUS_RECEIVED_ACK : STATUS_RECEIVED_NACK);
}

static void lose_bus(struct twi *twi, uint64_t when) {
    i2c_bus_clock(twi->bus, i2c_clocks_to_first_one(twi->shift_register));
    i2c_bus_abandon(twi->bus, when);
    twi->owns_bus = false;
    finish(twi, STATUS_ARBITRATION_LOST);
}

static void on_step_end(void *owner, uint64_t when) {
    struct twi *twi = owner;
    switch (twi->step) {
    case TWI_RESTS:
        break;
    case TWI_STARTS:
        end_start(twi, when);
        break;
    case TWI_SENDS:
        twi->acknowledged = i2c_bus_write(twi->bus, when, twi->shift_register);
        start_step(twi, when, TWI_SENT, cycles_from_acknowledge(twi));
        break;
    case TWI_SENT:
        end_sent(twi, when);
        break;
    case TWI_RECEIVES:
        twi->acknowledged = has(twi, TWEA);
        start_step(twi, when, TWI_RECEIVED, cycles_from_acknowledge(twi));
        break;
    case TWI_RECEIVED:
        end_received(twi);
        break;
    case TWI_STOPS:
        end_stop(twi, when);
        break;
    case TWI_LOSES:
        lose_bus(twi, when);
        break;
    }
}

// ---- A master that is reset ----

// Returns the number of clocks that a chip needs to release SDA after the master has released SCL
// and SDA. A chip that is sending a 0, or its ACK, holds SDA low until it has received enough
// clocks to reach a 1.
static unsigned clocks_to_release(const struct twi *twi, uint64_t when) {
    if (twi->step == TWI_RECEIVES) {
        uint64_t bit = (when - twi->byte_began) / twi->scl_period;
        return i2c_clocks_to_next_one(twi->shift_register, bit);
    }
    if (twi->step == TWI_SENT) {
        return twi->acknowledged ? 1 : 0;
    }
    bool has_next_byte = twi->step == TWI_RESTS && twi->owns_bus && !twi->is_address &&
                         twi->is_reading && twi->acknowledged;
    return has_next_byte ? i2c_clocks_to_next_one(i2c_bus_next_byte(twi->bus, when), 0) : 0;
}

static void abandon(struct twi *twi) {
    uint64_t when = twi->mcu->now;
    unsigned clocks = clocks_to_release(twi, when);
    if (clocks != 0) {
        i2c_bus_hold(twi->bus, clocks);
    }
    i2c_step_cancel(&twi->timing);
    twi->step = TWI_RESTS;
    twi->owns_bus = false;
    twi->bus->stretched_until = when;
    i2c_bus_abandon(twi->bus, when);
}

// ---- Registers ----

static void write_control(void *owner, uint16_t address, uint8_t value) {
    (void)address;
    struct twi *twi = owner;
    uint8_t kept = twi->mcu->data[TWCR] & (TWINT | TWWC);
    if ((value & TWINT) != 0) {
        kept &= (uint8_t)~TWINT;
    }
    if ((value & TWSTA) != 0 && twi->step != TWI_STARTS) {
        twi->asked = twi->mcu->now;
    }
    bool was_on = has(twi, TWEN);
    twi->mcu->data[TWCR] = (uint8_t)(kept | (value & (TWEA | TWSTA | TWSTO | TWEN | TWIE)));
    if (!has(twi, TWEN)) {
        abandon(twi);
    }
    if (was_on != has(twi, TWEN)) {
        i2c_bus_connect_controller(twi->bus, twi->mcu->now, !was_on);
    }
    start_next(twi, twi->mcu->now);
    update(twi);
}

static void write_status(void *owner, uint16_t address, uint8_t value) {
    struct twi *twi = owner;
    uint8_t *data = twi->mcu->data;
    data[address] = (uint8_t)((data[address] & TWS) | (value & TWPS));
}

// Writes TWDR, which is possible only while TWINT is set (22.9.4).
static void write_data(void *owner, uint16_t address, uint8_t value) {
    struct twi *twi = owner;
    if (has(twi, TWINT)) {
        twi->mcu->data[address] = value;
        clear(twi, TWWC);
    } else {
        twi->mcu->data[TWCR] |= TWWC;
    }
}

void twi_init(struct twi *twi, struct mcu *mcu, struct schedule *schedule, struct i2c_bus *bus) {
    *twi = (struct twi){.mcu = mcu, .bus = bus, .scl_period = 1};
    bus->changed = on_bus_change;
    bus->owner = twi;
    i2c_step_init(&twi->timing, schedule, bus, on_step_end, twi);
    mcu_on_write(mcu, TWCR, write_control, twi);
    mcu_on_write(mcu, TWSR, write_status, twi);
    mcu_on_write(mcu, TWDR, write_data, twi);
}

void twi_reset(struct twi *twi) {
    twi_power_off(twi);
    set_status(twi, STATUS_NONE);
    twi->mcu->data[TWDR] = 0xFF;
    twi->mcu->data[TWAR] = 0xFE;
    update(twi);
}

void twi_power_off(struct twi *twi) {
    abandon(twi);
    i2c_bus_connect_controller(twi->bus, twi->mcu->now, false);
}
