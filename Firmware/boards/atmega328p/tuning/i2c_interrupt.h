/*
 * The interrupt of the TWI in assembler, for boards with one actuator. The interrupt saves only the
 * registers that it uses. It replaces the C version in i2c.c, which includes this file.
 */
#ifndef I2C_INTERRUPT_H
#define I2C_INTERRUPT_H

#include "interrupt.h"

/* Sends the bytes of a transfer (SLOS854D 8.5.3): address, register, value. In a read, a repeated
   START and the address follow the register; then bytes are read, and all but the last byte are
   acknowledged. At the end of the transfer, the interrupt does the work of bridge_bus_done, and
   triggers the timer's interrupt if a write is waiting for the bus. The code is formatted by hand.
 */
/* clang-format off */
INTERRUPT(TWI_vect) {
    __asm__ volatile(
        "push r24 \n in r24, __SREG__ \n push r24 \n push r25 \n"
        "lds r24, %[status] \n andi r24, " NUMBER(TW_STATUS_MASK_BITS) " \n"
        "ldi r25, " NUMBER(TWI_GO) " \n"
        "cpi r24, " NUMBER(TW_MT_DATA_ACK) " \n breq 3f \n"
        "cpi r24, " NUMBER(TW_MT_SLA_ACK) " \n breq 2f \n"
        "cpi r24, " NUMBER(TW_START) " \n breq 1f \n"
        "cpi r24, " NUMBER(TW_MR_DATA_ACK) " \n breq 12f \n"
        "cpi r24, " NUMBER(TW_MR_SLA_ACK) " \n breq 13f \n"
        "cpi r24, " NUMBER(TW_REP_START) " \n brne 6f \n"
        "lds r24, %[address] \n ori r24, " NUMBER(TW_READ) " \n rjmp 4f \n"
        "1: lds r24, %[address] \n rjmp 4f \n"
        "2: cbi %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n lds r24, %[reg] \n rjmp 4f \n"
        "3: sbic %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n rjmp 7f \n"
        "sbi %[state], " NUMBER(IS_REGISTER_SENT_BIT) " \n"
        "lds r24, %[is_read] \n sbrc r24, 0 \n ldi r25, " NUMBER(TWI_GO_START) " \n"
        "lds r24, %[value] \n"
        "4: sts %[data], r24 \n"
        "5: sts %[control], r25 \n rjmp 11f \n"

        "12: push r30 \n push r31 \n lds r30, %[bytes] \n lds r31, %[bytes] + 1 \n"
        "lds r24, %[data] \n st Z+, r24 \n sts %[bytes] + 1, r31 \n sts %[bytes], r30 \n"
        "pop r31 \n pop r30 \n"
        "lds r24, %[left] \n dec r24 \n sts %[left], r24 \n"
        "13: lds r24, %[left] \n cpi r24, 2 \n brlo 5b \n ori r25, " NUMBER(_BV(TWEA)) " \n rjmp 5b \n"

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
        "ldi r25, " NUMBER(WRITE_ADDRESS) " \n sts %[address], r25 \n"
        "ldi r25, 1 \n sts %[left], r25 \n"
        "sbis %[state], " NUMBER(IS_WAITING_BIT) " \n rjmp 11f \n"
        "lds r24, %[count] \n lds r25, %[count] + 1 \n adiw r24, %[alarm] \n"
        "sts %[compare] + 1, r25 \n sts %[compare], r24 \n"
        "11: pop r25 \n pop r24 \n out __SREG__, r24 \n pop r24 \n reti"
        :
        : [status] "i"(&TWSR), [data] "i"(&TWDR), [control] "i"(&TWCR), [count] "i"(&TCNT1),
          [compare] "i"(&OCR1A), [alarm] "I"(timer_count_at(ALARM_US)),
          [state] "I"(_SFR_IO_ADDR(I2C_STATE)), [reg] "i"(&board_bridge.transfer.reg),
          [value] "i"(&board_bridge.transfer.value), [is_read] "i"(&board_bridge.transfer.is_read),
          [address] "i"(&board_bridge.transfer.address_byte),
          [left] "i"(&board_bridge.transfer.count), [bytes] "i"(&board_bridge.transfer.bytes),
          [owner] "i"(&board_bridge.bus_owner), [ended] "i"(&board_bridge.bus_ended),
          [read_value] "i"(&board_bridge.bus_value), [due] "M"(BRIDGE_BUS_DUE),
          [failed] "M"(BRIDGE_BUS_FAILED),
          [failures] "i"(&board_bridge.actuators[0].failures));
    __builtin_unreachable();
}
/* clang-format on */

#endif
