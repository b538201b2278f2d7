#include "api.h"

#include "board.h"
#include "clock.h"

#include <inttypes.h>
#include <string.h>

#define CALL_US 1u        // time to read the clock
#define OVERHEAD_US 12u   // time that Wire adds to each transfer
#define CELL_US 3300u     // time to write an EEPROM cell
#define RECORD_US 8000u   // time to write a record
#define PACKET_MAX 64u    // size of a USB packet
#define RECEIVED_MAX 256u // size of the core's receive buffer
#define JUMPER 2          // pin of the jumper, which has a pull-up

// ---- Time ----

// Advances the time. No time passes during an interrupt.
void api_spend_us(uint32_t us) {
    struct board *board = the_board;
    uint64_t end = board->own.now + (uint64_t)us * CYCLES_PER_US;
    if (!board->own.sketch.runs) {
        return;
    }
    while (end >= board->own.limit) {
        board->own.now = board->own.limit;
        sketch_pause(&board->own.sketch);
    }
    board->own.now = end;
}

uint32_t api_now_us(void) {
    struct board *board = the_board;
    api_spend_us(CALL_US);
    uint64_t now_us = board->own.now / CYCLES_PER_US;
    if (!board->own.has_clock) { // the library starts its own clock when it first reads the time
        board->own.has_clock = true;
        trace_line(&board->trace, "clock %" PRIu64, now_us * CYCLES_PER_US);
    }
    return (uint32_t)now_us;
}

void api_call_every(uint32_t period_us, void (*callback)(void)) {
    struct board *board = the_board;
    board->own.on_timer = callback;
    board->own.timer_period = (uint64_t)period_us * CYCLES_PER_US;
    schedule_at(&board->schedule, &board->own.timer, board->own.now + board->own.timer_period);
    if (board->schedule.next < board->own.limit) {
        board->own.limit = board->schedule.next;
    }
}

// ---- Pins ----

void api_set_direction(uint8_t pin, bool is_output) {
    the_board->own.is_output[pin] = is_output;
    board_drive_pins(the_board);
}

void api_set_level(uint8_t pin, bool is_high) {
    the_board->own.is_high[pin] = is_high;
    board_drive_pins(the_board);
}

bool api_level(uint8_t pin) {
    switch (pin) {
    case API_SDA:
        return i2c_bus_sda(&the_board->i2c_bus);
    case API_SCL:
        return i2c_bus_scl(&the_board->i2c_bus);
    case JUMPER:
        return !the_board->own.has_jumper;
    default:
        return the_board->own.is_high[pin];
    }
}

// ---- The port ----

size_t api_received(void) {
    const struct board *board = the_board;
    size_t count = 0;
    size_t waiting = board->own.received_head - board->own.received_tail;
    while (count < waiting && count < RECEIVED_MAX &&
           board->own.arrivals[(board->own.received_tail + count) % BOARD_RECEIVED_MAX] <=
               board->own.now) {
        count++;
    }
    return count;
}

uint8_t api_take(void) {
    struct board *board = the_board;
    return board->own.received[board->own.received_tail++ % BOARD_RECEIVED_MAX];
}

size_t api_room(void) { return PACKET_MAX; }

void api_send(const uint8_t *bytes, size_t size) {
    struct board *board = the_board;
    for (size_t index = 0; index < size; index++) {
        trace_line(&board->trace, "tx %" PRIu64 " %02X", board->own.now, bytes[index]);
        if (board->own.take != NULL) {
            board->own.take(board->own.owner, bytes[index]);
        }
    }
}

// ---- The bus ----

void api_connect_bus(bool on) {
    i2c_bus_connect_controller(&the_board->i2c_bus, the_board->own.now, on);
}

void api_limit_bus(uint32_t us) { the_board->own.bus_limit_us = us; }

void api_set_bus_clock(uint32_t hz) { the_board->own.bus_hz = hz; }

// Returns the time that a number of bits takes on the bus, rounded up. START and STOP each take the
// time of one bit.
static uint32_t bits_us(uint32_t bits) {
    uint32_t hz = the_board->own.bus_hz;
    return (bits * 1000000u + hz - 1) / hz;
}

// Causes the sketch to wait while the bus is held. Returns false after the timeout that the sketch
// has set; without a timeout, the wait is unlimited.
static bool wait_for_bus(void) {
    struct board *board = the_board;
    uint32_t waited_us = 0;
    while (i2c_bus_is_stuck(&board->i2c_bus) || i2c_bus_is_held(&board->i2c_bus)) {
        if (board->own.bus_limit_us != 0 && waited_us >= board->own.bus_limit_us) {
            return false;
        }
        api_spend_us(CALL_US);
        waited_us += CALL_US;
    }
    return true;
}

// Sends a byte, and returns true if it is acknowledged. The chip processes the byte in the middle
// of its ACK, and may hold SCL low afterwards.
static bool give(uint8_t byte) {
    struct board *board = the_board;
    api_spend_us(bits_us(9));
    bool acknowledged = i2c_bus_write(&board->i2c_bus, board->own.now, byte);
    api_spend_us((uint32_t)(i2c_bus_stretch(&board->i2c_bus) / CYCLES_PER_US));
    return acknowledged;
}

static bool start(uint8_t address_byte) {
    struct board *board = the_board;
    i2c_bus_start(&board->i2c_bus, board->own.now, board->own.now, CLOCK_HZ / board->own.bus_hz);
    api_spend_us(bits_us(1));
    return give(address_byte);
}

static void stop(void) {
    api_spend_us(bits_us(1));
    i2c_bus_stop(&the_board->i2c_bus, the_board->own.now);
}

uint8_t api_write_bus(uint8_t address, const uint8_t *bytes, size_t size, bool stops) {
    api_spend_us(OVERHEAD_US);
    if (!wait_for_bus()) {
        return 5;
    }
    uint8_t error = start((uint8_t)(address << 1)) ? 0 : 2;
    for (size_t index = 0; error == 0 && index < size; index++) {
        error = give(bytes[index]) ? 0 : 3;
    }
    if (stops || error != 0) {
        stop();
    }
    return error;
}

bool api_read_bus(uint8_t address, uint8_t *byte) {
    struct board *board = the_board;
    bool ok = wait_for_bus() && start((uint8_t)(address << 1 | 1));
    if (ok) {
        *byte = i2c_bus_read(&board->i2c_bus, board->own.now);
        api_spend_us(bits_us(9));
        i2c_bus_has_read(&board->i2c_bus, *byte);
    }
    stop();
    return ok;
}

// ---- Memory ----

uint8_t api_cell(uint16_t address) { return the_board->own.cells[address % API_CELLS]; }

// Writes a cell. The cell is first erased, and remains erased if the power fails before the cell is
// written.
void api_write_cell(uint16_t address, uint8_t value) {
    struct board *board = the_board;
    board->own.cells[address % API_CELLS] = 0xFF;
    api_spend_us(CELL_US);
    board->own.cells[address % API_CELLS] = value;
    trace_line(&board->trace, "eeprom %" PRIu64 " %u %02X", board->own.now, address, value);
}

struct board_record *board_find_record(struct board *board, const char *key) {
    for (size_t index = 0; index < BOARD_RECORDS; index++) {
        struct board_record *record = &board->own.records[index];
        if (record->size != 0 && strcmp(record->key, key) == 0) {
            return record;
        }
    }
    return NULL;
}

static struct board_record *find_room(void) {
    for (size_t index = 0; index < BOARD_RECORDS; index++) {
        if (the_board->own.records[index].size == 0) {
            return &the_board->own.records[index];
        }
    }
    return NULL;
}

bool api_has_record(const char *key) { return board_find_record(the_board, key) != NULL; }

size_t api_record(const char *key, uint8_t *bytes, size_t size) {
    const struct board_record *record = board_find_record(the_board, key);
    if (record == NULL || size < record->size) {
        return record == NULL ? 0 : record->size;
    }
    memcpy(bytes, record->bytes, record->size);
    return record->size;
}

// Stores the complete record when the time that the write takes has elapsed.
bool api_put_record(const char *key, const uint8_t *bytes, size_t size) {
    api_spend_us(RECORD_US);
    struct board_record *record = board_find_record(the_board, key);
    record = record == NULL ? find_room() : record;
    if (record == NULL || size > API_RECORD_MAX || strlen(key) >= sizeof record->key) {
        return false;
    }
    strcpy(record->key, key);
    memcpy(record->bytes, bytes, size);
    record->size = size;
    return true;
}

void api_remove_record(const char *key) {
    struct board_record *record = board_find_record(the_board, key);
    if (record != NULL) {
        record->size = 0;
    }
}
