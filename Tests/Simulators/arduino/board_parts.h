// A board that runs an Arduino sketch compiled for this computer. The board consists of the sketch
// with its libraries, the pins, Wire, a USB port, a timer, nonvolatile memory, DRV2605(L)s and the
// host's cable.
#ifndef BOARD_PARTS_H
#define BOARD_PARTS_H

#include "api.h"
#include "schedule.h"
#include "sketch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_RECEIVED_MAX 8192u
#define BOARD_PINS 32u
#define BOARD_RECORDS 32u

struct board;

struct board_record {
    char key[8];
    size_t size; // 0 if there is no record
    uint8_t bytes[API_RECORD_MAX];
};

struct board_parts {
    struct sketch sketch;
    uint64_t now;
    uint64_t limit; // the cycle at which the sketch pauses
    bool has_jumper;
    bool starts;    // the sketch must be restarted before it runs again, as after a reset
    bool has_clock; // the sketch has read the clock

    bool is_output[BOARD_PINS];
    bool is_high[BOARD_PINS];
    uint8_t enabled; // the mask of the chips whose EN is high; EN pins have pull-downs

    struct event timer;
    uint64_t timer_period;
    void (*on_timer)(void);
    uint32_t bus_limit_us; // the timeout of a transfer; 0 for no timeout
    uint32_t bus_hz;

    uint8_t received[BOARD_RECEIVED_MAX];
    uint64_t arrivals[BOARD_RECEIVED_MAX];
    size_t received_head;
    size_t received_tail;
    size_t announced; // the number of bytes that have been received from the host
    struct event arrival;
    void (*take)(void *owner, uint8_t byte);
    void *owner;

    uint8_t cells[API_CELLS];
    struct board_record records[BOARD_RECORDS];
};

// The board on which the core of the sketch runs.
extern struct board *the_board;

// Returns the record that has a key, or NULL if there is no such record.
struct board_record *board_find_record(struct board *board, const char *key);

// Applies the current state of the pins to EN, the LED and the bus.
void board_drive_pins(struct board *board);

#endif
