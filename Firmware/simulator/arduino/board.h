// A board that runs an Arduino sketch compiled for this computer: the sketch with its libraries,
// pins, Wire, a port on USB, a timer and memory that survives; DRV2605(L)s and the host's cable.
#ifndef BOARD_H
#define BOARD_H

#include "api.h"
#include "chip.h"
#include "i2c_bus.h"
#include "lamp.h"
#include "options.h"
#include "schedule.h"
#include "sketch.h"
#include "trace.h"

#define BOARD_RECEIVED_MAX 8192u
#define BOARD_PINS 32u
#define BOARD_RECORDS 24u

struct board_record {
    char key[8];
    size_t size; // 0: none
    uint8_t bytes[API_RECORD_MAX];
};

struct board {
    struct trace trace;
    struct schedule schedule;
    struct sketch sketch;
    struct chip chips[TCA9548A_MODEL_CHANNELS];
    struct chip *chip; // the one that commands are about
    struct i2c_bus i2c_bus;
    const struct options *options;
    uint64_t now;
    uint64_t limit; // the sketch pauses here
    bool has_power;
    bool has_jumper;
    bool starts;    // at its next turn, as after a reset
    bool has_clock; // the sketch has read it

    bool is_output[BOARD_PINS];
    bool is_high[BOARD_PINS];
    uint8_t enabled; // the levels of EN, a mask of chips: there are pull-downs
    struct lamp lamp;

    struct event timer;
    uint64_t timer_period;
    void (*on_timer)(void);
    uint32_t bus_limit_us; // 0: none

    uint8_t received[BOARD_RECEIVED_MAX];
    uint64_t arrivals[BOARD_RECEIVED_MAX];
    size_t received_head;
    size_t received_tail;
    size_t announced; // as arrived
    struct event arrival;
    void (*take)(void *owner, uint8_t byte);
    void *owner;

    uint8_t cells[API_CELLS];
    struct board_record records[BOARD_RECORDS];
};

// The one that a sketch's core is about.
extern struct board *the_board;

// A board without power, nothing in its memory.
bool board_init(struct board *board, const struct options *options, FILE *trace);

// Loads the sketch. Returns false, and says why on standard error, if it can not be loaded.
bool board_load(struct board *board);

void board_set_power(struct board *board, bool on);

// Pulls the reset pin.
void board_reset(struct board *board);

// The line of the host's cable, which such boards ignore.
void board_set_dtr(struct board *board, bool on);

// Runs until the cycle.
void board_run(struct board *board, uint64_t until);

uint64_t board_now(const struct board *board);
bool board_is_asleep(const struct board *board);

// Connects pin 2 to GND.
void board_set_jumper(struct board *board, bool on);

// Drives EN, the LED and the bus as the pins are now.
void board_drive_pins(struct board *board);

// ---- The host's port ----

// The host sends bytes, which arrive together at `when`, in a packet.
void board_send(struct board *board, uint64_t when, const uint8_t *bytes, size_t size);
// How many bytes go to it now.
size_t board_room(const struct board *board);
void board_set_rate(struct board *board, uint32_t baud);
bool board_is_sending(const struct board *board);
// Where the bytes go that have arrived at the host.
void board_on_output(struct board *board, void (*take)(void *owner, uint8_t byte), void *owner);
bool board_hold_output(struct board *board, bool on);
bool board_has_new_port(struct board *board);
void board_port_opened(struct board *board);
void board_port_closed(struct board *board, bool hangs_up);

// Serves a host that is not simulated, in step with the wall clock, until SIGTERM or SIGINT.
// Returns false, with errno, if there is nothing that it could connect to.
bool board_serve(struct board *board, const struct options *options);

#endif
