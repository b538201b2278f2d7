/*
 * The reference board: Arduino Uno or Nano (ATmega328P at 16 MHz), one DRV2605(L), or several
 * behind a TCA9548A.
 *
 * The main loop does one bounded step of everything and starts again. Interrupts only store a
 * received byte, send one, move the I2C bus on, and start timed writes to the microsecond.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "board.h"
#include "bus.h"
#include "clock.h"
#include "interrupt.h"
#include "line.h"
#include "pins.h"
#include "restart.h"
#include "storage.h"

/* Bytes taken off the line in one round: more than arrive meanwhile. Of a burst, the rest waits, so
   that events that are due do not. */
#define BYTES_PER_ROUND 8

/* Steps of the bridge in one round: three events are read, timed and executed. */
#define POLLS_PER_ROUND 9

/* Rounds until what can wait has its turn: about 1 ms, if there is much to do. */
#define ROUNDS_PER_HOUSE 4

/* The longest sleep, when nothing is to be done. */
#define SLEEP_US 250

struct bridge board_bridge;

/* A bit that is set during each step of work, for the simulator or a debugger to time it. */
BRIDGE_INLINE void step_begins(void) { GPIOR0 |= _BV(0); }

BRIDGE_INLINE void step_ends(void) { GPIOR0 &= (uint8_t)~_BV(0); }

static void receive(void) {
    const uint8_t *bytes;
    uint8_t count = line_peek(&bytes, BYTES_PER_ROUND);
    step_begins();
    uint8_t taken = bridge_receive_run(&board_bridge, bytes, count);
    step_ends();
    if (taken < count) {
        uint32_t stamp_us = line_take_stamp();
        step_begins();
        bridge_receive(&board_bridge, BRIDGE_DELIMITER, stamp_us);
        step_ends();
        taken++;
    }
    line_drop(taken);
}

INTERRUPT(TIMER1_COMPB_vect) {
    __asm__ volatile("reti");
    __builtin_unreachable();
}

/* What can wait for some rounds, however much there is to do. */
static void keep_house(void) {
    board_bridge.counters.lost_bytes =
        (uint16_t)(board_bridge.counters.lost_bytes + line_take_lost());
    restart_keep_heat();
    storage_poll();
}

static void sleep(void) {
    cli();
    if (!line_has_received()) {
        OCR1B = (uint16_t)(TCNT1 + SLEEP_US * CLOCK_COUNTS_PER_US);
        SMCR = _BV(SE); /* idle: all interrupts wake it */
        sei();
        sleep_cpu();
        SMCR = 0;
    }
    sei();
}

static void start(void) {
    uint8_t cause = restart_cause();
    restart_watch();
    bridge_init(&board_bridge);
    board_bridge.board.features |= BRIDGE_FEATURES;
    struct bridge_board *board = BRIDGE_HELD(&board_bridge.board);
    board->firmware = BRIDGE_FIRMWARE_VERSION;
    board->reset_cause = cause;
    board->boot_count = restart_count();
    restart_load_heat();
    if (pins_jumper_is_set()) {
        storage_unlock();
    }
    storage_load();
    clock_start();
    line_start();
    bus_start();
    sei();
}

/* The watchdog is fed if every part goes on: the clock, the bus, and all that a round is made of.
 */
static void stay_alive(uint16_t now_us) {
    if (bus_take_progress(now_us)) {
        restart_alive();
    }
}

/* It never returns: nothing is saved for a caller. */
__attribute__((OS_main)) int main(void) {
    uint8_t rounds = ROUNDS_PER_HOUSE;
    pins_start();
    start();
    for (;;) {
        receive();
        uint32_t now_us = clock_now();
        step_begins();
        bus_poll(now_us);
        step_ends();
        bool has_more = true;
        for (uint8_t polls = POLLS_PER_ROUND; has_more && polls; polls--) {
            step_begins();
            has_more = bridge_poll(&board_bridge, now_us);
            step_ends();
            if (bridge_writes_wait(&board_bridge)) {
                break;
            }
        }
        pins_set_driver(bridge_enabled(&board_bridge));
        line_send();
        stay_alive((uint16_t)now_us);
        if (!has_more || --rounds == 0) {
            rounds = ROUNDS_PER_HOUSE;
            keep_house();
        }
        if (!has_more) {
            bus_poll(clock_now()); /* what has just been rendered may be due before it wakes */
            sleep();
        }
    }
}
