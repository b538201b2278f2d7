/* What the files of this board share. */
#ifndef BOARD_H
#define BOARD_H

#include "../../core/bridge.h"
#include "../../core/bridge_atomic.h"
#include "../../core/bridge_outline.h"
#include "../../core/bridge_version.h"

/** The one context. */
extern struct bridge board_bridge;

#endif
