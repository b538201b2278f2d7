/* The firmware version of the core and of the boards of this project. */
#ifndef BRIDGE_VERSION_H
#define BRIDGE_VERSION_H

/** Major × 256 + minor, as in WELCOME. */
#define BRIDGE_FIRMWARE_VERSION 0x0100

#endif
