#include "board.h"

/* The size of the buffer that collects outgoing bytes. Because of this buffer, a port that sends
   each write as a separate packet sends fewer packets. */
#ifdef __AVR__
#define COLLECTED_MAX 16
#else
#define COLLECTED_MAX BRIDGE_FRAME_MAX
#endif

static uint8_t collected[COLLECTED_MAX];
static uint8_t size;

/* Bytes that were read from the port together, and the time of the read. */
#define RECEIVED_MAX 16

static uint8_t received[RECEIVED_MAX];
static uint8_t first;
static uint8_t count;
static uint32_t receivedAt_us;

/* True once the port has reported how many bytes it accepts. If a port never reports this number, a
   write may block. */
static bool reportsRoom;

void startLine() {
    size = 0;
    count = 0;
}

/* Reads the received bytes from the port. All bytes from one read have the time of that read as
   their stamp. */
static void receive() {
    receivedAt_us = board_now_us();
    int available = hardware.port->available();
    first = 0;
    while (count < RECEIVED_MAX && count < available) {
        received[count++] = (uint8_t)hardware.port->read();
    }
}

uint8_t board_peek(const uint8_t **bytes, uint32_t *stamp_us) {
    if (!count) {
        receive();
    }
    *bytes = &received[first];
    *stamp_us = receivedAt_us;
    return count;
}

void board_drop(uint8_t dropped) {
    first = (uint8_t)(first + dropped);
    count = (uint8_t)(count - dropped);
}

/* Returns 0, because a Stream does not report lost bytes. */
uint16_t board_lost_bytes(void) { return 0; }

void flushLine() {
    if (!size) {
        return;
    }
    int room = hardware.port->availableForWrite();
    reportsRoom |= room > 0;
    uint8_t sent = reportsRoom && room < size ? (uint8_t)room : size;
    if (sent) {
        hardware.port->write(collected, sent);
        size = (uint8_t)(size - sent);
        memmove(collected, &collected[sent], size);
    }
}

bool board_can_send(void) {
    if (size == COLLECTED_MAX) {
        flushLine();
    }
    return size < COLLECTED_MAX;
}

void board_send(uint8_t byte) { collected[size++] = byte; }
