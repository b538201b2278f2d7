#include "watchdog.h"

#include "machine.h"

enum {
    CTRL = 0x00,
    LOAD = 0x04,
    REASON = 0x08,
    SCRATCH0 = 0x0C,
    SCRATCH_END = SCRATCH0 + 4 * WATCHDOG_SCRATCHES,
    TICK = 0x2C,
};

#define CTRL_TRIGGER (1u << 31)
#define CTRL_ENABLE (1u << 30)
#define CTRL_PAUSES (7u << 24)
#define COUNT_BITS 0xFFFFFFu
#define TICK_CYCLES 0x1FFu
#define TICK_ENABLE (1u << 9)
#define TICK_RUNNING (1u << 10)

// The counter decreases by two per tick instead of one (erratum RP2040-E1).
#define COUNTS_PER_TICK 2u

// The index and the value of the scratch register that causes the boot ROM to jump to the address
// in the other scratch registers (2.8.1.1).
#define SCRATCH_VECTOR 4
#define SCRATCH_VECTOR_MAGIC 0xB007C0D3u

uint32_t watchdog_tick_period(const struct watchdog *watchdog) {
    if ((watchdog->tick & TICK_ENABLE) == 0) {
        return 0;
    }
    return (watchdog->tick & TICK_CYCLES) * clocks_ref_period(&watchdog->machine->clocks);
}

// ---- Counting ----

static uint64_t ticks(const struct watchdog *watchdog) {
    return (watchdog->machine->now - watchdog->tick_since) / watchdog_tick_period(watchdog);
}

static uint32_t count(const struct watchdog *watchdog) {
    if (!watchdog->is_enabled) {
        return watchdog->load;
    }
    uint64_t counted = (ticks(watchdog) - watchdog->loaded_at) * COUNTS_PER_TICK;
    return counted < watchdog->load ? watchdog->load - (uint32_t)counted : 0;
}

static void wait_for_time_out(struct watchdog *watchdog) {
    uint64_t left = (watchdog->load + COUNTS_PER_TICK - 1) / COUNTS_PER_TICK;
    uint64_t at = (watchdog->loaded_at + left) * watchdog_tick_period(watchdog);
    schedule_at(watchdog->machine->schedule, &watchdog->time_out, watchdog->tick_since + at);
}

static void check_extent(const struct machine *machine) {
    if (!resets_by_watchdog(&machine->resets)) {
        machine_crash(machine,
                      "a watchdog reset with PSM_WDSEL 0x%x is not modeled: expected 0x1fffc",
                      machine->resets.watchdog_all);
    }
}

static void load(struct watchdog *watchdog, uint32_t value) {
    struct machine *machine = watchdog->machine;
    watchdog->load = value;
    if (!watchdog->is_enabled) {
        schedule_cancel(machine->schedule, &watchdog->time_out);
        return;
    }
    check_extent(machine);
    if (watchdog_tick_period(watchdog) == 0 || value == 0) {
        machine_crash(machine, "the watchdog is enabled without a tick or a time");
    }
    watchdog->loaded_at = ticks(watchdog);
    wait_for_time_out(watchdog);
}

static void request_reset(struct watchdog *watchdog, uint32_t reason) {
    struct machine *machine = watchdog->machine;
    check_extent(machine);
    if (watchdog->scratch[SCRATCH_VECTOR] == SCRATCH_VECTOR_MAGIC) {
        machine_crash(machine, "a start by the scratch registers is not modeled");
    }
    machine_request_watchdog_reset(machine, reason);
}

static void on_time_out(void *owner, uint64_t when) {
    (void)when;
    request_reset(owner, WATCHDOG_REASON_TIMER);
}

// ---- Registers ----

static uint32_t read(void *owner, uint32_t offset) {
    const struct watchdog *watchdog = owner;
    if (offset >= SCRATCH0 && offset < SCRATCH_END) {
        return watchdog->scratch[(offset - SCRATCH0) / 4];
    }
    switch (offset) {
    case CTRL:
        return (watchdog->is_enabled ? CTRL_ENABLE : 0) | watchdog->pauses | count(watchdog);
    case REASON:
        return watchdog->reason;
    case TICK:
        return watchdog->tick | ((watchdog->tick & TICK_ENABLE) != 0 ? TICK_RUNNING : 0);
    default:
        machine_not_modelled(watchdog->machine, "WATCHDOG", offset);
    }
}

// Writes CTRL. The count in the register is read-only: a write does not change it.
static void control(struct watchdog *watchdog, uint32_t value) {
    uint32_t left = count(watchdog);
    watchdog->is_enabled = (value & CTRL_ENABLE) != 0;
    watchdog->pauses = value & CTRL_PAUSES;
    load(watchdog, left);
    if ((value & CTRL_TRIGGER) != 0) {
        request_reset(watchdog, WATCHDOG_REASON_FORCE);
    }
}

static void write(void *owner, uint32_t offset, uint32_t value) {
    struct watchdog *watchdog = owner;
    if (offset >= SCRATCH0 && offset < SCRATCH_END) {
        watchdog->scratch[(offset - SCRATCH0) / 4] = value;
        return;
    }
    switch (offset) {
    case CTRL:
        control(watchdog, value);
        break;
    case LOAD:
        machine_check_bits(watchdog->machine, "WATCHDOG", offset, value, COUNT_BITS);
        load(watchdog, value);
        break;
    case TICK:
        machine_check_bits(watchdog->machine, "WATCHDOG", offset, value, TICK_CYCLES | TICK_ENABLE);
        if (watchdog->is_enabled) {
            machine_crash(watchdog->machine, "the tick is changed while the watchdog counts it");
        }
        watchdog->tick = value;
        watchdog->tick_since = watchdog->machine->now;
        timer_set_tick(&watchdog->machine->timer, watchdog_tick_period(watchdog));
        break;
    default:
        machine_not_modelled(watchdog->machine, "WATCHDOG", offset);
    }
}

// ---- Set-up ----

static void stop(struct watchdog *watchdog) {
    watchdog->is_enabled = false;
    watchdog->pauses = CTRL_PAUSES;
    watchdog->load = 0;
    watchdog->tick = 0; // the datasheet specifies no reset value of CYCLES
    schedule_cancel(watchdog->machine->schedule, &watchdog->time_out);
}

void watchdog_reset_by_itself(struct watchdog *watchdog, uint32_t reason) {
    stop(watchdog);
    watchdog->reason = reason;
}

void watchdog_reset(struct watchdog *watchdog) {
    stop(watchdog);
    watchdog->reason = 0;
    for (unsigned index = 0; index < WATCHDOG_SCRATCHES; index++) {
        watchdog->scratch[index] = 0;
    }
}

void watchdog_start_by_rom(struct watchdog *watchdog, uint32_t first, uint32_t second) {
    watchdog->is_enabled = false;
    load(watchdog, 0);
    watchdog->scratch[0] = first;
    watchdog->scratch[1] = second;
    for (unsigned index = SCRATCH_VECTOR; index < WATCHDOG_SCRATCHES; index++) {
        watchdog->scratch[index] =
            0; // this is the final value; the previous value selects the start of BOOTSEL
    }
}

void watchdog_init(struct watchdog *watchdog, struct machine *machine) {
    *watchdog = (struct watchdog){.machine = machine};
    schedule_add(machine->schedule, &watchdog->time_out, on_time_out, watchdog);
    const struct registers registers = {
        .name = "WATCHDOG", .base = 0x40058000, .read = read, .write = write, .owner = watchdog};
    machine_add_registers(machine, &registers);
}
