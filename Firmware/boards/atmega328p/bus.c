#include "bus.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>
#include <util/twi.h>

#include "../../core/bridge_time.h"
#include "../../core/drv2605_registers.h"
#include "board.h"
#include "clock.h"
#include "interrupt.h"
#include "pins.h"

#define TWI_BIT_RATE ((F_CPU / 400000 - 16) / 2)
#define TWI_GO (_BV(TWINT) | _BV(TWEN) | _BV(TWIE))
#define TWI_GO_START (TWI_GO | _BV(TWSTA))
#define TWI_GO_STOP (TWI_GO | _BV(TWSTO))
#define TW_STATUS_MASK_BITS 0xF8
#define WRITE_ADDRESS (DRV2605_ADDRESS << 1 | TW_WRITE)
#define READ_ADDRESS (DRV2605_ADDRESS << 1 | TW_READ)
#define MUX_ADDRESS 0x70 /* TCA9548A, A0 to A2 low */
#define MUX_WRITE_ADDRESS (MUX_ADDRESS << 1 | TW_WRITE)

/* Longest transfer: 98 us, and whatever interrupts and a chip that stretches the clock add. */
#define LIMIT_US 2000u

/* The timer interrupts this long before a timed write is due: as long as taking it takes, and an
   interrupt that is in the way. */
#define LEAD_US 7

/* The least time in which the timer can be set to interrupt. */
#define ALARM_US 3

/* What is overdue by so much is due now instead, whatever the timer is set to: the counter tells
   times within 16 ms. */
#define OVERDUE_US 8000u

/* Turns of a loop until the STOP before must be over, unless the bus is held: 30 us. */
#define STOP_WAIT 60

#define RELEASE_CLOCKS 9
#define HALF_CLOCK_US 5

/* What the bus is doing: bits that one instruction sets, clears or tests. main.c has bit 0. */
#define BUS_STATE GPIOR0
#define IS_RUNNING_BIT 1       /**< a transfer is on the bus */
#define IS_WAITING_BIT 2       /**< the timer is set for no write: there was none, or no bus */
#define IS_REGISTER_SENT_BIT 3 /**< of the transfer: its value is left */
#define HAS_PROGRESSED_BIT 4   /**< a transfer has ended, or none was due */
#define IS_OVERDUE_BIT 5       /**< the timer has let a write pass, and has started none since */
#define IS_RUNNING _BV(IS_RUNNING_BIT)
#define IS_REGISTER_SENT _BV(IS_REGISTER_SENT_BIT)
#define IS_WAITING _BV(IS_WAITING_BIT)
#define HAS_PROGRESSED _BV(HAS_PROGRESSED_BIT)
#define IS_OVERDUE _BV(IS_OVERDUE_BIT)

static uint16_t progressed_us; /**< when HAS_PROGRESSED was last seen, or a transfer begun */

/* ---- Transfers --------------------------------------------------------------------------- */

#if BRIDGE_ACTUATOR_COUNT > 1

static uint8_t selected; /**< channels that are open; 0: not known */

/* Whether the bus leads to the chips of the transfer. */
static inline bool is_led(void) { return selected == board_bridge.transfer.actuators; }

#else

static inline bool is_led(void) { return true; }

#endif

static inline void send_address(void) {
    TWDR = is_led() ? WRITE_ADDRESS : MUX_WRITE_ADDRESS;
    TWCR = TWI_GO;
}

/* The STOP before may still be on its way. */
BRIDGE_INLINE void take_bus(void) {
    BUS_STATE |= IS_RUNNING;
    for (uint8_t wait = STOP_WAIT; (TWCR & _BV(TWSTO)) && wait; wait--) {
    }
}

BRIDGE_INLINE void start(void) { TWCR = TWI_GO_START; }

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
        int16_t late = (int16_t)(TCNT1 - count);
        if (late < -(int16_t)clock_count_at(LEAD_US + ALARM_US)) {
            OCR1A = timer_count(write);
            BUS_STATE &= (uint8_t)~IS_WAITING;
            return;
        }
        if (board_bridge.bus_owner != BUS_FREE) {
            break;
        }
        take_bus();
        while (late < 0) {
            late = (int16_t)(TCNT1 - count);
        }
        start();
        BUS_STATE &= (uint8_t)~IS_OVERDUE;
        bool counts = bridge_take_write(&board_bridge, write);
        if ((TWCR & _BV(TWINT)) && TW_STATUS == TW_START) { /* by now: an interrupt less */
            send_address();
        }
        if (counts) {
            bridge_note_lateness(&board_bridge, (uint16_t)late / CLOCK_COUNTS_PER_US);
        }
    }
    BUS_STATE |= IS_WAITING;
}

#if BRIDGE_ACTUATOR_COUNT > 1

/* A write that has not reached all of its actuators goes on at once; else what is waited for by the
   timer's interrupt has its turn. */
static inline void end_transfer(bool ok) {
    const struct bridge_write *write;
    BUS_STATE |= HAS_PROGRESSED;
    if (!ok) {
        selected = 0;
    }
    bridge_bus_done(&board_bridge, ok, TWDR);
    if (ok && (write = bridge_begun_write(&board_bridge))) {
        bridge_take_write(&board_bridge, write);
        TWCR = TWI_GO_STOP | _BV(TWSTA);
        return;
    }
    TWCR = TWI_GO_STOP;
    BUS_STATE &= (uint8_t)~IS_RUNNING;
    if (BUS_STATE & IS_WAITING) {
        call_timer();
    }
}

/* As below; but first, if other channels of the TCA9548A are open, its control register is written,
   which counts from STOP on (SCPS207 8.5.2): it closes all others in the same moment. */
ISR(TWI_vect) {
    uint8_t control = TWI_GO;
    switch (TW_STATUS) {
    case TW_START:
        TWDR = is_led() ? WRITE_ADDRESS : MUX_WRITE_ADDRESS;
        break;
    case TW_REP_START:
        TWDR = READ_ADDRESS;
        break;
    case TW_MT_SLA_ACK:
        BUS_STATE &= (uint8_t)~IS_REGISTER_SENT;
        TWDR = is_led() ? board_bridge.transfer.reg : board_bridge.transfer.actuators;
        break;
    case TW_MT_DATA_ACK:
        if (!is_led()) {
            selected = board_bridge.transfer.actuators;
            if (board_bridge.bus_owner == BUS_SWITCH) {
                end_transfer(true);
                return;
            }
            control = TWI_GO_STOP | _BV(TWSTA);
            break;
        }
        if (BUS_STATE & IS_REGISTER_SENT) {
            end_transfer(true);
            return;
        }
        BUS_STATE |= IS_REGISTER_SENT;
        if (board_bridge.transfer.is_read) {
            control = TWI_GO_START;
        } else {
            TWDR = board_bridge.transfer.value;
        }
        break;
    case TW_MR_SLA_ACK:
        break;
    default:
        end_transfer(TW_STATUS == TW_MR_DATA_NACK);
        return;
    }
    TWCR = control;
}

#else

/* SLOS854D 8.5.3: address, register, value; to read, START and the address again in between, after
   which one byte is read, not acknowledged. The end does what bridge_bus_done does, and has the
   timer interrupt if it waits for the bus. */
/* Lines as they belong together. */
/* clang-format off */
INTERRUPT(TWI_vect) {
    __asm__ volatile(
        "push r24 \n in r24, __SREG__ \n push r24 \n push r25 \n"
        "lds r24, %[status] \n andi r24, " NUMBER(TW_STATUS_MASK_BITS) " \n"
        "ldi r25, " NUMBER(TWI_GO) " \n"
        "cpi r24, " NUMBER(TW_MT_DATA_ACK) " \n breq 3f \n"
        "cpi r24, " NUMBER(TW_MT_SLA_ACK) " \n breq 2f \n"
        "cpi r24, " NUMBER(TW_START) " \n breq 1f \n"
        "cpi r24, " NUMBER(TW_MR_SLA_ACK) " \n breq 5f \n"
        "cpi r24, " NUMBER(TW_REP_START) " \n brne 6f \n"
        "ldi r24, " NUMBER(READ_ADDRESS) " \n rjmp 4f \n"
        "1: ldi r24, " NUMBER(WRITE_ADDRESS) " \n rjmp 4f \n"
        "2: cbi %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n lds r24, %[reg] \n rjmp 4f \n"
        "3: sbic %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n rjmp 7f \n"
        "sbi %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n"
        "lds r24, %[is_read] \n sbrc r24, 0 \n ldi r25, " NUMBER(TWI_GO_START) " \n"
        "lds r24, %[value] \n"
        "4: sts %[data], r24 \n"
        "5: sts %[control], r25 \n rjmp 11f \n"

        "6: cpi r24, " NUMBER(TW_MR_DATA_NACK) " \n breq 7f \n"
        "lds r24, %[owner] \n ori r24, %[failed] \n rjmp 8f \n"
        "7: lds r24, %[owner] \n"
        "8: ldi r25, " NUMBER(TWI_GO_STOP) " \n sts %[control], r25 \n"
        "cbi %[state], " NUMBER(IS_RUNNING_BIT) " \n"
        "sbi %[state], " NUMBER(HAS_PROGRESSED_BIT) " \n"
        "cpi r24, %[due] | %[failed] \n breq 10f \n"
        "ldi r25, 0 \n cpi r24, %[due] \n brne 9f \n"
        "sts %[failures], r25 \n mov r24, r25 \n rjmp 10f \n"
        "9: sts %[ended], r24 \n lds r24, %[data] \n sts %[read_value], r24 \n ldi r24, 0 \n"
        "10: sts %[owner], r24 \n"
        "sbis %[state], " NUMBER(IS_WAITING_BIT) " \n rjmp 11f \n"
        "lds r24, %[count] \n lds r25, %[count] + 1 \n adiw r24, %[alarm] \n"
        "sts %[compare] + 1, r25 \n sts %[compare], r24 \n"
        "11: pop r25 \n pop r24 \n out __SREG__, r24 \n pop r24 \n reti"
        :
        : [status] "i"(&TWSR), [data] "i"(&TWDR), [control] "i"(&TWCR), [count] "i"(&TCNT1),
          [compare] "i"(&OCR1A), [alarm] "I"(clock_count_at(ALARM_US)),
          [state] "I"(_SFR_IO_ADDR(BUS_STATE)), [reg] "i"(&board_bridge.transfer.reg),
          [value] "i"(&board_bridge.transfer.value), [is_read] "i"(&board_bridge.transfer.is_read),
          [owner] "i"(&board_bridge.bus_owner), [ended] "i"(&board_bridge.bus_ended),
          [read_value] "i"(&board_bridge.bus_value), [due] "M"(BUS_DUE), [failed] "M"(BUS_FAILED),
          [failures] "i"(&board_bridge.actuators[0].failures));
    __builtin_unreachable();
}
/* clang-format on */

#endif

/* ---- Recovery ---------------------------------------------------------------------------- */

/* Half a clock with some lines pulled low; nothing else is driven by the port. */
BRIDGE_OUTLINE static void pull_low(uint8_t lines) {
    TWI_DDR = lines;
    _delay_us(HALF_CLOCK_US);
}

/* A chip that was reading a byte out holds SDA until it has been clocked to the byte's end; then a
   STOP (NXP UM10204 3.1.16). About 120 us, in which the line goes on receiving. */
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
#if BRIDGE_ACTUATOR_COUNT > 1
    selected = 0;
#endif
}

/* Whether a transfer was still running; no interrupt of the TWI comes any more then, and the
   timer's finds the bus taken. */
static bool abandon(void) {
    bool was_running;
    BRIDGE_ATOMIC_BEGIN
    was_running = BUS_STATE & IS_RUNNING;
    if (was_running) {
        TWCR = 0;
    }
    BRIDGE_ATOMIC_END
    return was_running;
}

static void end_if_stuck(uint16_t now_us) {
    if ((uint16_t)(now_us - progressed_us) <= LIMIT_US) {
        return;
    }
    progressed_us = now_us; /* what follows has as much time */
    if (!abandon()) {
        return;
    }
    bus_start();
    BRIDGE_ATOMIC_BEGIN
    BUS_STATE &= (uint8_t)~IS_RUNNING;
    bridge_bus_done(&board_bridge, false, 0);
    BRIDGE_ATOMIC_END
}

/* The timer learns what is next. */
static void look_ahead(uint32_t now_us) {
    BRIDGE_ATOMIC_BEGIN
    bridge_hasten(&board_bridge, now_us);
    call_timer();
    BRIDGE_ATOMIC_END
}

/* Leads the bus to where the next write goes. */
BRIDGE_INLINE bool take_switch(uint32_t now_us) {
#if BRIDGE_ACTUATOR_COUNT > 1
    return bridge_take_switch(&board_bridge, selected, now_us);
#else
    (void)now_us;
    return false;
#endif
}

BRIDGE_OUTLINE void bus_poll(uint32_t now_us) {
    if (BUS_STATE & IS_RUNNING) {
        end_if_stuck((uint16_t)now_us);
        return;
    }
    const struct bridge_write *write = bridge_first_write(&board_bridge);
    bool is_due = write && !bridge_is_before(now_us, write->due_us);
    if (!is_due) {
        BUS_STATE |= HAS_PROGRESSED;
    }
    if (!write) {
        BUS_STATE &= (uint8_t)~IS_OVERDUE;
    } else if (is_due && bridge_is_before(write->due_us + OVERDUE_US, now_us)) {
        BUS_STATE |= IS_OVERDUE;
        look_ahead(now_us);
    } else if (timer_count(write) != OCR1A || (BUS_STATE & IS_WAITING)) {
        look_ahead(now_us);
    }
    if (bridge_take_untimed(&board_bridge, now_us) || take_switch(now_us)) {
        progressed_us = (uint16_t)now_us; /* it has its time, whatever stood still before */
        take_bus();
        start();
    }
}

bool bus_take_progress(uint16_t now_us) {
    uint8_t state = BUS_STATE & (HAS_PROGRESSED | IS_OVERDUE);
    if (state != HAS_PROGRESSED || now_us == progressed_us) {
        return false;
    }
    BUS_STATE &= (uint8_t)~HAS_PROGRESSED;
    progressed_us = now_us;
    return true;
}
