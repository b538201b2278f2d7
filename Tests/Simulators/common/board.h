// A simulated board, which consists of the hardware that is specific to its kind, the chips on its
// bus, and the host's cable.
#ifndef BOARD_H
#define BOARD_H

#include "board_parts.h"
#include "chip.h"
#include "i2c_bus.h"
#include "lamp.h"
#include "motion_model.h"
#include "options.h"
#include "schedule.h"
#include "trace.h"

#include <stdio.h>

struct board {
    struct trace trace;
    struct vcd vcd;
    struct schedule schedule;
    struct chip chips[TCA9548A_MODEL_CHANNELS];
    struct chip *chip; // the chip to which commands apply
    struct i2c_bus i2c_bus;
    struct motion_model motion; // the motion of the chips' actuators, and the accelerometer
    struct lamp lamp;
    const struct options *options;
    bool has_power;
    struct board_parts own;
};

// Initializes a board without power and with empty memories. The caller has set the struct to
// zeros, and may have initialized `vcd`. Returns false, and prints the reason on standard error, if
// the file of a memory cannot be used.
bool board_init(struct board *board, const struct options *options, FILE *trace);

void board_set_power(struct board *board, bool on);

// ---- Implemented by each kind of board ----

// Initializes the hardware of the board, and calls board_init_chips to initialize its chips.
// Returns the result of board_init.
bool board_init_parts(struct board *board);

// Stores the image and the boot loader in the flash. Returns false, and prints the reason on
// standard error, if one of them is invalid.
bool board_load(struct board *board);

// Switches the power of the board's hardware, and calls board_set_chip_power to switch the power of
// the chips.
void board_power_changed(struct board *board);

// Pulls the reset pin low for a moment.
void board_reset(struct board *board);

// Sets DTR, a signal of the host's cable. An Uno is reset when DTR becomes active.
void board_set_dtr(struct board *board, bool on);

// Runs until the given cycle, and completes an instruction that begins before it.
void board_run(struct board *board, uint64_t until);

uint64_t board_now(const struct board *board);
bool board_is_asleep(const struct board *board);

// Connects the jumper pin (D2 of an Arduino) to GND, or disconnects it.
void board_set_jumper(struct board *board, bool on);

// ---- Implemented by each kind of board: the host's port ----

// Sends bytes from the host: the first byte at `when` or, if the line is busy, when the line
// becomes free.
void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size);
// Returns the number of bytes that the cable, or the buffer of the cable's adapter, accepts now.
size_t board_room(const struct board *board);
void board_set_rate(struct board *board, uint32_t baud);
// Returns true while the board is transmitting bytes to the host.
bool board_is_sending(const struct board *board);
// Sets the function that receives the bytes for the host.
void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner);
// Causes the host to stop or to resume reading. Returns false if unread bytes are lost, as with a
// USB-serial adapter.
bool board_hold_output(struct board *board, bool on);
// Returns true if the port has appeared since the last call, as the port of a device appears when
// the device is plugged in.
bool board_has_new_port(struct board *board);
// Notifies the board that the port was opened, or that its last user has closed it.
void board_port_opened(struct board *board);
void board_port_closed(struct board *board, bool hangs_up);

// Connects a host that is not simulated, and runs the board at the pace of the wall clock until
// SIGTERM or SIGINT. Returns false and sets errno if the connection cannot be opened.
bool board_serve(struct board *board, const struct options *options);

// ---- Used by each kind of board ----

// Connects the chips that the options specify to the bus.
void board_init_chips(struct board *board);

// Switches the power of the bus and of the chips.
void board_set_chip_power(struct board *board, bool on);

#endif
