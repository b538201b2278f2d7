/*
 * The one place where the core asks a port for help: a few lines that the timer interrupt must
 * not see half done. A port with interrupts defines both before this header is read
 * (`-include board_atomic.h`); in a single thread they are nothing.
 */
#ifndef BRIDGE_ATOMIC_H
#define BRIDGE_ATOMIC_H

#ifndef BRIDGE_ATOMIC_BEGIN
#define BRIDGE_ATOMIC_BEGIN
#define BRIDGE_ATOMIC_END
#endif

#endif
