#include "dw_i2c_transfer.h"

#include "dw_i2c_registers.h"

#define DATA_BITS 8u

// The limits of fast mode (NXP UM10204 table 11) for the low time, the high time and the period of
// SCL, in ns.
#define SCL_LOW_MIN_NS 1300u
#define SCL_HIGH_MIN_NS 600u
#define SCL_PERIOD_MIN_NS 2500u

// ---- Times of SCL, in cycles (4.3.14.1), without the rise time of the wires ----

static uint64_t high_time(const struct dw_i2c *i2c) {
    return (i2c->high_count + i2c->spike_length + 7u) * clocks_sys_period(&i2c->machine->clocks);
}

static uint64_t low_time(const struct dw_i2c *i2c) {
    return (i2c->low_count + 1u) * clocks_sys_period(&i2c->machine->clocks);
}

static uint64_t scl_period(const struct dw_i2c *i2c) { return low_time(i2c) + high_time(i2c); }

static uint64_t nanoseconds(uint64_t cycles) { return cycles * 1000u / CYCLES_PER_US; }

void dw_i2c_check_times(const struct dw_i2c *i2c) {
    if (i2c->low_count <= i2c->spike_length + 7u || i2c->high_count <= i2c->spike_length + 5u) {
        machine_crash(i2c->machine, "%s enabled with SCL counts below SPKLEN's (4.3.14.1)",
                      i2c->name);
    }
    if (nanoseconds(low_time(i2c)) < SCL_LOW_MIN_NS ||
        nanoseconds(high_time(i2c)) < SCL_HIGH_MIN_NS ||
        nanoseconds(scl_period(i2c)) < SCL_PERIOD_MIN_NS) {
        machine_crash(i2c->machine, "%s enabled with an SCL above 400 kHz", i2c->name);
    }
    if (i2c->hold + 2u > i2c->low_count) {
        machine_crash(i2c->machine, "%s enabled with an SDA hold time above the low time of SCL",
                      i2c->name);
    }
}

// ---- Interrupts ----

uint32_t dw_i2c_raw_interrupts(const struct dw_i2c *i2c) {
    uint32_t raw = i2c->raw;
    raw |= i2c->received_count > i2c->receive_threshold ? INTR_RX_FULL : 0;
    raw |= i2c->is_enabled && i2c->command_count <= i2c->transmit_threshold ? INTR_TX_EMPTY : 0;
    return raw;
}

void dw_i2c_update(struct dw_i2c *i2c) {
    machine_set_irq(i2c->machine, i2c->irq, (dw_i2c_raw_interrupts(i2c) & i2c->mask) != 0);
}

static void raise(struct dw_i2c *i2c, uint32_t interrupts) {
    i2c->raw |= interrupts;
    dw_i2c_update(i2c);
}

// ---- Commands ----

static bool is_read(const struct dw_i2c_command *command) {
    return (command->value & CMD_READ) != 0;
}

static void take_command(struct dw_i2c *i2c) {
    i2c->command = i2c->commands[0];
    i2c->command_count--;
    for (uint32_t index = 0; index < i2c->command_count; index++) {
        i2c->commands[index] = i2c->commands[index + 1];
    }
    dw_i2c_update(i2c);
}

// Aborts the transfer, and flushes the FIFO. After a byte without an ACK, the unit sends STOP on
// its own.
static void abort_transfer(struct dw_i2c *i2c, uint32_t source) {
    i2c->abort_source |= source | i2c->command_count << TX_FLUSH_CNT_SHIFT;
    i2c->command_count = 0;
    i2c->is_aborted = true;
    raise(i2c, INTR_TX_ABRT);
}

// ---- Steps ----

static void start_step(struct dw_i2c *i2c, uint64_t when, enum dw_i2c_step step, uint64_t cycles) {
    i2c->step = step;
    bool needs_sda = step == DW_I2C_STARTS || step == DW_I2C_RESTARTS || step == DW_I2C_STOPS;
    i2c_step_start(&i2c->timing, when, cycles, needs_sda);
}

static void rest(struct dw_i2c *i2c) {
    i2c->step = DW_I2C_RESTS;
    i2c->raw &= ~INTR_ACTIVITY;
    i2c->owns_bus = false;
    i2c->is_aborted = false;
}

static void lose_arbitration(struct dw_i2c *i2c) {
    abort_transfer(i2c, ARB_LOST);
    rest(i2c);
}

static void send(struct dw_i2c *i2c, uint64_t when, uint8_t byte) {
    i2c->shift_register = byte;
    i2c->byte_began = when;
    if (i2c_bus_is_held(i2c->bus) && byte != 0) {
        uint64_t clocks = i2c_clocks_to_first_one(byte);
        start_step(i2c, when, DW_I2C_LOSES, clocks * scl_period(i2c));
    } else {
        uint64_t cycles = DATA_BITS * scl_period(i2c) + low_time(i2c) + high_time(i2c) / 2;
        start_step(i2c, when, DW_I2C_SENDS, cycles);
    }
}

// Begins to receive a byte. A chip reads the byte from its register when it begins to send the
// byte.
static void receive(struct dw_i2c *i2c, uint64_t when) {
    i2c->shift_register = i2c_bus_read(i2c->bus, when);
    i2c->byte_began = when;
    start_step(i2c, when, DW_I2C_RECEIVES,
               DATA_BITS * scl_period(i2c) + low_time(i2c) + high_time(i2c) / 2);
}

static void start_bytes(struct dw_i2c *i2c, uint64_t when) {
    raise(i2c, INTR_START_DET | INTR_ACTIVITY);
    i2c_bus_start(i2c->bus, i2c->command.when, when, scl_period(i2c));
    i2c->is_address = true;
    i2c->is_reading = is_read(&i2c->command);
    send(i2c, when, (uint8_t)(i2c->target << 1 | (i2c->is_reading ? 1u : 0u)));
}

static void carry_out(struct dw_i2c *i2c, uint64_t when) {
    if (i2c->is_reading) {
        receive(i2c, when);
    } else {
        send(i2c, when, (uint8_t)i2c->command.value);
    }
}

// Sends START for the first command. The bus must be free.
static void begin_transfer(struct dw_i2c *i2c, uint64_t when) {
    if (!i2c->has_pins) {
        machine_crash(i2c->machine, "%s begins a transfer without pins", i2c->name);
    }
    take_command(i2c);
    if (i2c_bus_is_held(i2c->bus)) {
        start_step(i2c, when, DW_I2C_LOSES_START, high_time(i2c));
        return;
    }
    i2c->owns_bus = true;
    start_step(i2c, when, DW_I2C_STARTS, high_time(i2c));
}

static void stop(struct dw_i2c *i2c, uint64_t when) {
    start_step(i2c, when, DW_I2C_STOPS, scl_period(i2c));
}

// Continues after a byte. The unit sends STOP or the byte of another command, or waits for a
// command and holds SCL low.
static void go_on(struct dw_i2c *i2c, uint64_t when) {
    if (i2c->is_aborted || !i2c->is_enabled || (i2c->command.value & CMD_STOP) != 0) {
        stop(i2c, when);
        return;
    }
    if (i2c->command_count == 0) {
        i2c->step = DW_I2C_WAITS;
        i2c->bus->controller_holds_scl = true;
        return;
    }
    take_command(i2c);
    bool turns = is_read(&i2c->command) != i2c->is_reading;
    if (!turns && (i2c->command.value & CMD_RESTART) == 0) {
        carry_out(i2c, when);
    } else if ((i2c->control & CON_RESTART_EN) == 0) {
        machine_crash(i2c->machine, "%s: a repeated START without RESTART_EN", i2c->name);
    } else {
        start_step(i2c, when, DW_I2C_RESTARTS, 2 * low_time(i2c) + high_time(i2c));
    }
}

void dw_i2c_next(struct dw_i2c *i2c) {
    uint64_t when = i2c->machine->now;
    if (i2c->step == DW_I2C_WAITS) {
        i2c->bus->controller_holds_scl = false;
        go_on(i2c, when);
    } else if (i2c->step == DW_I2C_RESTS && i2c->command_count != 0) {
        begin_transfer(i2c, when);
    }
}

// ---- Ends of steps ----

static void end_sent(struct dw_i2c *i2c, uint64_t when) {
    bool was_address = i2c->is_address;
    i2c->is_address = false;
    if (!i2c->acknowledged) {
        abort_transfer(i2c, was_address ? ABRT_7B_ADDR_NOACK : ABRT_TXDATA_NOACK);
        stop(i2c, when);
        return;
    }
    i2c->bus->stretched_until = when + i2c_bus_stretch(i2c->bus);
    if (was_address && i2c->is_enabled) {
        carry_out(i2c, when);
    } else {
        go_on(i2c, when);
    }
}

// Returns true if a byte that is read must be acknowledged. The last byte before STOP or a repeated
// START is not acknowledged.
static bool wants_another_byte(const struct dw_i2c *i2c) {
    if ((i2c->command.value & CMD_STOP) != 0 || !i2c->is_enabled) {
        return false;
    }
    if (i2c->command_count == 0) {
        machine_crash(i2c->machine, "%s: an empty FIFO after a read without STOP is not modeled",
                      i2c->name);
    }
    const struct dw_i2c_command *next = &i2c->commands[0];
    return is_read(next) && (next->value & CMD_RESTART) == 0;
}

static void end_received(struct dw_i2c *i2c, uint64_t when) {
    i2c_bus_has_read(i2c->bus, i2c->shift_register);
    if (i2c->received_count == DW_I2C_FIFO) {
        machine_crash(i2c->machine, "%s: the receive FIFO overflows", i2c->name);
    }
    if (i2c->is_enabled) {
        i2c->received[i2c->received_count++] = i2c->shift_register;
        dw_i2c_update(i2c);
    }
    go_on(i2c, when);
}

static void end_stop(struct dw_i2c *i2c, uint64_t when) {
    i2c_bus_stop(i2c->bus, when);
    rest(i2c);
    raise(i2c, INTR_STOP_DET);
    start_step(i2c, when, DW_I2C_FREES, low_time(i2c));
}

static void end_free(struct dw_i2c *i2c, uint64_t when) {
    i2c->step = DW_I2C_RESTS;
    if (i2c->command_count != 0) {
        begin_transfer(i2c, when);
    }
}

static void end_lost(struct dw_i2c *i2c, uint64_t when) {
    i2c_bus_clock(i2c->bus, i2c_clocks_to_first_one(i2c->shift_register));
    i2c_bus_abandon(i2c->bus, when);
    lose_arbitration(i2c);
}

void dw_i2c_step_ends(void *owner, uint64_t when) {
    struct dw_i2c *i2c = owner;
    switch (i2c->step) {
    case DW_I2C_RESTS:
    case DW_I2C_WAITS:
        break;
    case DW_I2C_STARTS:
    case DW_I2C_RESTARTS:
        start_bytes(i2c, when);
        break;
    case DW_I2C_SENDS:
        i2c->acknowledged = i2c_bus_write(i2c->bus, when, i2c->shift_register);
        start_step(i2c, when, DW_I2C_SENT, high_time(i2c) - high_time(i2c) / 2);
        break;
    case DW_I2C_SENT:
        end_sent(i2c, when);
        break;
    case DW_I2C_RECEIVES:
        i2c->acknowledged = wants_another_byte(i2c);
        start_step(i2c, when, DW_I2C_RECEIVED, high_time(i2c) - high_time(i2c) / 2);
        break;
    case DW_I2C_RECEIVED:
        end_received(i2c, when);
        break;
    case DW_I2C_STOPS:
        end_stop(i2c, when);
        break;
    case DW_I2C_FREES:
        end_free(i2c, when);
        break;
    case DW_I2C_LOSES:
        end_lost(i2c, when);
        break;
    case DW_I2C_LOSES_START:
        lose_arbitration(i2c);
        break;
    }
}

// ---- A master that is reset ----

// Returns the number of clocks that a chip needs to release SDA after the master has released SCL
// and SDA. A chip that is sending a 0, or its ACK, holds SDA low until it has received enough
// clocks to reach a 1.
static unsigned clocks_to_release(const struct dw_i2c *i2c, uint64_t when) {
    switch (i2c->step) {
    case DW_I2C_RECEIVES:
        return i2c_clocks_to_next_one(i2c->shift_register,
                                      (when - i2c->byte_began) / scl_period(i2c));
    case DW_I2C_SENT:
        return i2c->acknowledged ? 1 : 0;
    default:
        return 0;
    }
}

void dw_i2c_abandon(struct dw_i2c *i2c) {
    uint64_t when = i2c->machine->now;
    if (i2c->owns_bus) {
        unsigned clocks = clocks_to_release(i2c, when);
        if (clocks != 0) {
            i2c_bus_hold(i2c->bus, clocks);
        }
        i2c->bus->controller_holds_scl = false;
        i2c->bus->stretched_until = when;
        i2c_bus_abandon(i2c->bus, when);
    }
    i2c_step_cancel(&i2c->timing);
    rest(i2c);
}

void dw_i2c_disturb(struct dw_i2c *i2c) {
    if (i2c->has_pins) {
        raise(i2c, INTR_STOP_DET);
    }
}

void dw_i2c_connect(struct dw_i2c *i2c, bool has_pins) {
    if (i2c->has_pins && !has_pins) {
        dw_i2c_abandon(i2c);
    }
    i2c->has_pins = has_pins;
}

void dw_i2c_bus_changed(struct dw_i2c *i2c, uint64_t when) {
    i2c_step_bus_changed(&i2c->timing, when);
}
