// The registers, bits and vectors of the ATmega328P that the simulator models, with their names
// from the datasheet (DS40002061B). The value of a register is its address in data space (section
// 30).
#ifndef ATMEGA328P_H
#define ATMEGA328P_H

#include "clock.h"

// ---- Memories (section 8) ----

#define FLASH_SIZE 0x8000u
#define FLASH_PAGE_SIZE 128u
#define RWW_END 0x7000u // end of the read-while-write section (27.8)
// The boot loader section, at the end of flash: 256, 512, 1,024 or 2,048 words, as set by the fuse
// BOOTSZ (27.8).
#define BOOT_SECTION_MIN 0x200u
#define BOOT_SECTION_MAX 0x1000u
#define IO_START 0x20u
#define SRAM_START 0x100u
#define RAMEND 0x8FFu
#define EEPROM_SIZE 1024u

// ---- I/O ports (section 14) ----

#define PINB 0x23u
#define DDRB 0x24u
#define PORTB 0x25u
#define PORTB5_LED 0x20u
#define PINC 0x26u
#define DDRC 0x27u
#define PORTC 0x28u
#define PINC4_SDA 0x10u
#define PINC5_SCL 0x20u
#define PIND 0x29u
#define DDRD 0x2Au
#define PORTD 0x2Bu
#define PIND2 0x04u
#define PIND4 0x10u

// ---- Timer/Counter0 (section 15): flags, mask and clock selection have the same bits as Timer1
// ----

#define TIFR0 0x35u
#define TCCR0A 0x44u
#define WGM01_00 0x03u
#define TCCR0B 0x45u
#define WGM02 0x08u
#define TCNT0 0x46u
#define OCR0A 0x47u
#define OCR0B 0x48u
#define TIMSK0 0x6Eu

// ---- Timer/Counter1 and the prescaler (sections 16 and 17) ----

#define TIFR1 0x36u
#define GTCCR 0x43u
#define TSM 0x80u
#define PSRSYNC 0x01u
#define TIMSK1 0x6Fu
#define TOV1 0x01u // the same bits in TIFR1 and TIMSK1
#define OCF1A 0x02u
#define OCF1B 0x04u
#define TCCR1A 0x80u
#define COM1 0xF0u
#define WGM11_10 0x03u
#define TCCR1B 0x81u
#define WGM13_12 0x18u
#define CS12_10 0x07u
#define TCNT1L 0x84u
#define TCNT1H 0x85u
#define OCR1AL 0x88u
#define OCR1AH 0x89u
#define OCR1BL 0x8Au
#define OCR1BH 0x8Bu

// ---- General purpose (section 8.6) ----

#define GPIOR0 0x3Eu

// ---- EEPROM (section 8.4) ----

#define EECR 0x3Fu
#define EEPM1_0 0x30u
#define EEPM_ERASE_ONLY 0x10u
#define EEPM_WRITE_ONLY 0x20u
#define EERIE 0x08u
#define EEMPE 0x04u
#define EEPE 0x02u
#define EERE 0x01u
#define EEDR 0x40u
#define EEARL 0x41u
#define EEARH 0x42u

// ---- Sleep, reset and watchdog (sections 10 and 11) ----

#define SMCR 0x53u
#define SE 0x01u
#define SM2_0 0x0Eu
#define MCUSR 0x54u
#define WDRF 0x08u
#define EXTRF 0x02u
#define PORF 0x01u
#define WDTCSR 0x60u
#define WDIF 0x80u
#define WDIE 0x40u
#define WDP3 0x20u
#define WDCE 0x10u
#define WDE 0x08u
#define WDP2_0 0x07u

// ---- Self-programming (section 27) ----

#define SPMCSR 0x57u
#define SPMIE 0x80u
#define RWWSB 0x40u
#define RWWSRE 0x10u
#define PGWRT 0x04u
#define PGERS 0x02u
#define SPMEN 0x01u

// ---- CPU (section 7) ----

#define R0 0x00u
#define R1 0x01u
#define R30_ZL 0x1Eu
#define R31_ZH 0x1Fu
#define SPL 0x5Du
#define SPH 0x5Eu

// ---- Two-wire interface (section 22) ----

#define TWBR 0xB8u
#define TWSR 0xB9u
#define TWS 0xF8u
#define TWPS 0x03u
#define TWAR 0xBAu
#define TWDR 0xBBu
#define TWCR 0xBCu
#define TWINT 0x80u
#define TWEA 0x40u
#define TWSTA 0x20u
#define TWSTO 0x10u
#define TWWC 0x08u
#define TWEN 0x04u
#define TWIE 0x01u

// ---- USART0 (section 20) ----

#define UCSR0A 0xC0u
#define RXC0 0x80u
#define TXC0 0x40u
#define UDRE0 0x20u
#define FE0 0x10u
#define DOR0 0x08u
#define U2X0 0x02u
#define MPCM0 0x01u
#define UCSR0B 0xC1u
#define RXCIE0 0x80u
#define TXCIE0 0x40u
#define UDRIE0 0x20u
#define RXEN0 0x10u
#define TXEN0 0x08u
#define UCSZ02 0x04u
#define UCSR0C 0xC2u
#define UCSR0C_8N1 0x06u
#define UBRR0L 0xC4u
#define UBRR0H 0xC5u
#define UDR0 0xC6u

// ---- Interrupt vectors (section 12.4), two words each; lower vectors have priority ----

#define VECTOR_SIZE 4u
#define VECTOR_WDT 6u
#define VECTOR_TIMER1_COMPA 11u
#define VECTOR_TIMER1_COMPB 12u
#define VECTOR_TIMER1_OVF 13u
#define VECTOR_TIMER0_COMPA 14u
#define VECTOR_TIMER0_COMPB 15u
#define VECTOR_TIMER0_OVF 16u
#define VECTOR_USART_RX 18u
#define VECTOR_USART_UDRE 19u
#define VECTOR_USART_TX 20u
#define VECTOR_EE_READY 22u
#define VECTOR_TWI 24u
#define VECTOR_SPM_READY 25u
#define VECTOR_COUNT 26u

#endif
