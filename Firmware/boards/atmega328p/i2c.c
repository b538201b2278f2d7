#include "i2c.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>
#include <util/twi.h>

#include "board.h"
#include "pins.h"
#include "timer.h"

#define TWI_BIT_RATE(hz) ((F_CPU / (hz)-16) / 2)
#define TWI_GO (_BV(TWINT) | _BV(TWEN) | _BV(TWIE))
#define TWI_GO_START (TWI_GO | _BV(TWSTA))
#define TWI_GO_STOP (TWI_GO | _BV(TWSTO))
#define TW_STATUS_MASK_BITS 0xF8
#define WRITE_ADDRESS (DRIVER_I2C_ADDRESS << 1 | TW_WRITE)
#define MUX_ADDRESS 0x70 /* TCA9548A, A0 to A2 low */
#define MUX_WRITE_ADDRESS (MUX_ADDRESS << 1 | TW_WRITE)
#define MUX_READ_ADDRESS (MUX_ADDRESS << 1 | TW_READ)

/* The timeout of a transfer. A transfer takes at most 98 us, or 390 us on a slow bus, and twice as
   long behind a multiplexer. Interrupts, or a chip that holds SCL low, prolong a transfer. */
#define LIMIT_US 2000u

/* The interval between the timer's interrupt for a timed write and the due time of the write. The
   interval is long enough for the interrupt to begin its wait for the due time, even after a delay
   by another interrupt. */
#define LEAD_US 11

/* The minimum interval for which the timer can be set. */
#define ALARM_US 3

/* The lateness at which a write is rescheduled to the current time, because the counter can
   represent only times within 16 ms. */
#define OVERDUE_US 8000u

/* The number of iterations for which a loop waits for the last STOP to end. These iterations take
   30 us, which is sufficient unless a chip holds the bus. */
#define STOP_WAIT 60

#define RELEASE_CLOCKS 9
#define HALF_CLOCK_US 5

/* The state of the bus: bits that one instruction sets, clears or tests. Bit 0 belongs to
   main.c. */
#define I2C_STATE GPIOR0
#define IS_RUNNING_BIT 1 /**< a transfer is in progress */
/** The timer is not set for a write, or the timer's interrupt has found the bus reserved. */
#define IS_WAITING_BIT 2
#define IS_REGISTER_SENT_BIT 3 /**< the register number has been sent, but the value has not */
#define HAS_PROGRESSED_BIT 4   /**< a transfer has ended, or no transfer was due */
/** The timer's interrupt has skipped a write and has not started a write since then. */
#define IS_OVERDUE_BIT 5
#define IS_RUNNING _BV(IS_RUNNING_BIT)
#define IS_REGISTER_SENT _BV(IS_REGISTER_SENT_BIT)
#define IS_WAITING _BV(IS_WAITING_BIT)
#define HAS_PROGRESSED _BV(HAS_PROGRESSED_BIT)
#define IS_OVERDUE _BV(IS_OVERDUE_BIT)

static uint16_t
    progressed_us; /**< the time at which HAS_PROGRESSED was last set or a transfer was started */

/* ---- Transfers --------------------------------------------------------------------------- */

/* The open channels of the multiplexer (0 if unknown), and the channels that were read back after
   the last write of its control register. Unused without a multiplexer. */
static uint8_t selected;
static uint8_t checked;

static inline bool is_selected(void) { return selected == board_bridge.transfer.actuators; }

/* True if the bus is connected to the chips of the transfer. The transfer may then continue with an
   access to these chips. */
static inline bool is_led(void) {
    return BRIDGE_ACTUATOR_COUNT == 1 ||
           (is_selected() && (checked == selected || !bridge_bus_is_untimed(&board_bridge)));
}

/* Returns the write address of the chip that the transfer accesses. */
static inline uint8_t chip_address(void) {
#if BRIDGE_SENSOR
    return board_bridge.transfer.address_byte;
#else
    return WRITE_ADDRESS;
#endif
}

/* Returns the address that the transfer sends after START. */
static inline uint8_t next_address(void) {
    return is_led() ? chip_address() : is_selected() ? MUX_READ_ADDRESS : MUX_WRITE_ADDRESS;
}

static inline void send_address(void) {
    TWDR = next_address();
    TWCR = TWI_GO;
}

/* Marks the bus as reserved, and waits for the end of the last STOP. */
BRIDGE_INLINE void take_bus(void) {
    I2C_STATE |= IS_RUNNING;
    for (uint8_t wait = STOP_WAIT; (TWCR & _BV(TWSTO)) && wait; wait--) {
    }
}

BRIDGE_INLINE void start(void) { TWCR = TWI_GO_START; }

/* Returns the timer count at which the interrupt for a write must occur, if the write starts at a
   given count. */
static inline uint16_t alarm_count(uint16_t count) {
    return (uint16_t)(count - timer_count_at(LEAD_US));
}

/* Returns the low 16 bits of the current time, calculated from the counter and the time at which a
   write was due. */
static inline uint16_t start_us(const struct bridge_write *write) {
    uint16_t late = (uint16_t)(TCNT1 - timer_count_at(write->due_us));
    return (uint16_t)((uint16_t)write->due_us + late / TIMER_COUNTS_PER_US);
}

/* Makes the timer's interrupt occur immediately. The caller must have disabled interrupts. */
static inline void call_timer(void) { OCR1A = (uint16_t)(TCNT1 + timer_count_at(ALARM_US)); }

/* Starts the due write at its time, and sets the timer for the next write. The counter can
   represent only times within 16 ms; i2c_poll ensures that all writes are within this time. */
ISR(TIMER1_COMPA_vect) {
    struct bridge_write *write;
    while ((write = bridge_next_write_inline(&board_bridge))) {
        uint16_t count = timer_count_at(write_start_inline_us(write));
        int16_t late = (int16_t)(TCNT1 - count);
        if (late < -(int16_t)timer_count_at(LEAD_US + ALARM_US)) {
            OCR1A = alarm_count(count);
            I2C_STATE &= (uint8_t)~IS_WAITING;
            return;
        }
        if (!bridge_bus_is_free(&board_bridge)) {
            break;
        }
        take_bus();
        while (late < 0) {
            late = (int16_t)(TCNT1 - count);
        }
        start();
        I2C_STATE &= (uint8_t)~IS_OVERDUE;
        bool counts = bridge_take_write(&board_bridge, write);
        if ((TWCR & _BV(TWINT)) &&
            TW_STATUS == TW_START) { /* START has already been sent, so no interrupt is needed */
            send_address();
        }
        uint16_t late_us = (uint16_t)late / TIMER_COUNTS_PER_US;
        sei(); /* this work must not delay the interrupts of the serial line */
        bridge_record_start(&board_bridge, (uint16_t)(write->due_us + late_us));
        cli();
        if (counts) {
            bridge_record_lateness(&board_bridge, late_us);
        }
    }
    I2C_STATE |= IS_WAITING;
}

/* The interrupt of the bus in C. The image for one actuator uses the equivalent interrupt in
   tuning/i2c_interrupt.h instead. */
#if defined BOARD_TUNED && BRIDGE_ACTUATOR_COUNT == 1
#include "tuning/i2c_interrupt.h"
#else

/* Ends a transfer. A write that has reached only some of its actuators continues immediately with
   the remaining actuators. Otherwise, the timer's interrupt runs next, if that interrupt is waiting
   for the bus. */
static inline void end_transfer(bool ok) {
    struct bridge_write *write;
    I2C_STATE |= HAS_PROGRESSED;
    if (!ok) {
        selected = 0;
    }
    bridge_bus_done(&board_bridge, ok, TWDR);
    if (ok && (write = bridge_partial_write(&board_bridge))) {
        bridge_take_write(&board_bridge, write);
        TWCR = TWI_GO_STOP | _BV(TWSTA);
        bridge_record_start(&board_bridge, start_us(write));
        return;
    }
    TWCR = TWI_GO_STOP;
    I2C_STATE &= (uint8_t)~IS_RUNNING;
    if (I2C_STATE & IS_WAITING) {
        call_timer();
    }
}

#if BRIDGE_SENSOR
/* Returns the control byte for the next byte of a read. The last byte is not acknowledged. */
static inline uint8_t go_on_reading(void) {
    return board_bridge.transfer.count > 1 ? TWI_GO | _BV(TWEA) : TWI_GO;
}
#endif

/* Sends the bytes of a transfer (SLOS854D 8.5.3): address, register, value. In a read, a repeated
   START and the address follow the register; then bytes are read, and all but the last byte are
   acknowledged. If the TCA9548A has other channels open, its control register is written first. The
   new value takes effect at STOP, which closes all other channels at the same time (SCPS207 8.5.2).
   Before an untimed transfer, the control register is also read back. */
ISR(TWI_vect) {
    uint8_t control = TWI_GO;
    switch (TW_STATUS) {
    case TW_START:
        TWDR = next_address();
        break;
    case TW_REP_START:
        TWDR = chip_address() | TW_READ;
        break;
    case TW_MT_SLA_ACK:
        I2C_STATE &= (uint8_t)~IS_REGISTER_SENT;
        TWDR = is_led() ? board_bridge.transfer.reg : board_bridge.transfer.actuators;
        break;
    case TW_MT_DATA_ACK:
        if (!is_led()) {
            selected = board_bridge.transfer.actuators;
            checked = 0;
            if (bridge_bus_is_switching(&board_bridge)) {
                end_transfer(true);
                return;
            }
            control = TWI_GO_STOP | _BV(TWSTA);
            break;
        }
        if (I2C_STATE & IS_REGISTER_SENT) {
            end_transfer(true);
            return;
        }
        I2C_STATE |= IS_REGISTER_SENT;
        if (board_bridge.transfer.is_read) {
            control = TWI_GO_START;
        } else {
            TWDR = board_bridge.transfer.value;
        }
        break;
#if BRIDGE_SENSOR
    case TW_MR_DATA_ACK:
        *board_bridge.transfer.bytes++ = TWDR;
        board_bridge.transfer.count--;
        control = go_on_reading();
        break;
    case TW_MR_SLA_ACK:
        control = go_on_reading();
        break;
#else
    case TW_MR_SLA_ACK:
        break;
#endif
    case TW_MR_DATA_NACK:
        if (is_led() || TWDR != selected) {
            end_transfer(is_led());
            return;
        }
        checked = selected;
        control = TWI_GO_STOP | _BV(TWSTA);
        break;
    default:
        end_transfer(false);
        return;
    }
    TWCR = control;
}

#endif

/* ---- Recovery ---------------------------------------------------------------------------- */

/* Pulls bus lines low for half a clock, and releases the other pins of the port. */
static void pull_low(uint8_t lines) {
    TWI_DDR = lines;
    _delay_us(HALF_CLOCK_US);
}

static bool is_low(uint8_t line) { return !(TWI_PIN & line); }

#define BUS_LINES uint8_t
#include "../common/bus_probe.h"

bool i2c_has_swapped_wires(void) {
    uint8_t address = BRIDGE_ACTUATOR_COUNT > 1 ? MUX_WRITE_ADDRESS : WRITE_ADDRESS;
    return is_address_acknowledged(address, _BV(SDA_BIT), _BV(SCL_BIT));
}

/* Carries out PROBE. The bus must be free, and no timed write may be pending. */
static void probe(uint8_t address) {
    TWCR = 0;
    bool acknowledged =
        is_address_acknowledged((uint8_t)(address << 1), _BV(SCL_BIT), _BV(SDA_BIT));
    i2c_start();
    bridge_probe_done(&board_bridge, address, acknowledged);
}

/* Frees the bus and starts the TWI. A chip that was sending a byte holds SDA until it has received
   the remaining clocks of the byte; a STOP follows (NXP UM10204 3.1.16). The procedure takes about
   120 us, during which the UART continues to receive. */
void i2c_start(void) {
    TWCR = 0;
    for (uint8_t clock = 0; clock < RELEASE_CLOCKS && !(TWI_PIN & _BV(SDA_BIT)); clock++) {
        pull_low(_BV(SCL_BIT));
        pull_low(0);
    }
    pull_low(_BV(SDA_BIT));
    pull_low(0);
    TWCR = _BV(TWEN);
    selected = 0;
}

/* Stops the transfer in progress. Returns false if no transfer was in progress. After the call, the
   TWI does not raise an interrupt, and the timer's interrupt treats the bus as reserved. */
static bool abandon(void) {
    bool was_running;
    BRIDGE_CRITICAL_ENTER
    was_running = I2C_STATE & IS_RUNNING;
    if (was_running) {
        TWCR = 0;
    }
    BRIDGE_CRITICAL_EXIT
    return was_running;
}

static void end_if_stuck(uint16_t now_us) {
    if ((uint16_t)(now_us - progressed_us) <= LIMIT_US) {
        return;
    }
    progressed_us = now_us; /* restarts the timeout for the next transfer */
    if (!abandon()) {
        return;
    }
    i2c_start();
    BRIDGE_CRITICAL_ENTER
    I2C_STATE &= (uint8_t)~IS_RUNNING;
    bridge_bus_done(&board_bridge, false, 0);
    BRIDGE_CRITICAL_EXIT
}

/* Requests the timer's interrupt, which then examines the next write. */
static void check_next_write(uint32_t now_us) {
    BRIDGE_CRITICAL_ENTER
    bridge_expedite(&board_bridge, now_us);
    call_timer();
    BRIDGE_CRITICAL_EXIT
}

/* Requests the timer's interrupt if a write would otherwise not start on time. */
static void check_timer(const struct bridge_write *write, uint32_t now_us) {
    uint32_t start_us = write_start_us(write);
    bool must_check = alarm_count(timer_count_at(start_us)) != OCR1A || (I2C_STATE & IS_WAITING);
    if (bridge_is_before(now_us, start_us)) {
        I2C_STATE |= HAS_PROGRESSED;
    } else if (bridge_is_before(write->due_us + OVERDUE_US, now_us)) {
        I2C_STATE |= IS_OVERDUE;
        must_check = true;
    }
    if (must_check) {
        check_next_write(now_us);
    }
}

void i2c_poll(uint32_t now_us) {
    if (I2C_STATE & IS_RUNNING) {
        end_if_stuck((uint16_t)now_us);
        return;
    }
    const struct bridge_write *write = bridge_next_write(&board_bridge);
    if (!write) {
        I2C_STATE |= HAS_PROGRESSED;
        I2C_STATE &= (uint8_t)~IS_OVERDUE;
    } else {
        check_timer(write, now_us);
    }
    uint8_t address = bridge_take_probe(&board_bridge);
    if (address) {
        probe(address);
    }
    TWBR = bridge_bus_is_slow(&board_bridge) ? TWI_BIT_RATE(100000) : TWI_BIT_RATE(400000);
    if (bridge_take_untimed(&board_bridge, now_us) ||
        bridge_take_switch(&board_bridge, selected, now_us)) {
        progressed_us = (uint16_t)now_us; /* starts the timeout of the transfer */
        take_bus();
        start();
    }
}

bool i2c_consume_progress(uint16_t now_us) {
    uint8_t state = I2C_STATE & (HAS_PROGRESSED | IS_OVERDUE);
    if (state != HAS_PROGRESSED || now_us == progressed_us) {
        return false;
    }
    I2C_STATE &= (uint8_t)~HAS_PROGRESSED;
    progressed_us = now_us;
    return true;
}
