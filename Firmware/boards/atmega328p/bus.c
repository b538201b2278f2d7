#include "bus.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>
#include <util/twi.h>

#include "../../core/bridge_time.h"
#include "../../core/drv2605_registers.h"
#include "board.h"
#include "clock.h"
#include "pins.h"

#define TWI_BIT_RATE ((F_CPU / 400000 - 16) / 2)
#define TWI_GO (_BV(TWINT) | _BV(TWEN) | _BV(TWIE))

/* Longest transfer: 98 us, and whatever interrupts and a chip that stretches the clock add. */
#define LIMIT_US 2000u

/* A timed write is taken this long before it is due, and then waited for: longer than taking it,
   any other interrupt and any stretch of code with interrupts off together. */
#define LEAD_US 32

/* The least time in which an alarm can be set. */
#define ALARM_US 6

/* Turns of a loop until the STOP before must be over, unless the bus is held: 30 us. */
#define STOP_WAIT 60

#define RELEASE_CLOCKS 9
#define HALF_CLOCK_US 5

static volatile bool is_running; /**< a transfer is on the bus */
static bool is_register_sent;    /**< of the transfer: its value is left */
static uint16_t started;         /**< count at which the transfer was started */
static volatile uint16_t alarm;  /**< low part of the due time that the alarm is set for */

/* ---- Transfers --------------------------------------------------------------------------- */

static void start(void) {
    is_running = true;
    started = TCNT1;
    for (uint8_t wait = STOP_WAIT; (TWCR & _BV(TWSTO)) && wait; wait--) {
    }
    TWCR = TWI_GO | _BV(TWSTA);
}

static void end(bool ok) {
    TWCR = TWI_GO | _BV(TWSTO);
    is_running = false;
    bridge_bus_done(&board_bridge, ok, TWDR);
}

/* With interrupts off: starts the next timed write at its time, or sets the alarm for it. */
static void start_due(void) {
    uint32_t due_us;
    if (is_running || !bridge_next_due(&board_bridge, &due_us)) {
        return;
    }
    uint32_t now_us = clock_now();
    uint16_t count = clock_count_at(due_us);
    alarm = (uint16_t)due_us;
    if (bridge_is_before(now_us + LEAD_US + ALARM_US, due_us)) {
        OCR1A = (uint16_t)(count - clock_count_at(LEAD_US));
    } else if (!bridge_take_due(&board_bridge, bridge_later(now_us, due_us))) {
        alarm++; /* the chip is not ready for it: bus_poll shall try again */
    } else {
        if (bridge_is_before(now_us, due_us)) {
            while ((int16_t)(count - TCNT1) > 0) {
            }
        }
        start();
    }
}

ISR(TIMER1_COMPA_vect) { start_due(); }

/* SLOS854D 8.5.3: address, register, value; to read, START and the address again in between. */
ISR(TWI_vect) {
    switch (TW_STATUS) {
    case TW_START:
        TWDR = DRV2605_ADDRESS << 1 | TW_WRITE;
        TWCR = TWI_GO;
        return;
    case TW_MT_SLA_ACK:
        TWDR = board_bridge.transfer.reg;
        TWCR = TWI_GO;
        is_register_sent = false;
        return;
    case TW_MT_DATA_ACK:
        if (is_register_sent) {
            end(true);
        } else if (board_bridge.transfer.is_read) {
            TWCR = TWI_GO | _BV(TWSTA);
        } else {
            TWDR = board_bridge.transfer.value;
            TWCR = TWI_GO;
        }
        is_register_sent = true;
        break;
    case TW_REP_START:
        TWDR = DRV2605_ADDRESS << 1 | TW_READ;
        TWCR = TWI_GO;
        return;
    case TW_MR_SLA_ACK:
        TWCR = TWI_GO; /* one byte, not acknowledged */
        return;
    case TW_MR_DATA_NACK:
        end(true);
        break;
    default:
        end(false);
        break;
    }
    start_due();
}

/* ---- Recovery ---------------------------------------------------------------------------- */

static void pull_low(uint8_t bit) {
    TWI_DDR = (uint8_t)(TWI_DDR | _BV(bit));
    _delay_us(HALF_CLOCK_US);
}

static void release(uint8_t bit) {
    TWI_DDR &= (uint8_t)~_BV(bit);
    _delay_us(HALF_CLOCK_US);
}

/* A chip that was reading a byte out holds SDA until it has been clocked to the byte's end; then a
   STOP (NXP UM10204 3.1.16). About 120 us. */
void bus_start(void) {
    TWCR = 0;
    for (uint8_t clock = 0; clock < RELEASE_CLOCKS && !(TWI_PIN & _BV(SDA_BIT)); clock++) {
        pull_low(SCL_BIT);
        release(SCL_BIT);
    }
    pull_low(SDA_BIT);
    release(SDA_BIT);
    TWBR = TWI_BIT_RATE;
    TWCR = _BV(TWEN);
}

static void end_if_stuck(void) {
    bool is_stuck;
    BRIDGE_ATOMIC_BEGIN
    is_stuck = is_running && (uint16_t)(TCNT1 - started) > clock_count_at(LIMIT_US);
    if (is_stuck) {
        TWCR = 0;
        is_running = false;
    }
    BRIDGE_ATOMIC_END
    if (is_stuck) {
        bus_start();
        bridge_bus_done(&board_bridge, false, 0);
    }
}

void bus_poll(uint32_t now_us) {
    uint32_t due_us;
    end_if_stuck();
    if (bridge_take_untimed(&board_bridge, now_us)) {
        start();
    } else if (bridge_next_due(&board_bridge, &due_us) && (uint16_t)due_us != alarm) {
        BRIDGE_ATOMIC_BEGIN
        start_due();
        BRIDGE_ATOMIC_END
    }
}
