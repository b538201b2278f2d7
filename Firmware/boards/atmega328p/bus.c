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

/* The timer interrupts this long before a timed write is due: taking it, and an interrupt that is
   in the way, take longer. */
#define LEAD_US 5

/* The least time in which the timer can be set to interrupt. */
#define ALARM_US 3

/* Turns of a loop until the STOP before must be over, unless the bus is held: 30 us. */
#define STOP_WAIT 60

#define RELEASE_CLOCKS 9
#define HALF_CLOCK_US 5

/* What the bus is doing: bits that one instruction sets, clears or tests. main.c has bit 0. */
#define BUS_STATE GPIOR0
#define IS_RUNNING _BV(1)       /**< a transfer is on the bus */
#define IS_WAITING _BV(2)       /**< the timer is set for no write: there was none, or no bus */
#define IS_REGISTER_SENT _BV(3) /**< of the transfer: its value is left */
#define HAS_PROGRESSED _BV(4)   /**< a transfer has ended, or none was due */

static uint16_t started; /**< count at which the transfer was started */

/* ---- Transfers --------------------------------------------------------------------------- */

static inline void send_address(void) {
    TWDR = DRV2605_ADDRESS << 1 | TW_WRITE;
    TWCR = TWI_GO;
}

BRIDGE_INLINE void start(void) {
    BUS_STATE |= IS_RUNNING;
    for (uint8_t wait = STOP_WAIT; (TWCR & _BV(TWSTO)) && wait; wait--) {
    }
    TWCR = TWI_GO | _BV(TWSTA);
    BRIDGE_ATOMIC_BEGIN /* the two bytes of the counter are read through one register */
        started = TCNT1;
    BRIDGE_ATOMIC_END
}

/* What the timer is set to for a write. */
static inline uint16_t timer_count(const struct bridge_write *write) {
    return (uint16_t)(clock_count_at(write->due_us) - clock_count_at(LEAD_US));
}

/* Has the timer interrupt at once. With interrupts off. */
static inline void call_timer(void) { OCR1A = (uint16_t)(TCNT1 + clock_count_at(ALARM_US)); }

/* Starts what is due, at its time, and sets the timer for what comes after it. The counter tells
   times within 16 ms: bus_poll sees to it that no write is later than that. */
ISR(TIMER1_COMPA_vect) {
    const struct bridge_write *write;
    while ((write = bridge_next_write(&board_bridge))) {
        uint16_t count = clock_count_at(write->due_us);
        int16_t left = (int16_t)(count - TCNT1);
        if (left > (int16_t)clock_count_at(LEAD_US + ALARM_US)) {
            OCR1A = timer_count(write);
            BUS_STATE &= (uint8_t)~IS_WAITING;
            return;
        }
        if (board_bridge.bus_owner != BUS_FREE) {
            break;
        }
        while ((int16_t)(count - TCNT1) > 0) {
        }
        start();
        bridge_take_write(&board_bridge, write);
        if ((TWCR & _BV(TWINT)) && TW_STATUS == TW_START) { /* by now: an interrupt less */
            send_address();
        }
        if (left < 0) {
            bridge_note_lateness(&board_bridge, (uint16_t)-left / CLOCK_COUNTS_PER_US);
        }
    }
    BUS_STATE |= IS_WAITING;
}

static inline void end(bool ok) {
    TWCR = TWI_GO | _BV(TWSTO);
    BUS_STATE &= (uint8_t)~IS_RUNNING;
    BUS_STATE |= HAS_PROGRESSED;
    bridge_bus_done(&board_bridge, ok, TWDR);
    if (BUS_STATE & IS_WAITING) {
        call_timer();
    }
}

/* SLOS854D 8.5.3: address, register, value; to read, START and the address again in between. */
ISR(TWI_vect) {
    uint8_t status = TW_STATUS;
    uint8_t go = TWI_GO;
    if (status == TW_START) {
        TWDR = DRV2605_ADDRESS << 1 | TW_WRITE;
    } else if (status == TW_MT_SLA_ACK) {
        TWDR = board_bridge.transfer.reg;
        BUS_STATE &= (uint8_t)~IS_REGISTER_SENT;
    } else if (status == TW_MT_DATA_ACK && !(BUS_STATE & IS_REGISTER_SENT)) {
        BUS_STATE |= IS_REGISTER_SENT;
        if (board_bridge.transfer.is_read) {
            go = TWI_GO | _BV(TWSTA);
        }
        TWDR = board_bridge.transfer.value;
    } else if (status == TW_REP_START) {
        TWDR = DRV2605_ADDRESS << 1 | TW_READ;
    } else if (status != TW_MR_SLA_ACK) { /* after which one byte is read, not acknowledged */
        end(status == TW_MT_DATA_ACK || status == TW_MR_DATA_NACK);
        return;
    }
    TWCR = go;
}

/* ---- Recovery ---------------------------------------------------------------------------- */

/* Half a clock with some lines pulled low; nothing else is driven by the port. */
BRIDGE_OUTLINE static void pull_low(uint8_t lines) {
    TWI_DDR = lines;
    _delay_us(HALF_CLOCK_US);
}

/* A chip that was reading a byte out holds SDA until it has been clocked to the byte's end; then a
   STOP (NXP UM10204 3.1.16). About 120 us. */
void bus_start(void) {
    TWCR = 0;
    for (uint8_t clock = 0; clock < RELEASE_CLOCKS && !(TWI_PIN & _BV(SDA_BIT)); clock++) {
        pull_low(_BV(SCL_BIT));
        pull_low(0);
    }
    pull_low(_BV(SDA_BIT));
    pull_low(0);
    TWBR = TWI_BIT_RATE;
    TWCR = _BV(TWEN);
}

static void end_if_stuck(void) {
    BRIDGE_ATOMIC_BEGIN
    if ((BUS_STATE & IS_RUNNING) && (uint16_t)(TCNT1 - started) > clock_count_at(LIMIT_US)) {
        bus_start();
        BUS_STATE &= (uint8_t)~IS_RUNNING;
        bridge_bus_done(&board_bridge, false, 0);
    }
    BRIDGE_ATOMIC_END
}

/* The timer learns what is next. */
static void look_ahead(uint32_t now_us) {
    BRIDGE_ATOMIC_BEGIN
    bridge_hasten(&board_bridge, now_us);
    call_timer();
    BRIDGE_ATOMIC_END
}

BRIDGE_OUTLINE void bus_poll(uint32_t now_us) {
    if (BUS_STATE & IS_RUNNING) {
        end_if_stuck();
        return;
    }
    const struct bridge_write *write = bridge_first_write(&board_bridge);
    if (!write || bridge_is_before(now_us, write->due_us)) {
        BUS_STATE |= HAS_PROGRESSED;
    }
    if (write && (timer_count(write) != OCR1A || (BUS_STATE & IS_WAITING))) {
        look_ahead(now_us);
    }
    if (bridge_take_untimed(&board_bridge, now_us)) {
        start();
    }
}

bool bus_take_progress(void) {
    bool has_progressed = BUS_STATE & HAS_PROGRESSED;
    BUS_STATE &= (uint8_t)~HAS_PROGRESSED;
    return has_progressed;
}
