#include "board.h"

/* Bytes are collected, because a port may send each write as a packet of its own. */
#ifdef __AVR__
#define COLLECTED_MAX 16
#else
#define COLLECTED_MAX BRIDGE_FRAME_MAX
#endif

static uint8_t collected[COLLECTED_MAX];
static uint8_t size;

/* True once the port has said how much it takes. One that never does is not asked: it waits. */
static bool tells;

void startLine() { size = 0; }

/* A byte is taken off the port and stamped at the same time. */
bool board_receive(uint8_t *byte, uint32_t *stamp_us) {
    if (hardware.port->available() <= 0) {
        return false;
    }
    *byte = (uint8_t)hardware.port->read();
    *stamp_us = board_now_us();
    return true;
}

/* A port does not tell what it has lost. */
uint16_t board_lost_bytes(void) { return 0; }

void flushLine() {
    if (!size) {
        return;
    }
    int room = hardware.port->availableForWrite();
    tells |= room > 0;
    uint8_t count = tells && room < size ? (uint8_t)room : size;
    if (count) {
        hardware.port->write(collected, count);
        size = (uint8_t)(size - count);
        memmove(collected, &collected[count], size);
    }
}

bool board_can_send(void) {
    if (size == COLLECTED_MAX) {
        flushLine();
    }
    return size < COLLECTED_MAX;
}

void board_send(uint8_t byte) { collected[size++] = byte; }
