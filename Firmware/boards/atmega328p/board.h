/* The context of the device, which the files of this board share. */
#ifndef BOARD_H
#define BOARD_H

#include "../../core/bridge.h"

/** The board's only context. */
extern struct bridge board_bridge;

#endif
