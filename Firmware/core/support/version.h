/* The version of the firmware: of the core, and of the boards here that run it. */
#ifndef BRIDGE_VERSION_H
#define BRIDGE_VERSION_H

/** Major × 256 + minor, as WELCOME tells it. */
#define BRIDGE_FIRMWARE_VERSION 0x0100

#endif
