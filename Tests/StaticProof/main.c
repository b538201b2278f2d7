/*
 * A program that Frama-C's Eva (run.sh) interprets with all possible values of its unknowns. A
 * board receives one message of a known type, with any length, content and time, and then executes
 * steps of the main loop at any times, with any results of the bus. Every operation that is
 * undefined in C is an alarm. CONTEXT is the activity of the board when it receives the message.
 * Until the board receives the message, all values are known, so that the analysis does not
 * approximate pointers.
 */
#include <__fc_builtin.h>

#include "Firmware/boards/common/board_hal.h"
#include "Firmware/core/link/commands.h"
#include "Tests/ModelBoard/board.h"

#define STEPS 3
#define DELAY_MAX_US 50000 /* the maximum duration of a round of a port (bridge.h, POLLING) */

enum context { BOOTED, CONNECTED, OPENED, PLAYING, CALIBRATING };

static void lose(uint8_t byte) { (void)byte; }

/* Passes a message to the core without encoding and decoding a frame. */
static void say(uint8_t type, const uint8_t *payload, uint8_t size) {
    static uint8_t sequence;
    struct frame_receiver *receiver = &port_bridge.receiver;
    receiver->body[0] = type;
    receiver->body[1] = type >= BRIDGE_OPEN ? sequence++ : 0;
    for (uint8_t index = 0; index < size; index++) {
        receiver->body[BRIDGE_HEADER_SIZE + index] = payload[index];
    }
    receiver->length = (uint8_t)(BRIDGE_HEADER_SIZE + size);
    commands_dispatch(&port_bridge, board_now_us());
    board_run(2000, 1000);
}

#define SAY(type, ...)                                                                             \
    do {                                                                                           \
        static const uint8_t payload[] = {__VA_ARGS__};                                            \
        say(type, payload, sizeof payload);                                                        \
    } while (0)

/* Opens a stream with level 120, a tap, a ramp and END (SPEC 6.1). */
static void open_stream(void) {
    SAY(BRIDGE_OPEN, 0, 1, 0, 0, 0);
    SAY(BRIDGE_EVENTS, 0, 0, 0xB0, 120, 0x91, 40, 250, 255, 0xD0, 200, 0xC0, 0x3E, 0xF1, 0xA0, 0x1F,
        0);
}

static void reach_context(void) {
    board_begin(lose);
    board_run(30000, 1000);
    if (CONTEXT >= CONNECTED) {
        SAY(BRIDGE_HELLO, 1, 1, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0);
    }
    if (CONTEXT == OPENED || CONTEXT == PLAYING) {
        open_stream();
    }
    if (CONTEXT == PLAYING) { /* the stream starts after 10 ms, with ticks of 250 us */
        SAY(BRIDGE_START, 0, 0, 1, 0x10, 0x27, 0, 0, 0, 0, 0, 250);
        board_run(30000, 1000);
    }
    if (CONTEXT == CALIBRATING) {
        SAY(BRIDGE_CALIBRATE, 0);
        board_run(30000, 1000);
    }
    Frama_C_show_each_context(port_bridge.has_session, port_bridge.actuators[0].state,
                              port_bridge.streams[0].state, port_bridge.faults,
                              port_bridge.answers.rejects);
}

static void receive_any_message(uint32_t now_us) {
    struct frame_receiver *receiver = &port_bridge.receiver;
    uint8_t type = Frama_C_unsigned_char_interval(0, UINT8_MAX);
    Frama_C_make_unknown((char *)receiver->body, sizeof receiver->body);
    //@ split type;
    receiver->body[0] = type;
    receiver->length = Frama_C_unsigned_char_interval(BRIDGE_HEADER_SIZE, BRIDGE_BODY_MAX);
    commands_dispatch(&port_bridge, now_us);
}

static void step(uint32_t now_us) {
    uint8_t byte;
    bridge_poll(&port_bridge, now_us);
    bridge_take_byte(&port_bridge, &byte);
    bridge_enabled(&port_bridge);
    if (bridge_take_untimed(&port_bridge, now_us)) {
        bridge_bus_done(&port_bridge, Frama_C_interval(0, 1),
                        Frama_C_unsigned_char_interval(0, UINT8_MAX));
    }
}

int main(void) {
    reach_context();
    uint32_t now_us = board_now_us();
    receive_any_message(now_us + Frama_C_unsigned_int_interval(0, DELAY_MAX_US));
    for (int left = STEPS; left; left--) {
        step(now_us + Frama_C_unsigned_int_interval(0, 2 * DELAY_MAX_US));
    }
}
