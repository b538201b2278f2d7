// The reference board: an ATmega328P, DRV2605(L)s, the wires between them, and the host's cable.
#ifndef BOARD_PARTS_H
#define BOARD_PARTS_H

#include "eeprom.h"
#include "host.h"
#include "mcu.h"
#include "ports.h"
#include "self_programming.h"
#include "step_mark.h"
#include "timer.h"
#include "twi.h"
#include "usart.h"
#include "watchdog.h"

struct board_parts {
    struct mcu mcu;
    struct host host;
    struct usart usart;
    struct twi twi;
    struct ports ports;
    struct timer timer0;
    struct timer timer1;
    struct watchdog watchdog;
    struct eeprom eeprom;
    struct self_programming self_programming;
    struct step_mark step_mark;
    bool dtr;
};

#endif
