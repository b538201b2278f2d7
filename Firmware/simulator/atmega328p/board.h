// The reference board: ATmega328P, DRV2605(L), the wires between them, and the host's cable.
#ifndef BOARD_H
#define BOARD_H

#include "chip.h"
#include "eeprom.h"
#include "host.h"
#include "i2c_bus.h"
#include "mcu.h"
#include "options.h"
#include "ports.h"
#include "schedule.h"
#include "self_programming.h"
#include "step_mark.h"
#include "timer.h"
#include "trace.h"
#include "twi.h"
#include "usart.h"
#include "watchdog.h"

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
    struct lamp lamp;
    struct ports ports;
    struct timer timer0;
    struct timer timer1;
    struct watchdog watchdog;
    struct eeprom eeprom;
    struct self_programming self_programming;
    struct step_mark step_mark;
    const struct options *options;
    bool has_power;
    bool dtr;
};

// A board without power, its flash erased. Returns false, and says why on standard error, if the
// EEPROM's file can not be read.
bool board_init(struct board *board, const struct options *options, FILE *trace);

// Puts the image, and the boot loader, into the flash. Returns false, and says why on standard
// error, if one is not right.
bool board_load(struct board *board);

void board_set_power(struct board *board, bool on);

// Pulls the reset pin.
void board_reset(struct board *board);

// The line of the host's cable. As on an Arduino, reset is pulled when it comes on.
void board_set_dtr(struct board *board, bool on);

// Runs until the cycle; an instruction that begins before it is completed.
void board_run(struct board *board, uint64_t until);

uint64_t board_now(const struct board *board);
bool board_is_asleep(const struct board *board);

// Connects D2 (PD2) to GND.
void board_set_jumper(struct board *board, bool on);

// ---- The host's port ----

// The host sends bytes, the first start bit at `when` or when the line is free.
void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size);
// How many bytes the cable, or the buffer of its adapter, takes now.
size_t board_room(const struct board *board);
void board_set_rate(struct board *board, uint32_t baud);
// Whether a byte of the board is on its way to the host.
bool board_is_sending(const struct board *board);
// Where the bytes go that have arrived at the host.
void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner);
// The host does not take what arrives, or takes it again. Returns false if it is lost, as with an
// adapter.
bool board_hold_output(struct board *board, bool on);
// Whether the port has come since the last call, as a device that was plugged in: never.
bool board_has_new_port(struct board *board);
// What a cable with DTR does when the port is opened, or closed by the last who had it.
void board_port_opened(struct board *board);
void board_port_closed(struct board *board, bool hangs_up);

// Serves a host that is not simulated, in step with the wall clock, until SIGTERM or SIGINT.
// Returns false, with errno, if there is nothing that it could connect to.
bool board_serve(struct board *board, const struct options *options);

#endif
