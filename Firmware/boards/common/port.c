/*
 * The port that boards share: the main loop, and the interrupts of timer and bus. The port calls
 * the core in the order that bridge.h specifies. It also calls the functions of board_hal.h, which
 * a board supplies.
 */
#include "port.h"

#include <stddef.h>

#include "../../core/support/time.h"
#include "board_hal.h"

/* The interval at which the loop does the work that is not urgent: the light, storage and heat. */
#define HOUSE_US 1000u

/* The timeout of a transfer. A transfer takes 100 us, or 400 us on a slow bus. */
#define TRANSFER_MAX_US 2000u

/* The interval before a write is due at which the timer's interrupt takes the write. The interval
   covers taking the write, and the maximum time for which interrupts are disabled. */
#ifndef PORT_LEAD_US
#define PORT_LEAD_US 0
#endif

struct bridge port_bridge;

static struct bridge_light light;
static volatile bool bus_runs;   /* a transfer is in progress */
static uint32_t bus_started_us;  /* the time at which the transfer started */
static uint32_t watchdog_fed_us; /* the time of the last restart of the watchdog's timeout */
static uint32_t house_kept_us;   /* the time of the last keep_house */

/* ---- Start ------------------------------------------------------------------------------- */

/* Loads the records of an actuator. The lock is loaded first, because it determines whether the
   configuration is accepted. If the configuration is rejected, the actuator remains unconfigured,
   and STATUS reports this state to the host. */
static void load_actuator(uint8_t actuator) {
    struct lock lock = {{0}};
    struct configuration configuration;
    if (!board_erases_locks() && board_load(BOARD_LOCK, actuator, lock.bytes, sizeof lock.bytes)) {
        bridge_load_lock(&port_bridge, actuator, &lock);
    }
    if (board_load(BOARD_CONFIGURATION, actuator, configuration.bytes,
                   sizeof configuration.bytes)) {
        bridge_load(&port_bridge, actuator, &configuration);
    }
    bridge_load_heat(&port_bridge, actuator, board_kept_heat(actuator));
}

/* Clears the context byte by byte, because a compiler may first build a struct of zeros on the
   stack. */
static void clear_context(void) {
    uint8_t *byte = (uint8_t *)&port_bridge;
    for (size_t left = sizeof port_bridge; left; left--) {
        *byte++ = 0;
    }
}

void port_start(void) {
    board_start();
    clear_context();
    light = (struct bridge_light){0};
    bus_runs = false;
    bridge_init(&port_bridge);
    board_describe(&port_bridge.board);
    if (board_has_swapped_wires()) {
        bridge_wires_are_swapped(&port_bridge);
    }
    for (uint8_t actuator = 0; actuator < bridge_actuators(&port_bridge); actuator++) {
        load_actuator(actuator);
    }
    watchdog_fed_us = board_now_us();
}

/* ---- The bus ----------------------------------------------------------------------------- */

static void take_bus(uint32_t start_us) {
    bus_runs = true;
    bus_started_us = start_us;
}

/* Takes a write before it is due and waits for the due time, so that the write starts without
   delay. */
static void start_write(struct bridge_write *write) {
    uint32_t due_us = write_start_us(write);
    bool counts = bridge_take_write(&port_bridge, write);
    uint32_t now_us = board_now_us();
    take_bus(now_us);
    while (bridge_is_before(now_us, due_us)) {
        now_us = board_now_us();
    }
    board_start_transfer(&port_bridge.transfer);
    bridge_record_start(&port_bridge, now_us);
    if (counts) {
        uint32_t late_us = now_us - due_us;
        bridge_record_lateness(&port_bridge, late_us < UINT16_MAX ? (uint16_t)late_us : UINT16_MAX);
    }
}

/* Starts due writes. If the bus is busy, port_on_bus_end starts the write later; if bridge_poll
   must first handle a failure, the next round starts the write. */
void port_on_timer(void) {
    struct bridge_write *write = bridge_next_write(&port_bridge);
    if (!write) {
        return;
    }
    uint32_t begin_us = write_start_us(write) - PORT_LEAD_US;
    if (bridge_is_before(board_now_us(), begin_us)) {
        board_set_alarm(begin_us);
    } else if (bridge_bus_is_free(&port_bridge)) {
        start_write(write);
    }
}

/* Handles the end of a transfer. A write that has reached only some of its actuators continues with
   the remaining actuators. A call without a transfer is ignored, because a disturbance on the bus
   can appear as the end of a transfer. */
void port_on_bus_end(bool ok, uint8_t value) {
    if (!bus_runs) {
        return;
    }
    bus_runs = false;
    bridge_bus_done(&port_bridge, ok, value);
    struct bridge_write *partial = ok ? bridge_partial_write(&port_bridge) : 0;
    if (partial) {
        start_write(partial);
    } else {
        port_on_timer();
    }
}

/* Aborts a transfer that takes too long. `bus_runs` is tested again with interrupts disabled,
   because the transfer may have ended normally in the meantime. */
static void end_stuck_transfer(uint32_t now_us) {
    if (!bus_runs || now_us - bus_started_us <= TRANSFER_MAX_US ||
        now_us - bus_started_us > INT32_MAX) {
        return;
    }
    board_free_bus();
    BRIDGE_CRITICAL_ENTER
    if (bus_runs) {
        port_on_bus_end(false, 0);
    }
    BRIDGE_CRITICAL_EXIT
}

/* Sets the alarm for the next write, which the core may have rendered in this round. If the timer's
   interrupt has already taken that write, the alarm is in the past and only causes one additional
   interrupt. */
static void announce_write(void) {
    const struct bridge_write *write = bridge_next_write(&port_bridge);
    if (write) {
        board_set_alarm(write_start_us(write) - PORT_LEAD_US);
    }
}

/* Starts an untimed transfer if no write is due soon. The function reads the clock itself, because
   the time at which the round began would be out of date. */
static void poll_bus(void) {
    uint32_t now_us = board_now_us();
    if (bus_runs) {
        end_stuck_transfer(now_us);
        return;
    }
    board_set_bus_clock(bridge_bus_is_slow(&port_bridge));
    announce_write();
    uint8_t address = bridge_take_probe(&port_bridge);
    if (address) {
        bridge_probe_done(&port_bridge, address, board_probe(address));
        return;
    }
    uint8_t selected;
    if (bridge_take_untimed(&port_bridge, now_us) ||
        (board_find_selected(&selected) && bridge_take_switch(&port_bridge, selected, now_us))) {
        take_bus(now_us);
        board_start_transfer(&port_bridge.transfer);
    }
}

/* ---- Other work of a round ----------------------------------------------------------------- */

/* Passes the bytes up to the end of a frame to the core. Returns the number of these bytes. */
static uint8_t receive_run(const uint8_t *bytes, uint8_t count, uint32_t stamp_us) {
    uint8_t taken = bridge_receive_run(&port_bridge, bytes, count);
    if (taken < count) {
        bridge_receive(&port_bridge, bytes[taken], stamp_us);
        taken++;
    }
    return taken;
}

/* Takes up to `left` received bytes. Returns true if more may be waiting. */
static bool receive(uint8_t left) {
    const uint8_t *bytes;
    uint32_t stamp_us;
    uint8_t count;
    while (left && (count = board_peek(&bytes, &stamp_us))) {
        uint8_t taken = receive_run(bytes, count < left ? count : left, stamp_us);
        board_drop(taken);
        left = (uint8_t)(left - taken);
    }
    port_bridge.counters.lost_bytes = board_lost_bytes();
    return !left;
}

static void send(void) {
    uint8_t byte;
    while (board_can_send() && bridge_take_byte(&port_bridge, &byte)) {
        board_send(byte);
    }
}

static void store(void) {
    uint8_t actuator;
    bool ok = true;
    if (bridge_take_save(&port_bridge, &actuator)) {
        ok &= board_store(BOARD_CONFIGURATION, actuator,
                          bridge_configuration(&port_bridge, actuator)->bytes, CONFIGURATION_SIZE);
    }
    if (bridge_take_lock(&port_bridge, &actuator)) {
        ok &= board_store(BOARD_LOCK, actuator, bridge_lock(&port_bridge, actuator)->bytes,
                          LOCK_SIZE);
    }
    if (!ok) {
        bridge_storage_failed(&port_bridge);
    }
}

static void keep_heat(void) {
    for (uint8_t actuator = 0; actuator < bridge_actuators(&port_bridge); actuator++) {
        board_keep_heat(actuator, bridge_heat(&port_bridge, actuator));
    }
}

void port_keep_heat(void) {
    uint32_t now_us = board_now_us();
    for (uint8_t actuator = 0; actuator < bridge_actuators(&port_bridge); actuator++) {
        actuator_update_thermal_budget(&port_bridge.actuators[actuator], now_us);
    }
    keep_heat();
}

/* Performs the non-urgent work once per HOUSE_US. */
static void keep_house(uint32_t now_us) {
    if (now_us - house_kept_us < HOUSE_US) {
        return;
    }
    house_kept_us = now_us;
    board_set_light(bridge_light(&port_bridge, &light, now_us));
    store();
    keep_heat();
}

/* Restarts the watchdog's timeout once per round, if the clock has advanced. A bus that is held
   does not cause a reset: its transfers time out, and the core disables the chips. */
static void feed_watchdog(uint32_t now_us) {
    if (now_us != watchdog_fed_us) {
        watchdog_fed_us = now_us;
        board_feed_watchdog();
    }
}

/* Executes one round. The clock is read after the bytes have been received, so that no stamp is
   later than the time of the round (bridge.h, TIME). The clock is read again for each poll, because
   the answer to CLOCK contains the time of the poll that completes the answer: any delay between
   that time and the time of sending would cause an error in the host's estimate of the clock. The
   pins are set before the bus is polled, because a chip must be enabled before it is accessed. */
bool port_round(uint8_t bytes, uint8_t polls) {
    bool has_bytes = receive(bytes);
    uint32_t now_us = board_now_us();
    bool has_more = true;
    for (; has_more && polls; polls--) {
        has_more = bridge_poll(&port_bridge, board_now_us());
        send();
        if (bridge_writes_wait(&port_bridge) || bridge_rest_is_urgent(&port_bridge)) {
            break;
        }
    }
    board_set_enable(bridge_enabled(&port_bridge));
    poll_bus();
    keep_house(now_us);
    feed_watchdog(now_us);
    if (bridge_wants_bootloader(&port_bridge)) {
        board_enter_bootloader();
    }
    return has_more || has_bytes;
}
