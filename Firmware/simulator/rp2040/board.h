// A Raspberry Pi Pico: RP2040, its flash chip, DRV2605(L), the wires between them, and the host's
// USB cable.
#ifndef BOARD_H
#define BOARD_H

#include "bootsel.h"
#include "chip.h"
#include "dw_i2c.h"
#include "flash_chip.h"
#include "i2c_bus.h"
#include "machine.h"
#include "options.h"
#include "ssi.h"
#include "usb_port.h"
#include "usbip.h"
#include "wiring.h"

#include <stdio.h>

struct board {
    struct trace trace;
    struct schedule schedule;
    struct machine machine;
    struct flash_chip flash;
    struct ssi ssi;
    struct bootsel bootsel;
    struct chip chips[TCA9548A_MODEL_CHANNELS];
    struct chip *chip; // the one that commands are about
    struct i2c_bus i2c_bus;
    struct dw_i2c i2c[2];
    struct lamp lamp;
    struct wiring wiring;
    struct usb_controller usb;
    struct usb_host usb_host;
    struct usb_session usb_session;
    struct usb_port usb_port; // or, for a host that is not simulated:
    struct usbip usbip;
    const struct options *options;
};

// A board without power. Returns false, and says why on standard error, if the flash's file can not
// be used.
bool board_init(struct board *board, const struct options *options, FILE *trace);

// Puts the image into the flash. Returns false, and says why on standard error, if it is not right.
bool board_load(struct board *board);

void board_set_power(struct board *board, bool on);

// Pulls RUN low.
void board_reset(struct board *board);

// DTR, as the host tells it to the device.
void board_set_dtr(struct board *board, bool on);

// Runs until the cycle; an instruction that begins before it is completed.
void board_run(struct board *board, uint64_t until);

uint64_t board_now(const struct board *board);
bool board_is_asleep(const struct board *board);

// Connects the pin of the jumper to GND.
void board_set_jumper(struct board *board, bool on);

// ---- The host's port ----

// A program of the host writes bytes.
void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size);
// How many bytes it can write now, in one transfer.
size_t board_room(const struct board *board);
void board_set_rate(struct board *board, uint32_t baud);
// Whether bytes of the board are on their way to the host.
bool board_is_sending(const struct board *board);
// Where the bytes go that have arrived at the host.
void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner);
// The host does not take what arrives, or takes it again; meanwhile it asks for nothing.
bool board_hold_output(struct board *board, bool on);
// Whether the port has come since the last call, as a device that was plugged in.
bool board_has_new_port(struct board *board);
// What the system does when the port is opened, or closed by the last who had it.
void board_port_opened(struct board *board);
void board_port_closed(struct board *board, bool hangs_up);

// Serves a host that is not simulated, in step with the wall clock, until SIGTERM or SIGINT.
// Returns false, with errno, if there is nothing that it could connect to.
bool board_serve(struct board *board, const struct options *options);

#endif
