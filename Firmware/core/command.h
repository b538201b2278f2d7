/* A message as its handler sees it; shared by the files that carry out commands. */
#ifndef BRIDGE_COMMAND_H
#define BRIDGE_COMMAND_H

#include <stdint.h>

#include "bridge.h"
#include "commands.h"

#define GAIN_FULL 255
#define ALL_ACTUATORS ((uint16_t)((1ul << BRIDGE_ACTUATOR_COUNT) - 1))

struct command {
    const uint8_t *payload;
    uint8_t length; /**< of the payload; at least the message's size */
    uint8_t type;
    uint8_t sequence;
    uint32_t stamp_us;          /**< when the frame's last byte had arrived */
    struct rejection rejection; /**< code 0: carried out */
};

/** Says why a command is not carried out: payload byte at fault, nearest legal value or 0. */
void command_reject(struct command *command, uint8_t code, uint8_t offset, uint32_t limit);

/** The stream that payload byte 0 names, or null and a rejection. */
struct stream *command_stream(struct bridge *bridge, struct command *command);

/** The actuator that payload byte 0 names, or null and a rejection. */
struct actuator *command_actuator(struct bridge *bridge, struct command *command);

void carry_out_open(struct bridge *bridge, struct command *command);
void carry_out_close(struct bridge *bridge, struct command *command);
void carry_out_start(struct bridge *bridge, struct command *command);
void carry_out_scale(struct bridge *bridge, struct command *command);
void carry_out_events(struct bridge *bridge, struct command *command);
void carry_out_revise(struct bridge *bridge, struct command *command);

void carry_out_gain(struct bridge *bridge, struct command *command);
void carry_out_mute(struct bridge *bridge, struct command *command);
void carry_out_configure(struct bridge *bridge, struct command *command);
void carry_out_calibrate(struct bridge *bridge, struct command *command);
void carry_out_save(struct bridge *bridge, struct command *command);
void carry_out_enter_bootloader(struct bridge *bridge, struct command *command);

#endif
