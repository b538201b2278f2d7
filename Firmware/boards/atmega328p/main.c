/*
 * The reference board: an Arduino Uno or Nano (ATmega328P at 16 MHz) with one DRV2605(L), or with
 * several behind a TCA9548A.
 *
 * Each round of the main loop does one bounded step of each kind of work. Interrupts only store a
 * received byte, send a byte, advance the transfer on the I2C bus, and start timed writes with
 * microsecond precision.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>

#include "board.h"
#include "eeprom.h"
#include "i2c.h"
#include "pins.h"
#include "reset.h"
#include "timer.h"
#include "uart.h"
#include "watchdog.h"

/* The maximum number of received bytes that one round processes, which is more than the number that
   arrives during a round. The remaining bytes in a burst wait for the next round, so that they do
   not delay events that are due. */
#define BYTES_PER_ROUND 8

/* The number of steps of the bridge in one round. These steps suffice to read, time and execute
   three events. */
#define POLLS_PER_ROUND 9

/* The number of rounds between two calls of keep_house, about 1 ms under load. */
#define ROUNDS_PER_HOUSE 4

/* The maximum duration of a sleep while no work is pending. */
#define SLEEP_US 250

struct bridge board_bridge;

static struct bridge_light light;

/* Sets a bit for the duration of each step of work, so that the simulator or a debugger can measure
   the step. */
BRIDGE_INLINE void step_begins(void) { GPIOR0 |= _BV(0); }

BRIDGE_INLINE void step_ends(void) { GPIOR0 &= (uint8_t)~_BV(0); }

static void receive(void) {
    const uint8_t *bytes;
    uint8_t count = uart_peek(&bytes, BYTES_PER_ROUND);
    step_begins();
    uint8_t taken = bridge_receive_run(&board_bridge, bytes, count);
    step_ends();
    if (taken < count) {
        uint32_t stamp_us = uart_take_stamp();
        step_begins();
        bridge_receive(&board_bridge, BRIDGE_DELIMITER, stamp_us);
        step_ends();
        taken++;
    }
    uart_drop(taken);
}

/* Handles the alarm of sleep(), whose only purpose is to wake the processor. */
ISR(TIMER1_COMPB_vect) {}

/* Does the work that can wait for a few rounds. */
static void keep_house(void) {
    board_bridge.counters.lost_bytes =
        (uint16_t)(board_bridge.counters.lost_bytes + uart_take_lost());
    reset_keep_heat();
    eeprom_poll();
}

static void sleep(void) {
    cli();
    if (!uart_has_received()) {
        OCR1B = (uint16_t)(TCNT1 + SLEEP_US * TIMER_COUNTS_PER_US);
        SMCR = _BV(SE); /* idle mode: all interrupts wake the processor */
        sei();
        sleep_cpu();
        SMCR = 0;
    }
    sei();
}

static void start(void) {
    uint8_t cause = reset_cause();
    watchdog_start();
    bridge_init(&board_bridge);
    struct bridge_board *board = &board_bridge.board;
    board->features |= BRIDGE_FEATURES;
    board->firmware = BRIDGE_FIRMWARE_VERSION;
    board->reset_cause = cause;
    board->kind = BRIDGE_BOARD_UNO_NANO;
    board->boot_count = reset_count();
    if (pins_jumper_is_set()) {
        eeprom_unlock();
    }
    eeprom_load();
    reset_load_heat();
    timer_start();
    uart_start();
    if (i2c_has_swapped_wires()) {
        bridge_wires_are_swapped(&board_bridge);
    }
    i2c_start();
    sei();
}

/* The image in program memory, as the linker script places it. */
extern const uint8_t firmware_start[], firmware_end[];

uint8_t board_read_firmware(uint16_t block, uint8_t *bytes) {
    uint16_t size = (uint16_t)(firmware_end - firmware_start);
    if (block > size / BRIDGE_FIRMWARE_BLOCK) {
        return 0;
    }
    const uint8_t *from = &firmware_start[block * BRIDGE_FIRMWARE_BLOCK];
    uint8_t count = 0;
    while (count < BRIDGE_FIRMWARE_BLOCK && from < firmware_end) {
        bytes[count++] = pgm_read_byte(from++);
    }
    return count;
}

/* Restarts the watchdog's timeout if every part makes progress: the clock, the bus, and all work of
   a round. */
static void stay_alive(uint16_t now_us) {
    if (i2c_consume_progress(now_us)) {
        watchdog_feed();
    }
}

/* The program. The function never returns, and therefore need not save registers for a caller. */
__attribute__((OS_main)) int main(void) {
    uint8_t rounds = ROUNDS_PER_HOUSE;
    pins_start();
    start();
    for (;;) {
        receive();
        uint32_t now_us = timer_now();
        step_begins();
        if (BRIDGE_ACTUATOR_COUNT == 1) { /* the i2c_poll before a sleep may have enabled the chip;
                                             the first transfer to the chip follows */
            pins_set_driver(bridge_enabled(&board_bridge));
        }
        i2c_poll(now_us);
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
        pins_set_light(bridge_light(&board_bridge, &light, timer_now()));
        /* The chip is enabled last, so that the next round begins its first transfer. */
        pins_set_driver(bridge_enabled(&board_bridge));
        uart_send();
        stay_alive((uint16_t)now_us);
        if (!has_more || --rounds == 0) {
            rounds = ROUNDS_PER_HOUSE;
            keep_house();
        }
        if (!has_more) {
            i2c_poll(timer_now()); /* a write that has just been rendered may become due during the
                                      sleep */
            sleep();
        }
    }
}
