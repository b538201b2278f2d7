// The reference board: ATmega328P, DRV2605(L), the wires between them, and the host's cable.
#ifndef BOARD_H
#define BOARD_H

#include "chip.h"
#include "eeprom.h"
#include "host.h"
#include "i2c_bus.h"
#include "mcu.h"
#include "ports.h"
#include "schedule.h"
#include "self_programming.h"
#include "step_mark.h"
#include "timer1.h"
#include "trace.h"
#include "twi.h"
#include "usart.h"
#include "watchdog.h"

struct board_settings {
    uint64_t seed;           // of memory without a reset value
    uint8_t device_id;       // of the chips
    uint8_t actuators;       // 1, or several behind a TCA9548A
    bool has_driver;         // the chips are fitted
    const char *eeprom_path; // or NULL
};

struct board {
    struct trace trace;
    struct schedule schedule;
    struct mcu mcu;
    struct host host;
    struct usart usart;
    struct chip chips[TCA9548A_MODEL_CHANNELS];
    struct chip *chip; // the one that commands are about
    struct i2c_bus i2c_bus;
    struct twi twi;
    struct ports ports;
    struct timer1 timer1;
    struct watchdog watchdog;
    struct eeprom eeprom;
    struct self_programming self_programming;
    struct step_mark step_mark;
    uint64_t seed;
    bool has_power;
    bool dtr;
};

// A board without power, its flash erased. Returns false, and says why on standard error, if the
// EEPROM's file can not be read.
bool board_init(struct board *board, const struct board_settings *settings, FILE *trace);

void board_set_power(struct board *board, bool on);

// Pulls the reset pin.
void board_reset(struct board *board);

// The line of the host's cable. As on an Arduino, reset is pulled when it comes on.
void board_set_dtr(struct board *board, bool on);

// Runs until the cycle; an instruction that begins before it is completed.
void board_run(struct board *board, uint64_t until);

#endif
